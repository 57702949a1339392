"""Sends the journal's edits in order and distinguishes conflicts from unrelated changes. No Qt.

An edit is sent if the fields that it changes still have the values from before the edit. Other users' changes
of other fields, or a new result, are not a conflict.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop.client import Session
from desktop.client.http.answers import Versioned
from desktop.client.http.errors import ClientError, Conflict, Forbidden, Invalid, NotFound, Refused, Stale
from desktop.journal import Edit, EditKind, Journal
from desktop.journal.edits import join_edits
from desktop.record.correction import boxes_of, same_boxes
from desktop.record.document import BOXES, FIELDS, ORDER, REASON, ItemView, view_of
from desktop.record.signing import (
    VERDICT,
    is_by_other,
    same_verdict,
    sign_verdict,
    standing_verdict,
)
from shared.record import results
from shared.record.entries import Entry
from shared.wire.inspection import Item, ItemCreate, ItemUpdate


class UnshownEdits:
    """The edits that were sent but whose response has not reached the window.

    The thread that sends acknowledges an edit before the window gets the response. An item that is rebuilt in
    between would show its state from before the edit. So these edits count as unsent until the response
    arrives. The methods may be called from any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._edits: dict[str, Edit] = {}

    def acknowledge(
        self, journal: Journal, edit: Edit, etag: str | None = None, service_id: str | None = None
    ) -> None:
        """Acknowledge `edit` in the journal (see `Journal.acknowledge`) and keep it until `remove`."""
        with self._lock:
            journal.acknowledge(edit.id, etag, service_id)
            self._edits[edit.id] = edit

    def remove(self, edit_id: str) -> None:
        """Forget an edit because the window has its response. An unknown id is ignored."""
        with self._lock:
            self._edits.pop(edit_id, None)

    def clear(self) -> None:
        """Forget all edits because no response is expected."""
        with self._lock:
            self._edits.clear()

    def has_pending(self, journal: Journal, record_id: str) -> bool:
        """Whether one of these edits or a pending edit of the journal belongs to this record."""
        with self._lock:
            is_unshown = any(edit.record_id == record_id for edit in self._edits.values())
            return is_unshown or journal.first_pending_edit(record_id) is not None

    def count(self, journal: Journal) -> int:
        """The number of these edits and of the unsent ones in the journal."""
        with self._lock:
            return len(self._edits) + journal.unsent_count()

    def with_unsent(self, journal: Journal) -> list[Edit]:
        """These edits and the unsent ones in the journal, oldest first and joined."""
        with self._lock:
            return join_edits([*self._edits.values(), *journal.unsent_edits()])

    def with_unsent_of(self, journal: Journal, object_id: str) -> list[Edit]:
        """The edits of one object that `with_unsent` contains."""
        with self._lock:
            edits = [edit for edit in self._edits.values() if edit.object_id == object_id]
            return join_edits([*edits, *journal.unsent_edits_of(object_id)])


RESULT = "result"
"""The result entries of an item, in an edit that deletes it and in a conflict of one."""

MODIFIED_BY = "updated_by"
"""The user who last changed a field of the item, in a conflict."""

# Number of attempts. After a stale answer, the item is read again.
_TRIES = 5


@dataclass(frozen=True, slots=True)
class SendResult:
    """The result of sending one edit. `item` is the newest state at the service; None if it is deleted.

    `conflict` is True if the user must decide. `refused` is the error if the service refused the edit.
    """

    edit: Edit
    item: ItemView | None
    conflict: bool = False
    refused: ClientError | None = None


