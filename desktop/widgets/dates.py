"""Defines date fields with calendars: for a day with a time, and for a range of days."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta

from PySide6.QtCore import QDate, QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QTextCharFormat
from PySide6.QtWidgets import (
    QCalendarWidget,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop.localization.dates import format_day, format_minute, parse_minute
from desktop.theme import theme_manager
from desktop.widgets.basic.buttons import Button, ButtonKind, IconButton
from desktop.widgets.basic.icons import icon
from desktop.widgets.basic.labels import label
from desktop.widgets.basic.layouts import column_of
from desktop.widgets.basic.popups import round_corners
from desktop.widgets.fields import Combo, Field

_PERIODS = (1, 7, 30, 365)


class Calendar(QCalendarWidget):
    """Shows one month. A click or Enter picks a day."""

    picked = Signal(date)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        self.setHorizontalHeaderFormat(QCalendarWidget.HorizontalHeaderFormat.ShortDayNames)
        self.setFirstDayOfWeek(Qt.DayOfWeek.Monday)
        self.clicked.connect(self._on_picked)
        self.activated.connect(self._on_picked)
        self._apply_theme()
        theme_manager().theme_changed.connect(self._apply_theme)

    def show_day(self, day: date | None) -> None:
        """Mark a day without a signal; None marks today."""
        day = day or date.today()
        self.blockSignals(True)
        self.setSelectedDate(QDate(day.year, day.month, day.day))
        self.blockSignals(False)

    def _on_picked(self, chosen: QDate) -> None:
        self.picked.emit(date(chosen.year(), chosen.month(), chosen.day()))

    def _apply_theme(self) -> None:
        theme = theme_manager().theme
        # Qt shows Saturday and Sunday in red, which means "failed" in this program.
        plain = QTextCharFormat()
        plain.setForeground(theme.colour("text"))
        head = QTextCharFormat()
        head.setForeground(theme.colour("text"))
        head.setBackground(theme.colour("panel"))
        self.setHeaderTextFormat(head)
        for weekday in (Qt.DayOfWeek.Saturday, Qt.DayOfWeek.Sunday):
            self.setWeekdayTextFormat(weekday, plain)
        for name, icon_name in (("prevmonth", "chevron-left"), ("nextmonth", "chevron-right")):
            button = self.findChild(QToolButton, f"qt_calendar_{name}")
            if isinstance(button, QToolButton):
                button.setIcon(icon(icon_name))


class _Popup(QFrame):
    """A panel below its field that closes after a click elsewhere or Esc."""

    def __init__(self, owner: QWidget) -> None:
        # Not a child of its owner: in a combo box, the stylesheet would style every list as the list of the
        # box.
        super().__init__(owner.window(), Qt.WindowType.Popup)
        self.setProperty("card", True)
        theme_manager().apply_to(self, late=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        round_corners(self)

    def open_below(self, owner: QWidget) -> None:
        """Show it below `owner`, or above if there is no space below, on the same screen."""
        theme_manager().apply_to(self, late=True)
        self.adjustSize()
        available = owner.screen().availableGeometry()
        position = owner.mapToGlobal(QPoint(0, owner.height() + 4))
        if position.y() + self.height() > available.bottom():
            position.setY(owner.mapToGlobal(QPoint(0, 0)).y() - self.height() - 4)
        position.setX(max(available.left(), min(position.x(), available.right() - self.width())))
        self.move(position)
        self.show()


class MomentField(Field):
    """A field for a day and a time. The user types both or picks the day from a calendar."""

    def __init__(self, name: str, *, placeholder: str = "", parent: QWidget | None = None) -> None:
        line = QLineEdit()
        super().__init__(name, line, placeholder=placeholder, parent=parent)
        self._line = line
        # Not a child of the line edit, which would receive the keys that the user types in the button.
        self.calendar_button = IconButton(
            "calendar",
            self.tr("Select the date of “{name}” in a calendar").format(name=name),
            side=24,
            parent=self,
        )
        self.calendar_button.clicked.connect(lambda _checked=False: self._open_calendar())
        self.calendar: Calendar | None = None
        line.installEventFilter(self)
        self._place_button()

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place_button()
        elif event.type() is QEvent.Type.EnabledChange:
            self.calendar_button.setEnabled(self._line.isEnabled())
        return False

    def _place_button(self) -> None:
        side = self.calendar_button.sizeHint().width()
        self._line.setTextMargins(0, 0, side, 0)
        line = self._line.geometry()
        self.calendar_button.setGeometry(
            line.right() - side - 3, line.top() + (line.height() - side) // 2, side, side
        )
        self.calendar_button.raise_()

    def _parse_text(self) -> datetime | None:
        try:
            moment = parse_minute(self.text())
        except ValueError:
            return None
        return None if moment is None else moment.astimezone()

    def _open_calendar(self) -> None:
        popup = _Popup(self)
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        column = QVBoxLayout(popup)
        column.setContentsMargins(8, 8, 8, 8)
        self.calendar = Calendar(self.tr("Calendar"))
        moment = self._parse_text()
        self.calendar.show_day(moment.date() if moment is not None else None)
        self.calendar.picked.connect(self._set_day)
        self.calendar.picked.connect(popup.close)
        column.addWidget(self.calendar)
        popup.open_below(self._line)
        self.calendar.setFocus()

    def _set_day(self, chosen: date) -> None:
        """Set the day. The typed time stays."""
        previous = self._parse_text()
        time = previous.time() if previous is not None else datetime.min.time()
        self.set_text(format_minute(datetime.combine(chosen, time).astimezone()))
        self._on_edited()


class DateRange(Combo):
    """A field for a range of days, both included; either end may be open."""

    changed = Signal()
    """The user chose another range."""

    def __init__(
        self, name: str, format_range: Callable[[str, str], str], parent: QWidget | None = None
    ) -> None:
        """Create a field without a range.

        `format_range` returns the displayed text for the formatted first and last day; each may be empty.
        """
        super().__init__(name, parent)
        self._format_range = format_range
        self._range: tuple[date | None, date | None] = (None, None)
        self._panel: _Popup | None = None
        self.first = Calendar(self.tr("From"))
        self.last = Calendar(self.tr("To"))
        self._update_text()

    def value(self) -> tuple[date | None, date | None]:
        """Return the first and the last day; None for an open end."""
        return self._range

    def set_range(self, first: date | None, last: date | None) -> None:
        """Set a range without a signal. A last day before the first becomes the first."""
        if first is not None and last is not None and last < first:
            last = first
        self._range = (first, last)
        self._update_text()

    def showPopup(self) -> None:
        if self._panel is None:
            self._panel = self._create_panel()
        self._show_range_in_calendars()
        self._panel.open_below(self)
        self.first.setFocus()

    def hidePopup(self) -> None:
        if self._panel is not None:
            self._panel.hide()

    def _create_panel(self) -> _Popup:
        panel = _Popup(self)
        column = QVBoxLayout(panel)
        column.setContentsMargins(12, 10, 12, 12)
        column.setSpacing(8)
        periods = QHBoxLayout()
        periods.setSpacing(4)
        choices: list[tuple[int | None, str]] = [(None, self.tr("Any time"))]
        choices += [(days, self.tr("Last %n day(s)", "", days)) for days in _PERIODS]
        for days, text in choices:
            button = Button(text, kind=ButtonKind.GHOST)
            button.clicked.connect(lambda _checked=False, days=days: self.choose_period(days))
            periods.addWidget(button)
        periods.addStretch(1)
        column.addLayout(periods)
        row = QHBoxLayout()
        row.setSpacing(16)
        for title, calendar in ((self.tr("From"), self.first), (self.tr("To"), self.last)):
            part = column_of(label(title, "label"), calendar, spacing=4)
            row.addLayout(part)
        column.addLayout(row)
        self.first.picked.connect(lambda day: self._choose(day, self._range[1]))
        self.last.picked.connect(lambda day: self._choose(self._range[0], day))
        return panel

    def choose_period(self, days: int | None) -> None:
        """Choose the last `days` days; None chooses any time."""
        self._choose(None if days is None else date.today() - timedelta(days=days), None)
        self.hidePopup()

    def _choose(self, first: date | None, last: date | None) -> None:
        self.set_range(first, last)
        self._show_range_in_calendars()
        self.changed.emit()

    def _show_range_in_calendars(self) -> None:
        for calendar, day in zip((self.first, self.last), self._range, strict=True):
            calendar.show_day(day)

    def _update_text(self) -> None:
        first, last = ("" if day is None else format_day(day) for day in self._range)
        self.set_choices([(self._range, self._format_range(first, last))])

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()
