"""What the journal answers: undo, redo, the queue, conflicts, compacting."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop.journal import DraftStep, Edit, EditKind, Journal, line_format
from desktop.journal.edits import join_edits
from desktop.journal.state import MERGE_WITHIN
from shared.ids import new_key
from tests.desktop.journal.samples import create, reopen, update


def test_undo_and_redo_survive_a_restart(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(create("a", 1))
    journal.append(update("a", 1, 2))
    journal = reopen(journal)
    (backwards,) = journal.undo("r")
    assert (backwards.kind, backwards.before, backwards.after) == (EditKind.UPDATE, {"x": 2}, {"x": 1})
    journal = reopen(journal)
    (again,) = journal.redo("r")
    assert (again.kind, again.before, again.after) == (EditKind.UPDATE, {"x": 1}, {"x": 2})
    journal.undo("r")
    (deletion,) = journal.undo("r")
    assert (deletion.kind, deletion.before) == (EditKind.DELETE, {"x": 1})
    assert journal.undo("r") == ()
    journal.close()


def test_records_have_their_own_undo(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 1, 2, record="r"))
    journal.append(update("b", 1, 2, record="s"))
    assert journal.undo("r")[0].object_id == "a"
    assert journal.undo("r") == ()
    assert journal.next_label("s", True) == "move"
    assert journal.next_label("r", False) == "move"
    assert journal.next_label("s", False) is None
    journal.close()


def test_edits_made_together_are_undone_together_and_backwards(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(create("a"), create("b"))
    assert [edit.object_id for edit in journal.undo("r")] == ["b", "a"]
    assert [edit.object_id for edit in journal.redo("r")] == ["a", "b"]
    journal.close()


def test_nudges_merge_until_a_pause(path: Path) -> None:
    journal = Journal.open(path)
    # The second comes at the last moment that still counts, the third in the same one.
    for step, at in enumerate((1000.0, 1000.0 + MERGE_WITHIN, 1000.0 + MERGE_WITHIN, 1003.0)):
        journal.append(update("a", step, step + 1, at), merge_key="nudge")
    (last,) = journal.undo("r")
    assert (last.before, last.after) == ({"x": 4}, {"x": 3})
    (first,) = journal.undo("r")
    assert (first.before, first.after) == ({"x": 3}, {"x": 0})
    journal.close()


def test_nudges_after_an_undo_or_of_another_object_do_not_merge(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1), merge_key="nudge")
    journal.append(update("b", 0, 1), merge_key="nudge")
    journal.append(update("b", 1, 2), merge_key="other")
    journal.undo("r")
    journal.append(update("b", 1, 3), merge_key="nudge")
    for expected in ("b", "b", "a"):
        assert journal.undo("r")[0].object_id == expected
    assert journal.undo("r") == ()
    journal.close()


def test_nudge_of_fewer_objects_or_of_an_earlier_time_does_not_merge(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1), update("b", 0, 1), merge_key="nudge")
    journal.append(update("a", 1, 2), merge_key="nudge")
    # The clock was set back.
    journal.append(update("a", 2, 3, 999.0), merge_key="nudge")
    assert [len(journal.undo("r")) for _ in range(4)] == [1, 1, 2, 0]
    journal.close()


def test_two_kinds_of_objects_may_share_an_id() -> None:
    item = update("a", 0, 1)
    record = replace(item, object="record")
    assert join_edits([item, record, update("a", 1, 2)])[1] == record


def test_edits_stay_pending_until_acknowledged_in_order(path: Path) -> None:
    journal = Journal.open(path)
    creation = create("a")
    journal.append(creation)
    journal.append(update("b", 0, 1))
    journal.append(update("a", 0, 1))
    journal.append(update("a", 1, 2))
    assert [(edit.object_id, edit.kind.value) for edit in journal.pending_edits()] == [
        ("a", "create"),
        ("b", "update"),
        ("a", "update"),
    ]
    join_edits = journal.pending_edits()[2]
    assert (join_edits.before, join_edits.after) == ({"x": 0}, {"x": 2})
    journal.append(update("a", 2, 3))
    journal.acknowledge(creation.id, '"1"', service_id="service-a")
    journal.acknowledge(join_edits.id, '"2"')
    journal = reopen(journal)
    assert [(edit.object_id, edit.before, edit.after) for edit in journal.pending_edits()] == [
        ("b", {"x": 0}, {"x": 1}),
        ("a", {"x": 2}, {"x": 3}),
    ]
    assert journal.etag("a") == '"2"'
    assert journal.etag("b") is None
    assert journal.service_id("a") == "service-a"
    assert journal.service_id("b") == "b"
    assert journal.local_id("service-a") == "a"
    assert journal.local_id("b") == "b"
    with pytest.raises(KeyError):
        journal.acknowledge(creation.id)
    journal.close()


def test_edits_of_an_object_in_conflict_are_held_until_decided(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(
        Edit("r", "item", "a", EditKind.UPDATE, {"x": 0, "n": ""}, {"x": 1, "n": "mine"}, "edit", 1.0)
    )
    journal.append(update("a", 1, 2))
    journal.append(update("b", 0, 1))
    refused = journal.pending_edits()[0]
    journal.conflict(refused.id, {"x": 7, "n": "theirs"}, '"9"')
    journal.append(update("a", 2, 3))
    journal = reopen(journal)
    assert [edit.object_id for edit in journal.pending_edits()] == ["b"]
    (conflict,) = journal.conflicts()
    assert conflict.edit.after == {"x": 2, "n": "mine"}
    assert conflict.current == {"x": 7, "n": "theirs"}
    journal.resolve(refused.id, {"n": "mine"})
    assert journal.conflicts() == []
    assert journal.etag("a") == '"9"'
    sent = {edit.object_id: edit for edit in journal.pending_edits()}["a"]
    assert sent.after == {"n": "mine", "x": 3}
    assert journal.undo("r")[0].after == {"x": 2}
    journal.close()


def test_keeping_the_service_value_removes_the_edit_from_queue_and_undo(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("a", 0, 1))
    journal.conflict(journal.pending_edits()[0].id, {"x": 7})
    journal.resolve(journal.conflicts()[0].edit.id, {})
    assert journal.pending_edits() == []
    assert journal.undo("r") == ()
    with pytest.raises(KeyError):
        journal.resolve("unknown", {})
    journal.close()


def test_refused_create_removes_later_edits_of_the_object(path: Path) -> None:
    journal = Journal.open(path)
    creation = create("a")
    journal.append(creation)
    journal.append(update("a", 0, 1))
    journal.append(update("b", 0, 1))
    journal.conflict(creation.id, {})
    journal.resolve(creation.id, {})
    assert [edit.object_id for edit in journal.pending_edits()] == ["b"]
    assert [edit.object_id for edit in journal.undo("r")] == ["b"]
    assert journal.undo("r") == ()
    journal.close()


def test_refused_delete_can_be_sent_again(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(Edit("r", "item", "a", EditKind.DELETE, {"x": 1, "n": "old"}, {}, "delete", 1.0))
    refused = journal.pending_edits()[0]
    journal.conflict(refused.id, {"x": 2}, '"7"')
    journal.send_anyway(refused.id)
    journal = reopen(journal)
    (again,) = journal.pending_edits()
    assert (again.id, again.kind, again.before) == (refused.id, EditKind.DELETE, {"x": 2, "n": "old"})
    assert journal.etag("a") == '"7"'
    assert journal.undo("r")[0].after == {"x": 2, "n": "old"}
    with pytest.raises(KeyError):
        journal.send_anyway(refused.id)
    journal.close()


def test_compact_changes_no_value_and_shrinks_the_file(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(create("a"))
    journal.acknowledge(journal.pending_edits()[0].id, '"1"', "service-a")
    for x in range(200):
        journal.append(update("a", x, x + 1))
        journal.acknowledge(journal.pending_edits()[0].id, f'"{x}"')
        journal.undo("r")
        journal.acknowledge(journal.pending_edits()[0].id)
    journal.append(update("a", 0, 5))
    journal.append(update("c", 0, 5))
    journal.conflict(journal.pending_edits()[1].id, {"x": 3}, '"z"')
    journal.undo("r")
    before = journal._state.to_line()
    size = path.stat().st_size
    journal.compact()
    assert path.stat().st_size < size / 20
    assert journal._state.to_line() == before
    journal.append(update("d", 0, 1))
    journal.undo("r")
    journal = reopen(journal)
    assert journal.pending_edits()[-1].object_id == "d"
    journal.close()
    assert before["conflicts"]


def test_compacting_keeps_the_whole_state(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(create("a"), create("b"))
    journal.append(update("a", 0, 1))
    journal.conflict(journal.pending_edits()[2].id, {"x": 3}, '"z"')
    journal.append(update("b", 0, 1))
    journal.undo("r")
    journal.compact()
    before = journal._state.to_line()
    journal = reopen(journal)
    assert journal._state.to_line() == before
    journal.close()


def test_empty_edit_list_adds_no_step(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(create("a"))
    size = path.stat().st_size
    journal.append()
    assert path.stat().st_size == size
    assert [edit.object_id for edit in journal.undo("r")] == ["a"]
    journal.close()


def test_step_written_in_parts_is_undone_in_one_step(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j")
    for number in range(3):
        journal.append(create(f"o{number}", number), create(f"p{number}", number), step="import")
    journal.append(create("last", 9))
    assert journal.unsent_count() == len(journal.unsent_edits()) == 7
    assert journal.first_pending_edit() == journal.pending_edits()[0]
    journal.close()
    journal = Journal.open(tmp_path / "j")
    assert [edit.object_id for edit in journal.undo("r")] == ["last"]
    assert len(journal.undo("r")) == 6
    assert journal.undo("r") == ()
    assert len(journal.redo("r")) == 6
    journal.close()


def test_first_pending_edit_is_joined(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j")
    for x in range(4):
        journal.append(update("a", x, x + 1))
        journal.append(update("b", x, x + 1))
    assert journal.first_pending_edit() == journal.pending_edits()[0]
    assert journal.unsent_edits_of("b") == [journal.pending_edits()[1]]
    journal.conflict(journal.pending_edits()[0].id, {"x": 9})
    assert journal.first_pending_edit() == journal.pending_edits()[0]
    assert journal.pending_edits()[0].object_id == "b"
    journal.close()


def test_journal_without_drafts_can_be_read(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(create("a", 1))
    journal.compact()
    journal.close()
    contents = line_format.decode(path.read_bytes()).values
    for value in contents:
        value.pop("drafts", None)
    path.write_bytes(b"".join(line_format.encode(value) for value in contents))
    journal = Journal.open(path)
    assert not journal.damaged
    assert journal.drafts("r") == {}
    assert len(journal.pending_edits()) == 1
    journal.close()


def test_a_step_of_a_draft_that_was_not_opened_is_refused(path: Path) -> None:
    journal = Journal.open(path)
    with pytest.raises(KeyError):
        journal.draft("r", "a", DraftStep.TAKE, [1])
    journal.draft("r", "a", DraftStep.DROP)
    journal = reopen(journal)
    assert not journal.damaged
    journal.close()


def test_large_step_can_be_undone_and_redone_in_parts(path: Path) -> None:
    journal = Journal.open(path)
    journal.append(update("before", 0, 1))
    journal.append(*(create(f"o{number}") for number in range(4)), update("o4", 0, 1), update("o4", 1, 2))
    onto = new_key()
    last, *_ = undone = journal.undo("r", 2, onto)
    assert [edit.object_id for edit in undone] == ["o4", "o3"]
    assert (last.before, last.after) == ({"x": 2}, {"x": 0})
    source, left = journal.next_step("r", backwards=True)
    assert left == 3
    journal = reopen(journal)
    assert journal.next_step("r", backwards=True) == (source, 3)
    assert [edit.object_id for edit in journal.undo("r", 9, onto)] == ["o2", "o1", "o0"]
    assert journal.next_step("r", backwards=True)[1] == 1
    assert journal.next_step("r", backwards=False) == (onto, 5)
    assert [edit.object_id for edit in journal.redo("r")] == [f"o{number}" for number in range(5)]
    assert journal.next_step("r", backwards=False) == ("", 0)
    journal.close()
