"""After an answer that leaves a doubt, one more movement decides: of the same person, once, in time."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from service.db.database import Database, now
from service.face.access import challenges
from service.face.engines.dlib_engine import DlibEngine
from service.face.engines.messages import FilmedFrame
from service.face.liveness.movements import Evidence, Movement, Reason
from service.web.envelope import Problem
from shared.samples import faces
from shared.wire.face import CHALLENGE_CONTINUES, CHALLENGE_FAILED, DrawnChallenge
from tests.service.face.challenge_driver import (
    ADDRESS,
    FRAMES,
    Judge,
    answer_refusal,
    count_failures,
    draw_challenge_id,
    use_judge,
)
from tests.service.face.conftest import Setup, as_face_info, open_setup, tokens_of

EVIDENCE = Evidence((2.5, 0.75), -0.25)
STRANGER = as_face_info(faces.stranger_picture())
STRANGER_FRAMES = [FilmedFrame(0, STRANGER), FilmedFrame(80, STRANGER)]


@pytest.fixture
def judge(setup: Setup, dlib_engine: DlibEngine, monkeypatch: pytest.MonkeyPatch) -> Judge:
    return use_judge(setup, dlib_engine, monkeypatch)


async def leave_doubt(setup: Setup, judge: Judge, frames: list[FilmedFrame] = FRAMES) -> str:
    """Answer a challenge so that a doubt is left; returns its id."""
    judge.reason, judge.evidence = Reason.IN_DOUBT, EVIDENCE
    challenge_id = await draw_challenge_id(setup)
    assert await answer_refusal(setup, challenge_id, frames) == CHALLENGE_CONTINUES
    judge.reason, judge.evidence = Reason.LIVE, None
    return challenge_id


async def draw_more(setup: Setup, challenge_id: str, address: str = ADDRESS) -> DrawnChallenge:
    return await setup.service.draw_challenge([], address, continued_id=challenge_id)


def test_one_more_movement_clears_the_doubt(setup: Setup, judge: Judge) -> None:
    async def play() -> None:
        more = await draw_more(setup, await leave_doubt(setup, judge))
        assert setup.changes[-1].details == {"challenge": "in_doubt"}
        (step,) = more.steps
        assert step.movement in ("left", "right", "up")
        assert step.to_ms <= 2400
        tokens = await setup.service.login_by_challenge(more.challenge_id, FRAMES, ADDRESS)
        assert tokens.access_token == tokens_of("mei").access_token
        assert judge.earlier == EVIDENCE
        assert count_failures(setup) == 0

    asyncio.run(play())


def test_film_without_doubt_has_no_earlier_evidence(setup: Setup, judge: Judge) -> None:
    async def play() -> None:
        await setup.service.login_by_challenge(await draw_challenge_id(setup), FRAMES, ADDRESS)
        assert judge.earlier is None

    asyncio.run(play())


def test_one_more_movement_that_fails_is_one_failure(setup: Setup, judge: Judge) -> None:
    async def play() -> None:
        more = await draw_more(setup, await leave_doubt(setup, judge))
        assert count_failures(setup) == 0
        judge.reason = Reason.MORPH
        assert await answer_refusal(setup, more.challenge_id) == CHALLENGE_FAILED
        assert count_failures(setup) == 1

    asyncio.run(play())


def test_films_that_leave_doubts_make_the_station_wait(setup: Setup, judge: Judge) -> None:
    async def play() -> None:
        for expected in range(6):
            await leave_doubt(setup, judge)
            assert count_failures(setup) == expected
        with pytest.raises(Problem) as caught:
            await draw_challenge_id(setup)
        assert caught.value.status == 429

    asyncio.run(play())


def test_doubt_is_the_same_for_a_stranger(setup: Setup, judge: Judge) -> None:
    async def play() -> None:
        more = await draw_more(setup, await leave_doubt(setup, judge, STRANGER_FRAMES))
        assert len(more.steps) == 1
        assert await answer_refusal(setup, more.challenge_id, STRANGER_FRAMES) == "无法校验人脸"

    asyncio.run(play())


def test_another_person_cannot_make_the_one_more_movement(setup: Setup, judge: Judge) -> None:
    async def play() -> None:
        more = await draw_more(setup, await leave_doubt(setup, judge, STRANGER_FRAMES))
        assert await answer_refusal(setup, more.challenge_id) == CHALLENGE_FAILED
        assert setup.changes[-1].details == {"challenge": "other_face"}

    asyncio.run(play())


def test_doubt_is_used_once(setup: Setup, judge: Judge) -> None:
    async def play() -> None:
        challenge_id = await leave_doubt(setup, judge)
        assert len((await draw_more(setup, challenge_id)).steps) == 1
        assert len((await draw_more(setup, challenge_id)).steps) == 2

    asyncio.run(play())


def test_challenge_that_left_a_doubt_cannot_be_answered_again(setup: Setup, judge: Judge) -> None:
    async def play() -> None:
        challenge_id = await leave_doubt(setup, judge)
        assert await answer_refusal(setup, challenge_id) == CHALLENGE_FAILED
        assert setup.changes[-1].details == {"challenge": "not_valid"}

    asyncio.run(play())


def test_another_movement_is_drawn_in_place_of_the_one_more_movement(setup: Setup, judge: Judge) -> None:
    async def play() -> None:
        first = await draw_more(setup, await leave_doubt(setup, judge))
        avoided = [Movement(first.steps[0].movement)]
        second = await setup.service.draw_challenge(avoided, ADDRESS, continued_id=first.challenge_id)
        (step,) = second.steps
        assert step.movement != first.steps[0].movement
        assert await answer_refusal(setup, first.challenge_id) == CHALLENGE_FAILED
        await setup.service.login_by_challenge(second.challenge_id, FRAMES, ADDRESS)
        assert judge.earlier == EVIDENCE

    asyncio.run(play())


def test_doubt_stays_if_no_turn_is_left(setup: Setup, judge: Judge) -> None:
    async def play() -> None:
        challenge_id = await leave_doubt(setup, judge)
        turns = [Movement.LEFT, Movement.RIGHT, Movement.UP]
        with pytest.raises(Problem) as caught:
            await setup.service.draw_challenge(turns, ADDRESS, continued_id=challenge_id)
        assert caught.value.status == 422
        assert len((await draw_more(setup, challenge_id)).steps) == 1

    asyncio.run(play())


def test_doubt_belongs_to_its_station(setup: Setup, judge: Judge) -> None:
    async def play() -> None:
        challenge_id = await leave_doubt(setup, judge)
        assert len((await draw_more(setup, challenge_id, "192.0.2.8")).steps) == 2
        assert len((await draw_more(setup, challenge_id)).steps) == 1

    asyncio.run(play())


def test_doubt_expires(setup: Setup, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        challenge_id = await leave_doubt(setup, judge)
        later = now() + challenges.LIFETIME + timedelta(seconds=1)
        monkeypatch.setattr(challenges, "now", lambda: later)
        assert len((await draw_more(setup, challenge_id)).steps) == 2

    asyncio.run(play())


def test_doubt_is_kept_on_both_databases(
    database: Database, tmp_path: Path, dlib_engine: DlibEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.face.service.FAILURE_SECONDS", 0.001)
    setup = open_setup(tmp_path / "faces", dlib_engine, database=database)
    judge = use_judge(setup, dlib_engine, monkeypatch)

    async def play() -> None:
        more = await draw_more(setup, await leave_doubt(setup, judge))
        await setup.service.login_by_challenge(more.challenge_id, FRAMES, ADDRESS)
        assert judge.earlier == EVIDENCE

    asyncio.run(play())


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)], ids=["sqlite", "postgresql"]
)
def database_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)
