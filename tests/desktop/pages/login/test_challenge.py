"""A face login that asks for movements of the head: filmed, sent, refused, and what else the policy wants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import keyring
import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.camera import Camera, FilmedFrame, FrameSource, ImageSequence, feed
from desktop.connection.local_service import ServiceState
from desktop.context import Context
from desktop.pages.common.faces.instruction import Instruction
from desktop.pages.common.faces.viewfinder import Viewfinder
from desktop.pages.login import LoginPage, challenge
from desktop.pages.login.challenge import add_avoided
from desktop.theme import DARK
from shared.wire.face import (
    CHALLENGE_ADVICE,
    CHALLENGE_FAILED,
    CHALLENGE_NEEDED,
    DEVICE_HEADER,
    MovementName,
)
from tests.desktop.camera.pictures import face_frame, write
from tests.desktop.keyrings import MemoryKeyring
from tests.desktop.pages.fake_service import (
    REQUIREMENTS,
    TOKENS,
    FakeService,
    failure_answer,
    open_fake_context,
    refusal_answer,
    success_answer,
)

ONE_PICTURE, DRAW, ANSWER = (
    "/api/auth/loginByFaceInfo",
    "/api/auth/faceChallenge",
    "/api/auth/loginByFaceChallenge",
)
Show = Callable[..., LoginPage]


def challenge_answer(movement: MovementName = "left", to_ms: int = 120, challenge_id: str = "drawn") -> Any:
    steps = [{"movement": movement, "from_ms": 0, "to_ms": to_ms}]
    return success_answer(
        {"challenge_id": challenge_id, "steps": steps, "expires_at": "2026-03-01T08:20:30.000000Z"}
    )


@pytest.fixture
def fake_service() -> FakeService:
    fake_service = FakeService()
    fake_service.answers |= {DRAW: challenge_answer(), ANSWER: success_answer(TOKENS)}
    return fake_service


@pytest.fixture
def context(qapp: QApplication, fake_service: FakeService) -> Iterator[Context]:
    with open_fake_context(fake_service) as context:
        context.service_state = ServiceState.READY
        yield context


@pytest.fixture
def desk(tmp_path: Path) -> ImageSequence:
    """A person before the camera."""
    return ImageSequence([write(tmp_path / "a.png", face_frame())], "Desk Cam")


@pytest.fixture
def show(qtbot: QtBot, context: Context, monkeypatch: pytest.MonkeyPatch) -> Iterator[Show]:
    # Every frame is looked at, and films are short: a test needs not wait for a person.
    monkeypatch.setattr(feed, "_ANALYSE_EVERY", 1)
    monkeypatch.setattr(challenge, "is_choppy", lambda _frames: False)
    pages: list[LoginPage] = []

    def make(sources: Iterable[FrameSource]) -> LoginPage:
        page = LoginPage(context, lambda: list(sources))
        pages.append(page)
        qtbot.addWidget(page)
        page.face._pause_timer.setInterval(10)
        page.resize(1440, 900)
        page.show()
        page.enter({})
        return page

    yield make
    for page in pages:
        page.leave()


def set_requirements(fake_service: FakeService, **changes: object) -> None:
    fake_service.answers["/api/auth/faceRequirements"] = success_answer({**REQUIREMENTS, **changes})


def instructions(page: LoginPage, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every sentence that the preview shows from now on, each once in a row."""
    shown: list[str] = []
    show = page.viewfinder.show_instruction

    def show_and_note(instruction: Instruction | None) -> None:
        if instruction is not None and shown[-1:] != [instruction.text]:
            shown.append(instruction.text)
        show(instruction)

    monkeypatch.setattr(page.viewfinder, "show_instruction", show_and_note)
    return shown


def wait_for_instruction(qtbot: QtBot, page: LoginPage, text: str) -> None:
    def is_shown() -> bool:
        instruction = page.viewfinder.instruction
        return instruction is not None and instruction.text == text

    qtbot.waitUntil(is_shown)


