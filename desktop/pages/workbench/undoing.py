"""Taking steps back and doing them again, whichever part of the workbench made them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop.pages.workbench.aligning import Aligning
from desktop.pages.workbench.bench import Bench
from desktop.pages.workbench.correcting import Correcting
from desktop.pages.workbench.inspector import Inspector
from desktop.pages.workbench.words import Change, edit_name


class Undoing(QObject):
    """Undo and redo of the open record; what is under way goes before what is done."""

    said = Signal(str)
    """What was undone or done again, or that there is nothing."""

    def __init__(
        self, bench: Bench, inspector: Inspector, aligning: Aligning, correcting: Correcting, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._bench, self._inspector = bench, inspector
        self._aligning, self._correcting = aligning, correcting

    def undo(self) -> None:
        """Take the newest step back."""
        self._inspector.commit()
        if self._aligning.undo():
            return
        if self._correcting.undo():
            self.said.emit(self.tr("Undone: {step}").format(step=edit_name(Change.CORRECT)))
            return
        label = self._bench.edits.undo(self._bench.record_id)
        self.said.emit(
            self.tr("Undone: {step}").format(step=edit_name(label)) if label else self.tr("Nothing to undo.")
        )

    def redo(self) -> None:
        """Do again what was undone last."""
        if self._correcting.redo():
            return
        label = self._bench.edits.redo(self._bench.record_id)
        self.said.emit(
            self.tr("Done again: {step}").format(step=edit_name(label))
            if label
            else self.tr("Nothing to redo.")
        )
