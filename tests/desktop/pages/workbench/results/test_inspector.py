"""Layout of the inspector: in sight in the usual window, all equally wide, all reachable."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from desktop.pages.workbench.items.item_fields import NameEdit, TextEdit
from desktop.pages.workbench.photos.photo_strip import PhotoStrip
from desktop.widgets import ElidedLabel
from shared.wire.inspection import FileInfo, Photo
from tests.desktop.children import child
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.desktop.pages.workbench.results.test_correcting import REGION, add_result

USUAL = (1224, 774)
"""What a window of 1280 x 800 leaves for the page, px."""


@pytest.fixture
def desk(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    """The page in the usual window, at an item with two findings and their photo."""
    record_id = make_record(workbench.session, REGION)
    add_result(workbench.session, workbench.session.items.all(record_id)[0].item_id)
    workbench.page.resize(*USUAL)
    workbench.open(record_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: workbench.page.photos.pairing.pair is not None)
    return workbench


def scroll(desk: WorkbenchDriver) -> QScrollArea:
    area = desk.page.inspector.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    return area


def in_sight(desk: WorkbenchDriver, widget: QWidget) -> bool:
    """True when all of a widget is within what the inspector shows without scrolling."""
    view = scroll(desk).viewport()
    top = widget.mapTo(view, QPoint(0, 0)).y()
    return widget.isVisible() and top >= 0 and top + widget.height() <= view.height()


def test_findings_are_in_sight_without_scrolling(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: in_sight(desk, desk.page.inspector.findings.list))
    assert len(desk.page.inspector.findings.shown_findings) == 2


def test_scroll_area_is_as_wide_as_the_verdict(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    inspector = desk.page.inspector
    bar = scroll(desk).verticalScrollBar()

    def right(widget: QWidget) -> int:
        return widget.mapTo(inspector, QPoint(widget.width(), 0)).x()

    # Less than it needs in any font.
    desk.page.resize(USUAL[0], 560)
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    qtbot.waitUntil(lambda: right(inspector.photo) == right(inspector.verdict))
    desk.page.resize(USUAL[0], 1400)
    qtbot.waitUntil(lambda: bar.maximum() == 0)
    qtbot.waitUntil(lambda: right(inspector.photo) == right(inspector.verdict))


def test_unsaved_findings_stay_visible(desk: WorkbenchDriver) -> None:
    page = desk.page
    page.canvas.shown_findings.choose(0)
    page.inspector.findings.list.setFocus()
    QTest.keyClick(page.inspector.findings.list, Qt.Key.Key_Space)
    save = page.inspector.correction.save
    assert save.isVisible()
    assert not scroll(desk).isAncestorOf(save)


def test_nothing_is_asked_for_where_nothing_can_be_typed(desk: WorkbenchDriver) -> None:
    inspector = desk.page.inspector
    for field, hint in (
        (inspector.fields.description, "Add description"),
        (inspector.verdict.reason, "Reason or note for the report"),
    ):
        assert field.placeholderText() == hint
        field.setReadOnly(True)
        assert field.placeholderText() == ""
        field.setReadOnly(False)
        assert field.placeholderText() == hint


def test_long_name_is_elided_and_has_a_tooltip(desk: WorkbenchDriver) -> None:
    name = desk.page.inspector.fields.name
    assert name.toolTip() == ""
    name.show_text("蒙皮" * 100)
    assert name.toolTip() == "蒙皮" * 100
    # In letters of the program's own font, which need not have Chinese ones.
    name.show_text("Skin panel " * 100)
    elided = name.grab().toImage()
    name.setToolTip("")
    whole = name.grab().toImage()
    assert elided != whole
    # Only its end differs: the name does not move when the field gets the focus.
    beginning = QRect(0, 0, name.width() // 2, name.height())
    assert elided.copy(beginning) == whole.copy(beginning)


def _photo(number: int) -> Photo:
    return Photo(
        photo_id=f"p{number}",
        item_id="i",
        file=FileInfo(),
        file_id=f"f{number}",
        added_by=None,
        added_by_name=None,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_every_one_of_many_photos_can_be_chosen(qtbot: QtBot) -> None:
    strip = PhotoStrip()
    qtbot.addWidget(strip)
    wanted = strip.show_photos([_photo(number) for number in range(12)], "p2", removable=True)
    assert len(wanted) == 12

    def visible_keys() -> list[str]:
        return [key for key, thumb in strip._thumbs.items() if not thumb.isHidden()]

    # The newest, and the one on view.
    assert visible_keys() == ["p11", "p10", "p2"]
    assert strip.more.text() == "+9"
    strip.more.click()
    assert len(visible_keys()) == 12
    with qtbot.waitSignal(strip.chosen) as chosen:
        strip._thumbs["p0"].click()
    assert chosen.args == ["p0"]
    strip.show_photos([_photo(number) for number in range(3)], "p2", removable=True)
    assert strip.more.isHidden()


def test_thumbnails_of_another_item_replace_the_previous_ones(qtbot: QtBot) -> None:
    strip = PhotoStrip()
    qtbot.addWidget(strip)
    strip.show_photos([_photo(number) for number in range(3)], "p2", removable=True)
    before = list(strip._thumbs.values())
    strip.show_photos([_photo(number) for number in (7, 8)], "p7", removable=True)
    assert list(strip._thumbs.values()) == before[:2]
    assert strip.ids == ["p8", "p7"]
    assert [thumb.isChecked() for thumb in before[:2]] == [False, True]
    with qtbot.waitSignal(strip.chosen) as chosen:
        before[0].click()
    assert chosen.args == ["p8"]


def test_menu_of_a_thumbnail_closes_when_its_photo_is_replaced(qtbot: QtBot) -> None:
    strip = PhotoStrip()
    qtbot.addWidget(strip)
    strip.show_photos([_photo(1)], "p1", removable=True)
    thumb = strip._thumbs["p1"]
    middle = thumb.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, middle, thumb.mapToGlobal(middle))
    thumb.contextMenuEvent(event)
    menu = child(thumb, QMenu)
    strip.show_photos([_photo(1)], "p1", removable=True)
    assert menu.isVisible()
    strip.show_photos([_photo(2)], "p2", removable=True)
    qtbot.waitUntil(lambda: not thumb.findChildren(QMenu))


def test_long_line_is_elided_and_has_a_tool_tip(qtbot: QtBot) -> None:
    line = ElidedLabel("left wing root " * 10)
    qtbot.addWidget(line)
    line.show()
    line.resize(120, 20)
    assert line.visible_text.endswith("…")
    assert line.toolTip() == line.text()
    line.resize(line.sizeHint())
    assert (line.visible_text, line.toolTip()) == (line.text(), "")
    assert line.minimumSizeHint().width() < 100
    assert not line.grab().isNull()


@pytest.mark.parametrize("text", ["left wing root " * 10, "rib"])
def test_typed_name_is_shown_from_its_start(qtbot: QtBot, text: str) -> None:
    name = NameEdit()
    qtbot.addWidget(name)
    name.resize(160, 28)
    name.show_text("right wing root " * 10)
    name.show()
    name.clear()
    QTest.keyClicks(name, text.strip())
    QTest.keyClick(name, Qt.Key.Key_Return)
    assert name.cursorPosition() == 0
    # A name with a tooltip is elided.
    assert name.toolTip() == ("" if text == "rib" else text.strip())


@pytest.mark.parametrize("text", ["  crack ", "two\r\nlines", "tab\tbetween", "long " * 9000, "", "\u2029"])
def test_looking_at_a_text_does_not_change_it(qtbot: QtBot, text: str) -> None:
    name, description = NameEdit(), TextEdit("Description", frameless=True)
    for field in (name, description):
        qtbot.addWidget(field)
        committed: list[str] = []
        field.committed.connect(committed.append)
        field.show_text(text)
        assert not field.dirty
        field.commit()
        assert committed == []
    description.setPlainText("something else")
    assert description.dirty
    description.commit()
    assert committed == ["something else"]
