"""The camera dialog with a region: hints, the photo taken by itself, undo, switched off."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import shiboken6
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from desktop.background import workers
from desktop.camera import GuideHint, guidance
from desktop.camera.sources import Frame
from desktop.client import Session
from desktop.context import Context
from desktop.imaging import open_image
from desktop.imaging.sources.source import ImageSource
from desktop.pages.workbench.photos import capture
from desktop.pages.workbench.photos.capture import CaptureDialog
from desktop.pages.workbench.photos.capture_view import CaptureTarget
from desktop.preferences import Preferences
from shared.images.cv import cv2
from shared.record.geometry import Rect
from tests.desktop.camera.region_frames import REGION, MovedCamera, Pose, surface

Shown = Callable[[CaptureTarget | None], CaptureDialog]


@pytest.fixture
def camera(monkeypatch: pytest.MonkeyPatch) -> MovedCamera:
    camera = MovedCamera(Pose(x=0.2))
    monkeypatch.setattr(capture, "sources", lambda _size: [camera])
    monkeypatch.setattr(guidance, "_ANALYSE_SECONDS", 0.02)
    monkeypatch.setattr(guidance, "HOLD_SECONDS", 0.15)
    return camera


@pytest.fixture
def context(qtbot: QtBot) -> Iterator[Context]:
    session = Session("http://127.0.0.1:9", patience=0.0)
    yield Context(session, Preferences())
    session.close()


@pytest.fixture
def show(context: Context, qtbot: QtBot, camera: MovedCamera) -> Iterator[Shown]:
    shown: list[CaptureDialog] = []

    def show(target: CaptureTarget | None) -> CaptureDialog:
        dialog = CaptureDialog(context, None, target)
        dialog.show()
        shown.append(dialog)
        return dialog

    yield show
    for dialog in shown:
        # A dialog that took a photo has closed by itself.
        if shiboken6.isValid(dialog):
            dialog.close()
    qtbot.waitUntil(lambda: workers.busy() == 0)
    assert not camera.is_open


@pytest.fixture
def target() -> CaptureTarget:
    return CaptureTarget("2  前缘", _source(surface()), REGION)


def _source(pixels: Frame) -> ImageSource:
    return open_image(bytes(cv2.imencode(".png", pixels)[1]))


def hint(dialog: CaptureDialog) -> GuideHint | None:
    return None if dialog.view.result is None else dialog.view.result.hint


def test_capture_guides_and_takes_the_photo_automatically(
    show: Shown, qtbot: QtBot, camera: MovedCamera, target: CaptureTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "UNDO_SECONDS", 0.05)
    dialog = show(target)
    taken: list[QImage] = []
    dialog.taken.connect(taken.append)
    qtbot.waitUntil(lambda: hint(dialog) is GuideHint.RIGHT)
    assert dialog.view.hint == "Move right"
    assert dialog.view.accessibleDescription() == "Move right"
    camera.pose = Pose()
    qtbot.waitUntil(lambda: bool(taken))
    assert (taken[0].width(), taken[0].height()) == (960, 540)


def test_automatic_photo_can_be_undone(
    show: Shown, qtbot: QtBot, camera: MovedCamera, target: CaptureTarget
) -> None:
    dialog = show(target)
    taken: list[QImage] = []
    dialog.taken.connect(taken.append)
    camera.pose = Pose()
    qtbot.waitUntil(dialog.undo.isVisible)
    assert dialog.view.hint == "Photo taken"
    assert not dialog.shoot.isVisible()
    dialog.undo.click()
    assert dialog.shoot.isVisible()
    # Live again, and not taken again until the camera was moved.
    qtbot.waitUntil(lambda: hint(dialog) is GuideHint.GOOD)
    camera.pose = Pose(x=0.2)
    qtbot.waitUntil(lambda: hint(dialog) is GuideHint.RIGHT)
    camera.pose = Pose()
    qtbot.waitUntil(dialog.use.isVisible)
    assert taken == []
    dialog.use.click()
    assert len(taken) == 1


def test_automatic_shutter_can_be_switched_off(
    show: Shown, qtbot: QtBot, camera: MovedCamera, target: CaptureTarget, context: Context
) -> None:
    dialog = show(target)
    assert not dialog.sound.isChecked()
    dialog.alone.setChecked(False)
    assert Preferences(context.preferences.path).values.capture_alone is False
    camera.pose = Pose()
    qtbot.waitUntil(lambda: hint(dialog) is GuideHint.GOOD)
    before = dialog.view.result
    qtbot.waitUntil(lambda: dialog.view.result is not before)
    assert dialog.view.share == 0.0
    taken: list[QImage] = []
    dialog.taken.connect(taken.append)
    dialog.shoot.click()
    assert len(taken) == 1


def test_region_without_structure_is_reported(show: Shown, qtbot: QtBot) -> None:
    flat = _source(np.full((600, 800, 3), 150, np.uint8))
    dialog = show(CaptureTarget("1", flat, Rect(100, 100, 200, 200)))
    qtbot.waitUntil(lambda: not dialog.alone.isEnabled())
    assert "too little structure" in dialog._note.text()
    qtbot.waitUntil(dialog.shoot.isEnabled)


def test_without_a_region_it_only_shows_the_camera(show: Shown, qtbot: QtBot) -> None:
    dialog = show(None)
    qtbot.waitUntil(dialog.shoot.isEnabled)
    assert not dialog.alone.isVisible()
    assert dialog.view.hint == ""
