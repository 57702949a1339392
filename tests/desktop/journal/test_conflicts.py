"""What becomes of queue, undo and redo when the service refuses an edit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.journal import EditKind, Journal
from tests.desktop.journal.samples import create, reopened, update


def test_what_is_sent_next_is_of_an_object_without_a_conflict(path: Path) -> None:
    journal = Journal.open(path)
    refused, other = update("a", 0, 1), update("b", 0, 1)
    journal.append(refused)
    journal.append(other)
    journal.conflict(refused.id, {"x": 9})
    assert journal.pending() == [other]
    assert journal.first_pending() == other
    journal.acknowledge(other.id)
    assert journal.first_pending() is None
    assert [edit.id for edit in journal.waiting()] == [refused.id]
    journal.close()


def test_undoing_what_was_insisted_on_goes_back_to_theirs(path: Path) -> None:
    journal = Journal.open(path)
    refused = update("a", 0, 1)
    journal.append(refused)
    journal.conflict(refused.id, {"x": 9})
    journal.resolve(refused.id, {"x": 1})
    (sent,) = journal.pending()
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
    assert journal.redo_label("r") is None
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
    assert journal.waiting() == []
    assert journal.undo("r") == ()
    journal.close()


@pytest.mark.parametrize(
    "say",
    [
        lambda journal: journal.acknowledge("nobody", '"1"'),
        lambda journal: journal.conflict("nobody", {"x": 9}),
        lambda journal: journal.resolve("nobody", {}),
        lambda journal: journal.send_anyway("nobody"),
    ],
)
def test_what_is_said_of_no_edit_is_refused_and_not_written(
    path: Path, say: Callable[[Journal], None]
) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    with pytest.raises(KeyError):
        say(journal)
    journal = reopened(journal)
    assert not journal.damaged
    journal.close()
