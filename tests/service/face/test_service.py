from __future__ import annotations

import asyncio
import threading

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col

from service.db.database import now
from service.face.engines.dlib_engine import DlibEngine
from service.face.engines.engine import PictureAnalysis
from service.face.engines.face_process import EngineUnavailableError
from service.face.enrolment import CONSENT_BY_CALLER, CONSENT_VERSION
from service.face.rules import SENTENCES, QualityFault
from service.face.service import FaceService
from service.face.tables import FaceEnrolment, FaceTemplate
from service.web.envelope import Problem, Refusal
from service.web.security import Caller
from shared.samples import faces
from shared.wire.face import FacePolicy
from tests.service.face.conftest import SameProcess, Setup, as_face_info, open_setup
from tests.service.face.people import ADDRESS, AGAIN, NOBODY, PERSON, STRANGER, check_refusal, identify


def caller(user_id: str) -> Caller:
    """A user who logged in by password."""
    return Caller(
        user_id=user_id,
        username=user_id,
        name=None,
        session_id="session",
        permissions=frozenset(),
        methods=("pwd",),
        password_at=now(),
        address=ADDRESS,
    )


def read_templates(setup: Setup) -> list[FaceTemplate]:
    return setup.database.read_now(lambda session: list(session.scalars(select(FaceTemplate))))


async def test_the_enrolled_person_logs_in_and_a_stranger_does_not(setup: Setup) -> None:
    await check_refusal(setup, AGAIN)
    assert await setup.service.enrolments.set_face(caller("mei"), PERSON) is None
    tokens = await setup.service.logins.login(AGAIN, ADDRESS)
    assert tokens.access_token == "token of mei"
    await check_refusal(setup, STRANGER)
    await check_refusal(setup, NOBODY)
    await check_refusal(setup, "not a picture")
    assert setup.logged_in == ["mei"]


async def test_a_user_disabled_at_the_last_moment_fails_like_a_stranger(setup: Setup) -> None:
    async def too_late(_user_id: str, _address: str, _user_agent: str) -> None:
        raise Problem(401, "not_logged_in", "请先登录")

    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    setup.service.logins._log_in = too_late  # type: ignore[assignment]
    await check_refusal(setup, AGAIN)


async def test_two_people_are_distinguished(setup: Setup) -> None:
    await setup.service.enrolments.enrol(
        "mei", [as_face_info(each) for each in faces.enrolment_pictures()], CONSENT_VERSION
    )
    await setup.service.enrolments.enrol("lan", [STRANGER], CONSENT_VERSION)
    assert await identify(setup, AGAIN) == "mei"
    assert await identify(setup, STRANGER) == "lan"


async def test_a_user_that_may_not_log_in_fails_like_a_stranger(setup: Setup) -> None:
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    setup.disabled.add("mei")
    await check_refusal(setup, AGAIN)
    assert setup.logged_in == []


async def test_an_enrolment_replaces_the_one_before(setup: Setup) -> None:
    await setup.service.enrolments.enrol(
        "mei", [as_face_info(each) for each in faces.enrolment_pictures()], CONSENT_VERSION
    )
    assert (await setup.service.enrolments.status("mei")).templates == 3
    await setup.service.enrolments.enrol("mei", [STRANGER], CONSENT_VERSION)
    assert (await setup.service.enrolments.status("mei")).templates == 1
    assert await identify(setup, AGAIN) is None
    assert await identify(setup, STRANGER) == "mei"


@pytest.mark.parametrize(
    ("images", "sentence"),
    [
        ([NOBODY], SENTENCES[QualityFault.NO_FACE]),
        ([PERSON, NOBODY], "第 2 张照片：" + SENTENCES[QualityFault.NO_FACE]),
        ([as_face_info(faces.crowd_picture(2))], SENTENCES[QualityFault.SEVERAL_FACES]),
        (["/etc/passwd!"], "人脸照片不是有效的 Base64 内容，请重新选择照片"),
        ([PERSON, STRANGER], SENTENCES[QualityFault.DIFFERENT_PEOPLE]),
    ],
)
async def test_refused_enrolment_gives_the_reason_and_keeps_the_old_one(
    setup: Setup, images: list[str], sentence: str
) -> None:
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    with pytest.raises(Refusal) as caught:
        await setup.service.enrolments.enrol("mei", images, CONSENT_VERSION)
    assert caught.value.msg == sentence
    assert await identify(setup, AGAIN) == "mei"


async def test_a_face_belongs_to_one_account(setup: Setup) -> None:
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    # The same as of a photo on a screen: nobody learns whose face is enrolled.
    sentence = SENTENCES[QualityFault.NOT_LIVE]
    assert await setup.service.enrolments.set_face(caller("lan"), AGAIN) == sentence
    assert not (await setup.service.enrolments.status("lan")).enrolled
    assert (setup.changes[-1].action, setup.changes[-1].actor) == ("face_enrolment_refused", "lan")


