from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from desktop.client import Session
from desktop.client.http.answers import Versioned
from desktop.client.http.errors import Forbidden, NotFound, Stale, Unreachable
from desktop.journal import Edit, EditKind, Journal
from desktop.record.document import ORDER
from desktop.record.outbox import Outbox, SendResult, UnshownEdits
from shared.ids import new_key
from shared.wire.inspection import Item, ItemCreate, ItemUpdate
from tests.desktop.pages.workbench.results.test_history_text import _item


class Items:
    """A stand-in for the service's items, with versions and with failures that a test sets."""

    def __init__(self) -> None:
        self.stored: dict[str, Item] = {
            "a": _item(None).model_copy(update={"item_id": "a", "item_name": "a"})
        }
        self.versions = {"a": 1}
        self.deleted: dict[str, Item] = {}
        self.calls: list[tuple[Any, ...]] = []
        self.wrong: list[Exception] = []
        self.reasons: list[str] = []

    def _call(self, *what: Any) -> None:
        self.calls.append(what)
        if self.wrong:
            raise self.wrong.pop(0)

    def _versioned(self, item_id: str) -> Versioned[Item]:
        if item_id not in self.stored:
            raise NotFound
        return Versioned(self.stored[item_id], str(self.versions[item_id]))

    def elsewhere(self, **fields: Any) -> None:
        self.stored["a"] = self.stored["a"].model_copy(update=fields)
        self.versions["a"] += 1

    def create(self, body: ItemCreate, key: str) -> Versioned[Item]:
        self._call("create", key, body.item_name)
        self.stored["s1"] = _item(None).model_copy(update={"item_id": "s1", "item_name": body.item_name})
        self.versions["s1"] = 1
        return self._versioned("s1")

    def get(self, item_id: str) -> Versioned[Item]:
        self._call("get", item_id)
        return self._versioned(item_id)

    def update(self, item_id: str, change: ItemUpdate, etag: str | None) -> Versioned[Item]:
        self._call("update", item_id, etag)
        self._versioned(item_id)
        if etag != str(self.versions[item_id]):
            raise Stale
        self.stored[item_id] = self.stored[item_id].model_copy(update=change.model_dump(exclude_unset=True))
        self.versions[item_id] += 1
        return self._versioned(item_id)

    def delete(self, item_id: str, etag: str | None, reason: str = "") -> None:
        self.reasons.append(reason)
        self._call("delete", item_id, etag)
        self._versioned(item_id)
        if etag != str(self.versions[item_id]):
            raise Stale
        self.deleted[item_id] = self.stored.pop(item_id)

    def arrange(self, record_id: str, item_ids: list[str]) -> None:
        self._call("arrange", record_id, *item_ids)

    def restore(self, item_id: str) -> Versioned[Item]:
        self._call("restore", item_id)
        if item_id not in self.deleted:
            raise NotFound
        self.stored[item_id] = self.deleted.pop(item_id)
        self.versions[item_id] += 1
        return self._versioned(item_id)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "a.journal")
    yield opened
    opened.close()


def edit(item_id: str, kind: EditKind, before: dict[str, Any], after: dict[str, Any]) -> Edit:
    return Edit("r", "item", item_id, kind, before, after, "label", 0.0)


def send(items: Items, journal: Journal) -> list[SendResult]:
    sent: list[SendResult] = []
    Outbox(cast(Session, SimpleNamespace(items=items)), journal, UnshownEdits()).send(sent.append)
    return sent


def test_edits_of_the_urgent_record_are_sent_first(journal: Journal) -> None:
    items = Items()
    other = Edit("r2", ORDER, "r2", EditKind.UPDATE, {ORDER: ["b"]}, {ORDER: ["b"]}, "label", 0.0)
    journal.append(edit("a", EditKind.DELETE, {"item_name": "a"}, {}))
    journal.append(other)
    assert journal.first_pending_edit("r2") == other
    assert journal.first_pending_edit("r3") is None
    session = cast(Session, SimpleNamespace(items=items))
    Outbox(session, journal, UnshownEdits(), urgent_record=lambda: "r2").send(lambda _: None)
    assert [call[0] for call in items.calls] == ["arrange", "get", "delete"]
    assert journal.first_pending_edit("r2") is None


def test_edits_are_sent_in_order(journal: Journal) -> None:
    items = Items()
    creation = edit("local", EditKind.CREATE, {}, {"item_name": "new"})
    journal.append(creation)
    journal.append(edit("local", EditKind.UPDATE, {"item_name": "new"}, {"item_name": "newer"}))
    journal.append(edit("a", EditKind.DELETE, {"item_name": "a"}, {"reason": "drawn twice"}))
    sent = send(items, journal)
    assert items.reasons == ["drawn twice"]
    assert [call[:2] for call in items.calls] == [
        ("create", creation.id),
        ("update", "s1"),
        ("get", "a"),
        ("delete", "a"),
    ]
    assert items.stored["s1"].item_name == "newer"
    assert [result.item and result.item.item_id for result in sent] == ["local", "local", None]
    assert journal.pending_edits() == []


def test_undone_delete_restores_the_item_with_its_id(journal: Journal) -> None:
    items = Items()
    journal.append(edit("a", EditKind.DELETE, {"item_name": "a"}, {}))
    send(items, journal)
    journal.undo("r")
    (sent,) = send(items, journal)
    assert [call[:2] for call in items.calls] == [("get", "a"), ("delete", "a"), ("restore", "a")]
    assert sent.item is not None
    assert sent.item.item_id == "a"
    journal.redo("r")
    send(items, journal)
    assert items.stored == {}
    journal.undo("r")
    journal.append(edit("a", EditKind.UPDATE, {"item_name": "a"}, {"item_name": "mine"}))
    send(items, journal)
    assert items.calls[-1] == ("update", "a", "3")


