"""Leads through the stops of a page's tour: begins it once for each person, follows its controls, ends it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from shiboken6 import isValid

from desktop.context import Context
from desktop.theme import theme_manager
from desktop.tour.bubble import TourBubble, TourFrame
from desktop.tour.stops import TourStop, has_tour, is_ready, tour_stops
from desktop.widgets import Page, Rail

_BEGINS_MS = 800
"""After what a page shows has come: first the person sees the page."""
_FOLLOWS_MS = 150
"""How often the tour looks where its control is."""


class TourController(QObject):
    """The tour of the window. It never takes the focus by itself; Esc ends it wherever the focus is."""

    def __init__(self, context: Context, window: QMainWindow, rail: Rail) -> None:
        super().__init__(window)
        self._context, self._window, self._rail = context, window, rail
        self._page: Page | None = None
        self._stops: list[TourStop] = []
        self._at = 0
        self._focused: QWidget | None = None
        self.frame = TourFrame(window)
        self.bubble = TourBubble(window)
        theme_manager().apply_to(self.bubble)
        self._delay = QTimer(self, singleShot=True, interval=_BEGINS_MS)
        self._delay.timeout.connect(self._begin_first)
        self._follow = QTimer(self, interval=_FOLLOWS_MS)
        self._follow.timeout.connect(self._place)
        self.bubble.next_wanted.connect(lambda: self._show_stop(self._at + 1))
        self.bubble.back_wanted.connect(lambda: self._show_stop(self._at - 1))
        self.bubble.ended.connect(self.end)

    @property
    def running(self) -> bool:
        """True while a tour is shown."""
        return bool(self._stops)

    @property
    def stops(self) -> list[TourStop]:
        """The stops of the tour that is shown."""
        return self._stops

    def page_opened(self, page: Page) -> None:
        """Another page came to the front, or the same one again."""
        if page is not self._page:
            self.end()
            self._watch_page(False)
            self._page = page
            self._watch_page(True)
        self._start_or_end()

    def is_possible(self) -> bool:
        """True when the page in front has a tour."""
        return has_tour(self._page) and is_ready(self._page)

    def start(self) -> None:
        """Show the tour of the page in front, because the person asked for it."""
        self._begin()
        if self.running:
            self.bubble.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def end(self) -> None:
        """Put the tour away."""
        self._delay.stop()
        if not self._stops:
            return
        self._stops = []
        self._follow.stop()
        had_focus = self.bubble.isAncestorOf(self._window.focusWidget() or self._window)
        self.frame.hide()
        self.bubble.hide()
        QApplication.instance().focusChanged.disconnect(self._on_focus_changed)  # type: ignore[union-attr]
        self._watch_focus(None)
        if had_focus and self._page is not None and isValid(self._page):
            self._page.setFocus(Qt.FocusReason.OtherFocusReason)

    # -- when it begins

    def _watch_page(self, on: bool) -> None:
        """Notice when the page shows something else, such as the first records."""
        page = self._page
        if page is None or not isValid(page) or not has_tour(page):
            return
        changed = page.stack.currentChanged  # type: ignore[attr-defined]
        if on:
            changed.connect(self._start_or_end)
        else:
            changed.disconnect(self._start_or_end)

    def _start_or_end(self) -> None:
        page = self._page
        if self.running:
            if not is_ready(page):
                self.end()
        elif page is not None and self._is_new(page) and is_ready(page):
            self._delay.start()

    def _key(self, page: Page) -> str:
        payload = self._context.payload
        return f"{payload.user.user_id if payload else ''}:{page.page_id}"

    def _is_new(self, page: Page) -> bool:
        values = self._context.preferences.values
        return values.tours_start and has_tour(page) and self._key(page) not in values.tours

    def _begin_first(self) -> None:
        page = self._page
        if page is None or not page.isVisible() or not self._is_new(page) or not is_ready(page):
            return
        if QApplication.activeModalWidget() is not None or not self._window.isActiveWindow():
            # A dialog is open: after it.
            self._delay.start()
            return
        self._begin()

    def _begin(self) -> None:
        page = self._page
        if page is None or not self.is_possible():
            return
        self.end()
        self._stops = tour_stops(page, self._rail, self._context.commands)
        if not self._stops:
            return
        tours = self._context.preferences.values.tours
        if self._key(page) not in tours:
            self._context.preferences.change(tours=[*tours, self._key(page)])
        QApplication.instance().focusChanged.connect(self._on_focus_changed)  # type: ignore[union-attr]
        self._watch_focus(QApplication.focusWidget())
        self._follow.start()
        self._show_stop(0)

    # -- one stop after the other

    def _show_stop(self, at: int) -> None:
        if not 0 <= at < len(self._stops):
            self.end()
            return
        self._at = at
        stop = self._stops[at]
        self.bubble.say(stop.title, stop.text, at + 1, len(self._stops))
        self._place()
        announcement = QAccessibleAnnouncementEvent(self.bubble, f"{stop.title}. {stop.text}")
        QAccessible.updateAccessibility(announcement)

    def _place(self) -> None:
        """Move to where the control is now; end when it has disappeared."""
        if not self._stops:
            return
        target = self._stops[self._at].target
        if not isValid(target) or not target.isVisible():
            self.end()
            return
        bounds = self._window.rect()
        where = QRect(target.mapTo(self._window, target.rect().topLeft()), target.size())
        self.frame.surround(where, bounds)
        self.bubble.place(where, bounds)

    # -- Esc

    def _on_focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        self._watch_focus(now)

    def _watch_focus(self, widget: QWidget | None) -> None:
        if self._focused is not None and isValid(self._focused):
            self._focused.removeEventFilter(self)
        self._focused = widget if widget is not None and widget.window() is self._window else None
        if self._focused is not None:
            self._focused.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
            and event.key() == Qt.Key.Key_Escape
            and self.running
        ):
            if event.type() == QEvent.Type.KeyPress:
                self.end()
            # Accepted as a key of the tour, it is no shortcut of the page.
            event.accept()
            return True
        return super().eventFilter(watched, event)