class Outbox:
    """Sends edits to the service; used by one worker thread at a time.

    `unshown` gets the edits that the service accepted. `me` is the ID of the logged-in user. `urgent_record`
    returns the record whose edits go first; None if there is none.
    """

    def __init__(
        self,
        session: Session,
        journal: Journal,
        unshown: UnshownEdits,
        me: str | None = None,
        urgent_record: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._session = session
        self._journal = journal
        self._unshown = unshown
        self._me = me
        self._urgent_record = urgent_record

    def send(self, report: Callable[[SendResult], None]) -> None:
        """Send all pending edits, oldest first but those of the urgent record before, and `report` each
        result.

        Raises ClientError when the service cannot be reached (Unreachable, NotLoggedIn, ...). The remaining
        edits stay pending.
        """
        while True:
            edit = self._journal.first_pending_edit(self._urgent_record())
            edit = edit or self._journal.first_pending_edit()
            if edit is None:
                return
            report(self._send(edit))

    def _send(self, edit: Edit) -> SendResult:
        try:
            if edit.object == ORDER:
                return self._arrange(edit)
            match edit.kind:
                case EditKind.CREATE:
                    return self._create(edit)
                case EditKind.DELETE:
                    return self._delete(edit)
                case EditKind.RESTORE:
                    return self._restore(edit)
                case EditKind.UPDATE:
                    return self._update(edit)
        except (Invalid, Forbidden, Refused, Conflict, NotFound) as refusal:
            # Sending it again would get the same answer, so the user must decide.
            self._journal.conflict(edit.id, {})
            return SendResult(edit, None, refused=refusal)

    def _create(self, edit: Edit) -> SendResult:
        fields = {name: value for name, value in edit.after.items() if name in FIELDS and value is not None}
        body = {**fields, "inspection_id": edit.record_id, "result": edit.after.get("result") or []}
        created = self._session.items.create(ItemCreate.model_validate(body), key=edit.id)
        for index, file_id in enumerate(edit.after.get("photos") or []):
            self._session.items.add_photo(created.value.item_id, file_id, key=f"{edit.id}.{index}")
        self._unshown.acknowledge(self._journal, edit, created.etag, created.value.item_id)
        return SendResult(edit, view_of(created.value, edit.object_id))

    def _delete(self, edit: Edit) -> SendResult:
        item_id = self._journal.service_id(edit.object_id)
        etag = self._journal.etag(edit.object_id)
        try:
            for _ in range(_TRIES):
                if etag is None:
                    current = self._session.items.get(item_id)
                    if not _is_unchanged(edit, current.value, self._me):
                        return self._record_conflict(edit, current)
                    etag = current.etag
                try:
                    self._session.items.delete(item_id, etag, str(edit.after.get(REASON) or ""))
                    break
                except Stale:
                    etag = None
            else:
                return self._record_conflict(edit, self._session.items.get(item_id))
        except NotFound:
            # Another user deleted it before, or the response was lost.
            pass
        self._unshown.acknowledge(self._journal, edit)
        return SendResult(edit, None)

    def _restore(self, edit: Edit) -> SendResult:
        item_id = self._journal.service_id(edit.object_id)
        try:
            restored = self._session.items.restore(item_id)
        except NotFound:
            try:
                # It arrived before, only the response was lost.
                restored = self._session.items.get(item_id)
            except NotFound:
                # The service no longer has it: creating it again preserves at least the data known here.
                return self._create(edit)
        self._unshown.acknowledge(self._journal, edit, restored.etag)
        return SendResult(edit, view_of(restored.value, edit.object_id))

    def _update(self, edit: Edit) -> SendResult:
        item_id = self._journal.service_id(edit.object_id)
        current: Versioned[Item] | None = None
        fields = {name: value for name, value in edit.after.items() if name in FIELDS}
        boxes, verdict = edit.after.get(BOXES), edit.after.get(VERDICT)
        # For an edit that was undone before it was confirmed, only reading shows whether it arrived.
        etag = None if _is_undone(edit) else self._journal.etag(edit.object_id)
        if boxes is not None and is_by_other(verdict):
            # Other findings make the item undecided by themselves.
            verdict = None
        for _ in range(_TRIES):
            if etag is None:
                current = self._session.items.get(item_id)
                if not _matches_service(edit, current.value, self._me):
                    return self._record_conflict(edit, current)
                etag = current.etag
                # These values were stored before, and only the response was lost.
                if boxes is not None and same_boxes(
                    _current_findings(current.value)["boxes"], boxes["boxes"]
                ):
                    boxes = None
                # Other findings would withdraw the same verdict that stands now.
                stands = boxes is None and verdict is not None
                if stands and same_verdict(_current_verdict(current.value, self._me), verdict):
                    verdict = None
            try:
                if fields:
                    current = self._session.items.update(item_id, ItemUpdate.model_validate(fields), etag)
                    fields, etag = {}, current.etag
                if boxes is not None:
                    current = self._session.items.correct(item_id, boxes["of_version"], boxes["boxes"], etag)
                    boxes, etag = None, current.etag
                if verdict is not None:
                    value, reason = sign_verdict(verdict)
                    current = self._session.items.set_verdict(item_id, value, reason or None, etag)
                break
            except Stale:
                etag = None
        else:
            return self._record_conflict(edit, self._session.items.get(item_id))
        if current is None:
            current = self._session.items.get(item_id)
        self._unshown.acknowledge(self._journal, edit, current.etag)
        return SendResult(edit, view_of(current.value, edit.object_id))

    def _arrange(self, edit: Edit) -> SendResult:
        """Send the order of the items. The last order that is sent holds, and a refused one is dropped."""
        item_ids = [self._journal.service_id(item_id) for item_id in edit.after[ORDER]]
        refused: ClientError | None = None
        try:
            self._session.items.arrange(edit.record_id, item_ids)
        except (Invalid, Forbidden, Refused, Conflict, NotFound) as refusal:
            refused = refusal
        self._unshown.acknowledge(self._journal, edit)
        return SendResult(edit, None, refused=refused)

    def _record_conflict(self, edit: Edit, current: Versioned[Item]) -> SendResult:
        fields = _current_fields(current.value, self._me) | {MODIFIED_BY: current.modified_by}
        if edit.kind is EditKind.DELETE:
            fields |= {RESULT: list(view_of(current.value, "").result)}
        self._journal.conflict(edit.id, fields, current.etag)
        return SendResult(edit, view_of(current.value, edit.object_id), conflict=True)


def _current_fields(item: Item, me: str | None) -> dict[str, Any]:
    fields = view_of(item, item.item_id).fields()
    return {**fields, BOXES: _current_findings(item), VERDICT: _current_verdict(item, me)}


def _current_verdict(item: Item, me: str | None) -> dict[str, Any] | None:
    """The current verdict at the service with its author and time; None when there is none."""
    return standing_verdict(view_of(item, item.item_id).result, me)


def _current_findings(item: Item) -> dict[str, Any]:
    """The current findings at the service, as the field of an edit."""
    entry = results.finished_detection(view_of(item, item.item_id).result)
    return {
        "of_version": results.entry_version(entry) if entry is not None else 0,
        "boxes": list(boxes_of(entry)),
    }


def _is_undone(edit: Edit) -> bool:
    """Whether an edit sets findings or a verdict to their values before it."""
    boxes, before = edit.after.get(BOXES), edit.before.get(BOXES)
    if boxes is not None and before is not None and same_boxes(before["boxes"], boxes["boxes"]):
        return True
    verdict = edit.after.get(VERDICT)
    return verdict is not None and same_verdict(edit.before.get(VERDICT), verdict)


def _matches_service(edit: Edit, item: Item, me: str | None) -> bool:
    """Whether no other user changed the fields of `edit`, or only to the same values."""
    current = _current_fields(item, me)
    boxes, verdict, stored = edit.after.get(BOXES), edit.after.get(VERDICT), current[VERDICT]
    withdraws_verdict = False
    if boxes is not None:
        known_boxes = [
            boxes_value["boxes"] for boxes_value in (edit.before.get(BOXES), boxes) if boxes_value is not None
        ]
        if not any(same_boxes(current[BOXES]["boxes"], boxes_value) for boxes_value in known_boxes):
            return False
        # A correction withdraws a verdict. An unknown verdict of another user must not be overwritten.
        withdraws_verdict = not same_boxes(current[BOXES]["boxes"], boxes["boxes"])
    # Without a current verdict no decision can be overwritten.
    sets_verdict = stored is not None and (verdict is not None or withdraws_verdict)
    if sets_verdict and not any(
        expected is not None and same_verdict(stored, expected)
        for expected in (edit.before.get(VERDICT), verdict)
    ):
        return False
    return all(
        current[name] in (edit.before.get(name), value)
        for name, value in edit.after.items()
        if name in FIELDS
    )


def new_facts(edit: Edit, entries: Sequence[Entry], me: str | None) -> list[Entry]:
    """The results and verdicts added since the user deleted the item, except for the user's own verdicts."""
    before = edit.before.get(RESULT)
    versions = {results.entry_version(entry, at) for at, entry in enumerate(before or ()) if _is_fact(entry)}
    facts = [
        entry
        for at, entry in enumerate(entries)
        if _is_fact(entry) and results.entry_version(entry, at) not in versions and _signer(entry) != me
    ]
    # When the creation of an item is undone, a model's result is no objection.
    return facts if before is not None else [entry for entry in facts if _signer(entry) is not None]


def _is_unchanged(edit: Edit, item: Item, me: str | None) -> bool:
    """True when an item to be deleted is as the user saw it."""
    view = view_of(item, item.item_id)
    fields = view.fields()
    is_same = all(fields[name] == value for name, value in edit.before.items() if name in FIELDS)
    return is_same and not new_facts(edit, view.result, me or "")


def _is_fact(entry: Entry) -> bool:
    return results.is_verdict(entry) or results.is_finished(entry)


def _signer(entry: Entry) -> str | None:
    """The ID of the user who decided or corrected; None for a model's result."""
    decision = entry.get("verdict") or entry.get("correction")
    return str(decision.get("by")) if isinstance(decision, Mapping) else None