async def test_forgetting_is_complete_and_immediate(setup: Setup) -> None:
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    assert await identify(setup, AGAIN) == "mei"
    assert await setup.service.enrolments.forget("mei")
    assert await identify(setup, AGAIN) is None
    assert read_templates(setup) == []
    assert not (await setup.service.enrolments.status("mei")).enrolled
    assert not await setup.service.enrolments.forget("mei")


async def test_consent_is_recorded(setup: Setup) -> None:
    before = now()
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    status = await setup.service.enrolments.status("mei")
    assert status.consent_version == CONSENT_VERSION
    assert status.consented_at is not None
    assert before <= status.consented_at <= now()
    await setup.service.enrolments.set_face(caller("mei"), PERSON)
    assert (await setup.service.enrolments.status("mei")).consent_version == CONSENT_BY_CALLER


def test_enrolments_outlive_a_restart(setup: Setup, dlib_engine: DlibEngine) -> None:
    asyncio.run(setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION))
    again = open_setup(setup.settings.data_dir, dlib_engine)
    assert asyncio.run(identify(again, AGAIN)) == "mei"
    again.database.close()


async def test_another_process_sees_enrolments_and_deletions(setup: Setup, dlib_engine: DlibEngine) -> None:
    other = open_setup(setup.settings.data_dir, dlib_engine)

    assert await identify(other, AGAIN) is None
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    assert await identify(other, AGAIN) == "mei"
    await other.service.enrolments.forget("mei")
    assert await identify(setup, AGAIN) is None
    other.database.close()


async def test_a_deletion_reaches_the_memory_of_another_process_unasked(
    setup: Setup, dlib_engine: DlibEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.face.service.FOLLOW_SECONDS", 0.005)
    other = open_setup(setup.settings.data_dir, dlib_engine)

    async def play() -> None:
        await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
        assert await identify(other, AGAIN) == "mei"
        held = other.service._recognition.templates._gallery
        assert held is not None
        numbers = held._rows.matrix
        gallery_requested = asyncio.Event()

        async def away() -> None:
            gallery_requested.set()
            raise SQLAlchemyError("the database is away")

        with monkeypatch.context() as patch:
            patch.setattr(other.service._recognition, "gallery", away)
            following = asyncio.create_task(other.service.follow())
            await gallery_requested.wait()
        assert not following.done()
        await setup.service.enrolments.forget("mei")
        while numbers.any():  # noqa: ASYNC110 - what is waited for is memory, which sets no event
            await asyncio.sleep(0.005)
        following.cancel()

    await asyncio.wait_for(play(), 20)
    other.database.close()


async def test_template_deleted_by_another_process_during_a_login_never_matches(
    setup: Setup, dlib_engine: DlibEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = open_setup(setup.settings.data_dir, dlib_engine)
    real = SameProcess.analyse

    async def meanwhile(self: SameProcess, face_info: str) -> PictureAnalysis:
        analysis = await real(self, face_info)
        await other.service.enrolments.forget("mei")
        return analysis

    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    assert await identify(setup, AGAIN) == "mei"
    monkeypatch.setattr(SameProcess, "analyse", meanwhile)
    assert await identify(setup, AGAIN) is None
    other.database.close()


def test_a_template_of_another_model_never_matches(setup: Setup, dlib_engine: DlibEngine) -> None:
    asyncio.run(setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION))
    other = open_setup(setup.settings.data_dir, dlib_engine, model_id="dlib-of-tomorrow")
    assert asyncio.run(identify(other, PERSON)) is None
    status = asyncio.run(other.service.enrolments.status("mei"))
    assert status.enrolled
    assert not status.usable
    other.database.close()


def test_a_template_moved_to_another_user_never_matches(setup: Setup, dlib_engine: DlibEngine) -> None:
    async def enrol() -> None:
        await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
        await setup.service.enrolments.enrol("lan", [STRANGER], CONSENT_VERSION)

    asyncio.run(enrol())
    move = update(FaceTemplate).where(col(FaceTemplate.user_id) == "mei").values(user_id="lan")
    setup.database.write_now(lambda session: session.execute(move))
    other = open_setup(setup.settings.data_dir, dlib_engine)
    assert asyncio.run(identify(other, PERSON)) is None
    assert asyncio.run(identify(other, STRANGER)) == "lan"
    other.database.close()


def test_no_picture_and_no_plain_embedding_is_stored(setup: Setup, dlib_engine: DlibEngine) -> None:
    asyncio.run(setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION))
    match = asyncio.run(setup.service._recognition.client.analyse(PERSON))
    assert match.embedding is not None
    setup.database.close()
    stored = b"".join(path.read_bytes() for path in setup.settings.data_dir.iterdir() if path.is_file())
    assert match.embedding.tobytes()[:32] not in stored
    assert faces.encode_picture(faces.enrolment_picture(), ".png")[100:200] not in stored
    assert PERSON[200:300].encode() not in stored