def test_doubtful_picture_starts_a_challenge(
    qtbot: QtBot,
    context: Context,
    fake_service: FakeService,
    show: Show,
    desk: ImageSequence,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_requirements(fake_service, challenge="sometimes")
    fake_service.answers[ONE_PICTURE] = refusal_answer("challenge_needed", CHALLENGE_NEEDED)
    page = show([desk])
    shown = instructions(page, monkeypatch)
    with qtbot.waitSignal(context.login_changed):
        pass
    assert shown == ["Look straight ahead", "Turn your head to the left"]
    assert len(fake_service.bodies(ONE_PICTURE)) == 1
    (answer,) = fake_service.bodies(ANSWER)
    assert answer["challenge_id"] == "drawn"
    assert answer["frames"][0]["at_ms"] == 0
    assert all(frame["picture"].startswith("/9j/") for frame in answer["frames"])
    assert page.viewfinder.instruction is None
    assert not page.viewfinder.another_movement.isVisible()


def test_policy_of_challenges_sends_no_single_picture(
    qtbot: QtBot, context: Context, fake_service: FakeService, show: Show, desk: ImageSequence
) -> None:
    set_requirements(fake_service, challenge="always")
    page = show([desk])
    with qtbot.waitSignal(context.strong_login):
        pass
    assert fake_service.bodies(ONE_PICTURE) == []
    assert fake_service.bodies(DRAW) == [{"avoid": []}]
    assert page.photo_login.button.isHidden()


def test_without_a_policy_no_challenge_is_drawn(
    qtbot: QtBot, context: Context, fake_service: FakeService, show: Show, desk: ImageSequence
) -> None:
    fake_service.answers[ONE_PICTURE] = success_answer(TOKENS)
    strong: list[bool] = []
    context.strong_login.connect(lambda: strong.append(True))
    page = show([desk])
    with qtbot.waitSignal(context.login_changed):
        pass
    assert fake_service.bodies(DRAW) == []
    assert strong == []
    assert not page.photo_login.button.isHidden()


def test_missed_movement_is_reported_and_tried_three_times(
    qtbot: QtBot, fake_service: FakeService, show: Show, desk: ImageSequence
) -> None:
    set_requirements(fake_service, challenge="always")
    fake_service.answers[ANSWER] = refusal_answer("challenge_failed", CHALLENGE_FAILED)
    page = show([desk])
    hints: list[str] = []
    page.face._challenge.failed.connect(lambda _error: hints.append(page.viewfinder.hint))
    qtbot.waitUntil(lambda: bool(page.viewfinder.sentence), timeout=60_000)
    assert page.viewfinder.sentence == (
        "Movement not recognized. Turn slowly when the arrow appears.\n"
        "Log in with your password, or try again."
    )
    assert len(fake_service.bodies(ANSWER)) == 3
    assert "Movement not recognized. Turn slowly when the arrow appears." in hints
    assert page.viewfinder.action.text() == "Retry"
    # The password is there all the time.
    assert page.password_form.isVisible()
    assert page.password_form.button.isEnabled()


@pytest.mark.parametrize(
    ("advice", "hint"),
    [
        ("not_made", "Turn your head further."),
        ("face_lost", "Turn your head more slowly, and less far."),
        ("not_steady", "Look straight ahead until the arrow appears."),
        ("wrong_movement", "Move in the direction of the arrow."),
        ("still", "Blink or smile until the arrow appears."),
        ("too_dark", "Your face is too dark. Add light."),
        ("too_few_frames", "The camera was too slow. Use more light."),
        ("face_too_small", "Move closer to the camera."),
        ("no_face", "Show your whole face, closer to the camera."),
    ],
)
def test_person_hears_what_to_do_better(
    advice: str, hint: str, qtbot: QtBot, fake_service: FakeService, show: Show, desk: ImageSequence
) -> None:
    set_requirements(fake_service, challenge="always")
    fake_service.answers[ANSWER] = refusal_answer(f"challenge_{advice}", CHALLENGE_ADVICE[advice])
    page = show([desk])
    hints: list[str] = []
    page.face._challenge.failed.connect(lambda _error: hints.append(page.viewfinder.hint))
    qtbot.waitUntil(lambda: bool(page.viewfinder.sentence), timeout=60_000)
    assert hints[:2] == [hint, hint]
    assert page.viewfinder.sentence == f"{hint}\nLog in with your password, or try again."


def test_button_requests_another_movement(
    qtbot: QtBot, context: Context, fake_service: FakeService, show: Show, desk: ImageSequence
) -> None:
    set_requirements(fake_service, challenge="always")
    fake_service.answers[DRAW] = challenge_answer("up", to_ms=60_000)
    page = show([desk])
    wait_for_instruction(qtbot, page, "Raise your chin")
    fake_service.answers[DRAW] = challenge_answer("right")
    qtbot.mouseClick(page.viewfinder.another_movement, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(context.login_changed):
        pass
    assert fake_service.bodies(DRAW) == [{"avoid": []}, {"avoid": ["up"]}]
    assert len(fake_service.bodies(ANSWER)) == 1


def test_another_movement_is_offered_after_a_failure(
    qtbot: QtBot, context: Context, fake_service: FakeService, show: Show, desk: ImageSequence
) -> None:
    set_requirements(fake_service, challenge="always")
    fake_service.answers[ANSWER] = refusal_answer("challenge_failed", CHALLENGE_FAILED)
    page = show([desk])
    # Long enough for the person to find the button.
    page.face._pause_timer.setInterval(600_000)
    qtbot.waitUntil(page.face._pause_timer.isActive)
    assert page.viewfinder.another_movement.isVisible()
    fake_service.answers[ANSWER] = success_answer(TOKENS)
    qtbot.mouseClick(page.viewfinder.another_movement, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(context.login_changed):
        pass
    assert fake_service.bodies(DRAW) == [{"avoid": []}, {"avoid": ["left"]}]


def test_single_turn_is_never_avoided() -> None:
    assert add_avoided([], "left") == ["left"]
    assert add_avoided(["left"], "left") == ["left"]
    assert add_avoided(["left", "right"], "up") == ["right", "up"]
    assert add_avoided(["left", "right", "closer"], "up") == ["right", "closer", "up"]


def test_slow_camera_is_reported_and_nothing_is_sent(
    qtbot: QtBot, fake_service: FakeService, show: Show, desk: ImageSequence, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_requirements(fake_service, challenge="always")
    monkeypatch.setattr(challenge, "is_choppy", lambda _frames: True)
    page = show([desk])
    hints: list[str] = []
    page.face._challenge.failed.connect(lambda _error: hints.append(page.viewfinder.hint))
    qtbot.waitUntil(lambda: bool(hints))
    assert hints[0].startswith("The camera is too slow")
    assert fake_service.bodies(ANSWER) == []


def test_challenge_counts_down_after_too_many_attempts(
    qtbot: QtBot, fake_service: FakeService, show: Show, desk: ImageSequence
) -> None:
    set_requirements(fake_service, challenge="always")
    fake_service.answers[DRAW] = failure_answer(429, "too_many_requests", retry_after=30)
    page = show([desk])
    page.face._countdown.timer.setInterval(20)
    hints: list[str] = []
    page.face._countdown.counted.connect(lambda _left: hints.append(page.viewfinder.hint))
    qtbot.waitUntil(lambda: len(hints) >= 2)
    assert "30 second" in hints[0]


def test_leaving_the_page_discards_the_film(
    qtbot: QtBot, fake_service: FakeService, show: Show, desk: ImageSequence
) -> None:
    set_requirements(fake_service, challenge="always")
    fake_service.answers[DRAW] = challenge_answer(to_ms=60_000)
    page = show([desk])
    qtbot.waitUntil(lambda: page.face._challenge._step_timer.isActive())
    # However long the challenge allows: who follows is done by then.
    film = page.face._challenge._film
    assert film is not None
    assert film.length_ms == 4000
    page.leave()
    assert not page.face._challenge.is_running
    assert page.face._challenge._film is None
    assert page.viewfinder.instruction is None


# Devices and cameras


def test_computer_that_is_not_allowed_starts_no_camera(
    qtbot: QtBot, fake_service: FakeService, show: Show, desk: ImageSequence, memory_keyring: MemoryKeyring
) -> None:
    set_requirements(fake_service, allowed_devices_only=True)
    page = show([desk])
    qtbot.waitUntil(lambda: "not allowed on this computer" in page.viewfinder.sentence)
    assert fake_service.bodies(ONE_PICTURE) == []
    assert page.password_form.button.isEnabled()


@pytest.mark.parametrize(
    ("is_enabled", "says"),
    [
        (False, ("Face login is off", "turn it on")),
        # Enabled: "turn it on" would send the administrator to a box that is checked already.
        (True, ("not protected from photos", "head movements at every login", "liveness check")),
    ],
)
def test_face_login_that_is_not_offered_starts_no_camera(
    qtbot: QtBot,
    fake_service: FakeService,
    show: Show,
    desk: ImageSequence,
    is_enabled: bool,
    says: tuple[str, ...],
) -> None:
    set_requirements(fake_service, offered=False, login_enabled=is_enabled)
    page = show([desk])
    qtbot.waitUntil(lambda: "Log in with your password" in page.viewfinder.sentence)
    assert all(part in page.viewfinder.sentence for part in says)
    assert ("turn it on" in page.viewfinder.sentence) is not is_enabled
    assert page.face._feed.state is feed.FeedState.IDLE
    assert fake_service.bodies(ONE_PICTURE) == []
    assert page.photo_login.button.isHidden()
    assert page.password_form.button.isEnabled()


@pytest.mark.parametrize("needs_colour", [True, False])
def test_grey_camera_is_named_where_the_model_needs_colour(
    needs_colour: bool, qtbot: QtBot, context: Context, fake_service: FakeService, show: Show, tmp_path: Path
) -> None:
    set_requirements(fake_service, needs_colour=needs_colour)
    fake_service.answers[ONE_PICTURE] = success_answer(TOKENS)
    grey = np.repeat(face_frame().mean(axis=2, keepdims=True), 3, axis=2).astype(np.uint8)
    camera = ImageSequence([write(tmp_path / "grey.png", grey)], "Infrared Cam")
    if needs_colour:
        page = show([camera])
        qtbot.waitUntil(lambda: "has no colour" in page.viewfinder.sentence, timeout=60_000)
        assert fake_service.bodies(ONE_PICTURE) == []
        assert page.password_form.button.isEnabled()
    else:
        with qtbot.waitSignal(context.login_changed, timeout=60_000):
            show([camera])


def test_an_allowed_computer_sends_its_token(
    qtbot: QtBot,
    context: Context,
    fake_service: FakeService,
    show: Show,
    desk: ImageSequence,
    memory_keyring: MemoryKeyring,
) -> None:
    context.device_token.store("token of this computer")
    set_requirements(fake_service, allowed_devices_only=True)
    headers: list[str | None] = []

    def answer(request: Any) -> Any:
        headers.append(request.headers.get(DEVICE_HEADER))
        return success_answer(TOKENS)

    fake_service.answers[ONE_PICTURE] = answer
    show([desk])
    with qtbot.waitSignal(context.login_changed):
        pass
    assert headers == ["token of this computer"]


def test_keyring_is_read_only_if_the_policy_needs_a_token(
    qtbot: QtBot,
    context: Context,
    fake_service: FakeService,
    show: Show,
    desk: ImageSequence,
    memory_keyring: MemoryKeyring,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    monkeypatch.setattr(keyring, "get_password", lambda *names: read.append(str(names)))
    fake_service.answers[ONE_PICTURE] = success_answer(TOKENS)
    show([desk])
    with qtbot.waitSignal(context.login_changed):
        pass
    assert read == []


def test_refused_virtual_cameras_are_not_offered(qtbot: QtBot, fake_service: FakeService, show: Show) -> None:
    set_requirements(fake_service, refuse_virtual_cameras=True)
    page = show([Camera(97, "OBS Virtual Camera")])
    qtbot.waitUntil(lambda: "Only a virtual camera" in page.viewfinder.sentence)
    assert not page.photo_login.button.isVisible()
    assert page.viewfinder.action.text() == "Search for cameras"


# The preview


@pytest.mark.parametrize(
    ("movement", "place"),
    [
        ("left", QRectF(0.0, 0.3, 0.4, 0.4)),
        ("right", QRectF(0.6, 0.3, 0.4, 0.4)),
        ("up", QRectF(0.4, 0.1, 0.2, 0.4)),
    ],
)
def test_arrow_points_to_the_side_of_the_movement(
    qtbot: QtBot, movement: MovementName, place: QRectF
) -> None:
    view = Viewfinder()
    qtbot.addWidget(view)
    view.resize(520, 470)
    frame = QImage(640, 480, QImage.Format.Format_BGR888)
    frame.fill(QColor("#808080"))
    view.show_frame(frame)
    view.show_instruction(Instruction(movement, "Move", 1.0))
    picture = view.grab().toImage()
    accent = QColor(DARK.accent).rgb()
    positions = [
        (x / picture.width(), y / picture.height())
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixel(x, y) == accent
    ]
    assert positions
    assert sum(place.contains(x, y) for x, y in positions) > 0.9 * len(positions)


def test_text_of_a_frame_contains_no_picture() -> None:
    assert "secret" not in repr(FilmedFrame(0, b"secret"))
