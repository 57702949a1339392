"""Schedules large work in slices, each in a turn of the event loop, with turns for painting in between."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from desktop.background.repaint import TURN_MS
from shared.ids import new_key

SLICE_SIZE = 100
"""Number of edits in a slice. The window repaints and handles input between two slices."""

_PAINT_TURNS = 3
"""Turns of the event loop reserved for painting: the lists, their signals, the canvas."""
_GATHER_MS = 100
_MAX_UNSHOWN = 250
"""Maximum number of edits of a large step that are shown at once. More would block the window too long."""


class SliceGate:
    """Delays slices while turns of the event loop are reserved for painting."""

    def __init__(self) -> None:
        self._reserved_turns = 0

    def show(self) -> None:
        """Reserve turns for painting edits that are shown now or in the next turn."""
        self._reserved_turns = _PAINT_TURNS

    def may_run_slice(self) -> bool:
        """Whether a slice may run. Each call counts as a turn of the event loop."""
        must_wait = self._reserved_turns > 0
        self._reserved_turns -= must_wait
        return not must_wait


class Slices(QObject):
    """Runs a function repeatedly, at most once in a turn of the event loop and when `gate` allows it."""

    def __init__(self, gate: SliceGate, parent: QObject) -> None:
        super().__init__(parent)
        self._gate = gate
        self._work: Callable[[], bool] | None = None
        self._timer = QTimer(self, singleShot=True, interval=TURN_MS)
        self._timer.timeout.connect(self._run)

    @property
    def is_running(self) -> bool:
        """True until the function returned False."""
        return self._timer.isActive()

    def start(self, work: Callable[[], bool]) -> None:
        """Call `work` from the next turn on, until it returns False."""
        self._work = work
        self._timer.start()

    def _run(self) -> None:
        assert self._work is not None
        if not self._gate.may_run_slice() or self._work():
            self._timer.start()


class ShowScheduler(QObject):
    """Decides when edits and answers are shown: immediately, together with later ones, or in the next turn.

    `has_more` returns whether the last edits are a slice that another one follows. `show` shows the edits and
    calls `on_shown`.
    """

    def __init__(
        self, gate: SliceGate, has_more: Callable[[], bool], show: Callable[[], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._gate, self._has_more, self._show = gate, has_more, show
        self._has_unshown = self._is_due = self._in_step = False
        self._unshown = 0
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_timeout)

    def on_answer(self) -> None:
        """Handle a response. The first one is shown immediately, those that soon follow together."""
        if self._timer.isActive():
            self._has_unshown = True
        else:
            self._show()
            self._timer.start(_GATHER_MS)

    def on_edits(self, count: int) -> None:
        """Handle `count` new edits. Edits of a slice are shown in a later turn, others immediately."""
        is_last, self._in_step = self._in_step and not self._has_more(), self._has_more()
        if self._in_step or (is_last and count > 1):
            self._has_unshown = True
            self._unshown += count
            if is_last or self._unshown >= _MAX_UNSHOWN or not self._timer.isActive():
                self._show_next()
        else:
            self._has_unshown = self._is_due = False
            self._show()

    def on_shown(self) -> None:
        """Reserve turns for painting after all edits were shown."""
        self._unshown = 0
        self._gate.show()

    def _on_timeout(self) -> None:
        if self._has_unshown and self._has_more() and not self._is_due:
            # A slice may have run in this turn.
            self._show_next()
        elif self._has_unshown:
            self._has_unshown = self._is_due = False
            self._show()
            self._timer.start(_GATHER_MS)

    def _show_next(self) -> None:
        self._has_unshown = self._is_due = True
        self._gate.show()
        self._timer.start(TURN_MS)


Reverse = Callable[[str, bool, int, str], str]
NextStep = Callable[[str, bool], tuple[str, int]]


class SlicedUndo:
    """Calls `reverse` (see `RecordEdits.reverse_step`) until a whole step is reversed.

    `next_step` returns the id of the next step and the number of its remaining edits.
    """

    def __init__(self, reverse: Reverse, next_step: NextStep, gate: SliceGate, parent: QObject) -> None:
        self._reverse, self._next_step = reverse, next_step
        self._record_id, self._backwards = "", True
        self._step_id = self._new_step_id = self._label = ""
        self._slices = Slices(gate, parent)

    def start(self, record_id: str, backwards: bool) -> str:
        """Undo or redo the newest step. Returns its label, or an empty string when there is none.

        While a large step is being reversed, no other one can be started.
        """
        if self._slices.is_running:
            return self._label
        self._record_id, self._backwards = record_id, backwards
        self._step_id, self._new_step_id = self._next_step(record_id, backwards)[0], new_key()
        self._label = self._reverse_slice()
        if self._is_left():
            self._slices.start(self._run_slice)
        return self._label

    def _run_slice(self) -> bool:
        # New edits of the user become the newest step, which ends this.
        return self._is_left() and bool(self._reverse_slice()) and self._is_left()

    def _reverse_slice(self) -> str:
        return (
            self._reverse(self._record_id, self._backwards, SLICE_SIZE, self._new_step_id)
            if self._is_left()
            else ""
        )

    def _is_left(self) -> bool:
        return bool(self._step_id) and self._next_step(self._record_id, self._backwards)[0] == self._step_id
