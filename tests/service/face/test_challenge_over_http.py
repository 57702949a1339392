"""The benchmark that plays films over HTTP answers what the service has drawn."""

from __future__ import annotations

import json
from typing import Any, cast

import httpx
import numpy as np
import pytest

from benchmarks import face_http
from benchmarks.face_sequences import Take
from benchmarks.running_service import Service
from service.face.liveness.movements import Movement, Step
from shared.wire.common import ERROR_HEADER

TAKE = Take(
    [np.zeros((8, 8, 3), np.uint8)] * 90,
    [float(at) for at in range(0, 3600, 40)],
    [Step(Movement.UP, 200, 1800), Step(Movement.LEFT, 1800, 3600)],
    np.zeros((2, 2)),
)
UP_AND_LEFT = [("up", 500, 2100), ("left", 2100, 3700)]


def draw(*steps: tuple[str, int, int]) -> httpx.Response:
    drawn = [{"movement": name, "from_ms": begins, "to_ms": ends} for name, begins, ends in steps]
    return httpx.Response(200, json={"data": {"challenge_id": "c", "steps": drawn}})


class PretendedService:
    """Answers by `answers`, one after another, and remembers the requests."""

    def __init__(self, *answers: httpx.Response) -> None:
        self._answers = list(answers)
        self.requests: list[tuple[str, Any]] = []
        transport = httpx.MockTransport(self._answer)
        self.client = httpx.Client(base_url="http://pretended", transport=transport)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append((request.url.path, json.loads(request.content)))
        return self._answers.pop(0)

    def cpu_seconds(self) -> float:
        return float(len(self.requests))


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waited: list[float] = []
    monkeypatch.setattr("benchmarks.face_http.time.sleep", waited.append)
    return waited


def play(service: PretendedService, take: Take = TAKE) -> tuple[str, float]:
    return face_http._play(cast(Service, service), take)


def test_film_is_stretched_to_the_drawn_challenge(waits: list[float]) -> None:
    swapped = [("left", 500, 2100), ("up", 2100, 3700)]
    service = PretendedService(
        draw(*swapped), draw(*UP_AND_LEFT), httpx.Response(200, json={}), httpx.Response(200, json={})
    )
    assert play(service) == ("live", 1000.0)
    (_, drawn), _, (path, answer), (last, _) = service.requests
    assert (drawn, path, last) == ({"avoid": ["right"]}, "/auth/loginByFaceChallenge", "/auth/login")
    times = [frame["at_ms"] for frame in answer["frames"]]
    assert len(times) == 60
    assert times == sorted(times)
    # The film's first turn begins at 200 ms and its second one at 1800 ms.
    assert {0, 2100} <= set(times)
    assert times[-1] <= 3700
    assert waits == [pytest.approx((times[-1] - 300) / 1000, abs=0.05)]


def test_refusal_gives_its_code_and_a_busy_station_waits(waits: list[float]) -> None:
    busy = httpx.Response(429, headers={"Retry-After": "7"})
    refusal = httpx.Response(200, json={}, headers={ERROR_HEADER: "challenge_not_made"})
    service = PretendedService(busy, draw(*UP_AND_LEFT), refusal, httpx.Response(200, json={}))
    assert play(service)[0] == "challenge_not_made"
    assert waits[0] == 7


def test_film_of_one_turn_cannot_be_played() -> None:
    single = Take(TAKE.frames, TAKE.times, TAKE.steps[:1], TAKE.eyes)
    with pytest.raises(ValueError, match="two turns"):
        play(PretendedService(), single)