async def test_every_failure_takes_the_same_time(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    clock = iter([100.0, 100.03, 200.0, 200.29, 300.0, 300.61])

    async def sleep(seconds: float) -> None:
        slept.extend([seconds] if seconds else [])

    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    monkeypatch.setattr("service.face.logins.FAILURE_SECONDS", 0.3)
    monkeypatch.setattr("service.face.logins.asyncio.sleep", sleep)
    monkeypatch.setattr("service.face.logins.monotonic", lambda: next(clock))
    for face_info in ("not base64!", STRANGER, NOBODY):
        await check_refusal(setup, face_info)
    assert slept == pytest.approx([0.27, 0.01, 0.29])


async def test_attempts_and_changes_are_announced_without_picture_or_score(setup: Setup) -> None:
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION, ADDRESS)
    await check_refusal(setup, STRANGER)
    await setup.service.enrolments.forget("mei")
    assert [(change.action, change.object_id, change.actor, change.address) for change in setup.changes] == [
        ("face_enrolled", "mei", "mei", ADDRESS),
        ("face_login_failed", None, None, ADDRESS),
        ("face_deleted", "mei", "mei", None),
    ]
    assert setup.changes[0].details.keys() == {"templates", "model", "consent"}
    assert setup.changes[1].details == {}


async def test_a_broken_engine_is_a_503_for_an_enrolment_and_a_failure_for_a_login(setup: Setup) -> None:
    async def broken(*_: object) -> None:
        raise EngineUnavailableError("the model is gone")

    setup.service._recognition.client.engine_info = broken  # type: ignore[method-assign, assignment]
    with pytest.raises(Problem) as caught:
        await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    assert caught.value.status == 503
    await check_refusal(setup, PERSON)
    await setup.service.warm()


def test_the_tables_are_those_of_the_migration(setup: Setup) -> None:
    def columns(session: Session) -> set[tuple[str, str]]:
        return {
            (table, row.name)
            for table in (
                "face_enrolment",
                "face_template",
                "face_station",
                "face_policy",
                "face_challenge",
                "face_device",
            )
            for row in session.execute(text(f"SELECT name FROM pragma_table_info('{table}')"))
        }

    declared = {
        (table.name, column.name)
        for table in FaceEnrolment.metadata.tables.values()
        if table.name.startswith("face_")
        for column in table.columns
    }
    assert setup.database.read_now(columns) == declared


def test_templates_that_do_not_open_are_left_out(
    setup: Setup, dlib_engine: DlibEngine, caplog: pytest.LogCaptureFixture
) -> None:
    asyncio.run(setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION))
    (setup.settings.data_dir / "face.key").unlink()
    other = open_setup(setup.settings.data_dir, dlib_engine)
    assert asyncio.run(identify(other, PERSON)) is None
    assert "1 face templates do not open" in caplog.text
    other.database.close()


async def test_enrolled_users_of_a_list(setup: Setup) -> None:
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    enrolled = setup.database.read_now(
        lambda session: setup.service.enrolments.enrolled(session, ["mei", "lan"])
    )
    assert enrolled == {"mei"}


async def test_warming_loads_engine_only_with_enrolled_faces(setup: Setup) -> None:
    calls: list[str] = []
    about = setup.service._recognition.client.engine_info

    async def recorded_engine_info() -> object:
        calls.append("about")
        return await about()

    setup.service._recognition.client.engine_info = recorded_engine_info  # type: ignore[method-assign, assignment]
    await setup.service.warm()
    assert calls == []
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    calls.clear()
    await setup.service.warm()
    assert calls


async def test_closing_ends_the_threads_that_search(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.face.templates.gallery._SINGLE_THREAD_NUMBERS", 0)

    def gallery_threads() -> set[threading.Thread]:
        return {thread for thread in threading.enumerate() if thread.name.startswith("gallery")}

    before = gallery_threads()
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    await setup.service.logins.login(AGAIN, ADDRESS)
    started = gallery_threads() - before
    assert started
    await setup.service.close()
    assert not started & gallery_threads()


async def test_login_page_loads_the_engine_in_the_background(setup: Setup) -> None:
    """As after the face process has died, or where people enrolled at another service process."""

    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    policy = FacePolicy(login_enabled=True, photo_risk_accepted=True)
    await setup.service.oversight.change_policy(policy, "admin", ADDRESS)
    again = FaceService(
        setup.database,
        setup.settings,
        log_in=setup.service.logins._log_in,
        may_log_in=setup.service.logins._may_log_in,
        permissions=setup.service.logins._permissions,
        face_client=setup.service._recognition.client,
    )
    was_loaded = again._recognition.templates.is_loaded
    assert (await again.requirements()).offered
    warming = again._warming
    assert warming is not None
    await warming
    assert (was_loaded, again._recognition.templates.is_loaded) == (False, True)
    await again.close()
