"""Tests queue, undo and redo after the service refuses an edit."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.journal import EditKind, Journal
from tests.desktop.journal.samples import create, reopen, update


def test_object_with_a_conflict_is_not_sent(path: Path) -> None:
    journal = Journal.open(path)
    refused, other = update("a", 0, 1), update("b", 0, 1)
    journal.append(refused)
    journal.append(other)
    journal.conflict(refused.id, {"x": 9})
    assert journal.pending_edits() == [other]
    assert journal.first_pending_edit() == other
    journal.acknowledge(other.id)
    assert journal.first_pending_edit() is None
    assert [edit.id for edit in journal.unsent_edits()] == [refused.id]
    journal.close()


def test_undo_of_a_resent_edit_restores_the_service_value(path: Path) -> None:
    journal = Journal.open(path)
    refused = update("a", 0, 1)
    journal.append(refused)
    journal.conflict(refused.id, {"x": 9})
    journal.resolve(refused.id, {"x": 1})
    (sent,) = journal.pending_edits()
    assert (sent.before, sent.after) == ({"x": 9}, {"x": 1})
    (back,) = journal.undo("r")
    assert back.after == {"x": 9}
    journal.close()


def test_abandoned_undo_cannot_be_redone(path: Path) -> None:
    journal = Journal.open(path)
    done = update("a", 0, 1)
    journal.append(done)
    journal.acknowledge(done.id)
    (back,) = journal.undo("r")
    journal.conflict(back.id, {"x": 9})
    journal.resolve(back.id, {})
    assert journal.next_label("r", False) is None
    assert journal.redo("r") == ()
    journal.close()


def test_object_that_cannot_be_restored_drops_its_later_edits(path: Path) -> None:
    journal = Journal.open(path)
    creation = create("a")
    journal.append(creation)
    journal.acknowledge(creation.id)
    (deletion,) = journal.undo("r")
    journal.acknowledge(deletion.id)
    (again,) = journal.redo("r")
    assert again.kind is EditKind.RESTORE
    journal.append(update("a", 0, 1))
    journal.conflict(again.id, {})
    journal.resolve(again.id, {})
    assert journal.unsent_edits() == []
    assert journal.undo("r") == ()
    journal.close()


def test_discarded_edits_leave_queue_and_undo_steps(path: Path) -> None:
    journal = Journal.open(path)
    sent, refused, again, other_record = (
        update("a", 0, 1),
        update("b", 0, 1),
        create("c"),
        update("d", 0, 1, record="s"),
    )
    journal.append(sent)
    journal.acknowledge(sent.id)
    journal.append(refused)
    journal.conflict(refused.id, {"x": 9})
    journal.append(again, update("a", 1, 2))
    journal.append(update("c", 0, 1))
    journal.append(other_record)
    journal.undo("s")
    journal.discard_pending()
    for stored in (journal, reopen(journal)):
        assert stored.pending_edits() == []
        assert [edit.object_id for edit in stored.unsent_edits()] == ["b"]
        assert [conflict.edit.id for conflict in stored.conflicts()] == [refused.id]
        assert [step.edits for step in stored._state.undo["r"]] == [[sent], [refused]]
        assert not any(stored._state.undo["s"] + stored._state.redo["s"])
    stored.close()


def test_thousands_of_edits_are_discarded_in_one_turn(path: Path) -> None:
    journal = Journal.open(path)
    for number in range(2_000):
        journal.append(create(f"object {number}"))
    begun = time.perf_counter()
    journal.discard_pending()
    # One walk through all steps. A walk for each edit takes two seconds.
    assert time.perf_counter() - begun < 0.2
    assert journal.unsent_count() == 0
    journal.close()


@pytest.mark.parametrize(
    "call",
    [
        lambda journal: journal.acknowledge("nobody", '"1"'),
        lambda journal: journal.conflict("nobody", {"x": 9}),
        lambda journal: journal.resolve("nobody", {}),
        lambda journal: journal.send_anyway("nobody"),
    ],
)
def test_call_for_an_unknown_edit_raises_and_writes_nothing(
    path: Path, call: Callable[[Journal], None]
) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    with pytest.raises(KeyError):
        call(journal)
    journal = reopen(journal)
    assert not journal.damaged
    journal.close()
