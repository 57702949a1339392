"""Undoes and redoes steps of every part of the workbench."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop.canvas.model.regions import RegionStep
from desktop.journal import Edit
from desktop.localization.language import join_sentences
from desktop.pages.workbench.canvas.comparing import AlignmentController
from desktop.pages.workbench.results.correcting import CorrectionController
from desktop.pages.workbench.results.inspector import Inspector
from desktop.record.document import ORDER
from desktop.record.edit_names import EditName, edit_name
from desktop.record.open_record import OpenRecord
from desktop.record.signing import VERDICT, is_by_other
from shared.record.codes import Verdict


class UndoController(QObject):
    """Undo and redo of the open record. Steps of unfinished work come first."""

    notice = Signal(str)
    """The name of the undone or redone step, or that there is none."""
    region_taken = Signal()
    """A change of regions was undone or redone, which only the reference image shows."""

    def __init__(
        self,
        open_record: OpenRecord,
        inspector: Inspector,
        aligning: AlignmentController,
        correcting: CorrectionController,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._open_record, self._inspector = open_record, inspector
        self._aligning, self._correcting = aligning, correcting
        self._taken: tuple[Edit, ...] = ()
        open_record.edits.applied.connect(self._on_applied)

    def undo(self) -> None:
        """Undo the newest step."""
        self._inspector.commit()
        if self._aligning.undo():
            return
        if self._correcting.undo():
            self.notice.emit(self.tr("Undone: {step}").format(step=edit_name(EditName.CORRECT)))
            return
        label = self._open_record.edits.undo(self._open_record.record_id)
        if not label:
            self.notice.emit(self.tr("Nothing to undo."))
            return
        step, not_signed = self._describe_step(label), self._not_signed()
        if not_signed:
            undone = self.tr("Undone: {step}.", "followed by a sentence").format(step=step)
            self.notice.emit(join_sentences((undone, not_signed)))
        else:
            self.notice.emit(self.tr("Undone: {step}").format(step=step))

    def redo(self) -> None:
        """Redo the last undone step."""
        if self._correcting.redo():
            return
        label = self._open_record.edits.redo(self._open_record.record_id)
        if label:
            self.notice.emit(self.tr("Redone: {step}").format(step=self._describe_step(label)))
        else:
            self.notice.emit(self.tr("Nothing to redo."))

    def _describe_step(self, label: str) -> str:
        """The step that was just undone or redone, with its item, which is shown."""
        if self._taken and all(edit.object == ORDER for edit in self._taken):
            return edit_name(EditName.MOVE)
        changed = {edit.object_id for edit in self._taken}
        rows = [row for row in self._open_record.rows if row.item_id in changed]
        if not rows:
            return edit_name(label)
        if rows[0].item_id != self._open_record.current:
            self._open_record.choose(rows[0].item_id)
        if label in set(RegionStep):
            self.region_taken.emit()
        if len(rows) > 1:
            return self.tr("{step} ({n} items)").format(step=edit_name(label), n=len(rows))
        return self.tr("{step} (item {n}, {name})").format(
            step=edit_name(label), n=rows[0].number, name=rows[0].name
        )

    def _on_applied(self, edits: tuple[Edit, ...]) -> None:
        self._taken = edits

    def _not_signed(self) -> str:
        """The notice if the undone step had replaced another user's verdict; else empty."""
        document = self._open_record.document
        for edit in self._taken:
            verdict = edit.after.get(VERDICT) or {}
            item = document.item(edit.object_id) if document is not None else None
            if is_by_other(verdict) and item is not None and item.verdict is Verdict.UNDECIDED:
                name = verdict.get("by_name") or self.tr("another user")
                return self.tr(
                    "The item is now undecided. The verdict by {name} is kept in the history; only "
                    "{name} can give it again."
                ).format(name=name)
        return ""
