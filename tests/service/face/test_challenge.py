"""A face login by challenge: drawn, answered once, in time, from the same station; what the policy asks
for.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from itertools import permutations
from pathlib import Path
from typing import Literal
from unittest.mock import AsyncMock

import numpy as np
import pytest

from service.db.database import Database, now
from service.face.access import challenges
from service.face.engines.dlib_engine import DlibEngine
from service.face.engines.engine import PictureAnalysis
from service.face.engines.messages import FilmedFrame
from service.face.enrolment import CONSENT_VERSION
from service.face.liveness.movements import Movement, Reason
from service.web.envelope import Problem, Refusal
from shared.images import face_models
from shared.record.codes import ErrorCode, Permission
from shared.samples import faces
from shared.wire.face import CHALLENGE_ADVICE, CHALLENGE_FAILED, CHALLENGE_NEEDED, FacePolicy
from tests.service.face.challenge_driver import (
    ADDRESS,
    FRAMES,
    PERSON,
    Judge,
    answer_refusal,
    count_failures,
    draw_challenge_id,
    use_judge,
)
from tests.service.face.conftest import Setup, as_face_info, open_setup, tokens_of


@pytest.fixture
def judge(setup: Setup, dlib_engine: DlibEngine, monkeypatch: pytest.MonkeyPatch) -> Judge:
    return use_judge(setup, dlib_engine, monkeypatch)


def test_challenge_without_its_model_is_not_drawn(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(face_models, "PACKAGE", "nowhere_to_be_found")
    with pytest.raises(Problem) as caught:
        asyncio.run(setup.service.logins.draw_challenge([], ADDRESS))
    assert caught.value.status == 503


async def test_answer_to_a_challenge_logs_in(setup: Setup, judge: Judge) -> None:
    challenge = await setup.service.logins.draw_challenge([], ADDRESS)
    tokens = await setup.service.logins.login_by_challenge(challenge.challenge_id, FRAMES, ADDRESS)
    assert tokens.access_token == tokens_of("mei").access_token
    steps = [(step.movement.value, step.from_ms, step.to_ms) for step in judge.steps]
    assert steps == [(step.movement, step.from_ms, step.to_ms) for step in challenge.steps]


async def test_challenge_is_answered_once(setup: Setup, judge: Judge) -> None:
    challenge_id = await draw_challenge_id(setup)
    await setup.service.logins.login_by_challenge(challenge_id, FRAMES, ADDRESS)
    assert await answer_refusal(setup, challenge_id) == CHALLENGE_FAILED


async def test_challenge_is_used_up_by_a_failure(setup: Setup, judge: Judge) -> None:
    challenge_id = await draw_challenge_id(setup)
    judge.reason = Reason.CUT
    assert await answer_refusal(setup, challenge_id) == CHALLENGE_FAILED
    judge.reason = Reason.LIVE
    assert await answer_refusal(setup, challenge_id) == CHALLENGE_FAILED


def test_unknown_challenge_is_refused(setup: Setup, judge: Judge) -> None:
    assert asyncio.run(answer_refusal(setup, "unknown")) == CHALLENGE_FAILED
    assert not judge.steps


async def test_challenge_of_another_station_is_refused(setup: Setup, judge: Judge) -> None:
    assert await answer_refusal(setup, await draw_challenge_id(setup, "192.0.2.8")) == CHALLENGE_FAILED


async def test_expired_challenge_is_refused(
    setup: Setup, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge_id = await draw_challenge_id(setup)
    later = now() + challenges.LIFETIME + timedelta(seconds=1)
    monkeypatch.setattr(challenges, "now", lambda: later)
    assert await answer_refusal(setup, challenge_id) == CHALLENGE_FAILED


async def test_film_that_is_longer_than_the_time_since_the_draw_is_refused(
    setup: Setup, judge: Judge
) -> None:
    frames = [FilmedFrame(0, PERSON), FilmedFrame(15_000, PERSON)]

    assert await answer_refusal(setup, await draw_challenge_id(setup), frames) == CHALLENGE_FAILED


@pytest.mark.parametrize("reason", [each for each in Reason if each is not Reason.LIVE])
async def test_every_other_verdict_is_refused_and_audited(setup: Setup, judge: Judge, reason: Reason) -> None:
    judge.reason = reason
    refusal = await answer_refusal(setup, await draw_challenge_id(setup))
    # A cut and another person are not told apart: that would help only an attacker.
    is_hidden = reason in {Reason.CUT, Reason.OTHER_FACE}
    assert refusal == (CHALLENGE_FAILED if is_hidden else CHALLENGE_ADVICE[reason.value])
    assert setup.changes[-1].action == "face_login_failed"
    assert setup.changes[-1].details == {"challenge": reason.value}


@pytest.mark.parametrize("reason", [Reason.LIVE, Reason.NOT_MADE, Reason.CUT])
async def test_light_comes_before_the_movement(setup: Setup, judge: Judge, reason: Reason) -> None:
    picture = (faces.enrolment_picture().astype(np.float32) * 0.1).astype(np.uint8)
    frames = [FilmedFrame(0, as_face_info(picture)), FilmedFrame(80, as_face_info(picture))]

    judge.reason = reason
    refusal = await answer_refusal(setup, await draw_challenge_id(setup), frames)
    assert refusal == (CHALLENGE_FAILED if reason is Reason.CUT else CHALLENGE_ADVICE["too_dark"])


@pytest.mark.parametrize(
    ("reason", "passed", "advice"),
    [(Reason.LIVE, True, None), (Reason.NOT_MADE, False, "not_made"), (Reason.CUT, False, None)],
)
async def test_practice_says_what_to_do_better_and_counts_nothing(
    setup: Setup, judge: Judge, reason: Reason, passed: bool, advice: str | None
) -> None:
    judge.reason = reason
    changes = len(setup.changes)
    challenge_id = await draw_challenge_id(setup)
    practice = await setup.service.logins.practise_challenge(challenge_id, FRAMES, ADDRESS)
    assert (practice.passed, practice.advice) == (passed, advice)
    assert count_failures(setup) == 0
    assert len(setup.changes) == changes
    # It is used up, like by a login.
    with pytest.raises(Refusal) as caught:
        await setup.service.logins.practise_challenge(challenge_id, FRAMES, ADDRESS)
    assert caught.value.msg == CHALLENGE_FAILED


async def test_stranger_who_makes_the_movements_is_refused_like_any_unknown_face(
    setup: Setup, judge: Judge
) -> None:
    stranger = as_face_info(faces.stranger_picture())

    frames = [FilmedFrame(0, stranger), FilmedFrame(80, stranger)]
    assert await answer_refusal(setup, await draw_challenge_id(setup), frames) == "无法校验人脸"


async def test_damaged_frame_is_refused(setup: Setup, judge: Judge) -> None:
    judge.damaged = True

    assert await answer_refusal(setup, await draw_challenge_id(setup)) == "无法校验人脸"


async def test_failures_make_the_station_wait(setup: Setup, judge: Judge) -> None:
    for _ in range(5):
        await answer_refusal(setup, "unknown")
    with pytest.raises(Problem) as caught:
        await draw_challenge_id(setup)
    assert caught.value.status == 429


async def test_a_station_has_few_challenges_at_a_time(setup: Setup, judge: Judge) -> None:
    for _ in range(challenges.MAX_WAITING):
        await draw_challenge_id(setup)
    with pytest.raises(Problem) as caught:
        await draw_challenge_id(setup)
    assert caught.value.status == 429
    await draw_challenge_id(setup, "192.0.2.9")


def test_movements_that_a_person_cannot_make_are_left_out(setup: Setup) -> None:
    avoided = [Movement.LEFT, Movement.RIGHT]
    for _ in range(30):
        steps = challenges.draw_steps(avoided)
        assert {step.movement for step in steps} == {Movement.UP, Movement.CLOSER}
    (only,) = challenges.draw_steps([*avoided, Movement.CLOSER])
    assert only.movement is Movement.UP

    with pytest.raises(Problem) as caught:
        asyncio.run(setup.service.logins.draw_challenge([*avoided, Movement.UP], ADDRESS))
    assert caught.value.status == 422


def test_every_challenge_asks_for_two_different_turns_within_four_seconds() -> None:
    drawn = set()
    for _ in range(120):
        first, second = challenges.draw_steps()
        drawn.add((first.movement, second.movement))
        assert first.to_ms == second.from_ms
        assert second.to_ms <= 4000
    assert drawn == set(permutations((Movement.LEFT, Movement.RIGHT, Movement.UP), 2))


Rule = Literal["off", "in_doubt", "always"]


async def set_policy(setup: Setup, admins: Rule, others: Rule) -> None:
    policy = FacePolicy(login_enabled=True, challenge_admins=admins, challenge_others=others)
    changed = await setup.service.oversight.change_policy(policy, "chief", ADDRESS)
    assert (changed.challenge_admins, changed.challenge_others) == (admins, others)


async def test_policy_that_wants_a_challenge_refuses_one_picture(setup: Setup, judge: Judge) -> None:
    await set_policy(setup, "off", "always")
    with pytest.raises(Refusal) as caught:
        await setup.service.logins.login(PERSON, ADDRESS)
    assert caught.value.msg == CHALLENGE_NEEDED
    await setup.service.logins.login_by_challenge(await draw_challenge_id(setup), FRAMES, ADDRESS)
    await set_policy(setup, "always", "off")
    await setup.service.logins.login(PERSON, ADDRESS)
    setup.permissions["mei"] = frozenset({Permission.MODEL_MANAGE})
    with pytest.raises(Refusal):
        await setup.service.logins.login(PERSON, ADDRESS)


async def test_without_a_liveness_model_every_picture_is_in_doubt(setup: Setup, judge: Judge) -> None:
    await set_policy(setup, "off", "in_doubt")
    with pytest.raises(Refusal) as caught:
        await setup.service.logins.login(PERSON, ADDRESS)
    assert caught.value.msg == CHALLENGE_NEEDED


async def ask(setup: Setup) -> None:
    """Show a picture that leads into a challenge."""
    with pytest.raises(Refusal) as caught:
        await setup.service.logins.login(PERSON, ADDRESS)
    assert caught.value.msg == CHALLENGE_NEEDED


async def test_picture_that_leads_into_a_challenge_does_not_count_yet(setup: Setup, judge: Judge) -> None:
    await set_policy(setup, "always", "always")
    await ask(setup)
    assert count_failures(setup) == 0
    assert setup.changes[-1].details == {"challenge": "asked_for"}
    judge.reason = Reason.CUT
    await answer_refusal(setup, await draw_challenge_id(setup))
    # The picture and the wrong answer are one attempt.
    assert count_failures(setup) == 1


async def test_pictures_whose_challenges_are_not_answered_make_the_station_wait(
    setup: Setup, judge: Judge
) -> None:
    await set_policy(setup, "always", "always")
    for expected in range(6):
        await ask(setup)
        assert count_failures(setup) == expected
    with pytest.raises(Problem) as caught:
        await setup.service.logins.login(PERSON, ADDRESS)
    assert caught.value.status == 429


async def test_picture_without_an_answer_counts_with_the_next_failure(setup: Setup, judge: Judge) -> None:
    await set_policy(setup, "always", "always")
    await ask(setup)
    with pytest.raises(Refusal):
        await setup.service.logins.login(as_face_info(faces.stranger_picture()), ADDRESS)
    assert count_failures(setup) == 2


async def test_change_of_the_policy_keeps_other_fields(setup: Setup) -> None:
    await set_policy(setup, "always", "in_doubt")
    changed = await setup.service.oversight.change_policy(FacePolicy(login_enabled=False), "chief", ADDRESS)
    assert (changed.challenge_admins, changed.challenge_others) == ("always", "in_doubt")


@pytest.fixture
def grey_judge(setup: Setup, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """An engine with a liveness model, before which the enrolled person sits at a grey camera."""
    analyse = judge.analyse

    async def analyse_grey(face_info: str) -> PictureAnalysis:
        analysis = await analyse(face_info)
        assert analysis.quality is not None
        return replace(analysis, quality=replace(analysis.quality, colour=0.0), liveness=0.1)

    monkeypatch.setattr(judge, "analyse", analyse_grey)
    monkeypatch.setattr(judge, "_info", replace(judge._info, liveness_limit=0.5))
    return judge


@pytest.mark.usefixtures("grey_judge")
async def test_grey_camera_leads_to_a_challenge_where_one_is_required_in_doubt(setup: Setup) -> None:
    await set_policy(setup, "off", "in_doubt")
    with pytest.raises(Refusal) as caught:
        await setup.service.logins.login(PERSON, ADDRESS)
    assert caught.value.error == ErrorCode.CHALLENGE_NEEDED
    challenge_id = await draw_challenge_id(setup)
    tokens = await setup.service.logins.login_by_challenge(challenge_id, FRAMES, ADDRESS)
    assert tokens.access_token == "token of mei"


@pytest.mark.usefixtures("grey_judge")
@pytest.mark.parametrize("rule", ["off", "always"])
async def test_grey_film_never_avoids_the_liveness_model_elsewhere(setup: Setup, rule: Rule) -> None:
    await set_policy(setup, "off", rule)
    with pytest.raises(Refusal) as caught:
        await setup.service.logins.login(PERSON, ADDRESS)
    assert caught.value.error == ErrorCode.FACE_UNKNOWN
    challenge_id = await draw_challenge_id(setup)
    assert await answer_refusal(setup, challenge_id) == caught.value.msg


@pytest.mark.parametrize(("liveness", "passed"), [(0.9, True), (0.1, False)])
async def test_practice_passes_only_a_face_that_a_login_accepts(
    setup: Setup, judge: Judge, monkeypatch: pytest.MonkeyPatch, liveness: float, passed: bool
) -> None:
    analysis = replace(await judge.analyse(PERSON), liveness=liveness)
    monkeypatch.setattr(judge, "analyse", AsyncMock(return_value=analysis))
    monkeypatch.setattr(judge, "_info", replace(judge._info, liveness_limit=0.5))
    challenge_id = await draw_challenge_id(setup)
    practice = await setup.service.logins.practise_challenge(challenge_id, FRAMES, ADDRESS)
    assert (practice.passed, practice.advice) == (passed, None)


async def test_challenge_works_on_both_databases(
    database: Database, tmp_path: Path, dlib_engine: DlibEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.face.logins.FAILURE_SECONDS", 0.001)
    setup = open_setup(tmp_path / "faces", dlib_engine, database=database)
    monkeypatch.setattr(setup.service._recognition, "client", Judge(dlib_engine))

    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    await set_policy(setup, "always", "always")
    challenge_id = await draw_challenge_id(setup)
    await setup.service.logins.login_by_challenge(challenge_id, FRAMES, ADDRESS)
    assert await answer_refusal(setup, challenge_id) == CHALLENGE_FAILED


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)], ids=["sqlite", "postgresql"]
)
def database_kind(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind
