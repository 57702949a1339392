"""Undoes or redoes a large step in slices, while the window stays responsive."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from desktop.pages.workbench.open_record.slices import AT_ONCE, SliceGate, Slices
from shared.ids import new_key

Reverse = Callable[[str, bool, int, str], str]
NextStep = Callable[[str, bool], tuple[str, int]]


class SlicedUndo:
    """Calls `reverse` (see `EditSync.reverse_step`) until a step is reversed as a whole.

    `next_step` returns what is left.
    """

    def __init__(self, reverse: Reverse, next_step: NextStep, gate: SliceGate, parent: QObject) -> None:
        self._reverse, self._next_step = reverse, next_step
        self._record_id, self._back = "", True
        self._from = self._onto = self._label = ""
        self._slices = Slices(gate, parent)

    def start(self, record_id: str, back: bool) -> str:
        """Undo or redo the newest step: its label, or an empty string when there is none.

        While a large one is being reversed, nothing else begins.
        """
        if self._slices.running:
            return self._label
        self._record_id, self._back = record_id, back
        self._from, self._onto = self._next_step(record_id, back)[0], new_key()
        self._label = self._slice()
        if self._is_left():
            self._slices.start(self._go_on)
        return self._label

    def _go_on(self) -> bool:
        # The user's new edits take precedence and end this.
        return self._is_left() and bool(self._slice()) and self._is_left()

    def _slice(self) -> str:
        return self._reverse(self._record_id, self._back, AT_ONCE, self._onto) if self._is_left() else ""

    def _is_left(self) -> bool:
        return bool(self._from) and self._next_step(self._record_id, self._back)[0] == self._from
