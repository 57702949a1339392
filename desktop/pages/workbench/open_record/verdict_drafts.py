"""Stores verdicts and reasons of the open record that the user has not completed, also over a crash."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from desktop.journal import DraftStep, JournalError
from desktop.pages.workbench.open_record.edits import EditSync
from shared.record.codes import Verdict

_KEY = "verdict "
"""Begins the name of a verdict's draft in the journal; corrections have the item's id alone."""


@dataclass(frozen=True, slots=True)
class VerdictDraft:
    """A verdict that waits for its reason, or a verdict whose reason is being typed."""

    verdict: Verdict
    reason: str


class VerdictDrafts:
    """The verdict drafts by item. A draft is kept until it becomes an edit or is discarded."""

    def __init__(self, edits: EditSync) -> None:
        self._edits = edits
        self._record_id = ""
        self._drafts: dict[str, VerdictDraft] = {}

    def get(self, item_id: str) -> VerdictDraft | None:
        """The draft of an item; None when there is none."""
        return self._drafts.get(item_id)

    def item_ids(self) -> list[str]:
        """The items that have a draft."""
        return list(self._drafts)

    def keep(self, item_id: str, draft: VerdictDraft) -> None:
        """Store the draft of an item in place of an earlier one."""
        if self._drafts.get(item_id) != draft:
            self._drafts[item_id] = draft
            self._write(item_id, draft)

    def drop(self, item_id: str) -> None:
        """Discard the draft of an item, which became an edit or was given up."""
        if self._drafts.pop(item_id, None) is not None:
            self._write(item_id, None)

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

    def _write(self, item_id: str, draft: VerdictDraft | None) -> None:
        journal = self._edits.journal
        if journal is None:
            return
        step = DraftStep.DROP if draft is None else DraftStep.OPEN
        value = None if draft is None else {"verdict": draft.verdict.value, "reason": draft.reason}
        try:
            journal.draft(self._record_id, _KEY + item_id, step, value, {})
        except JournalError as error:
            text = QCoreApplication.translate(
                "Workbench", "Cannot protect this change against a crash: {why}"
            )
            self._edits.failed.emit(text.format(why=error))
