"""Defines the parts around a page: rail, top bar, page header, status bar."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop.connection.local_service import ServiceState
from desktop.theme import ITEM_PX, LABEL_PX, RADIUS, TEXT_PX, line_px, mix, text_font, theme_manager
from desktop.widgets.basic.buttons import Button, ButtonKind, is_enter_key
from desktop.widgets.basic.chips import Chip
from desktop.widgets.basic.icons import paint_icon
from desktop.widgets.basic.labels import ElidedLabel, Panel, escape_tooltip, label
from desktop.widgets.basic.layouts import clear_layout, column_of, remove_widget
from desktop.widgets.states import IconLabel

RAIL_PX = 56
TOP_PX = 48
STATUS_PX = 26
_ACTION_GAP = 6


def service_tone(state: ServiceState) -> str:
    """Return the theme colour of the dot that shows the state of the service."""
    if state is ServiceState.READY:
        return "passed"
    return "undecided" if state in {ServiceState.STARTING, ServiceState.RESTARTING} else "failed"


def service_text(state: ServiceState) -> str:
    """Return the state of the service as a text in the current language."""
    match state:
        case ServiceState.READY:
            return QCoreApplication.translate("Service", "Service ready")
        case ServiceState.STARTING:
            return QCoreApplication.translate("Service", "Service starting")
        case ServiceState.RESTARTING:
            return QCoreApplication.translate("Service", "Service restarting")
    return QCoreApplication.translate("Service", "Service unavailable")


class SaveState(StrEnum):
    """Whether the edits have reached the service."""

    SAVED = "saved"
    WAITING = "waiting"
    HELD = "held"
    """The user must decide whether to send the edits."""
    OFFLINE = "offline"
    DRAFT = "draft"
    """The user has not saved changes to findings."""


class Logo(QWidget):
    """The logo: a white or dark W on the accent colour."""

    def __init__(self, side: int = 30, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedSize(side, side)
        self.setAccessibleName("Walkaround")

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.accent))
        side = self.width()
        painter.drawRoundedRect(QRectF(0, 0, side, side), side * 0.24, side * 0.24)
        pen = QPen(QColor(theme.accent_ink), side * 0.085)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        points = ((0.26, 0.33), (0.38, 0.67), (0.5, 0.37), (0.62, 0.67), (0.74, 0.33))
        for (x1, y1), (x2, y2) in pairwise(points):
            painter.drawLine(round(x1 * side), round(y1 * side), round(x2 * side), round(y2 * side))
        painter.end()


class _SquareButton(QAbstractButton):
    """A button of the bars that paints itself. Enter presses it like the space bar."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedSize(40, 40)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_enter_key(event):
            self.click()
        else:
            super().keyPressEvent(event)


