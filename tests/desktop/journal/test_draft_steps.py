"""Compares a draft with a simple model: a list of values and a position in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.journal import DraftHistory, DraftStep, Journal


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([DraftStep.TAKE, DraftStep.UNDO, DraftStep.REDO]), max_size=20))
def test_draft_undo_and_redo_follow_a_list_of_values(steps: list[DraftStep]) -> None:
    draft, values, at = DraftHistory({"of": "v1"}, 0), [0], 0
    for number, step in enumerate(steps, 1):
        match step:
            case DraftStep.TAKE:
                draft.set_value(number)
                values = [*values[: at + 1], number]
                at += 1
            case DraftStep.UNDO:
                assert draft.undo() is (at > 0)
                at = max(at - 1, 0)
            case DraftStep.REDO:
                assert draft.redo() is (at < len(values) - 1)
                at = min(at + 1, len(values) - 1)
        assert draft.value == values[at]
    assert DraftHistory.from_json(json.loads(json.dumps(draft.to_json()))) == draft


def test_copy_of_a_draft_shares_no_steps() -> None:
    draft = DraftHistory({"of": "v1"}, 1)
    draft.set_value(2)
    copied = draft.copy()
    assert copied == draft
    copied.undo()
    assert (draft.value, draft.undo_values, draft.redo_values) == (2, [1], [])
    assert (copied.value, copied.undo_values, copied.redo_values) == (1, [], [2])


def test_invalid_draft_is_refused() -> None:
    for missing in ("about", "now", "before", "after"):
        fields = DraftHistory({"of": "v1"}, 1).to_json()
        del fields[missing]
        with pytest.raises(KeyError):
            DraftHistory.from_json(fields)


def test_undone_steps_of_a_draft_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "edits.journal"
    journal = Journal.open(path)
    journal.draft("r", "a", DraftStep.OPEN, 1, context={"of": 7})
    for value in (2, 3):
        journal.draft("r", "a", DraftStep.TAKE, value)
    for _ in range(2):
        journal.draft("r", "a", DraftStep.UNDO)
    journal.draft("r", "a", DraftStep.REDO)
    for _ in range(2):
        assert journal.drafts("r") == {"a": DraftHistory({"of": 7}, 2, [1], [3])}
        journal.close()
        journal = Journal.open(path)
    journal.compact()
    assert journal.drafts("r") == {"a": DraftHistory({"of": 7}, 2, [1], [3])}
    journal.draft("r", "a", DraftStep.DROP)
    assert journal.drafts("r") == {}
    journal.close()
