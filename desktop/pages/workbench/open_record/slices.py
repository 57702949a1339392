"""Schedules work in slices: each part of a large step, and showing it, gets turns of the event loop."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from desktop.background.repaint import TURN_MS

AT_ONCE = 100
"""Edits of a slice. The window redraws and answers between two slices."""

_SHOWING = 3
"""Turns of the event loop reserved for painting: the lists, their signals, the canvas."""
_GATHER_MS = 100
_MOST_UNSHOWN = 500
"""Edits of a large step that may wait to be shown: more at once would hold the window too long."""


class SliceGate:
    """Asked before each further slice, so that it gets a turn of its own."""

    def __init__(self) -> None:
        self._left = 0

    def show(self) -> None:
        """Note that the edits are shown now or in the next turn, and will be painted."""
        self._left = _SHOWING

    def may_go_on(self) -> bool:
        """Whether a slice may be taken; each question stands for a turn of the event loop."""
        wait = self._left > 0
        self._left -= wait
        return not wait


class Slices(QObject):
    """Runs a function again and again, at most once in a turn of the event loop, while `gate` lets it."""

    def __init__(self, gate: SliceGate, parent: QObject) -> None:
        super().__init__(parent)
        self._gate = gate
        self._work: Callable[[], bool] | None = None
        self._next = QTimer(self, singleShot=True, interval=TURN_MS)
        self._next.timeout.connect(self._run)

    @property
    def running(self) -> bool:
        """True until the function returned False."""
        return self._next.isActive()

    def start(self, work: Callable[[], bool]) -> None:
        """Call `work` from the next turn on, until it returns False."""
        self._work = work
        self._next.start()

    def _run(self) -> None:
        assert self._work is not None
        if not self._gate.may_go_on() or self._work():
            self._next.start()


class ShowScheduler(QObject):
    """Decides when edits and answers are shown: at once, with those that follow, or in the next turn.

    `more` says whether the edits that were taken last are a slice, and another follows; `show` shows them
    and calls `shown`.
    """

    def __init__(
        self, gate: SliceGate, more: Callable[[], bool], show: Callable[[], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._gate, self._is_more, self._show = gate, more, show
        self._late = self._due = self._more = False
        self._unshown = 0
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._show_late)

    def answered(self) -> None:
        """Handle a response: the first of many is shown at once, those that follow soon together."""
        if self._soon.isActive():
            self._late = True
        else:
            self._show()
            self._soon.start(_GATHER_MS)

    def taken(self, count: int) -> None:
        """Handle `count` new edits: those of a slice are shown in a later turn, the user's at once."""
        last, self._more = self._more and not self._is_more(), self._is_more()
        if self._more or (last and count > 1):
            self._late = True
            self._unshown += count
            if last or self._unshown >= _MOST_UNSHOWN or not self._soon.isActive():
                self._show_next()
        else:
            self._late = self._due = False
            self._show()

    def shown(self) -> None:
        """Note that everything is shown and will be painted."""
        self._unshown = 0
        self._gate.show()

    def _show_late(self) -> None:
        if self._late and self._is_more() and not self._due:
            # A slice may lie in this turn already.
            self._show_next()
        elif self._late:
            self._late = self._due = False
            self._show()
            self._soon.start(_GATHER_MS)

    def _show_next(self) -> None:
        self._late = self._due = True
        self._gate.show()
        self._soon.start(TURN_MS)
