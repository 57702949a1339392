"""Sends the journal's edits to the service, in order, and tells conflicts from mere changes. No Qt.

An edit is sent on the condition that the fields it changes still are what they were when the person changed
them. What somebody else changed besides (another field, a new result) is no conflict.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from desktop.client import Session
from desktop.client.errors import ClientError, Conflict, Forbidden, Invalid, NotFound, Refused, Stale
from desktop.client.transport import Tagged
from desktop.journal import Edit, Journal, Kind
from desktop.pages.workbench.correction import boxes_of, same_boxes
from desktop.pages.workbench.document import BOXES, FIELDS, VERDICT, ItemView, view_of
from shared import results
from shared.codes import Verdict
from shared.wire.inspection import Item, ItemCreate, ItemUpdate

# A stale answer is followed by a fresh look; somebody who changes an item that often is not outrun.
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of one edit. `item` is the service's newest state (None: it is deleted there).

    `conflict`: it waits for a person's decision. `refused`: the service's reason not to take it at all.
    """

    edit: Edit
    item: ItemView | None
    conflict: bool = False
    refused: ClientError | None = None


class Outbox:
    """The way of edits to the service; used by one worker thread at a time."""

    def __init__(self, session: Session, journal: Journal) -> None:
        self._session = session
        self._journal = journal

    def send(self, report: Callable[[Sent], None]) -> None:
        """Send everything that is pending, oldest first, and `report` each.

        Raises ClientError when the service can not be asked (Unreachable, NotLoggedIn, ...): the edit stays
        pending and the rest with it.
        """
        while True:
            edit = self._journal.first_pending()
            if edit is None:
                return
            report(self._send(edit))

    def _send(self, edit: Edit) -> Sent:
        try:
            match edit.kind:
                case Kind.CREATE:
                    return self._create(edit)
                case Kind.DELETE:
                    return self._delete(edit)
                case Kind.RESTORE:
                    return self._restore(edit)
                case Kind.UPDATE:
                    return self._update(edit)
        except (Invalid, Forbidden, Refused, Conflict, NotFound) as refusal:
            # Sending it again would meet the same answer: the person decides what becomes of it.
            self._journal.conflict(edit.id, {})
            return Sent(edit, None, refused=refusal)

    def _create(self, edit: Edit) -> Sent:
        fields = {name: value for name, value in edit.after.items() if name in FIELDS and value is not None}
        body = {**fields, "inspection_id": edit.record_id, "result": edit.after.get("result") or []}
        made = self._session.items.create(ItemCreate.model_validate(body), key=edit.id)
        for file_id in edit.after.get("photos") or []:
            self._session.items.add_photo(made.value.item_id, file_id)
        self._journal.acknowledge(edit.id, made.etag, made.value.item_id)
        return Sent(edit, view_of(made.value, edit.object_id))

    def _delete(self, edit: Edit) -> Sent:
        with contextlib.suppress(NotFound):
            self._session.items.delete(self._journal.service_id(edit.object_id))
        self._journal.acknowledge(edit.id)
        return Sent(edit, None)

    def _restore(self, edit: Edit) -> Sent:
        item_id = self._journal.service_id(edit.object_id)
        try:
            back = self._session.items.restore(item_id)
        except NotFound:
            try:
                # It arrived before, only the answer was lost.
                back = self._session.items.get(item_id)
            except NotFound:
                # The service does not keep it any more: made anew it has at least all that is known here.
                return self._create(edit)
        self._journal.acknowledge(edit.id, back.etag)
        return Sent(edit, view_of(back.value, edit.object_id))

    def _update(self, edit: Edit) -> Sent:
        item_id = self._journal.service_id(edit.object_id)
        known: Tagged[Item] | None = None
        fields = {name: value for name, value in edit.after.items() if name in FIELDS}
        boxes, verdict = edit.after.get(BOXES), edit.after.get(VERDICT)
        etag = self._journal.etag(edit.object_id)
        for _ in range(_TRIES):
            if etag is None:
                known = self._session.items.get(item_id)
                if not _agrees(edit, known.value):
                    return self._conflict(edit, known)
                etag = known.etag
                # What is there already arrived before, only the answer was lost.
                if boxes is not None and same_boxes(_findings(known.value)["boxes"], boxes["boxes"]):
                    boxes = None
                if verdict is not None and _same_verdict(_decision(known.value), verdict):
                    verdict = None
            try:
                if fields:
                    known = self._session.items.update(item_id, ItemUpdate.model_validate(fields), etag)
                    fields, etag = {}, known.etag
                if boxes is not None:
                    known = self._session.items.correct(item_id, boxes["of_version"], boxes["boxes"], etag)
                    boxes, etag = None, known.etag
                if verdict is not None:
                    value, reason = Verdict(verdict["value"]), verdict.get("reason") or None
                    known = self._session.items.set_verdict(item_id, value, reason, etag)
                break
            except Stale:
                etag = None
        else:
            return self._conflict(edit, self._session.items.get(item_id))
        if known is None:
            known = self._session.items.get(item_id)
        self._journal.acknowledge(edit.id, known.etag)
        return Sent(edit, view_of(known.value, edit.object_id))

    def _conflict(self, edit: Edit, now: Tagged[Item]) -> Sent:
        self._journal.conflict(edit.id, _current(now.value), now.etag)
        return Sent(edit, view_of(now.value, edit.object_id), conflict=True)


def _current(item: Item) -> dict[str, Any]:
    fields = view_of(item, item.item_id).fields()
    return {**fields, BOXES: _findings(item), VERDICT: _decision(item)}


def _decision(item: Item) -> dict[str, Any] | None:
    """The verdict that stands at the service, with who gave it and when; None when nobody's does."""
    entry = results.current(view_of(item, item.item_id).result)
    if entry is None or not results.is_verdict(entry):
        return None
    said = entry["verdict"]
    return {name: said.get(name) for name in ("value", "reason", "by_name", "at")}


def _same_verdict(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> bool:
    if one is None or other is None:
        return one is other
    return one["value"] == other["value"] and (one.get("reason") or "") == (other.get("reason") or "")


def _findings(item: Item) -> dict[str, Any]:
    """The findings that count at the service, as the field of an edit."""
    entry = results.finished_detection(view_of(item, item.item_id).result)
    return {"of_version": results.version(entry) if entry is not None else 0, "boxes": list(boxes_of(entry))}


def _agrees(edit: Edit, item: Item) -> bool:
    """True when nobody else changed the fields of `edit`, or changed them to the same."""
    now = _current(item)
    boxes = edit.after.get(BOXES)
    if boxes is not None:
        known = [each["boxes"] for each in (edit.before.get(BOXES), boxes) if each is not None]
        if not any(same_boxes(now[BOXES]["boxes"], each) for each in known):
            return False
    verdict, theirs = edit.after.get(VERDICT), now[VERDICT]
    # Without a verdict that stands there is nobody whose decision could be passed over.
    decided = verdict is not None and theirs is not None
    if decided and not any(_same_verdict(theirs, known) for known in (edit.before.get(VERDICT), verdict)):
        return False
    return all(
        now[name] in (edit.before.get(name), value) for name, value in edit.after.items() if name in FIELDS
    )
