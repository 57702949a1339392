"""Holds the open record as it is displayed: the service's state with pending edits on top, without Qt."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from desktop.journal import Edit, EditKind
from desktop.record.correction import (
    CorrectionDraft,
    boxes_of,
    only_confirms,
    same_boxes,
    stored_version,
    with_correction,
)
from desktop.record.signing import (
    VERDICT,
    is_by_other,
    same_verdict,
    sign_verdict,
    standing_verdict,
)
from shared.ids import new_key
from shared.record import results
from shared.record.codes import Verdict
from shared.record.entries import Entry, item_entries
from shared.record.geometry import Rect, pixels_to_point, point_to_pixels
from shared.wire.inspection import Item, Record

ITEM = "item"
"""The kind of an item in the journal."""

FIELDS = ("item_name", "description", "model_id", "item_point")
"""The fields of an item that the user edits and an update of the service contains."""

BOXES = "boxes"
"""The field of an edit for corrected findings: ``{"of_version": ..., "boxes": [...]}``.

They are sent by a separate call.
"""

ORDER = "order"
"""The kind of the edit that moves items, and its field: the ids of all items in their order."""

REASON = "reason"
"""The field of a deleting edit for the reason."""

PLACE = "place"
"""The field of a deleting edit for the number of items before the deleted one."""


@dataclass(frozen=True, slots=True)
class ItemView:
    """A displayed item. `item_id` is the id of the journal. `saved` is False while edits of it are unsent.

    `updated_at` is the time of the service's state; None for an item that the service does not have yet.
    """

    item_id: str
    item_name: str
    description: str | None = None
    model_id: str | None = None
    model_name: str | None = None
    item_point: Mapping[str, Any] | None = None
    result: tuple[Entry, ...] = ()
    pending_verdict: Mapping[str, Any] | None = None
    saved: bool = True
    updated_at: datetime | None = field(default=None, compare=False)

    @property
    def verdict(self) -> Verdict:
        """The user's verdict, including an unsent one."""
        if self.pending_verdict is not None:
            return sign_verdict(self.pending_verdict)[0]
        return results.current_verdict(self.result)

    @property
    def reason(self) -> str:
        """The reason given with the verdict."""
        if self.pending_verdict is not None:
            return sign_verdict(self.pending_verdict)[1]
        entry = results.current_entry(self.result)
        return str(entry["verdict"].get("reason") or "") if entry and results.is_verdict(entry) else ""

    @property
    def passed(self) -> bool | None:
        """Whether the item passed for the record; None if it is undecided."""
        if self.pending_verdict is not None:
            value = self.verdict
            return None if value is Verdict.UNDECIDED else value is Verdict.PASSED
        return results.is_passed(self.result)

    def region(self, width: int, height: int) -> Rect | None:
        """The region in px of an upright reference image of this size; None if there is none."""
        point = (self.item_point or {}).get("point")
        if not point:
            return None
        return point_to_pixels(point["x"], point["y"], point["w"], point["h"], width, height)

    def fields(self) -> dict[str, Any]:
        """The editable fields as JSON values."""
        return {
            "item_name": self.item_name,
            "description": self.description,
            "model_id": self.model_id,
            "item_point": None if self.item_point is None else dict(self.item_point),
        }


def view_of(item: Item, item_id: str) -> ItemView:
    """The view of an item of the service, with the journal's id."""
    point = item.item_point.model_dump(mode="json", exclude_unset=True) if item.item_point else None
    return ItemView(
        item_id=item_id,
        item_name=item.item_name,
        description=item.description,
        model_id=item.model_id,
        model_name=item.model_name,
        item_point=point,
        result=tuple(item_entries(item)),
        updated_at=item.updated_at,
    )


def _is_older(item: ItemView, other: ItemView) -> bool:
    return item.updated_at is not None and other.updated_at is not None and item.updated_at < other.updated_at


def _item_of(edit: Edit) -> ItemView:
    """The item that an edit creates or restores."""
    fields: dict[str, Any] = {name: edit.after.get(name) for name in FIELDS}
    return ItemView(item_id=edit.object_id, **fields, result=tuple(edit.after.get("result") or ()))


def fraction_point(rect: Rect, width: int, height: int) -> dict[str, float]:
    """`item_point.point` for a region in px: fractions of the upright image."""
    point = pixels_to_point(rect, width, height)
    return {"x": point.x, "y": point.y, "w": point.w, "h": point.h}


