"""Compares a journal with plain lists over random sequences of calls and restarts."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from desktop.journal import DraftHistory, DraftStep, Edit, EditKind, Journal

OBJECTS = st.sampled_from(["a", "b", "c"])


class JournalModel(RuleBasedStateMachine):
    """Objects are plain numbers. Each applied edit must find the value that its `before` names."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.journal = Journal.open(self.folder / "j")
        self.values: dict[str, int] = {}
        self.sent: dict[str, int] = {}
        self.undo_values: list[dict[str, int]] = []
        self.redo_values: list[dict[str, int]] = []
        self.numbers = itertools.count(1)
        self.created: set[str] = set()
        self.drafts: dict[str, DraftHistory] = {}

    def teardown(self) -> None:
        self.journal.close()
        shutil.rmtree(self.folder)

    def edit(self, object_id: str, delete: bool) -> Edit:
        before = {"x": self.values[object_id]} if object_id in self.values else {}
        after = {} if delete and before else {"x": next(self.numbers)}
        kind = EditKind.CREATE if not before else EditKind.UPDATE if after else EditKind.DELETE
        return Edit("r", "item", object_id, kind, before, after, "edit", 0.0)

    @staticmethod
    def play(edits: list[Edit] | tuple[Edit, ...], values: dict[str, int]) -> None:
        for edit in edits:
            assert values.get(edit.object_id) == edit.before.get("x")
            assert (not edit.before) == (edit.kind in (EditKind.CREATE, EditKind.RESTORE))
            assert (not edit.after) == (edit.kind is EditKind.DELETE)
            values.pop(edit.object_id, None)
            if edit.after:
                values[edit.object_id] = edit.after["x"]

    @rule(objects=st.sets(OBJECTS, min_size=1), delete=st.booleans())
    def change(self, objects: set[str], delete: bool) -> None:
        edits = [self.edit(object_id, delete) for object_id in sorted(objects)]
        self.undo_values.append(dict(self.values))
        self.redo_values.clear()
        self.journal.append(*edits)
        self.play(edits, self.values)

    @rule()
    def undo(self) -> None:
        before = dict(self.values)
        self.play(self.journal.undo("r"), self.values)
        if self.undo_values:
            self.redo_values.append(before)
            assert self.values == self.undo_values.pop()
        else:
            assert self.values == before

    @rule()
    def redo(self) -> None:
        before = dict(self.values)
        self.play(self.journal.redo("r"), self.values)
        if self.redo_values:
            self.undo_values.append(before)
            assert self.values == self.redo_values.pop()
        else:
            assert self.values == before

    @rule(object_id=OBJECTS, step=st.sampled_from(DraftStep))
    def draft(self, object_id: str, step: DraftStep) -> None:
        draft = self.drafts.get(object_id)
        value = next(self.numbers)
        match step:
            case DraftStep.OPEN:
                self.drafts[object_id] = DraftHistory({"of": value}, value)
            case DraftStep.DROP:
                self.drafts.pop(object_id, None)
            case _ if draft is None:
                return
            case DraftStep.TAKE:
                draft.undo_values, draft.value, draft.redo_values = (
                    [*draft.undo_values, draft.value],
                    value,
                    [],
                )
            case DraftStep.UNDO if draft.undo_values:
                draft.redo_values, draft.value, draft.undo_values = (
                    [*draft.redo_values, draft.value],
                    draft.undo_values[-1],
                    draft.undo_values[:-1],
                )
            case DraftStep.REDO if draft.redo_values:
                draft.undo_values, draft.value, draft.redo_values = (
                    [*draft.undo_values, draft.value],
                    draft.redo_values[-1],
                    draft.redo_values[:-1],
                )
        self.journal.draft("r", object_id, step, value, context={"of": value})

    @precondition(lambda self: self.journal.pending_edits())
    @rule()
    def send_one(self) -> None:
        first = self.journal.pending_edits()[0]
        self.play([first], self.sent)
        # A restore needs an object that was created before.
        if first.kind is EditKind.RESTORE:
            assert first.object_id in self.created
        self.created.add(first.object_id)
        self.journal.acknowledge(first.id)

    @rule()
    def discard(self) -> None:
        """Discard what was not sent, and with it the steps of these edits: begin with another history."""
        self.journal.discard_pending()
        self.values = dict(self.sent)
        self.journal.end_history("r", next(self.numbers))
        self.undo_values.clear()
        self.redo_values.clear()

    @rule()
    def restart(self) -> None:
        self.journal.close()
        self.journal = Journal.open(self.folder / "j")

    @rule()
    def compact(self) -> None:
        self.journal.compact()

    @invariant()
    def drafts_match_the_model(self) -> None:
        assert self.journal.drafts("r") == self.drafts
        assert self.journal.drafts("another record") == {}

    @invariant()
    def pending_edits_lead_to_the_local_values(self) -> None:
        service = dict(self.sent)
        self.play(self.journal.pending_edits(), service)
        assert service == self.values


TestJournalModel = JournalModel.TestCase
TestJournalModel.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
