"""Defines date fields: one day, or a range to filter by, picked from a calendar."""

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
        self._dress()
        theme_manager().themeChanged.connect(self._dress)

    def show_day(self, when: date | None) -> None:
        """Mark a day without a signal; None marks today."""
        wanted = when or date.today()
        self.blockSignals(True)
        self.setSelectedDate(QDate(wanted.year, wanted.month, wanted.day))
        self.blockSignals(False)

    def _on_picked(self, chosen: QDate) -> None:
        self.picked.emit(date(chosen.year(), chosen.month(), chosen.day()))

    def _dress(self) -> None:
        theme = theme_manager().theme
        # Qt writes Saturday and Sunday in red, which means "failed" here.
        plain = QTextCharFormat()
        plain.setForeground(theme.colour("text"))
        head = QTextCharFormat()
        head.setForeground(theme.colour("text"))
        head.setBackground(theme.colour("panel"))
        self.setHeaderTextFormat(head)
        for each in (Qt.DayOfWeek.Saturday, Qt.DayOfWeek.Sunday):
            self.setWeekdayTextFormat(each, plain)
        for name, drawing in (("prevmonth", "chevron-left"), ("nextmonth", "chevron-right")):
            button = self.findChild(QToolButton, f"qt_calendar_{name}")
            if isinstance(button, QToolButton):
                button.setIcon(icon(drawing))


class _Popup(QFrame):
    """A panel below its field that closes after a click elsewhere or Esc."""

    def __init__(self, owner: QWidget) -> None:
        # Not a child of its owner: within a choice the stylesheet takes every list for that of the choice.
        super().__init__(owner.window(), Qt.WindowType.Popup)
        self.setProperty("card", True)
        theme_manager().apply_to(self, late=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        round_corners(self)

    def open_below(self, owner: QWidget) -> None:
        """Show it below `owner`, or above where there is no room, on its screen."""
        theme_manager().apply_to(self, late=True)
        self.adjustSize()
        available = owner.screen().availableGeometry()
        at = owner.mapToGlobal(QPoint(0, owner.height() + 4))
        if at.y() + self.height() > available.bottom():
            at.setY(owner.mapToGlobal(QPoint(0, 0)).y() - self.height() - 4)
        at.setX(max(available.left(), min(at.x(), available.right() - self.width())))
        self.move(at)
        self.show()


class MomentField(Field):
    """A field for a day and a time, typed or with the day picked from a calendar."""

    def __init__(self, name: str, *, placeholder: str = "", parent: QWidget | None = None) -> None:
        line = QLineEdit()
        super().__init__(name, line, placeholder=placeholder, parent=parent)
        self._line = line
        # Not a child of the line: what is typed while the button has the focus would go into the line.
        self.open = IconButton(
            "calendar",
            self.tr("Select the date of “{name}” in a calendar").format(name=name),
            side=24,
            parent=self,
        )
        self.open.clicked.connect(lambda _checked=False: self._open())
        self.calendar: Calendar | None = None
        line.installEventFilter(self)
        self._place()

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place()
        elif event.type() is QEvent.Type.EnabledChange:
            self.open.setEnabled(self._line.isEnabled())
        return False

    def _place(self) -> None:
        side = self.open.sizeHint().width()
        self._line.setTextMargins(0, 0, side, 0)
        line = self._line.geometry()
        self.open.setGeometry(line.right() - side - 3, line.top() + (line.height() - side) // 2, side, side)
        self.open.raise_()

    def _typed(self) -> datetime | None:
        try:
            typed = parse_minute(self.text())
        except ValueError:
            return None
        return None if typed is None else typed.astimezone()

    def _open(self) -> None:
        popup = _Popup(self)
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        column = QVBoxLayout(popup)
        column.setContentsMargins(8, 8, 8, 8)
        self.calendar = Calendar(self.tr("Calendar"))
        typed = self._typed()
        self.calendar.show_day(typed.date() if typed is not None else None)
        self.calendar.picked.connect(self._pick)
        self.calendar.picked.connect(popup.close)
        column.addWidget(self.calendar)
        popup.open_below(self._line)
        self.calendar.setFocus()

    def _pick(self, chosen: date) -> None:
        """Set the day. The typed time stays."""
        before = self._typed()
        at = before.time() if before is not None else datetime.min.time()
        self.set_text(format_minute(datetime.combine(chosen, at).astimezone()))
        self._on_edited()


class DateRange(Combo):
    """A choice of days from one to another, both included and each open: by a period or on two calendars."""

    changed = Signal()
    """The user chose another range."""

    def __init__(self, name: str, say: Callable[[str, str], str], parent: QWidget | None = None) -> None:
        """Create a field without a range. `say` formats the first and the last day, which may be empty."""
        super().__init__(name, parent)
        self._say = say
        self._range: tuple[date | None, date | None] = (None, None)
        self._panel: _Popup | None = None
        self.first = Calendar(self.tr("From"))
        self.last = Calendar(self.tr("To"))
        self._show()

    def value(self) -> tuple[date | None, date | None]:
        """The first and the last day; None if that end is open."""
        return self._range

    def set_range(self, first: date | None, last: date | None) -> None:
        """Set a range without a signal. A last day before the first becomes the first."""
        if first is not None and last is not None and last < first:
            last = first
        self._range = (first, last)
        self._show()

    def showPopup(self) -> None:
        if self._panel is None:
            self._panel = self._make_panel()
        self._mark()
        self._panel.open_below(self)
        self.first.setFocus()

    def hidePopup(self) -> None:
        if self._panel is not None:
            self._panel.hide()

    def _make_panel(self) -> _Popup:
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
            button.clicked.connect(lambda _checked=False, it=days: self.choose_period(it))
            periods.addWidget(button)
        periods.addStretch(1)
        column.addLayout(periods)
        row = QHBoxLayout()
        row.setSpacing(16)
        for title, calendar in ((self.tr("From"), self.first), (self.tr("To"), self.last)):
            part = QVBoxLayout()
            part.setSpacing(4)
            part.addWidget(label(title, "label"))
            part.addWidget(calendar)
            row.addLayout(part)
        column.addLayout(row)
        self.first.picked.connect(lambda when: self._choose(when, self._range[1]))
        self.last.picked.connect(lambda when: self._choose(self._range[0], when))
        return panel

    def choose_period(self, days: int | None) -> None:
        """Choose the last days, or with None every day."""
        self._choose(None if days is None else date.today() - timedelta(days=days), None)
        self.hidePopup()

    def _choose(self, first: date | None, last: date | None) -> None:
        self.set_range(first, last)
        self._mark()
        self.changed.emit()

    def _mark(self) -> None:
        for calendar, when in zip((self.first, self.last), self._range, strict=True):
            calendar.show_day(when)

    def _show(self) -> None:
        first, last = ("" if when is None else format_day(when) for when in self._range)
        self.set_choices([(self._range, self._say(first, last))])

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()
