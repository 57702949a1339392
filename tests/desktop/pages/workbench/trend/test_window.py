"""The trend in its window, against a real service."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from desktop.pages.workbench.trend import pictures, window
from desktop.pages.workbench.trend.pictures import WHOLE
from desktop.pages.workbench.trend.window import TrendDialog
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.desktop.pages.workbench.trend.growing_crack import Grown, grown
from tests.narrowing import not_none

pytestmark = pytest.mark.slow


def open_dialog(workbench: WorkbenchDriver, qtbot: QtBot, crack: Grown) -> TrendDialog:
    workbench.open(crack.records[-1], qtbot.waitUntil)
    workbench.page.items.go_to(crack.items[-1])
    dialog = not_none(workbench.page.results.trend.show())
    qtbot.waitUntil(lambda: bool(dialog.film.frames))
    return dialog


def close_dialog(dialog: TrendDialog, qtbot: QtBot) -> None:
    with qtbot.waitSignal(dialog.destroyed):
        dialog.accept()


def test_frames_are_in_order_and_report_missing_pictures(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    crack = grown(workbench.session, 4, unaligned=[1], without=[2])
    dialog = open_dialog(workbench, qtbot, crack)
    frames = dialog.film.frames
    assert [frame.key for frame in frames] == ["reference", *crack.items]
    assert [frame.note for frame in frames] == ["", "", "Photo not aligned", "Not photographed", ""]
    assert [frame.status for frame in frames] == ["", "passed", "passed", "undecided", "undecided"]
    assert [frame.opens for frame in frames] == [False, True, True, False, True]
    assert dialog.film.current == 4
    qtbot.waitUntil(lambda: all(dialog.pictures.is_settled(frame.key) for frame in frames))
    # The places of findings on an unaligned photo are known once the photo is loaded.
    assert [len(frame.outlines) for frame in dialog.film.frames] == [0, 1, 1, 0, 1]
    assert dialog.film.frames[2].outlines[0].series is None
    (series,) = dialog.chart.data.series
    sizes = [point.size * 0.5 for point in series.points]
    assert sizes == pytest.approx([8.7, 17.3], abs=1.5)
    assert "2025-02-03 to 2025-05-25" in dialog.summary.text()
    close_dialog(dialog, qtbot)


def test_the_crack_is_where_its_outline_is(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    dialog = open_dialog(workbench, qtbot, grown(workbench.session, 2, (800, 600)))
    for frame in dialog.film.frames[1:]:
        qtbot.waitUntil(partial(dialog.pictures.is_settled, frame.key))
        image = not_none(dialog.pictures.best(frame.key, WHOLE)).sizes[0]
        (outline,) = frame.outlines
        dark = [
            (x / image.width(), y / image.height())
            for x in range(0, image.width(), 2)
            for y in range(0, image.height(), 2)
            if image.pixelColor(x, y).lightness() < 75
        ]
        inside = [(x, y) for x, y in dark if outline.rect.contains(x, y)]
        assert dark
        assert len(inside) > 0.95 * len(dark)
    close_dialog(dialog, qtbot)


def test_window_can_be_used_by_the_keyboard(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    dialog = open_dialog(workbench, qtbot, grown(workbench.session, 3))
    strip, film = dialog.strip, dialog.film
    strip.setFocus()
    QTest.keyClick(strip, Qt.Key.Key_Left)
    assert (film.current, dialog.chart.current) == (2, 1)
    assert strip.accessibleDescription().startswith("3/4: ")
    assert "crack" in strip.accessibleDescription()
    QTest.keyClick(strip, Qt.Key.Key_Home)
    assert film.current == 0
    assert not dialog.compare.isEnabled()
    QTest.keyClick(strip, Qt.Key.Key_Plus)
    assert film.view.w < 1
    before = film.view
    QTest.keyClick(strip, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert film.view.x > before.x
    QTest.keyClick(strip, Qt.Key.Key_0)
    assert film.view == WHOLE
    QTest.keyClick(strip, Qt.Key.Key_End)
    assert film.current == 3
    dialog.chart.setFocus()
    QTest.keyClick(dialog.chart, Qt.Key.Key_Left)
    QTest.keyClick(dialog.chart, Qt.Key.Key_Left)
    assert film.current == 2
    assert "mm since" in dialog.chart.accessibleDescription()
    close_dialog(dialog, qtbot)


def test_playing_shows_one_frame_after_another_until_it_is_stopped(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    dialog = open_dialog(workbench, qtbot, grown(workbench.session, 2))
    frames: list[int] = []
    dialog.film.current_changed.connect(frames.append)
    dialog.strip.setFocus()
    QTest.keyClick(dialog.strip, Qt.Key.Key_Space)
    assert dialog.play.text() == "Stop"
    dialog.film._clock.setInterval(5)
    qtbot.waitUntil(lambda: len(frames) >= 4)
    assert frames[:4] == [0, 1, 2, 0]
    dialog.play.click()
    assert not dialog.film.is_playing
    close_dialog(dialog, qtbot)


def test_a_record_is_opened_at_its_photo(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    crack = grown(workbench.session, 2)
    dialog = open_dialog(workbench, qtbot, crack)
    box = dialog.strip.frame_box(1).center().toPoint()
    assert dialog.strip.frame_at(dialog.strip.frame_box(1).center()) == 1
    QTest.mouseClick(dialog.strip.viewport(), Qt.MouseButton.LeftButton, pos=box)
    assert dialog.film.current == 1
    with qtbot.waitSignal(dialog.destroyed):
        QTest.keyClick(dialog.strip, Qt.Key.Key_Return)
    page = workbench.page
    qtbot.waitUntil(lambda: page.canvas.centre.currentWidget() is page.canvas.compare)
    assert (page.open_record.record_id, page.open_record.current) == (crack.records[0], crack.items[0])


def test_earlier_inspections_are_added_in_front_and_the_chosen_frame_stays(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window, "PAGE", 2)
    crack = grown(workbench.session, 3)
    dialog = open_dialog(workbench, qtbot, crack)
    assert [frame.key for frame in dialog.film.frames[1:]] == crack.items[1:]
    dialog.film.choose(1)
    dialog.earlier.click()
    qtbot.waitUntil(lambda: len(dialog.film.frames) == 4)
    assert dialog.film.frames[dialog.film.current].key == crack.items[1]
    assert dialog.earlier.isHidden()
    close_dialog(dialog, qtbot)


def test_pictures_stay_within_the_memory_limit(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = open_dialog(workbench, qtbot, grown(workbench.session, 4))
    key = dialog.film.frames[-1].key
    qtbot.waitUntil(lambda: dialog.pictures.best(key, WHOLE) is not None)
    picture_bytes = not_none(dialog.pictures.best(key, WHOLE)).bytes
    monkeypatch.setattr(pictures, "MAX_BYTES", 2 * picture_bytes)
    for index in range(5):
        dialog.film.choose(index)
        wanted = dialog.film.frames[index].key
        qtbot.waitUntil(partial(dialog.pictures.is_settled, wanted))
        assert dialog.pictures.bytes <= 2 * picture_bytes
    close_dialog(dialog, qtbot)


def test_first_inspection_is_marked_as_the_first(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    dialog = open_dialog(workbench, qtbot, grown(workbench.session, 1))
    assert "first inspection" in dialog.summary.text()
    close_dialog(dialog, qtbot)


def test_inspection_without_pictures_shows_a_notice(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session, boxes=((0.1, 0.1, 0.2, 0.2),), image=False)
    workbench.open(record_id, qtbot.waitUntil)
    workbench.page.items.go_to(workbench.session.items.all(record_id)[0].item_id)
    dialog = not_none(workbench.page.results.trend.show())
    qtbot.waitUntil(lambda: dialog.trend is not None)
    assert dialog.stack.currentWidget() is not dialog.stack.content
    assert not dialog.export.isEnabled()
    close_dialog(dialog, qtbot)


def test_sizes_are_written_as_csv_and_the_chart_as_png(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = open_dialog(workbench, qtbot, grown(workbench.session, 3))
    for name, kind in (("t.csv", "CSV"), ("t.png", "PNG")):
        path = tmp_path / name
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args, at=path, k=kind: (str(at), k))
        dialog.export.click()
        qtbot.waitUntil(path.exists)
    rows = list(csv.reader((tmp_path / "t.csv").read_text("utf-8-sig").splitlines()))
    assert len(rows) == 4
    assert rows[1][:2] == ["2025-02-03", "左翼根部检查 1"]
    assert float(rows[3][8]) == pytest.approx(float(rows[3][7]) * 0.5, abs=0.05)
    assert QImage(str(tmp_path / "t.png")).width() == 2 * window.PICTURE.width()
    close_dialog(dialog, qtbot)


def test_the_button_and_the_command_open_it(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    crack = grown(workbench.session, 2)
    workbench.open(crack.records[-1], qtbot.waitUntil)
    page = workbench.page
    page.items.go_to(crack.items[-1])
    qtbot.waitUntil(lambda: not page.inspector.history.isHidden())
    page.inspector.history.trend.click()
    (dialog,) = page.findChildren(TrendDialog)
    close_dialog(dialog, qtbot)
    workbench.context.commands.run("item.trend")
    (dialog,) = page.findChildren(TrendDialog)
    close_dialog(dialog, qtbot)


def test_chart_marks_the_point_below_the_pointer(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    dialog = open_dialog(workbench, qtbot, grown(workbench.session, 3))
    dialog.grab()
    chart = dialog.chart
    part, place = next(iter(chart._layout.points.items()))
    assert chart.part_at(place) == part
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(round(place.x()), round(place.y())))
    assert dialog.film.current == 1
    assert "2025-02-03" in chart.text_of(part)
    close_dialog(dialog, qtbot)
