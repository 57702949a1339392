"""The login page: password, first run, photo file, server, states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QPaintEvent, QRegion
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.camera import FrameSource, Hint, ImageSequence, feed
from desktop.camera.hints import FrameAnalysis
from desktop.connection.local_service import ServiceState
from desktop.context import Context
from desktop.pages.login import LoginPage
from desktop.pages.login.service_choice import ServerDialog, server_address
from desktop.widgets.basic.shadows import soft_shadow
from tests.desktop.camera.pictures import empty_frame, face_frame, write
from tests.desktop.children import child
from tests.desktop.client.fake_service import PAYLOAD
from tests.desktop.pages.fake_service import (
    REQUIREMENTS,
    TOKENS,
    FakeService,
    failure_answer,
    open_fake_context,
    refusal_answer,
    success_answer,
)
from tests.narrowing import not_none

Show = Callable[..., LoginPage]
"""Opens the page with these cameras and parameters."""


@pytest.fixture
def fake_service() -> FakeService:
    return FakeService()


@pytest.fixture
def context(qapp: QApplication, fake_service: FakeService) -> Iterator[Context]:
    with open_fake_context(fake_service) as context:
        context.service_state = ServiceState.READY
        yield context


@pytest.fixture
def show(qtbot: QtBot, context: Context, monkeypatch: pytest.MonkeyPatch) -> Iterator[Show]:
    # Every frame is looked at: a test needs not wait for a person.
    monkeypatch.setattr(feed, "_ANALYSE_EVERY", 1)
    pages: list[LoginPage] = []

    def make(sources: Iterable[FrameSource] = (), **params: Any) -> LoginPage:
        page = LoginPage(context, lambda: list(sources))
        pages.append(page)
        qtbot.addWidget(page)
        page.resize(1440, 900)
        page.show()
        page.enter(params)
        return page

    yield make
    for page in pages:
        page.leave()


def test_right_password_logs_in(
    qtbot: QtBot, context: Context, fake_service: FakeService, show: Show
) -> None:
    page = show()
    qtbot.keyClicks(page.password_form.user_name.editor, "zhang")
    qtbot.keyClick(page.password_form.user_name.editor, Qt.Key.Key_Return)
    qtbot.keyClicks(page.password_form.password.editor, "secret words")
    with qtbot.waitSignals([context.login_changed, context.strong_login]):
        qtbot.keyClick(page.password_form.password.editor, Qt.Key.Key_Return)
    assert fake_service.bodies("/api/auth/login") == [{"username": "zhang", "password": "secret words"}]
    assert not_none(context.payload).user.username == "zhang"
    assert context.preferences.values.user_name == "zhang"
    assert page.password_form.password.text() == ""


def test_wrong_password_is_reported_and_stays_in_the_field(
    qtbot: QtBot, fake_service: FakeService, context: Context, show: Show
) -> None:
    fake_service.answers["/api/auth/login"] = refusal_answer("wrong_login", "用户名或密码错误")
    page = show(user_name="zhang")
    form = page.password_form
    form.password.set_text("nearly right")
    form.submit()
    assert not form.button.isEnabled()
    qtbot.waitUntil(lambda: form.password.error() != "")
    assert form.password.error() == "Wrong username or password."
    assert (form.user_name.text(), form.password.text()) == ("zhang", "nearly right")
    assert form.button.isEnabled()
    assert context.payload is None


def test_empty_field_is_reported_at_the_field(show: Show, fake_service: FakeService) -> None:
    form = show().password_form
    form.user_name.set_text("")
    form.submit()
    assert form.user_name.error() == "Enter your username."
    form.user_name.set_text("zhang")
    form.submit()
    assert form.password.error() == "Enter your password."
    assert fake_service.bodies("/api/auth/login") == []


def test_too_many_tries_count_down(qtbot: QtBot, fake_service: FakeService, show: Show) -> None:
    fake_service.answers["/api/auth/login"] = failure_answer(429, "too_many_requests", retry_after=2)
    form = show(user_name="zhang").password_form
    form._countdown.timer.setInterval(20)
    states: list[tuple[str, bool]] = []
    form._countdown.counted.connect(
        lambda _left: states.append((form.password.error(), form.button.isEnabled()))
    )
    form.password.set_text("guess")
    form.submit()
    qtbot.waitUntil(lambda: len(states) == 3)
    assert ["2 second" in states[0][0], "1 second" in states[1][0]] == [True] * 2
    assert [enabled for _, enabled in states] == [False, False, True]
    assert states[2][0] == ""
    assert form.password.text() == "guess"


def test_first_run_creates_the_administrator(
    qtbot: QtBot, context: Context, fake_service: FakeService, show: Show
) -> None:
    fake_service.answers["/api/auth/first-run"] = lambda request: success_answer(
        TOKENS if request.method == "POST" else {"needed": True}
    )
    page = show([ImageSequence(Path("unused"))])
    qtbot.waitUntil(lambda: page.first_run)
    form = page.first_run_form
    assert page._subheading.text().startswith("Step 3 of 3. ")
    assert not page.password_form.isVisible()
    assert not page.face.is_running
    form.user_name.set_text("chief")
    form.password.set_text("chief")
    form.submit()
    assert form.password.error()
    form.password.set_text("long enough words")
    form.confirmation.set_text("long enough wards")
    form.submit()
    assert form.confirmation.error() == "The passwords do not match. Enter them again."
    form.confirmation.set_text("long enough words")
    with qtbot.waitSignal(context.login_changed):
        form.submit()
    assert fake_service.bodies("/api/auth/first-run") == [
        {"username": "chief", "password": "long enough words", "name": None}
    ]
    assert (form.password.text(), form.confirmation.text()) == ("", "")
    # Only an administrator turns head movements on.
    assert fake_service.bodies("/api/face/policy", "PUT") == []


def test_field_error_of_the_service_is_shown_at_the_field(
    qtbot: QtBot, fake_service: FakeService, show: Show
) -> None:
    fields = [{"field": "password", "type": "password_common", "message": "密码过于常见，请更换"}]
    fake_service.answers["/api/auth/first-run"] = lambda request: (
        failure_answer(422, "invalid_input", fields=fields)
        if request.method == "POST"
        else success_answer({"needed": True})
    )
    page = show()
    qtbot.waitUntil(lambda: page.first_run)
    form = page.first_run_form
    form.user_name.set_text("chief")
    form.password.set_text("password123")
    form.confirmation.set_text("password123")
    form.submit()
    qtbot.waitUntil(lambda: form.password.error() != "")
    assert form.password.error() == "This password is too common. Choose another password."
    assert form.password.text() == "password123"


def test_after_the_first_login_the_page_asks_for_the_password(
    qtbot: QtBot, context: Context, fake_service: FakeService, show: Show
) -> None:
    fake_service.answers["/api/auth/first-run"] = lambda request: success_answer(
        TOKENS if request.method == "POST" else {"needed": True}
    )
    page = show()
    qtbot.waitUntil(lambda: page.first_run)
    form = page.first_run_form
    for field, text in (
        (form.user_name, "chief"),
        (form.password, "long enough words"),
        (form.confirmation, "long enough words"),
    ):
        field.set_text(text)
    with qtbot.waitSignal(context.login_changed):
        form.submit()
    # What is typed before the service answers must not go into a form that is replaced then.
    assert not form.isVisible()
    assert page.password_form.isVisible()


def test_first_run_done_elsewhere_leads_to_login(qtbot: QtBot, fake_service: FakeService, show: Show) -> None:
    needed = [True]

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return success_answer({"needed": needed[0]})
        needed[0] = False
        return failure_answer(409, "conflict")

    fake_service.answers["/api/auth/first-run"] = answer
    page = show()
    qtbot.waitUntil(lambda: page.first_run)
    page.first_run_form.user_name.set_text("chief")
    page.first_run_form.password.set_text("long enough words")
    page.first_run_form.confirmation.set_text("long enough words")
    page.first_run_form.submit()
    qtbot.waitUntil(lambda: not page.first_run)
    assert page.password_form.isVisible()
    # Not the next control after the form that was hidden.
    assert page.focusWidget() is page.password_form.user_name.editor


@pytest.mark.parametrize("is_offered", [True, False])
def test_heading_names_the_camera_only_where_face_login_is_offered(
    qtbot: QtBot, fake_service: FakeService, show: Show, is_offered: bool
) -> None:
    fake_service.answers["/api/auth/faceRequirements"] = success_answer(
        {**REQUIREMENTS, "offered": is_offered, "login_enabled": is_offered}
    )
    page = show()
    sentence = "No camera found" if is_offered else "Face login is off"
    qtbot.waitUntil(lambda: sentence in page.viewfinder.sentence, timeout=60_000)
    assert ("camera" in page._subheading.text()) is is_offered


def test_remote_server_allows_no_first_administrator(
    qtbot: QtBot, fake_service: FakeService, context: Context, show: Show
) -> None:
    fake_service.answers["/api/auth/first-run"] = success_answer({"needed": True})
    context.session.rebase("https://walkaround.test")
    context.embedded = False
    page = show()
    qtbot.waitUntil(lambda: "on the server computer" in page._subheading.text())
    assert not page.first_run
    assert page._server_label.text() == "walkaround.test"


def test_page_waits_for_a_starting_service(
    qtbot: QtBot, fake_service: FakeService, context: Context, show: Show
) -> None:
    context.service_state = ServiceState.STARTING
    page = show()
    assert page.viewfinder.hint == "The service is starting…"
    assert fake_service.sent == []
    context.show_service(ServiceState.READY)
    qtbot.waitUntil(lambda: "No camera found" in page.viewfinder.sentence)
    context.show_service(ServiceState.RESTARTING)
    assert not page.face.is_running


def test_unreachable_service_is_reported_and_tried_again(
    qtbot: QtBot, fake_service: FakeService, show: Show
) -> None:
    fake_service.answers["/api/auth/first-run"] = httpx.ConnectError("refused")
    page = show()
    qtbot.waitUntil(lambda: "Cannot connect to the service" in page.viewfinder.sentence)
    fake_service.answers["/api/auth/first-run"] = success_answer({"needed": False})
    qtbot.mouseClick(page.viewfinder.action, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "No camera found" in page.viewfinder.sentence)


def test_no_camera_offers_the_photo_file(
    qtbot: QtBot, context: Context, fake_service: FakeService, show: Show, tmp_path: Path
) -> None:
    fake_service.answers["/api/auth/loginByFaceInfo"] = success_answer(TOKENS)
    page = show()
    qtbot.waitUntil(lambda: "No camera found" in page.viewfinder.sentence)
    with qtbot.waitSignal(context.login_changed):
        page.photo_login.log_in(write(tmp_path / "我.png", face_frame()))
    assert not_none(context.payload).user.user_id == PAYLOAD["user"]["user_id"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("notes.txt", b"hello", "not supported"),
        ("big.jpg", b"\xff\xd8\xff" + bytes(3 * 2**20), "too large"),
        ("torn.jpg", b"\xff\xd8\xff" + bytes(2 * 2**20), "not supported"),
        ("me.png", b"\x89PNG\r\n\x1a\n", "not recognized"),
        (None, b"", "Cannot read the file"),
    ],
)
def test_refused_photo_is_reported(
    qtbot: QtBot,
    context: Context,
    show: Show,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str | None,
    data: bytes,
    message: str,
) -> None:
    monkeypatch.setattr("desktop.pages.common.faces.face_picture.MAX_BYTES", 3 * 2**20)
    page = show()
    path = tmp_path / (name or "missing.jpg")
    if name:
        path.write_bytes(data)
    page.photo_login.log_in(path)
    qtbot.waitUntil(lambda: page.photo_login.error.text() != "")
    assert message in page.photo_login.error.text()
    assert page.photo_login.button.isEnabled()
    assert context.payload is None


def test_too_many_photos_count_down(
    qtbot: QtBot, context: Context, fake_service: FakeService, show: Show, tmp_path: Path
) -> None:
    fake_service.answers["/api/auth/loginByFaceInfo"] = failure_answer(
        429, "too_many_requests", retry_after=3
    )
    page = show()
    page.photo_login._countdown.timer.setInterval(20)
    errors: list[str] = []
    page.photo_login._countdown.counted.connect(lambda _left: errors.append(page.photo_login.error.text()))
    path = write(tmp_path / "me.png", face_frame())
    page.photo_login.log_in(path)
    qtbot.waitUntil(lambda: len(errors) == 4)
    assert ["3 second" in errors[0], "2 second" in errors[1], "1 second" in errors[2]] == [True] * 3
    assert errors[3] == ""
    assert page.photo_login.button.isEnabled()
    fake_service.answers["/api/auth/loginByFaceInfo"] = success_answer(TOKENS)
    with qtbot.waitSignal(context.login_changed):
        page.photo_login.log_in(path)


def test_face_in_front_of_the_camera_logs_in(
    qtbot: QtBot, context: Context, fake_service: FakeService, show: Show, tmp_path: Path
) -> None:
    fake_service.answers["/api/auth/loginByFaceInfo"] = success_answer(TOKENS)
    page = show([ImageSequence([write(tmp_path / "a.png", face_frame())], "Desk Cam")])
    with qtbot.waitSignal(context.login_changed):
        pass
    assert not page.face.is_running
    (body,) = fake_service.bodies("/api/auth/loginByFaceInfo")
    assert body["faceInfo"].startswith("/9j/")


def test_frames_without_a_face_are_not_sent(
    qtbot: QtBot, fake_service: FakeService, show: Show, tmp_path: Path
) -> None:
    page = show([ImageSequence([write(tmp_path / "a.png", empty_frame())])])
    qtbot.waitUntil(lambda: page.viewfinder.hint.startswith("Look into the oval"))
    qtbot.wait(300)
    assert fake_service.bodies("/api/auth/loginByFaceInfo") == []


def test_one_frame_without_a_face_costs_little(
    qtbot: QtBot, fake_service: FakeService, show: Show, tmp_path: Path
) -> None:
    fake_service.answers["/api/auth/loginByFaceInfo"] = success_answer(TOKENS)
    frames = [write(tmp_path / f"{n}.png", empty_frame() if n == 2 else face_frame()) for n in range(3)]
    page = show([ImageSequence(frames, "Desk Cam")])
    with qtbot.waitSignal(page.face.logged_in):
        pass


def test_attempts_count_until_the_face_disappears(
    qtbot: QtBot, fake_service: FakeService, show: Show, tmp_path: Path
) -> None:
    page = show([ImageSequence([write(tmp_path / "a.png", empty_frame())])])
    qtbot.waitUntil(lambda: page.face.is_running)
    page.face._feed.stop()
    # The camera may already have seen that there is no face.
    page.face._on_frame_analysed(FrameAnalysis(Hint.CLOSER, None, 0.0))
    page.face._tries = 2
    nobody = FrameAnalysis(Hint.NO_FACE, None, 0.0)
    for _ in range(9):
        page.face._on_frame_analysed(nobody)
    assert page.face._tries == 2
    page.face._on_frame_analysed(nobody)
    assert page.face._tries == 0


def test_the_preview_marks_the_face(
    qtbot: QtBot, fake_service: FakeService, show: Show, tmp_path: Path
) -> None:
    page = show([ImageSequence([write(tmp_path / "a.png", face_frame(blur=6))])])
    qtbot.waitUntil(lambda: not page.viewfinder.face_box().isEmpty())


def test_unknown_face_is_tried_three_times(
    qtbot: QtBot, fake_service: FakeService, show: Show, tmp_path: Path
) -> None:
    page = show([ImageSequence([write(tmp_path / "a.png", face_frame())])])
    page.face._pause_timer.setInterval(10)
    qtbot.waitUntil(lambda: "or try again" in page.viewfinder.sentence)
    assert page.viewfinder.sentence.startswith("Not recognized. Look straight into the camera.")
    assert len(fake_service.bodies("/api/auth/loginByFaceInfo")) == 3
    assert page.viewfinder.action.text() == "Retry"


def test_disabled_face_login_is_reported(
    qtbot: QtBot, fake_service: FakeService, show: Show, tmp_path: Path
) -> None:
    fake_service.answers["/api/auth/loginByFaceInfo"] = failure_answer(403, "face_login_off")
    page = show([ImageSequence([write(tmp_path / "a.png", face_frame())])])
    qtbot.waitUntil(lambda: "Face login is disabled" in page.viewfinder.sentence)


def test_too_many_faces_count_down(
    qtbot: QtBot, fake_service: FakeService, show: Show, tmp_path: Path
) -> None:
    fake_service.answers["/api/auth/loginByFaceInfo"] = failure_answer(
        429, "too_many_requests", retry_after=30
    )
    page = show([ImageSequence([write(tmp_path / "a.png", face_frame())])])
    page.face._countdown.timer.setInterval(20)
    hints: list[str] = []
    page.face._countdown.counted.connect(lambda _left: hints.append(page.viewfinder.hint))
    qtbot.waitUntil(lambda: len(hints) >= 3)
    assert [f"{left} second" in hint for left, hint in zip((30, 29, 28), hints, strict=False)] == [True] * 3
    assert len(fake_service.bodies("/api/auth/loginByFaceInfo")) == 1


def test_another_camera_is_chosen_and_remembered(
    qtbot: QtBot, context: Context, show: Show, tmp_path: Path
) -> None:
    path = write(tmp_path / "a.png", empty_frame())
    page = show([ImageSequence([path], "One"), ImageSequence([path], "Two")])
    qtbot.waitUntil(lambda: page.face._feed.source is not None)
    page.viewfinder.camera_chosen.emit("Two")
    assert not_none(page.face._feed.source).name == "Two"
    assert context.preferences.values.camera == "Two"


def test_unknown_camera_failure_can_be_retried(qtbot: QtBot, show: Show, tmp_path: Path) -> None:
    class Broken(ImageSequence):
        works = False

        def open(self) -> None:
            if not self.works:
                raise RuntimeError("driver")
            super().open()

    camera = Broken([write(tmp_path / "a.png", empty_frame())], "Door")
    with qtbot.captureExceptions() as raised:
        page = show([camera])
        qtbot.waitUntil(page.viewfinder.action.isVisible)
    assert [str(error) for _, error, _ in raised] == ["driver"]
    assert "Cannot use the camera" in page.viewfinder.sentence
    camera.works = True
    page.viewfinder.action.click()
    qtbot.waitUntil(lambda: "oval" in page.viewfinder.hint)


def test_leaving_releases_the_camera(qtbot: QtBot, show: Show, tmp_path: Path) -> None:
    page = show([ImageSequence([write(tmp_path / "a.png", empty_frame())])])
    qtbot.waitUntil(lambda: page.face.is_running)
    page.hide()
    assert not page.face.is_running


def test_shadow_of_the_card_uses_memory_only_while_the_page_is_visible(show: Show) -> None:
    page = show()
    page.grab()
    page.resize(1600, 1000)
    page.grab()
    assert soft_shadow.cache_info().currsize == 1
    page.hide()
    assert soft_shadow.cache_info().currsize == 0


def test_card_is_not_cut_on_a_laptop_at_150_percent(show: Show, qtbot: QtBot) -> None:
    page = show()
    # The room that a screen of 1440 x 900 leaves to the page of a window.
    around = QWidget()
    qtbot.addWidget(around)
    around.resize(952, 560)
    page.setParent(around)
    # As a window of its own it had the minimum size of its layout.
    page.setMinimumSize(0, 0)
    page.setGeometry(around.rect())
    page.show()
    around.show()
    card = page._card

    def is_inside() -> bool:
        return page.rect().contains(QRect(card.mapTo(page, card.rect().topLeft()), card.size()))

    qtbot.waitUntil(is_inside, timeout=60_000)
    assert page.size() == around.size()
    page.setParent(None)


def test_return_params_contain_names_but_no_password(show: Show) -> None:
    page = show(user_name="zhang")
    page.password_form.password.set_text("secret words")
    assert page.return_params() == {"user_name": "zhang", "name": "", "address": "", "step": ""}


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("walkaround.example.com", "https://walkaround.example.com"),
        (" 10.0.0.5:8177 ", "https://10.0.0.5:8177"),
        ("http://10.0.0.5:8177/", "http://10.0.0.5:8177"),
        ("127.0.0.1:8177", "http://127.0.0.1:8177"),
        ("https://[fe80::1]:1/x?y", "https://[fe80::1]:1"),
        ("", None),
        ("ftp://host", None),
        ("https://user:pass@host", None),
        ("http://a b", None),
        ("host:99999", None),
    ],
)
def test_typed_text_becomes_an_address(typed: str, address: str | None) -> None:
    assert server_address(typed) == address


def test_server_dialog_checks_an_address_first(qtbot: QtBot, context: Context) -> None:
    dialog = ServerDialog("", context.preferences)
    qtbot.addWidget(dialog)
    chosen: list[str] = []
    dialog.chosen.connect(chosen.append)
    dialog.show()
    assert dialog.local_service.isChecked()
    dialog.network_server.setChecked(True)
    dialog.address.set_text("nonsense address")
    dialog.use.click()
    assert "valid address" in dialog.address.error()
    dialog.address.set_text("http://127.0.0.1:9")
    dialog.use.click()
    assert not dialog.use.isEnabled()
    qtbot.waitUntil(lambda: "Cannot connect to the service" in dialog.address.error())
    assert chosen == []
    dialog.local_service.setChecked(True)
    dialog.use.click()
    assert chosen == [""]
    assert not dialog.isVisible()


def test_the_page_passes_the_chosen_server_on(qtbot: QtBot, show: Show) -> None:
    page = show()
    page._change_server()
    dialog = child(page, ServerDialog)
    with qtbot.waitSignal(page.server_chosen) as chosen:
        dialog.use.click()
    assert chosen.args == [""]


def test_the_shadow_follows_the_card(qtbot: QtBot, show: Show) -> None:
    page = show()
    qtbot.waitUntil(lambda: page._card.height() > 0)
    painted: list[QRegion] = []

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if isinstance(event, QPaintEvent):
                painted.append(event.region())
            return False

    watch = Watch()
    page.installEventFilter(watch)
    page.update()
    qtbot.waitUntil(lambda: bool(painted))
    QApplication.processEvents()
    painted.clear()
    page.first_run_form.show()
    page.password_form.password.set_error("A sentence makes the form, and with it the card, taller.")
    ring = QPoint(page._card.x() - 20, page._card.geometry().center().y())
    qtbot.waitUntil(lambda: any(region.contains(ring) for region in painted))
