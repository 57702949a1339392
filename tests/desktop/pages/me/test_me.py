"""The account page: profile, password, face."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from desktop.camera import ImageSequence, feed
from desktop.context import Context
from desktop.pages.login import challenge
from desktop.pages.me import MePage, camera_dialogs, face
from desktop.pages.me import page as me_page
from desktop.pages.me.camera_dialogs import EnrolDialog, PracticeDialog
from shared.wire.account import Payload
from shared.wire.face import FaceStatus
from tests.desktop.camera.pictures import face_frame, write
from tests.desktop.children import child
from tests.desktop.client.fake_service import PAYLOAD
from tests.desktop.pages.fake_service import (
    STATUS,
    FakeService,
    failure_answer,
    open_fake_context,
    refusal_answer,
    success_answer,
)
from tests.narrowing import as_instance, not_none

ENROLLED = {**STATUS, "enrolled": True, "templates": 3, "enrolled_at": "2026-01-02T00:00:00Z"}


def person(**fields: object) -> dict[str, Any]:
    payload = copy.deepcopy(PAYLOAD)
    payload["user"].update(fields)
    payload["permissions"] = ["USER.UPDATE"]
    return payload


@pytest.fixture
def fake_service() -> FakeService:
    fake_service = FakeService()
    fake_service.answers["/api/auth/me"] = success_answer(person(email="old@example.com", work_years=3))
    fake_service.answers["/api/auth/updatePassword"] = success_answer(True)
    return fake_service


@pytest.fixture
def context(qapp: QApplication, fake_service: FakeService) -> Iterator[Context]:
    with open_fake_context(fake_service) as context:
        context.session.account.login("zhang", "x")
        context.enter(Payload.model_validate(person(email="old@example.com", work_years=3)))
        yield context


@pytest.fixture
def page(qtbot: QtBot, context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MePage:
    # Every frame is analysed: a test need not wait for a person.
    monkeypatch.setattr(feed, "_ANALYSE_EVERY", 1)
    frames = [write(tmp_path / "camera.png", face_frame())]
    page = MePage(context, lambda: [ImageSequence(frames, "Desk Cam")])
    qtbot.addWidget(page)
    page.resize(1280, 800)
    page.show()
    page.enter({})
    qtbot.waitUntil(lambda: page.face.chip.text != "")
    return page


def test_nobody_is_asked_to_agree_before_the_text_is_known(qtbot: QtBot, context: Context) -> None:
    page = MePage(context, list)
    qtbot.addWidget(page)
    page.show()
    page.enter({})
    asked = (page.face.consent, page.face.by_camera, page.face.by_files)

    assert page.face.status_text() == "Loading…"
    assert not any(widget.isVisible() for widget in asked)

    qtbot.waitUntil(lambda: page.face.chip.text != "")
    assert all(widget.isVisible() for widget in asked)


def test_unknown_status_of_the_face_login_shows_the_reason_and_asks_nothing(
    qtbot: QtBot, context: Context, fake_service: FakeService
) -> None:
    fake_service.answers["/api/auth/face"] = failure_answer(503, "busy")
    page = MePage(context, list)
    qtbot.addWidget(page)
    page.show()
    page.enter({})

    qtbot.waitUntil(lambda: page.face.error.text() != "")
    assert page.face.status_text() == ""
    assert not page.face.consent.isVisible()


def answer_saved_profile(user: dict[str, Any]) -> object:
    """Answers update and me with the profile after the save."""

    def answer(request: httpx.Request) -> httpx.Response:
        return success_answer(user["user"] if request.url.path.endswith("updateInfo") else user)

    return answer


def test_only_what_changed_is_sent(
    qtbot: QtBot, context: Context, fake_service: FakeService, page: MePage
) -> None:
    assert not page.profile.save.isEnabled()
    after = person(email="new@example.com", work_years=None, gender="female")
    fake_service.answers["/api/auth/updateInfo"] = fake_service.answers["/api/auth/me"] = (
        answer_saved_profile(after)
    )
    email = page.profile.fields["email"]
    as_instance(email.editor, QLineEdit).selectAll()
    qtbot.keyClicks(email.editor, "new@example.com")
    page.profile.fields["work_years"].set_text("")
    page.profile._gender().set_value("female")
    assert page.profile.save.isEnabled()
    with qtbot.waitSignal(page.toast) as toast:
        page.profile.submit()
    assert toast.args == ["Profile saved."]
    assert fake_service.bodies("/api/auth/updateInfo") == [
        {"email": "new@example.com", "work_years": None, "gender": "female"}
    ]
    assert not_none(context.payload).user.email == "new@example.com"
    assert not page.profile.has_changes


def test_invalid_field_is_explained_beside_it(qtbot: QtBot, fake_service: FakeService, page: MePage) -> None:
    fake_service.answers["/api/auth/updateInfo"] = refusal_answer(
        "invalid_input", "更新数据失败", "email: Enter a valid email address."
    )
    page.profile.fields["email"].set_text("nonsense")
    page.profile._update()
    page.profile.submit()
    qtbot.waitUntil(lambda: page.profile.fields["email"].error() != "")
    assert "valid email address" in page.profile.fields["email"].error()
    assert page.profile.fields["email"].text() == "nonsense"
    assert page.profile.save.isEnabled()


@pytest.mark.parametrize("typed_values", ["many", "81", "-1", "3.5"])
def test_invalid_years_are_not_sent(fake_service: FakeService, page: MePage, typed_values: str) -> None:
    page.profile.fields["work_years"].set_text(typed_values)
    page.profile._update()
    page.profile.submit()
    assert page.profile.fields["work_years"].error()
    assert fake_service.bodies("/api/auth/updateInfo") == []


def test_failure_keeps_the_typed_texts(qtbot: QtBot, fake_service: FakeService, page: MePage) -> None:
    fake_service.answers["/api/auth/updateInfo"] = httpx.ConnectError("refused")
    page.profile.fields["department"].set_text("机务二部")
    page.profile._update()
    page.profile.submit()
    qtbot.waitUntil(lambda: page.profile.error.text() != "")
    assert "Cannot connect to the service" in page.profile.error.text()
    assert page.profile.fields["department"].text() == "机务二部"
    assert page.profile.has_changes


def test_text_typed_during_a_save_is_kept(qtbot: QtBot, fake_service: FakeService, page: MePage) -> None:
    after = person(email="new@example.com", work_years=3)
    fake_service.answers["/api/auth/updateInfo"] = fake_service.answers["/api/auth/me"] = (
        answer_saved_profile(after)
    )
    page.profile.fields["email"].set_text("new@example.com")
    page.profile._update()
    fake_service.open.clear()
    page.profile.submit()
    page.profile.fields["phone"].set_text("010 123")
    with qtbot.waitSignal(page.toast):
        fake_service.open.set()
    assert page.profile.changes() == {"phone": "010 123"}


def test_gender_from_another_program_is_kept(page: MePage) -> None:
    user = Payload.model_validate(person(gender="男")).user
    page.profile.show_user(user)
    assert page.profile._gender().value() == "男"
    assert page.profile.changes() == {}


def test_leaving_with_unsaved_text_asks(page: MePage, monkeypatch: pytest.MonkeyPatch) -> None:
    verbs: list[str] = []

    def answer(parent: QWidget, title: str, text: str, verb: str) -> bool:
        verbs.append(verb)
        return False

    monkeypatch.setattr(me_page, "confirm", answer)
    assert page.leave()
    page.profile.fields["name"].set_text("别名")
    assert not page.leave()
    assert verbs == ["Discard"]


def test_place_restores_texts_but_no_password(qtbot: QtBot, context: Context, page: MePage) -> None:
    page.profile.fields["name"].set_text("别名")
    page.password.new.set_text("very secret words")
    place = page.return_params()
    assert "very secret words" not in repr(place)
    other = MePage(context, lambda: [])
    qtbot.addWidget(other)
    other.enter(place)
    assert other.profile.fields["name"].text() == "别名"
    # A later response of the service does not overwrite it.
    qtbot.waitUntil(lambda: other.face.chip.text != "")
    assert other.profile.fields["name"].text() == "别名"


def test_response_after_logout_logs_no_one_in(qtbot: QtBot, context: Context, page: MePage) -> None:
    payload = not_none(context.payload)
    context.leave()
    page._on_refreshed(payload)
    assert context.payload is None


def test_without_the_right_the_profile_cannot_be_changed(qtbot: QtBot, context: Context) -> None:
    context.enter(Payload.model_validate({**person(), "permissions": []}))
    page = MePage(context, lambda: [])
    qtbot.addWidget(page)
    page._show(not_none(context.payload))
    assert not page.profile.isEnabled()
    assert page.password.isEnabled()


def fill(page: MePage, current: str = "old words here", new: str = "new words here") -> None:
    page.password.current.set_text(current)
    page.password.new.set_text(new)
    page.password.confirmation.set_text(new)


def test_the_password_changes_and_the_fields_empty(
    qtbot: QtBot, fake_service: FakeService, page: MePage
) -> None:
    fill(page)
    with qtbot.waitSignal(page.toast) as toast:
        page.password.submit()
    assert toast.args == ["Password changed."]
    assert fake_service.bodies("/api/auth/updatePassword") == [
        {"password": "old words here", "newPassword": "new words here"}
    ]
    assert not page.password.has_changes
    assert page.password.current.text() == ""


@pytest.mark.parametrize(
    ("answer", "field", "error"),
    [
        (
            refusal_answer("wrong_password", "原密码错误"),
            "current",
            "The current password is wrong. Try again.",
        ),
        (failure_answer(429, "too_many_requests", retry_after=9), "current", "Too many attempts"),
        (
            failure_answer(
                422,
                "invalid_input",
                fields=[{"field": "newPassword", "type": "password_common", "message": "过于常见"}],
            ),
            "new",
            "too common",
        ),
    ],
)
def test_refused_password_is_explained_beside_its_field(
    qtbot: QtBot, fake_service: FakeService, page: MePage, answer: httpx.Response, field: str, error: str
) -> None:
    fake_service.answers["/api/auth/updatePassword"] = answer
    fill(page)
    page.password.submit()
    editor = getattr(page.password, field)
    qtbot.waitUntil(lambda: editor.error() != "")
    assert error in editor.error()
    assert page.password.new.text() == "new words here"
    assert page.password.save.isEnabled()


def test_a_password_that_cannot_work_is_not_sent(fake_service: FakeService, page: MePage) -> None:
    fill(page, new="short")
    page.password.submit()
    assert page.password.new.error()
    fill(page)
    page.password.confirmation.set_text("other words here")
    page.password.submit()
    assert page.password.confirmation.error() == "The passwords do not match. Enter them again."
    fill(page, current="")
    page.password.submit()
    assert page.password.current.error()
    assert fake_service.bodies("/api/auth/updatePassword") == []


def test_nothing_is_enrolled_without_consent(page: MePage) -> None:
    assert page.face.chip.text == "Not enrolled"
    assert not page.face.by_camera.isEnabled()
    assert not page.face.by_files.isEnabled()
    page.face.consent.setChecked(True)
    assert page.face.by_camera.isEnabled()
    assert page.face.by_files.isEnabled()
    assert page.face.delete.isHidden()


def test_consent_is_cleared_when_page_is_reopened(page: MePage) -> None:
    page.face.consent.setChecked(True)
    page.enter({})
    assert not page.face.consent.isChecked()
    assert not page.face.by_camera.isEnabled()


def test_enrolment_by_files_sends_the_pictures(
    qtbot: QtBot, fake_service: FakeService, page: MePage, tmp_path: Path
) -> None:
    fake_service.answers["/api/auth/face"] = success_answer(ENROLLED)
    pictures = [write(tmp_path / f"{name}.png", face_frame(blur=blur)) for name, blur in (("a", 0), ("b", 1))]
    page.face.consent.setChecked(True)
    with qtbot.waitSignal(page.toast) as toast:
        page.face.enrol_files(pictures)
    assert toast.args == ["Face enrolled."]
    (body,) = fake_service.bodies("/api/auth/face")
    assert body["consent"] is True
    assert len(body["images"]) == 2
    assert page.face.chip.text == "Enrolled"
    assert not page.face.consent.isChecked()


def test_refused_enrolment_explains_what_to_change(
    qtbot: QtBot, fake_service: FakeService, page: MePage, tmp_path: Path
) -> None:
    fake_service.answers["/api/auth/face"] = refusal_answer(
        "face_too_small", "Photo 1: The face is too small. Move closer and retake the photo."
    )
    page.face.consent.setChecked(True)
    page.face.enrol_files([write(tmp_path / "a.png", face_frame(0.1))])
    qtbot.waitUntil(lambda: page.face.error.text() != "")
    assert page.face.error.text() == "Photo 1: The face is too small. Move closer and retake the photo."
    assert page.face.consent.isChecked()
    assert page.face.by_files.isEnabled()


@pytest.mark.parametrize("glasses", [True, False])
def test_camera_enrolment_takes_a_picture_for_each_step(
    glasses: bool, qtbot: QtBot, fake_service: FakeService, page: MePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(camera_dialogs, "_TURN_MS", 20)
    monkeypatch.setattr(camera_dialogs, "_GLASSES_MS", 20 if glasses else 60_000)
    page.face.consent.setChecked(True)
    page.face.by_camera.click()
    dialog = child(page.face, EnrolDialog)
    assert dialog.step_text().startswith("Step 1 of 4")
    assert not dialog.skip.isVisible()
    fake_service.answers["/api/auth/face"] = success_answer(ENROLLED)
    with qtbot.waitSignal(page.toast):
        if not glasses:
            qtbot.waitUntil(dialog.skip.isVisible)
            assert dialog.step_text().startswith("Step 4 of 4")
            dialog.skip.click()
            assert not dialog.skip.isVisible()
    (body,) = fake_service.bodies("/api/auth/face")
    assert len(body["images"]) == (4 if glasses else 3)
    assert all(image.startswith("/9j/") for image in body["images"])
    assert page.face.chip.text == "Enrolled"


DRAW, PRACTICE = "/api/auth/faceChallenge", "/api/auth/face/practice"
DRAWN = {
    "challenge_id": "drawn",
    "steps": [{"movement": "left", "from_ms": 0, "to_ms": 120}],
    "expires_at": "2026-03-01T08:20:30.000000Z",
}


def test_head_movements_can_be_tried(
    qtbot: QtBot, fake_service: FakeService, page: MePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(challenge, "is_choppy", lambda _frames: False)
    fake_service.answers |= {
        DRAW: success_answer(DRAWN),
        PRACTICE: success_answer({"passed": False, "advice": "not_made"}),
    }
    page.face.practise.click()
    dialog = child(page.face, PracticeDialog)
    assert not dialog.again.isVisible()
    qtbot.waitUntil(dialog.again.isVisible, timeout=60_000)
    assert dialog.headline.text() == "Turn your head further."
    (body,) = fake_service.bodies(PRACTICE)
    assert body["challenge_id"] == "drawn"
    fake_service.answers[PRACTICE] = success_answer({"passed": True, "advice": None})
    dialog.again.click()
    qtbot.waitUntil(lambda: dialog.headline.text().startswith("Recognized"), timeout=60_000)
    fake_service.answers[PRACTICE] = success_answer({"passed": False, "advice": None})
    dialog.again.click()
    qtbot.waitUntil(lambda: len(fake_service.bodies(PRACTICE)) == 3, timeout=60_000)
    qtbot.waitUntil(dialog.again.isVisible, timeout=60_000)
    assert "not recognized" in dialog.headline.text()
    dialog.reject()


def test_a_challenge_that_is_refused_ends_the_attempt(
    qtbot: QtBot, fake_service: FakeService, page: MePage
) -> None:
    fake_service.answers[DRAW] = failure_answer(429, "too_many_requests", retry_after=30)
    page.face.practise.click()
    dialog = child(page.face, PracticeDialog)
    qtbot.waitUntil(dialog.again.isVisible, timeout=60_000)
    assert "Too many" in dialog.headline.text()
    assert fake_service.bodies(PRACTICE) == []
    dialog.reject()


def test_a_refusal_at_the_camera_can_be_tried_again(
    qtbot: QtBot, fake_service: FakeService, page: MePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(camera_dialogs, "_TURN_MS", 10)
    monkeypatch.setattr(camera_dialogs, "_GLASSES_MS", 10)
    page.face.consent.setChecked(True)
    page.face.by_camera.click()
    dialog = child(page.face, EnrolDialog)
    fake_service.answers["/api/auth/face"] = refusal_answer("somebody_else", "The photo was not accepted.")
    qtbot.waitUntil(lambda: "was not accepted" in dialog.viewfinder.sentence, timeout=60_000)
    assert dialog.viewfinder.action.text() == "Retry"
    assert dialog.step_text().startswith("Step 1 of 4")
    assert not dialog.skip.isVisible()
    dialog.reject()


def test_cancel_at_the_camera_sends_nothing_and_releases_it(
    qtbot: QtBot, fake_service: FakeService, page: MePage
) -> None:
    page.face.consent.setChecked(True)
    page.face.by_camera.click()
    dialog = child(page.face, EnrolDialog)
    qtbot.waitUntil(lambda: dialog.feed.state is feed.FeedState.LIVE)
    camera = dialog.feed
    dialog.cancel.click()
    assert camera.state is feed.FeedState.IDLE
    assert fake_service.bodies("/api/auth/face") == []
    assert page.face.consent.isChecked()


def test_consent_is_shown_with_its_version_and_time(page: MePage) -> None:
    agreed = {**ENROLLED, "consent_version": "1", "consented_at": "2026-01-02T03:04:05Z"}
    page.face.show_status(FaceStatus.model_validate(agreed))
    assert "You agreed to consent text 1 on " in page.face.status_text()
    assert "26" in page.face.status_text().partition("text 1 on ")[2]
    by_program = {**agreed, "consent_version": "caller"}
    page.face.show_status(FaceStatus.model_validate(by_program))
    assert "Consent was given" in page.face.status_text()


def test_chinese_sentences_have_no_space_between_them(page: MePage) -> None:
    status = FaceStatus.model_validate({**ENROLLED, "consent_version": "caller", "login_enabled": False})
    before = QLocale()
    QLocale.setDefault(QLocale("zh_CN"))
    try:
        page.face.show_status(status)
    finally:
        QLocale.setDefault(before)
    assert ".Consent was given in the program used to enrol.An administrator" in page.face.status_text()


def test_built_in_model_is_not_recommended(page: MePage) -> None:
    assert not page.face.advice.isHidden()
    page.face.show_status(FaceStatus.model_validate({**STATUS, "recommend_pack": False}))
    assert page.face.advice.isHidden()


def test_deleting_asks_first(
    qtbot: QtBot, fake_service: FakeService, page: MePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.face.show_status(FaceStatus.model_validate(ENROLLED))
    assert not page.face.delete.isHidden()
    monkeypatch.setattr(face, "confirm", lambda *_: False)
    page.face.delete.click()
    assert fake_service.bodies("/api/auth/face", "DELETE") == []
    monkeypatch.setattr(face, "confirm", lambda *_: True)
    with qtbot.waitSignal(page.toast) as toast:
        page.face.delete.click()
    assert toast.args == ["Face data deleted."]
    assert len(fake_service.bodies("/api/auth/face", "DELETE")) == 1
    assert page.face.chip.text == "Not enrolled"


def test_face_data_of_another_model_must_be_renewed(page: MePage) -> None:
    page.face.show_status(FaceStatus.model_validate({**ENROLLED, "usable": False}))
    assert page.face.chip.text == "Enrol again"


def test_unknown_consent_text_is_shown_unchanged(page: MePage) -> None:
    page.face.show_status(FaceStatus.model_validate({**STATUS, "current_consent_version": "2"}))
    assert page.face._consent_text.text() == "同意书"


@pytest.mark.parametrize(
    ("changes", "chip", "warning"),
    [
        ({}, "Enrolled", ""),
        ({"templates": 1}, "Enrolled", "Only one photo is enrolled"),
        ({"weaknesses": ["front_only"]}, "Enrolled", "photos are too alike"),
        ({"weaknesses": ["dark", "small"]}, "Enrolled", "Your face is small"),
        ({"weaknesses": ["bright", "blurred"]}, "Enrolled", "The photos are very bright"),
        ({"renewal_due": True}, "Renew", "more than a year old"),
    ],
)
def test_weaknesses_of_an_enrolment_are_shown(
    page: MePage, changes: dict[str, Any], chip: str, warning: str
) -> None:
    page.face.show_status(FaceStatus.model_validate({**ENROLLED, **changes}))
    assert page.face.chip.text == chip
    assert warning in page.face.warning.text()
    assert page.face.warning.isHidden() is not bool(warning)
