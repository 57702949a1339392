"""Stores corrections and verdicts of the open record that the user has not completed, also over a crash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication

from desktop.journal import DraftHistory, DraftStep, Edit, EditKind, JournalError
from desktop.record.correction import CorrectionDraft, boxes_of, same_boxes
from desktop.record.document import ItemView
from desktop.record.edits import RecordEdits
from shared.record import results
from shared.record.codes import Verdict
from shared.record.entries import Entry


class CorrectionDrafts:
    """The drafts that `Correcting` edits. A draft is kept until it becomes an edit or is discarded."""

    def __init__(self, edits: RecordEdits) -> None:
        self._edits = edits
        self._record_id = ""
        self._drafts: dict[str, CorrectionDraft] = {}

    def __len__(self) -> int:
        return len(self._drafts)

    @property
    def steps(self) -> int:
        """The number of unsaved changes."""
        return sum(draft.steps for draft in self._drafts.values())

    def get(self, item_id: str) -> CorrectionDraft | None:
        """The draft of an item; None when there is none."""
        return self._drafts.get(item_id)

    def all(self) -> list[CorrectionDraft]:
        """Every draft."""
        return list(self._drafts.values())

    def begin(self, item_id: str, base: Entry, newest: Entry | None) -> CorrectionDraft:
        """Begin a draft of the findings of `base`, without a step."""
        draft = CorrectionDraft.begin(item_id, base, newest)
        draft.on_step = partial(self._write_step, item_id)
        self._drafts[item_id] = draft
        self._write_step(item_id, DraftStep.OPEN, list(draft.boxes), draft.history.context)
        return draft

    def hide(self, item_id: str) -> None:
        """Hide the draft of an item while it becomes an edit, or while the item is deleted."""
        self._drafts.pop(item_id, None)

    def follow_edits(self, edits: Iterable[Edit], find_item: Callable[[str], ItemView | None]) -> None:
        """Hide the drafts of deleted items, and show those of restored items again."""
        for edit in edits:
            item = find_item(edit.object_id)
            if edit.kind is EditKind.DELETE:
                self.hide(edit.object_id)
            elif edit.kind is EditKind.RESTORE and item is not None:
                self._reopen(item)

    def _reopen(self, item: ItemView) -> None:
        """Show the draft of a restored item again, if the journal contains one."""
        journal = self._edits.journal
        history = journal.drafts(self._record_id).get(item.item_id) if journal is not None else None
        if history is not None:
            self._restore(item, history)

    def show(self, draft: CorrectionDraft) -> None:
        """Show a draft again that could not be saved as an edit."""
        self._drafts[draft.item_id] = draft

    def discard(self, item_id: str) -> None:
        """Discard the draft of an item."""
        self._drafts.pop(item_id, None)
        self._write_step(item_id, DraftStep.DROP)

    def open(self, record_id: str, items: Iterable[ItemView]) -> int:
        """Restore the drafts of a record from the journal. Returns the number of unsaved changes."""
        self._record_id = record_id
        self._drafts.clear()
        journal = self._edits.journal
        histories = journal.drafts(record_id) if journal is not None else {}
        for item in items:
            if item.item_id not in histories:
                continue
            self._restore(item, histories[item.item_id])
        return self.steps

    def _restore(self, item: ItemView, history: DraftHistory) -> None:
        draft = CorrectionDraft.from_history(item.item_id, item.result, history)
        boxes = boxes_of(results.finished_detection(item.result))
        # It may have become an edit just before the program ended.
        if draft is not None and draft.steps and not same_boxes(draft.boxes, boxes):
            draft.on_step = partial(self._write_step, item.item_id)
            self._drafts[item.item_id] = draft

    def close(self) -> None:
        """Close the record. Its drafts stay in the journal."""
        self._drafts.clear()

    def _write_step(
        self, item_id: str, step: DraftStep, value: Any = None, context: Mapping[str, Any] | None = None
    ) -> None:
        _write(self._edits, self._record_id, item_id, step, value, context)


_KEY = "verdict "
"""Begins the name of a verdict's draft in the journal; corrections have the item's id alone."""


@dataclass(frozen=True, slots=True)
class VerdictDraft:
    """A verdict that waits for its reason, or a verdict whose reason is being typed."""

    verdict: Verdict
    reason: str


class VerdictDrafts:
    """The verdict drafts by item. A draft is kept until it becomes an edit or is discarded."""

    def __init__(self, edits: RecordEdits) -> None:
        self._edits = edits
        self._record_id = ""
        self._drafts: dict[str, VerdictDraft] = {}

    def get(self, item_id: str) -> VerdictDraft | None:
        """The draft of an item; None when there is none."""
        return self._drafts.get(item_id)

    def item_ids(self) -> list[str]:
        """The items that have a draft."""
        return list(self._drafts)

    def store(self, item_id: str, draft: VerdictDraft | None) -> None:
        """Store the draft of an item in place of an earlier one; None discards it."""
        if self._drafts.get(item_id) == draft:
            return
        if draft is None:
            del self._drafts[item_id]
            _write(self._edits, self._record_id, _KEY + item_id, DraftStep.DROP)
        else:
            self._drafts[item_id] = draft
            value = {"verdict": draft.verdict.value, "reason": draft.reason}
            _write(self._edits, self._record_id, _KEY + item_id, DraftStep.OPEN, value)

    def open(self, record_id: str, item_ids: Iterable[str]) -> None:
        """Restore the drafts of a record from the journal."""
        self._record_id = record_id
        journal = self._edits.journal
        stored = journal.drafts(record_id) if journal is not None else {}
        self._drafts = {
            item_id: VerdictDraft(Verdict(value["verdict"]), str(value["reason"]))
            for item_id in item_ids
            if _KEY + item_id in stored
            for value in [stored[_KEY + item_id].value]
        }

    def close(self) -> None:
        """Close the record. Its drafts stay in the journal."""
        self._drafts.clear()


def _write(
    edits: RecordEdits,
    record_id: str,
    name: str,
    step: DraftStep,
    value: Any = None,
    context: Mapping[str, Any] | None = None,
) -> None:
    """Write a step of the draft `name` to the journal, if it is open. A full disk is reported to the user."""
    if edits.journal is None:
        return
    try:
        edits.journal.draft(record_id, name, step, value, context)
    except JournalError as error:
        text = QCoreApplication.translate("Workbench", "Cannot protect this change against a crash: {why}")
        edits.failed.emit(text.format(why=error))