def test_undone_before_it_was_sent(journal: Journal) -> None:
    items = Items()
    journal.append(edit("a", EditKind.DELETE, {"item_name": "a"}, {}))
    journal.undo("r")
    send(items, journal)
    assert list(items.stored) == ["a"]


def test_undone_delete_with_a_lost_answer_is_repeated(journal: Journal) -> None:
    items = Items()
    journal.append(edit("a", EditKind.DELETE, {"item_name": "a"}, {}))
    journal.undo("r")
    plain = items.restore

    def restore(item_id: str) -> Versioned[Item]:
        items.restore = plain  # type: ignore[method-assign]
        plain(item_id)
        raise Unreachable

    items.restore = restore  # type: ignore[method-assign]
    with pytest.raises(Unreachable):
        send(items, journal)
    (sent,) = send(items, journal)
    assert [call[:2] for call in items.calls] == [
        ("get", "a"),
        ("delete", "a"),
        ("restore", "a"),
        ("restore", "a"),
        ("get", "a"),
    ]
    assert sent.refused is None
    assert journal.pending_edits() == []


def test_item_lost_by_service_is_created_again(journal: Journal) -> None:
    items = Items()
    journal.append(edit("a", EditKind.DELETE, {"item_name": "a", "place": 0, "photos": []}, {}))
    send(items, journal)
    items.deleted.clear()
    journal.undo("r")
    (sent,) = send(items, journal)
    assert items.stored["s1"].item_name == "a"
    assert sent.item is not None
    assert sent.item.item_id == "a"
    assert journal.service_id("a") == "s1"


def test_change_of_another_field_is_not_a_conflict(journal: Journal) -> None:
    items = Items()
    journal.append(edit("a", EditKind.UPDATE, {"item_name": "a"}, {"item_name": "mine"}))
    items.elsewhere(description="theirs")
    (sent,) = send(items, journal)
    assert not sent.conflict
    assert (items.stored["a"].item_name, items.stored["a"].description) == ("mine", "theirs")


def test_field_changed_by_another_user_waits_for_a_decision(journal: Journal) -> None:
    items = Items()
    journal.append(edit("a", EditKind.UPDATE, {"item_name": "a"}, {"item_name": "mine"}))
    items.elsewhere(item_name="theirs")
    (sent,) = send(items, journal)
    assert sent.conflict
    assert items.stored["a"].item_name == "theirs"
    (conflict,) = journal.conflicts()
    assert conflict.current["item_name"] == "theirs"
    journal.resolve(conflict.edit.id, {"item_name": "mine"})
    assert not send(items, journal)[0].conflict
    assert items.stored["a"].item_name == "mine"


def test_concurrent_change_between_read_and_write(journal: Journal) -> None:
    items = Items()
    journal.append(edit("a", EditKind.UPDATE, {"item_name": "a"}, {"item_name": "mine"}))
    items.wrong = []
    plain = items.update

    def update(item_id: str, change: ItemUpdate, etag: str | None) -> Versioned[Item]:
        items.update = plain  # type: ignore[method-assign]
        items.elsewhere(description="theirs")
        return plain(item_id, change, etag)

    items.update = update  # type: ignore[method-assign]
    (sent,) = send(items, journal)
    assert not sent.conflict
    assert items.stored["a"].item_name == "mine"


def test_refused_edit_is_held_and_the_others_are_sent(journal: Journal) -> None:
    items = Items()
    journal.append(edit("a", EditKind.UPDATE, {"item_name": "a"}, {"item_name": "mine"}))
    journal.append(edit("local", EditKind.CREATE, {}, {"item_name": "new"}))
    items.wrong = [Forbidden()]
    sent = send(items, journal)
    assert isinstance(sent[0].refused, Forbidden)
    assert items.stored["s1"].item_name == "new"
    assert [conflict.edit.object_id for conflict in journal.conflicts()] == ["a"]


def test_without_the_service_everything_stays_pending(journal: Journal) -> None:
    items = Items()
    journal.append(edit("a", EditKind.UPDATE, {"item_name": "a"}, {"item_name": "mine"}))
    journal.append(edit("a", EditKind.DELETE, {"item_name": "mine"}, {}))
    items.wrong = [Unreachable()]
    with pytest.raises(Unreachable):
        send(items, journal)
    assert len(journal.pending_edits()) == 2
    send(items, journal)
    assert items.stored == {}


def test_deleting_a_deleted_item_succeeds(journal: Journal) -> None:
    items = Items()
    journal.append(edit("gone", EditKind.DELETE, {"item_name": "x"}, {}))
    (sent,) = send(items, journal)
    assert sent.refused is None
    assert journal.pending_edits() == []


def move(*item_ids: str) -> Edit:
    return Edit("r", ORDER, new_key(), EditKind.UPDATE, {ORDER: []}, {ORDER: list(item_ids)}, "move", 0)


def test_order_is_sent_with_the_ids_of_the_service(journal: Journal) -> None:
    items = Items()
    journal.append(move("a", "b"))
    journal.append(edit("local", EditKind.CREATE, {}, {"item_name": "new"}))
    journal.append(move("local", "a"))
    send(items, journal)
    assert [call for call in items.calls if call[0] == "arrange"] == [
        ("arrange", "r", "a", "b"),
        ("arrange", "r", "s1", "a"),
    ]
    assert journal.pending_edits() == []


def test_refused_order_is_dropped_without_a_question(journal: Journal) -> None:
    items = Items()
    journal.append(move("a"))
    items.wrong = [Forbidden()]
    (sent,) = send(items, journal)
    assert isinstance(sent.refused, Forbidden)
    assert (journal.conflicts(), journal.pending_edits()) == ([], [])