class Document:
    """A record with its items in order.

    `load_items` reads the state of the service, `apply` the edits of the journal. The service's state never
    hides a pending edit. `me` is the id of the user of this desktop.
    """

    def __init__(self, record: Record, me: str | None = None) -> None:
        self.record = record
        self._me = me
        self._service_items: dict[str, ItemView] = {}
        self._items: dict[str, ItemView] = {}
        self._places: dict[str, int] | None = None
        self._removed_items: dict[str, ItemView] = {}

    @property
    def items(self) -> list[ItemView]:
        """The displayed items, in the order of the walk."""
        return list(self._items.values())

    def item(self, item_id: str) -> ItemView | None:
        """The displayed item with this id, or None."""
        return self._items.get(item_id)

    def is_deleted_here(self, item_id: str) -> bool:
        """Whether an edit of this desktop deleted the item."""
        return item_id in self._removed_items

    def load_items(self, items: Iterable[ItemView], pending: Sequence[Edit]) -> None:
        """Replace all items by the service's state. `pending` are the journal's edits of this record."""
        self._service_items = {item.item_id: item for item in items}
        self._rebuild(pending, keeps_order=False)

    def update_item(self, item: ItemView, pending: Sequence[Edit]) -> None:
        """Update one item to the service's state, unless a newer state is known.

        `pending` contains at least the edits of this item.
        """
        known = self._service_items.get(item.item_id)
        # A state that was read before an edit may arrive after the response to that edit.
        if known is None or not _is_older(item, known):
            self._service_items[item.item_id] = item
        self._rebuild_item(item.item_id, pending)

    def drop_item(self, item_id: str, pending: Sequence[Edit]) -> None:
        """Remove an item that the service no longer has.

        `pending` contains at least the edits of this item.
        """
        self._service_items.pop(item_id, None)
        self._rebuild_item(item_id, pending)

    def rebase(self, pending: Sequence[Edit]) -> None:
        """Rebuild the items from the service's state and these edits."""
        self._rebuild(pending, keeps_order=True)

    def apply(self, edits: Iterable[Edit]) -> None:
        """Apply edits that were just written to the journal."""
        restored: list[Edit] = []
        for edit in edits:
            if edit.kind in (EditKind.CREATE, EditKind.DELETE):
                self._restore_places(restored)
            self._apply(edit)
            if edit.kind is EditKind.RESTORE and edit.object == ITEM and edit.after.get(PLACE) is not None:
                restored.append(edit)
        self._restore_places(restored)
        self._places = None

    def _rebuild(self, pending: Sequence[Edit], *, keeps_order: bool) -> None:
        order = list(self._items)
        self._items = dict(self._service_items)
        self.apply(edit for edit in pending if edit.record_id == self.record.inspection_id)
        # An item created here keeps its place when the service gives it an ID.
        places = {item_id: place for place, item_id in enumerate(order)}
        if keeps_order and self._items.keys() <= places.keys():
            self._items = dict(sorted(self._items.items(), key=lambda pair: places[pair[0]]))
            self._places = None

    def _rebuild_item(self, item_id: str, pending: Sequence[Edit]) -> None:
        """Rebuild one item at its place."""
        before = list(self._items) if item_id in self._items else []
        service_item = self._service_items.get(item_id)
        if service_item is None:
            self._items.pop(item_id, None)
        else:
            self._items[item_id] = service_item
        edits = [edit for edit in pending if edit.object_id == item_id]
        self.apply(edits)
        if item_id in self._items and any(edit.kind is not EditKind.UPDATE for edit in edits) and before:
            self._items = {key: self._items[key] for key in before}
        self._places = None

    def _apply(self, edit: Edit) -> None:
        if edit.object == ORDER:
            order = dict.fromkeys([*edit.after[ORDER], *self._items])
            self._items = {item_id: self._items[item_id] for item_id in order if item_id in self._items}
            return
        if edit.object != ITEM:
            return
        match edit.kind:
            case EditKind.CREATE | EditKind.RESTORE:
                restored = self._removed_items.pop(edit.object_id, None)
                self._items[edit.object_id] = replace(restored or _item_of(edit), saved=False)
            case EditKind.DELETE:
                deleted = self._items.pop(edit.object_id, None)
                if deleted is not None:
                    self._removed_items[edit.object_id] = deleted
            case EditKind.UPDATE:
                item = self._items.get(edit.object_id)
                if item is not None:
                    changed = {name: value for name, value in edit.after.items() if name in FIELDS}
                    verdict = edit.after.get(VERDICT, item.pending_verdict)
                    service_item = self._service_items.get(edit.object_id)
                    if is_by_other(verdict) and service_item is not None:
                        # Undone before it reached the service: there the other user's verdict still stands.
                        present = standing_verdict(service_item.result, self._me)
                        verdict = None if same_verdict(present, verdict) else verdict
                    boxes, before = edit.after.get(BOXES), edit.before.get(BOXES)
                    is_undone = boxes and before and same_boxes(before["boxes"], boxes["boxes"])
                    if boxes is not None and not is_undone:
                        changed["result"] = with_correction(item.result, boxes["of_version"], boxes["boxes"])
                    self._items[edit.object_id] = replace(
                        item, **changed, pending_verdict=verdict, saved=False
                    )

    def _restore_places(self, restored: list[Edit]) -> None:
        """Move the items that these edits restored to their places, and empty the list."""
        if not restored:
            return
        restored_ids = {edit.object_id for edit in restored}
        order = [item_id for item_id in self._items if item_id not in restored_ids]
        for edit in restored:
            order.insert(edit.after[PLACE], edit.object_id)
        self._items = {item_id: self._items[item_id] for item_id in order}
        restored.clear()

    def index_of(self, item_id: str) -> int:
        """The index of an item; -1 if it does not exist."""
        if self._places is None:
            self._places = {key: place for place, key in enumerate(self._items)}
        return self._places.get(item_id, -1)

    # -- edits to be appended to the journal

    def make(self, label: str, fields: Mapping[str, Any], item_id: str | None = None) -> Edit:
        """Create the edit that creates an item with `fields` (item_name and other known fields)."""
        whole = {name: fields.get(name) for name in FIELDS}
        return self._edit(item_id or new_key(), EditKind.CREATE, {}, whole, label)

    def change(self, item_id: str, label: str, fields: Mapping[str, Any]) -> Edit | None:
        """Create the edit that changes `fields` of an item; None if nothing changes or the item does not
        exist."""
        item = self._items.get(item_id)
        if item is None:
            return None
        present = item.fields()
        after = {name: value for name, value in fields.items() if present[name] != value}
        if not after:
            return None
        return self._edit(item_id, EditKind.UPDATE, {name: present[name] for name in after}, after, label)

    def decide(self, item_id: str, label: str, verdict: Verdict, reason: str) -> Edit | None:
        """Create the edit that sets the verdict; None if nothing changes or the item does not exist."""
        item = self._items.get(item_id)
        if item is None or (item.verdict is verdict and item.reason == reason):
            return None
        before = {VERDICT: self._present_verdict(item)}
        after = {VERDICT: {"value": verdict.value, "reason": reason}}
        return self._edit(item_id, EditKind.UPDATE, before, after, label)

    def correct(self, draft: CorrectionDraft, label: str) -> Edit | None:
        """Create the edit that saves a draft; None if nothing changes or the item does not exist.

        It also withdraws a current verdict, which was given for other findings. A fail by this user is given
        again where findings are only accepted or graded, which confirms it.
        """
        item = self._items.get(draft.item_id)
        present = boxes_of(draft.newest)
        if item is None or same_boxes(present, draft.boxes):
            return None
        version = stored_version(draft.base if draft.newest is None else draft.newest)
        before: dict[str, Any] = {BOXES: {"of_version": version, "boxes": list(present)}}
        after: dict[str, Any] = {
            BOXES: {"of_version": stored_version(draft.base), "boxes": list(draft.boxes)},
        }
        if item.verdict is not Verdict.UNDECIDED:
            before[VERDICT], after[VERDICT] = self._present_verdict(item), None
            is_own_fail = item.verdict is Verdict.FAILED and not is_by_other(before[VERDICT])
            if is_own_fail and only_confirms(present, draft.boxes):
                after[VERDICT] = {"value": item.verdict.value, "reason": item.reason}
        return self._edit(draft.item_id, EditKind.UPDATE, before, after, label)

    def remove(self, item_id: str, label: str, photos: Sequence[str] = (), reason: str = "") -> Edit | None:
        """Create the edit that deletes an item; None if it does not exist.

        `photos` are the file ids of its photos, for a service that lost it. `reason` is for the audit log; it
        may be empty.
        """
        item = self._items.get(item_id)
        if item is None:
            return None
        result = [dict(entry) for entry in item.result]
        whole = {**item.fields(), "result": result, "photos": list(photos), PLACE: self.index_of(item_id)}
        return self._edit(item_id, EditKind.DELETE, whole, {REASON: reason} if reason else {}, label)

    def move(self, item_ids: Collection[str], before: str, label: str) -> Edit | None:
        """Create the edit that puts items before another one, or with an empty `before` at the end.

        They keep their order. None if nothing moves.
        """
        order = list(self._items)
        moved = [item_id for item_id in order if item_id in item_ids]
        rest = [item_id for item_id in order if item_id not in item_ids]
        # Dropped onto itself, a group stays before the next item that is not part of it.
        following = order[order.index(before) :] if before in self._items else []
        target = next((item_id for item_id in following if item_id not in item_ids), None)
        at = rest.index(target) if target is not None else len(rest)
        new_order = [*rest[:at], *moved, *rest[at:]]
        if new_order == order:
            return None
        # Its own id, so that it is not joined with a move from before the creation of an item.
        before_and_after = {ORDER: order}, {ORDER: new_order}
        return Edit(
            self.record.inspection_id,
            ORDER,
            new_key(),
            EditKind.UPDATE,
            *before_and_after,
            label,
            time.time(),
        )

    def _present_verdict(self, item: ItemView) -> dict[str, Any]:
        """The verdict of an item before an edit."""
        present = standing_verdict(item.result, self._me) if item.pending_verdict is None else None
        return present or {"value": item.verdict.value, "reason": item.reason}

    def _edit(
        self, item_id: str, kind: EditKind, before: Mapping[str, Any], after: Mapping[str, Any], label: str
    ) -> Edit:
        return Edit(self.record.inspection_id, ITEM, item_id, kind, before, after, label, time.time())
