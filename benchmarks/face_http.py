"""Plays films of people, and attacks made from them, to the challenge of a real service over HTTP.

A film is stretched in time so that its turns come when the drawn challenge asks for them, as a person follows
it; a challenge of other turns is drawn again.
"""

from __future__ import annotations

import base64
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from benchmarks.face_attacks import ANSWER_MS, Outcome, draw_attack, find_films, report_rates
from benchmarks.face_sequences import Take, read_folder
from benchmarks.figures import print_figure
from benchmarks.running_service import ADMIN, Service, service
from service.face.engines.analysis import coarse
from service.face.engines.engine import FaceEngine
from service.face.engines.picture import Pixels
from service.face.liveness.movements import Movement, Reason
from service.settings import Settings
from shared.images.cv import cv2
from shared.limits import MAX_FRAMES
from shared.wire.common import ERROR_HEADER

_TURNS = (Movement.LEFT, Movement.RIGHT, Movement.UP)
# Of the time since the draw the service lets the times of the frames differ by 500 ms.
_EARLY_MS = 300


def measure_over_http(
    engine: FaceEngine,
    model: tuple[str, Path],
    folders: Sequence[Path],
    *,
    seed: int,
    kinds: Sequence[str],
    repeat: int = 1,
) -> None:
    """Print how many films of two turns in `folders` log their person in, and how many attacks do.

    `model` is the name of `engine` and the folder of packs. Raises ValueError for a film of one turn, and
    where no film of a person can be enrolled.
    """
    name, outcomes = model[0], []
    with face_service(model) as running:
        for person, films in groupby(find_films(folders), key=lambda film: film[0]):
            takes = {folder.name: read_folder(folder) for _, folder in films}
            _enrol_first(running.client, [take.frames[0] for take in takes.values()], person)
            for film, take in takes.items():
                outcomes.append(_measure(running, engine, person, film, take, seed, kinds, repeat))
                print(f"{person} {film}: {outcomes[-1].reasons['genuine'][0]}", flush=True)
    report_rates(f"over HTTP, engine {name}", kinds, outcomes)
    longest = max(outcome.spent_ms for outcome in outcomes)
    print_figure(f"the longest film over HTTP, processor time, engine {name}", longest, "ms", goal=ANSWER_MS)


@contextmanager
def face_service(model: tuple[str, Path]) -> Iterator[Service]:
    """A running service with a face model: its name and the folder of packs."""

    def copy_packs(data_dir: Path) -> None:
        shutil.copytree(model[1], Settings(data_dir=data_dir).face_models_dir)

    with service(copy_packs, WALKAROUND_FACE_MODEL=model[0]) as running:
        yield running


def enrol(client: httpx.Client, pictures: Sequence[str]) -> httpx.Response:
    """Ask to enrol the administrator by `pictures`, in Base64."""
    return client.post("/auth/face", json={"images": pictures, "consent": True})


def _enrol_first(client: httpx.Client, pictures: Sequence[Pixels], person: str) -> None:
    """Enrol the administrator by the first of `pictures` that is accepted."""
    for picture in pictures:
        if enrol(client, [_encode(picture)]).status_code == 200:
            return
    raise ValueError(f"{person}: the service enrols none of the films' first frames")


def _measure(
    running: Service,
    engine: FaceEngine,
    person: str,
    film: str,
    take: Take,
    seed: int,
    kinds: Sequence[str],
    repeat: int,
) -> Outcome:
    reason, spent = _play(running, take)
    reasons = {"genuine": [reason]}
    faces = coarse(engine, take.frames[0])
    if faces:
        take = replace(take, eyes=faces[0].eyes.astype(np.float64))
        for kind in kinds:
            attacks = [draw_attack(kind, take, number, film) for number in range(seed, seed + repeat)]
            reasons[kind] = [_play(running, attack)[0] for attack in attacks]
    return Outcome(person, film, reasons, len(take.frames), spent)


def _play(running: Service, take: Take) -> tuple[str, float]:
    """What the service says of `take` ("live", or its error code), and its processor time for that in ms."""
    client = running.client
    challenge = _draw(client, take)
    times = _stretch(take, challenge["steps"])
    chosen = np.unique(np.linspace(0, len(times) - 1, min(len(times), MAX_FRAMES)).astype(int))
    frames = [{"at_ms": int(times[index]), "picture": _encode(take.frames[index])} for index in chosen]
    time.sleep(max(times[-1] - _EARLY_MS, 0) / 1000)
    started = running.cpu_seconds()
    body = {"challenge_id": challenge["challenge_id"], "frames": frames}
    answer = client.post("/auth/loginByFaceChallenge", json=body)
    spent = (running.cpu_seconds() - started) * 1000
    # A login by password takes back the failures, after five of which the station would have to wait.
    client.post("/auth/login", json=ADMIN).raise_for_status()
    return answer.headers.get(ERROR_HEADER, Reason.LIVE.value), spent


def _draw(client: httpx.Client, take: Take) -> dict[str, Any]:
    """A challenge that asks for the turns of `take` in their order."""
    asked = [step.movement.value for step in take.steps]
    if len(asked) != 2:
        raise ValueError("over HTTP only films of two turns can be played")
    avoid = [turn.value for turn in _TURNS if turn.value not in asked]
    while True:
        answer = client.post("/auth/faceChallenge", json={"avoid": avoid})
        if answer.status_code == 429:
            time.sleep(float(answer.headers["Retry-After"]))
            continue
        drawn: dict[str, Any] = answer.raise_for_status().json()["data"]
        if [step["movement"] for step in drawn["steps"]] == asked:
            return drawn


def _stretch(take: Take, steps: Sequence[dict[str, Any]]) -> list[float]:
    """The times of the frames of `take` in ms if its steps come when `steps` ask for them."""
    own = [0.0, *(float(step.from_ms) for step in take.steps), float(take.steps[-1].to_ms)]
    asked = [0.0, *(float(step["from_ms"]) for step in steps), float(steps[-1]["to_ms"])]
    return [float(at) for at in np.floor(np.interp(take.times, own, asked))]


def _encode(frame: Pixels) -> str:
    _, data = cv2.imencode(".jpg", frame, (cv2.IMWRITE_JPEG_QUALITY, 90))
    return base64.b64encode(data.tobytes()).decode()
