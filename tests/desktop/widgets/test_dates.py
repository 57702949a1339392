"""Tests picking a day and a range of days from calendars."""

from __future__ import annotations

from datetime import date, timedelta

from PySide6.QtCore import QDate, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.widgets import Calendar, DateRange, MomentField


def range_text(first: str, last: str) -> str:
    return f"{first or 'ever'} to {last or 'now'}"


def create_field(qtbot: QtBot, text: str) -> MomentField:
    editor = MomentField("Start time")
    qtbot.addWidget(editor)
    editor.show()
    editor.set_text(text)
    return editor


def pick_day(calendar: Calendar | None, day: QDate) -> None:
    assert calendar is not None
    calendar.setSelectedDate(day)
    calendar.clicked.emit(day)


def test_picked_day_keeps_the_typed_time(qtbot: QtBot) -> None:
    start = create_field(qtbot, "2026-05-31 14:30")
    QTest.mouseClick(start.calendar_button, Qt.MouseButton.LeftButton)
    assert start.calendar is not None
    assert start.calendar.selectedDate() == QDate(2026, 5, 31)
    with qtbot.waitSignal(start.changed):
        pick_day(start.calendar, QDate(2026, 6, 2))
    assert start.text() == "2026-06-02 14:30"
    assert QApplication.activePopupWidget() is None


def test_day_is_picked_in_an_empty_field_and_in_one_without_a_time(qtbot: QtBot) -> None:
    for text in ("", "tomorrow"):
        start = create_field(qtbot, text)
        QTest.mouseClick(start.calendar_button, Qt.MouseButton.LeftButton)
        pick_day(start.calendar, QDate(2026, 6, 2))
        assert start.text() == "2026-06-02 00:00"


def test_read_only_field_has_no_calendar(qtbot: QtBot) -> None:
    start = create_field(qtbot, "")
    start.editor.setEnabled(False)
    assert not start.calendar_button.isEnabled()


def test_range_never_ends_before_it_begins(qtbot: QtBot) -> None:
    dates = DateRange("Start time", range_text)
    qtbot.addWidget(dates)
    dates.show()
    assert dates.currentText() == "ever to now"
    dates.showPopup()
    with qtbot.waitSignal(dates.changed):
        pick_day(dates.first, QDate(2026, 11, 1))
    pick_day(dates.last, QDate(2026, 11, 20))
    assert dates.value() == (date(2026, 11, 1), date(2026, 11, 20))
    assert dates.currentText() == "2026-11-01 to 2026-11-20"
    pick_day(dates.first, QDate(2026, 12, 5))
    assert dates.value() == (date(2026, 12, 5), date(2026, 12, 5))
    dates.hidePopup()


def test_period_is_chosen_by_one_click(qtbot: QtBot) -> None:
    dates = DateRange("Start time", range_text)
    qtbot.addWidget(dates)
    with qtbot.waitSignal(dates.changed):
        dates.choose_period(7)
    assert dates.value() == (date.today() - timedelta(days=7), None)
    dates.choose_period(None)
    assert dates.value() == (None, None)


def test_keyboard_opens_the_calendars_and_esc_closes_them(qtbot: QtBot) -> None:
    dates = DateRange("Start time", range_text)
    qtbot.addWidget(dates)
    dates.show()
    dates.activateWindow()
    qtbot.waitUntil(dates.isActiveWindow)
    dates.setFocus()
    QTest.keyClick(dates, Qt.Key.Key_Space)
    popup = QApplication.activePopupWidget()
    assert popup is not None
    QTest.keyClick(popup, Qt.Key.Key_Escape)
    assert QApplication.activePopupWidget() is None
