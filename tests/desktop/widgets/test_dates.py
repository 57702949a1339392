"""Days picked from a calendar, into a field and as a range."""

from __future__ import annotations

from datetime import date, timedelta

from PySide6.QtCore import QDate, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.widgets import Calendar, DateRange, MomentField


def said(first: str, last: str) -> str:
    return f"{first or 'ever'} to {last or 'now'}"


def field(qtbot: QtBot, text: str) -> MomentField:
    made = MomentField("Start time")
    qtbot.addWidget(made)
    made.show()
    made.set_text(text)
    return made


def pick(calendar: Calendar | None, day: QDate) -> None:
    assert calendar is not None
    calendar.setSelectedDate(day)
    calendar.clicked.emit(day)


def test_the_day_is_taken_and_the_typed_time_stays(qtbot: QtBot) -> None:
    made = field(qtbot, "2026-05-31 14:30")
    QTest.mouseClick(made.open, Qt.MouseButton.LeftButton)
    assert made.calendar is not None
    assert made.calendar.selectedDate() == QDate(2026, 5, 31)
    with qtbot.waitSignal(made.changed):
        pick(made.calendar, QDate(2026, 6, 2))
    assert made.text() == "2026-06-02 14:30"
    assert QApplication.activePopupWidget() is None


def test_an_empty_field_and_one_without_a_time_get_a_day_too(qtbot: QtBot) -> None:
    for text in ("", "tomorrow"):
        made = field(qtbot, text)
        QTest.mouseClick(made.open, Qt.MouseButton.LeftButton)
        pick(made.calendar, QDate(2026, 6, 2))
        assert made.text() == "2026-06-02 00:00"


def test_a_field_that_only_shows_offers_no_calendar(qtbot: QtBot) -> None:
    made = field(qtbot, "")
    made.editor.setEnabled(False)
    assert not made.open.isEnabled()


def test_a_range_is_chosen_day_by_day_and_never_ends_before_it_begins(qtbot: QtBot) -> None:
    made = DateRange("Start time", said)
    qtbot.addWidget(made)
    made.show()
    assert made.currentText() == "ever to now"
    made.showPopup()
    with qtbot.waitSignal(made.changed):
        pick(made.first, QDate(2026, 11, 1))
    pick(made.last, QDate(2026, 11, 20))
    assert made.value() == (date(2026, 11, 1), date(2026, 11, 20))
    assert made.currentText() == "2026-11-01 to 2026-11-20"
    pick(made.first, QDate(2026, 12, 5))
    assert made.value() == (date(2026, 12, 5), date(2026, 12, 5))
    made.hidePopup()


def test_a_period_is_one_click(qtbot: QtBot) -> None:
    made = DateRange("Start time", said)
    qtbot.addWidget(made)
    with qtbot.waitSignal(made.changed):
        made.choose_period(7)
    assert made.value() == (date.today() - timedelta(days=7), None)
    made.choose_period(None)
    assert made.value() == (None, None)


def test_the_keyboard_opens_it_and_esc_closes_it(qtbot: QtBot) -> None:
    made = DateRange("Start time", said)
    qtbot.addWidget(made)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.setFocus()
    QTest.keyClick(made, Qt.Key.Key_Space)
    popup = QApplication.activePopupWidget()
    assert popup is not None
    QTest.keyClick(popup, Qt.Key.Key_Escape)
    assert QApplication.activePopupWidget() is None
