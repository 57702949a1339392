"""Undoes or redoes a large step in slices, while the window stays responsive."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from desktop.background.repaint import TURN_MS
from desktop.journal import new_id

AT_ONCE = 200
"""Edits of a part. The window redraws and answers between two parts."""

Turn = Callable[[str, bool, int, str], str]
NextStep = Callable[[str, bool], tuple[str, int]]


class SlicedUndo(QObject):
    """Calls `reverse` (see `Edits.reverse`) until a step is turned as a whole; `next_step` tells what is
    left.

    A further part waits for another turn of the event loop whenever `may_go_on` says False.
    """

    def __init__(
        self, reverse: Turn, next_step: NextStep, may_go_on: Callable[[], bool], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._reverse, self._next_step, self._may_go_on = reverse, next_step, may_go_on
        self._record_id, self._back = "", True
        self._from = self._onto = self._label = ""
        self._next = QTimer(self, singleShot=True, interval=TURN_MS)
        self._next.timeout.connect(self._go_on)

    def start(self, record_id: str, back: bool) -> str:
        """Undo or redo the newest step: its label, or an empty string when there is none.

        While a large one is still being turned, nothing else is begun.
        """
        if self._next.isActive():
            return self._label
        self._record_id, self._back = record_id, back
        self._from, self._onto = self._next_step(record_id, back)[0], new_id()
        self._label = self._part()
        return self._label

    def _go_on(self) -> None:
        if self._may_go_on():
            self._part()
        else:
            self._next.start()

    def _part(self) -> str:
        if not self._from or self._next_step(self._record_id, self._back)[0] != self._from:
            # The person did something else meanwhile: that goes first.
            return ""
        label = self._reverse(self._record_id, self._back, AT_ONCE, self._onto)
        if label and self._next_step(self._record_id, self._back)[0] == self._from:
            self._next.start()
        return label
