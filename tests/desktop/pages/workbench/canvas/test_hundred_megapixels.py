"""The workbench on a picture of 100 MP: drawn on, measured and shown from the original's own pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import pyvips
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.canvas.tools.tool_machine import Tool
from desktop.imaging import open_image
from desktop.record.loading import thumbnails
from shared.record.geometry import Rect
from shared.wire.catalogue import ReferenceImageWrite
from shared.wire.inspection import RecordUpdate
from tests.desktop.imaging.pictures import rgb
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.narrowing import not_none, reread

WIDTH, HEIGHT = 11_600, 8_700
FINE = Rect(6000, 4200, 64, 64)


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """100 MP of grey with a patch of lines one px wide, about 1 MB."""
    path = tmp_path_factory.mktemp("large") / "large.jpg"
    lines = np.zeros((int(FINE.h), int(FINE.w)), np.uint8)
    lines[:, ::2] = 255
    patch = pyvips.Image.new_from_memory(lines.tobytes(), int(FINE.w), int(FINE.h), 1, "uchar")
    ground = (pyvips.Image.black(WIDTH, HEIGHT) + 128).cast("uchar")
    ground.insert(patch, int(FINE.x), int(FINE.y)).jpegsave(str(path), Q=92)
    return path


class Reports:
    def __init__(self) -> None:
        self.pictures: list[tuple[str, QImage]] = []

    def __call__(self, picture: tuple[str, QImage]) -> None:
        self.pictures.append(picture)

    def check(self) -> None:
        pass

    def wait(self, _seconds: float) -> None:
        pass


def test_small_pictures_come_from_the_original(large: Path) -> None:
    source = open_image(large)
    reports = Reports()
    try:
        thumbnails(reports, source, [("a", FINE), ("b", Rect(0, 0, WIDTH, HEIGHT))], 64)  # type: ignore[arg-type]
    finally:
        source.cancel()
    assert [name for name, _ in reports.pictures] == ["a", "b", "a"]
    spread = [float(rgb(image)[:, :, 0].std()) for name, image in reports.pictures if name == "a"]
    # Lines of one px are lost in the preview, and black and white in the original.
    assert spread[0] < 30
    assert spread[1] > 90


@pytest.fixture
def open_workbench(workbench: WorkbenchDriver, large: Path, qtbot: QtBot) -> WorkbenchDriver:
    """A record on the picture; its regions lie in a row."""
    boxes = ((0.1, 0.1, 0.1, 0.1), (0.3, 0.2, 0.15, 0.1), (0.12, 0.12, 0.03, 0.03))
    record_id = make_record(workbench.session, boxes)
    stored = workbench.session.files.upload(large, "large.jpg")
    body = ReferenceImageWrite(reference_image_name="100 MP", file_id=stored.file_id, mm_per_pixel=0.5)
    image = workbench.session.catalogue.reference_images.create(body)
    workbench.session.records.update(record_id, RecordUpdate(reference_image_id=image.reference_image_id))
    workbench.open(record_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: not_none(workbench.page.canvas.view.source).size == (WIDTH, HEIGHT))
    workbench.page.canvas.view.setFocus()
    return workbench


def test_regions_are_locked_hidden_aligned_and_brought_forward(
    open_workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    view, ids = open_workbench.page.canvas.view, [row.item_id for row in open_workbench.page.open_record.rows]
    control = Qt.KeyboardModifier.ControlModifier

    def rect(place: int) -> Rect:
        return not_none(view.store.get(ids[place])).rect

    click(open_workbench, 0.32, 0.22)
    assert set(view.store.selected_ids) == {ids[1]}
    before = rect(1)
    QTest.keyClick(view, Qt.Key.Key_L, control)
    assert not_none(view.store.get(ids[1])).locked
    open_workbench.drag(open_workbench.at(0.35, 0.25), open_workbench.at(0.5, 0.5))
    assert rect(1) == before
    click(open_workbench, 0.32, 0.22)
    QTest.keyClick(view, Qt.Key.Key_L, control)
    open_workbench.drag(open_workbench.at(0.35, 0.25), open_workbench.at(0.45, 0.45))
    assert rect(1).x == pytest.approx(before.x + 0.1 * WIDTH, abs=0.01 * WIDTH)
    open_workbench.context.commands.run("edit.undo")
    assert rect(1) == before

    QTest.keyClick(view, Qt.Key.Key_H, Qt.KeyboardModifier.ShiftModifier)
    assert not_none(view.store.get(ids[1])).hidden
    QTest.keyClick(view, Qt.Key.Key_H, control | Qt.KeyboardModifier.ShiftModifier)
    assert not not_none(view.store.get(ids[1])).hidden

    click(open_workbench, 0.18, 0.18)
    QTest.mouseClick(
        view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, open_workbench.at(0.32, 0.22)
    )
    assert set(view.store.selected_ids) == {ids[0], ids[1]}
    QTest.keyClick(view, Qt.Key.Key_T, control | Qt.KeyboardModifier.AltModifier)
    assert rect(0).y == rect(1).y
    open_workbench.context.commands.run("edit.undo")
    assert rect(1) == before

    click(open_workbench, 0.18, 0.18)
    QTest.keyClick(view, Qt.Key.Key_BracketRight, control)
    assert not_none(view.store.get(ids[0])).z > not_none(view.store.get(ids[2])).z
    QTest.keyClick(view, Qt.Key.Key_BracketLeft, control)
    assert not_none(view.store.get(ids[0])).z < not_none(view.store.get(ids[2])).z
    qtbot.waitUntil(lambda: open_workbench.saved)


def test_it_is_measured_and_seen_brighter(open_workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    view, shift = open_workbench.page.canvas.view, Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(view, Qt.Key.Key_M)
    assert reread(view.editor.tool) is Tool.RULER
    open_workbench.drag(open_workbench.at(0.2, 0.5), open_workbench.at(0.6, 0.5))
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert reread(view.editor.tool) is Tool.SELECT
    qtbot.waitUntil(lambda: abs(shade(open_workbench) - 128) < 3)
    grey = shade(open_workbench)
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_B, shift)
    qtbot.waitUntil(lambda: shade(open_workbench) > grey + 20)
    QTest.keyClick(view, Qt.Key.Key_K, shift)
    assert (view.tone.brightness, view.tone.contrast) == (30, 10)
    QTest.keyClick(view, Qt.Key.Key_P, shift)
    qtbot.waitUntil(lambda: abs(shade(open_workbench) - grey) <= 2)


def click(
    desk: WorkbenchDriver, x: float, y: float, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    QTest.mouseClick(desk.page.canvas.view, Qt.MouseButton.LeftButton, modifier, desk.at(x, y))


def shade(desk: WorkbenchDriver) -> float:
    """How bright an empty place of the picture is painted."""
    place: QPoint = desk.at(0.8, 0.7)
    return float(desk.page.canvas.view.grab().toImage().pixelColor(place).red())
