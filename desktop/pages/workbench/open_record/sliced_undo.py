"""Undoes or redoes a large step in slices, while the window stays responsive."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from desktop.pages.workbench.open_record.slices import SLICE_SIZE, SliceGate, Slices
from shared.ids import new_key

Reverse = Callable[[str, bool, int, str], str]
NextStep = Callable[[str, bool], tuple[str, int]]


class SlicedUndo:
    """Calls `reverse` (see `EditSync.reverse_step`) until a whole step is reversed.

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