class _RailButton(_SquareButton):
    def __init__(self, icon: str, text: str, checkable: bool = True) -> None:
        super().__init__()
        self._icon_name = icon
        self.setCheckable(checkable)
        self.setToolTip(text)
        self.setAccessibleName(text)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(QPen(QColor(theme.accent), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
        ground = (
            theme.accent_ground if self.isChecked() else theme.raised if self.underMouse() else theme.panel
        )
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(frame, RADIUS, RADIUS)
        paint_icon(
            painter,
            self._icon_name,
            theme.accent_text if self.isChecked() else theme.dim,
            QRectF(self.width() / 2 - 9, self.height() / 2 - 9, 18, 18),
        )
        painter.end()


class _AccountButton(_SquareButton):
    """Shows the initial of the user in a circle, and the state of the service as a dot."""

    def __init__(self) -> None:
        super().__init__()
        self._state = ServiceState.STARTING
        self._initial = ""

    def show_user(self, name: str, state: ServiceState, state_text: str) -> None:
        self._initial = name.strip()[:1].upper()
        self._state = state
        self.setToolTip(escape_tooltip(f"{name}\n{state_text}"))
        self.setAccessibleName(f"{name}, {state_text}")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        circle = QRectF(5, 5, 30, 30)
        painter.setPen(QPen(QColor(theme.accent), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
        ground = theme.accent_ground
        painter.setBrush(QColor(mix(theme.text, ground, 0.08) if self.underMouse() else ground))
        painter.drawEllipse(circle)
        painter.setPen(QColor(theme.accent_text))
        painter.setFont(text_font(TEXT_PX, bold=True))
        painter.drawText(circle, Qt.AlignmentFlag.AlignCenter, self._initial)
        painter.setPen(QPen(QColor(theme.panel), 2))
        painter.setBrush(theme.colour(service_tone(self._state)))
        painter.drawEllipse(QRectF(28, 28, 8, 8))
        painter.end()


@dataclass(frozen=True)
class RailEntry:
    """A page in the rail."""

    page_id: str
    icon: str
    text: str


class Rail(Panel):
    """The narrow bar at the left: pages above, settings and the account below."""

    page_chosen = Signal(str)
    """The id of the page that the user chose."""
    settings_requested = Signal()
    account_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("panel", "right", parent)
        self.setFixedWidth(RAIL_PX)
        self.setAccessibleName(self.tr("Pages"))
        self._group = QButtonGroup(self)
        self._ids: dict[QAbstractButton, str] = {}
        column = column_of(
            (Logo(), 0, Qt.AlignmentFlag.AlignHCenter), parent=self, margins=(8, 10, 8, 6), spacing=6
        )
        column.addSpacing(12)
        self._pages = QVBoxLayout()
        self._pages.setSpacing(6)
        column.addLayout(self._pages)
        column.addStretch(1)
        self.settings = _RailButton("settings", self.tr("Settings"), checkable=False)
        self.settings.clicked.connect(lambda _checked=False: self.settings_requested.emit())
        self.account = _AccountButton()
        self.account.clicked.connect(lambda _checked=False: self.account_requested.emit())
        column.addWidget(self.settings, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.account, 0, Qt.AlignmentFlag.AlignHCenter)
        self._group.buttonClicked.connect(lambda button: self.page_chosen.emit(self._ids[button]))

    def set_entries(self, entries: Iterable[RailEntry]) -> None:
        """Show these pages, top to bottom."""
        for button in list(self._ids):
            self._group.removeButton(button)
            remove_widget(button, self._pages)
        self._ids.clear()
        for entry in entries:
            button = _RailButton(entry.icon, entry.text)
            self._ids[button] = entry.page_id
            self._group.addButton(button)
            self._pages.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)

    def page_ids(self) -> list[str]:
        """The ids of the listed pages, top to bottom."""
        return list(self._ids.values())

    def mark_page(self, page_id: str) -> None:
        """Mark the visible page; none if the rail does not list it."""
        self._group.setExclusive(False)
        for button, button_page_id in self._ids.items():
            button.setChecked(button_page_id == page_id)
        self._group.setExclusive(True)

    def show_account(self, name: str, state: ServiceState) -> None:
        """Show the user's name and the state of the service."""
        self.account.show_user(name, state, service_text(state))


class SaveMark(QWidget):
    """Shows with a cloud and a text whether edits are saved, unsent or waiting for a decision, or offline."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self._symbol = IconLabel("cloud-ok", "passed")
        self.words = label("", "dim")
        row.addWidget(self._symbol)
        row.addWidget(self.words)
        self.show_state(SaveState.SAVED, 0)

    def text(self) -> str:
        """The displayed text."""
        return self.words.text()

    def show_state(self, state: SaveState, waiting: int = 0) -> None:
        """Show a state. `waiting` is the number of unsent edits, or of changes that are not saved."""
        if state is SaveState.SAVED:
            self._symbol.show_icon("cloud-ok", "passed")
            self.words.setText(self.tr("All saved"))
        elif state is SaveState.HELD:
            self._symbol.show_icon("cloud-wait", "undecided")
            self.words.setText(self.tr("%n unsent change(s)", "", waiting))
        elif state is SaveState.WAITING:
            self._symbol.show_icon("cloud-wait", "undecided")
            self.words.setText(self.tr("Saving %n change(s)", "", waiting))
        elif state is SaveState.DRAFT:
            self._symbol.show_icon("cloud-wait", "undecided")
            self.words.setText(self.tr("%n change(s) not saved", "", waiting))
        else:
            self._symbol.show_icon("cloud-off", "failed")
            self.words.setText(self.tr("Offline, %n unsent change(s)", "", waiting))
        self.setAccessibleName(self.words.text())


class TopBar(Panel):
    """The bar above a page: breadcrumbs, status, and actions at the right."""

    crumb_chosen = Signal(str)
    """The page id of a breadcrumb that the user chose."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("panel", "bottom", parent)
        self.setFixedHeight(max(TOP_PX, line_px(TEXT_PX) + 24))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(8)
        self._crumbs = QHBoxLayout()
        self._crumbs.setSpacing(8)
        self.chip = Chip()
        self.chip.hide()
        self._actions = QHBoxLayout()
        self._actions.setSpacing(_ACTION_GAP)
        self._spare: tuple[QWidget, ...] = ()
        row.addLayout(self._crumbs)
        row.addWidget(self.chip)
        row.addStretch(1)
        row.addLayout(self._actions)

    def set_crumbs(self, crumbs: Iterable[tuple[str, str]]) -> None:
        """Set the breadcrumbs: (text, page id) pairs. The last one is the page itself.

        A crumb without a page id is plain text.
        """
        clear_layout(self._crumbs)
        pairs = list(crumbs)
        for index, (text, page_id) in enumerate(pairs):
            if index:
                self._crumbs.addWidget(label("/", "dim"))
            if index == len(pairs) - 1:
                self._crumbs.addWidget(ElidedLabel(text, "strong"))
            elif page_id:
                link = Button(text, kind=ButtonKind.QUIET)
                link.clicked.connect(lambda _checked=False, to=page_id: self.crumb_chosen.emit(to))
                self._crumbs.addWidget(link)
            else:
                self._crumbs.addWidget(ElidedLabel(text, "dim"))

    def set_status(self, status: str) -> None:
        """Show the status of the open object beside the breadcrumbs; an empty text hides it."""
        self.chip.setVisible(bool(status))
        if status:
            self.chip.show_status(status)

    def add_action(self, widget: QWidget) -> None:
        """Add a widget at the right end."""
        self._actions.addWidget(widget)

    def set_spare(self, *widgets: QWidget) -> None:
        """Set what a bar that is too narrow for all its actions hides, the first one first."""
        self._spare = widgets

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._make_room()
        return super().event(event)

    def _make_room(self) -> None:
        layout = self.layout()
        if layout is None:
            return
        widths = {widget: widget.sizeHint().width() + _ACTION_GAP for widget in self._spare}
        needed = layout.totalMinimumSize().width()
        needed += sum(width for widget, width in widths.items() if widget.isHidden())
        for widget, width in widths.items():
            is_too_wide = needed > self.width()
            widget.setHidden(is_too_wide)
            needed -= width if is_too_wide else 0


class PageHeader(QWidget):
    """The header of a page without a top bar: title, subtitle, and actions at the right."""

    def __init__(self, title: str, subtitle: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        column = QVBoxLayout()
        column.setSpacing(2)
        self._title = label(title, "title")
        self._subtitle = label(subtitle, "dim")
        column.addWidget(self._title)
        column.addWidget(self._subtitle)
        row.addLayout(column)
        row.addStretch(1)
        self._row = row

    def set_subtitle(self, text: str) -> None:
        """Set the line below the title."""
        self._subtitle.setText(text)

    def add_action(self, widget: QWidget) -> None:
        """Add a button at the right end."""
        self._row.addWidget(widget)


class StatusBar(Panel):
    """The line at the bottom, with the open object at the left and the cursor position at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("panel", "top", parent)
        self.setFixedHeight(max(STATUS_PX, line_px(LABEL_PX) + 8))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        self.left: QLabel = label("", "small")
        self.right: QLabel = label("", "small")
        self.left.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row.addWidget(self.left, 1)
        row.addWidget(self.right)

    def show_texts(self, left: str, right: str) -> None:
        """Show both texts."""
        self.left.setText(left)
        self.right.setText(right)

    def sizeHint(self) -> QSize:
        return QSize(ITEM_PX, self.minimumHeight())
