"""Runs the tour of a page: starts it once for each user, follows its controls in bubbles, and ends it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QApplication, QMainWindow, QWidget
from shiboken6 import isValid

from desktop.context import Context
from desktop.theme import CARD_RADIUS, RADIUS, theme_manager
from desktop.tour.stops import TourStop, has_tour, is_ready, tour_stops
from desktop.widgets import Button, ButtonKind, Page, Rail, column_of, label, row_of

_WIDTH = 320
_GAP = 12
"""The distance between the control and the bubble in px."""
_FRAME_MARGIN = 4
_WINDOW_MARGIN = 8
"""The minimum distance between the bubble and the edge of the window in px."""


class TourFrame(QWidget):
    """A frame around the control that the tour points at; the mouse passes through it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def surround(self, target: QRect, bounds: QRect) -> None:
        """Place the frame around `target`; both rectangles are in px of the window."""
        self.setGeometry(
            target.adjusted(-_FRAME_MARGIN, -_FRAME_MARGIN, _FRAME_MARGIN, _FRAME_MARGIN).intersected(bounds)
        )
        self.show()
        self.raise_()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme_manager().theme.accent), 2))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)
        painter.end()


class TourBubble(QWidget):
    """Explains a control, with buttons for the next and the previous stop and for the end."""

    next_requested = Signal()
    back_requested = Signal()
    ended = Signal()
    """The user wants to end the tour."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("tour-bubble")
        self.setFixedWidth(_WIDTH)
        self.title = label("", "item", wrap=True)
        self.text = label("", wrap=True)
        self.count = label("", "small")
        self.skip_button = Button(self.tr("Skip tour"), kind=ButtonKind.QUIET)
        self.back_button = Button(self.tr("Back"))
        self.next_button = Button("", kind=ButtonKind.MAIN)
        column = column_of(self.title, self.text, parent=self, margins=(18, 16, 18, 14), spacing=8)
        column.addSpacing(4)
        row = row_of(self.count, 1, self.skip_button, self.back_button, self.next_button, spacing=8)
        column.addLayout(row)
        self.skip_button.clicked.connect(lambda _checked=False: self.ended.emit())
        self.back_button.clicked.connect(lambda _checked=False: self.back_requested.emit())
        self.next_button.clicked.connect(lambda _checked=False: self.next_requested.emit())
        self.hide()

    def show_step(self, title: str, text: str, number: int, total: int) -> None:
        """Show stop `number` (from 1) of `total`."""
        self.title.setText(title)
        self.text.setText(text)
        self.count.setText(self.tr("{n} of {all}").format(n=number, all=total))
        self.back_button.setVisible(number > 1)
        self.skip_button.setVisible(number < total)
        self.next_button.setText(self.tr("Next") if number < total else self.tr("End tour"))
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)

    def place(self, target: QRect, bounds: QRect) -> None:
        """Place the bubble beside `target`, covering little of it; both are in px of the window."""
        self.layout().activate()  # type: ignore[union-attr]
        height = self.heightForWidth(_WIDTH) if self.hasHeightForWidth() else self.sizeHint().height()
        self.resize(_WIDTH, height)
        places = (
            QPoint(target.left(), target.bottom() + _GAP),
            QPoint(target.right() + _GAP, target.top()),
            QPoint(target.left() - _GAP - _WIDTH, target.top()),
            QPoint(target.left(), target.top() - _GAP - height),
        )
        inner = bounds.adjusted(_WINDOW_MARGIN, _WINDOW_MARGIN, -_WINDOW_MARGIN, -_WINDOW_MARGIN)
        best = max(places, key=lambda place: _negative_overlap(self._rect_inside(place, inner), target))
        self.move(self._rect_inside(best, inner).topLeft())
        self.show()
        self.raise_()

    def _rect_inside(self, place: QPoint, bounds: QRect) -> QRect:
        x = max(bounds.left(), min(place.x(), bounds.right() - self.width()))
        y = max(bounds.top(), min(place.y(), bounds.bottom() - self.height()))
        return QRect(QPoint(x, y), self.size())

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.accent), 1))
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), CARD_RADIUS, CARD_RADIUS)
        painter.end()


def _negative_overlap(bubble: QRect, target: QRect) -> int:
    """The negative of the area of the target that the bubble covers, in px²."""
    overlap = bubble.intersected(target)
    return -(overlap.width() * overlap.height()) if overlap.isValid() else 0


_START_DELAY_MS = 800
"""The delay after the page has its content, so that the user sees the page first."""
_FOLLOW_INTERVAL_MS = 150
"""How often the bubble is moved to its control."""
# A key of a shortcut reaches a page as ShortcutOverride only.
_PRESSES = (QEvent.Type.MouseButtonPress, QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)


class TourController(QObject):
    """The tour of the window. By itself it starts only on a page that is not in use, and takes no focus.

    Esc always ends it. Enter and Right show the next stop, Left the previous one, unless the user is typing.
    """

    def __init__(self, context: Context, window: QMainWindow, rail: Rail) -> None:
        super().__init__(window)
        self._context, self._window, self._rail = context, window, rail
        self._page: Page | None = None
        self._stops: list[TourStop] = []
        self._index = 0
        self._focus_widget: QWidget | None = None
        self.frame = TourFrame(window)
        self.bubble = TourBubble(window)
        theme_manager().apply_to(self.bubble)
        self._start_timer = QTimer(self, singleShot=True, interval=_START_DELAY_MS)
        self._start_timer.timeout.connect(self._start_first_tour)
        self._follow_timer = QTimer(self, interval=_FOLLOW_INTERVAL_MS)
        self._follow_timer.timeout.connect(self._follow_target)
        self.bubble.next_requested.connect(lambda: self._show_stop(self._index + 1))
        self.bubble.back_requested.connect(lambda: self._show_stop(self._index - 1))
        self.bubble.ended.connect(self.end)

    @property
    def is_running(self) -> bool:
        """Whether a tour is shown."""
        return bool(self._stops)

    @property
    def stops(self) -> list[TourStop]:
        """The stops of the current tour."""
        return self._stops

    def follow_page(self, page: Page) -> None:
        """Follow the page that came to the front, and start its tour if it is new to the user."""
        if page is not self._page:
            self.end()
            self._watch_page(False)
            self._page = page
            self._watch_page(True)
        self._start_or_end()

    def is_possible(self) -> bool:
        """Whether the current page has a tour that can start now."""
        return has_tour(self._page) and is_ready(self._page)

    def start(self) -> None:
        """Start the tour of the current page at the user's request."""
        self._start_tour()
        if self.is_running:
            self.bubble.next_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def end(self) -> None:
        """End the tour."""
        self._stop_waiting()
        if not self._stops:
            return
        self._stops = []
        self._follow_timer.stop()
        had_focus = self.bubble.isAncestorOf(self._window.focusWidget() or self._window)
        self.frame.hide()
        self.bubble.hide()
        QApplication.instance().focusChanged.disconnect(self._on_focus_changed)  # type: ignore[union-attr]
        self._watch_focus(None)
        if had_focus and self._page is not None and isValid(self._page):
            self._page.setFocus(Qt.FocusReason.OtherFocusReason)

    # -- start

    def _watch_page(self, is_watching: bool) -> None:
        """Start or stop watching whether the page shows other content, such as the first records."""
        page = self._page
        if page is None or not isValid(page) or not has_tour(page):
            return
        content_changed = page.stack.currentChanged  # type: ignore[attr-defined]
        if is_watching:
            content_changed.connect(self._start_or_end)
        else:
            content_changed.disconnect(self._start_or_end)

    def _start_or_end(self) -> None:
        page = self._page
        if self.is_running:
            if not is_ready(page):
                self.end()
        elif page is not None and self._is_new(page) and is_ready(page):
            self._wait_to_start()

    def _wait_to_start(self) -> None:
        """Start the tour after the delay, unless the user begins to work on the page before."""
        self._start_timer.start()
        # Every event passes the filter, so it is installed only while the tour waits.
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]

    def _stop_waiting(self) -> None:
        self._start_timer.stop()
        QApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]

    def _preference_key(self, page: Page) -> str:
        payload = self._context.payload
        return f"{payload.user.user_id if payload else ''}:{page.page_id}"

    def _is_new(self, page: Page) -> bool:
        values = self._context.preferences.values
        return values.tours_start and has_tour(page) and self._preference_key(page) not in values.tours

    def _start_first_tour(self) -> None:
        self._stop_waiting()
        page = self._page
        if page is None or not page.isVisible() or not self._is_new(page) or not is_ready(page):
            return
        if QApplication.activeModalWidget() is not None or not self._window.isActiveWindow():
            # Try again after the dialog is closed.
            self._wait_to_start()
            return
        self._start_tour()

    def _start_tour(self) -> None:
        page = self._page
        if page is None or not self.is_possible():
            return
        self.end()
        self._stops = tour_stops(page, self._rail, self._context)
        if not self._stops:
            return
        tours = self._context.preferences.values.tours
        if self._preference_key(page) not in tours:
            self._context.preferences.change(tours=[*tours, self._preference_key(page)])
        QApplication.instance().focusChanged.connect(self._on_focus_changed)  # type: ignore[union-attr]
        self._watch_focus(QApplication.focusWidget())
        self._follow_timer.start()
        self._show_stop(0)

    # -- stops

    def _show_stop(self, index: int) -> None:
        if not 0 <= index < len(self._stops):
            self.end()
            return
        self._index = index
        stop = self._stops[index]
        self.bubble.show_step(stop.title, stop.text, index + 1, len(self._stops))
        self._follow_target()
        announcement = QAccessibleAnnouncementEvent(self.bubble, f"{stop.title}. {stop.text}")
        QAccessible.updateAccessibility(announcement)

    def _follow_target(self) -> None:
        """Move the bubble to its control, or end the tour if the control is no longer visible."""
        if not self._stops:
            return
        target = self._stops[self._index].target
        if not isValid(target) or not target.isVisible():
            self.end()
            return
        bounds = self._window.rect()
        target_rect = QRect(target.mapTo(self._window, target.rect().topLeft()), target.size())
        self.frame.surround(target_rect, bounds)
        self.bubble.place(target_rect, bounds)

    # -- keys

    def _on_focus_changed(self, _before: QWidget | None, new: QWidget | None) -> None:
        self._watch_focus(new)

    def _watch_focus(self, widget: QWidget | None) -> None:
        if self._focus_widget is not None and isValid(self._focus_widget):
            self._focus_widget.removeEventFilter(self)
        self._focus_widget = widget if widget is not None and widget.window() is self._window else None
        if self._focus_widget is not None:
            self._focus_widget.installEventFilter(self)

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        if self._start_timer.isActive():
            if event.type() in _PRESSES and self._is_on_page(target):
                # The bubble would cover what the user works on. The page can still show it on request.
                self._stop_waiting()
            return False
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if isinstance(event, QKeyEvent) and event.type() in kinds and self.is_running:
            button = self._button_for(target, Qt.Key(event.key()))
            if button is not None:
                if event.type() == QEvent.Type.KeyPress:
                    button.click()
                # Accepted here, so that it does not trigger a shortcut of the page.
                event.accept()
                return True
        return super().eventFilter(target, event)

    def _is_on_page(self, target: QObject) -> bool:
        page = self._page
        if page is None or not isValid(page) or not isinstance(target, QWidget):
            return False
        return target is page or page.isAncestorOf(target)

    def _button_for(self, target: QObject, key: Qt.Key) -> QAbstractButton | None:
        """The button of the bubble that a key stands for; None where the key belongs to the page."""
        bubble = self.bubble
        if key == Qt.Key.Key_Escape:
            return bubble.skip_button
        is_typing = isinstance(target, QWidget) and target.testAttribute(
            Qt.WidgetAttribute.WA_InputMethodEnabled
        )
        if is_typing:
            return None
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            chosen = target if target in (bubble.skip_button, bubble.back_button) else bubble.next_button
            return chosen if isinstance(chosen, QAbstractButton) else None
        if key == Qt.Key.Key_Left and self._index == 0:
            return None
        return {Qt.Key.Key_Right: bubble.next_button, Qt.Key.Key_Left: bubble.back_button}.get(key)
