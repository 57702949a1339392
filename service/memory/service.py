"""Implements the use cases of memories for the routes and for detection."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from sqlmodel import Session

from service.account.store import names_with_usernames
from service.changes import ObjectChange, announce
from service.db.database import Database
from service.detection.dispatch.variations import NEWEST, OLDEST, VERSION, Variations
from service.detection.dispatch.work import KnownPhoto
from service.memory import regions, rules, waiting
from service.memory.comparisons import Comparisons
from service.memory.facts import find_place, item_facts
from service.memory.regions import Memory
from service.memory.rules import Member
from service.web.envelope import Problem
from service.web.security import Caller, check_permissions
from shared.record.codes import ErrorCode, Permission
from shared.wire.inspection import Place
from shared.wire.memory import (
    MAX_MEMORY_PHOTOS,
    MemoryChange,
    MemoryKind,
    MemoryPhoto,
    MemoryState,
    MemoryStatus,
)

_RELEVANT_KINDS = {"item", "record", "reference_image", regions.KIND}


class MemoryService:
    """The memories of one database; photos are compared in the background between `start` and `stop`."""

    def __init__(self, database: Database, variations: Variations) -> None:
        self._database = database
        self._comparisons = Comparisons(database, variations)

    async def start(self) -> None:
        """Start comparing photos in the background."""
        await self._comparisons.start()

    async def stop(self) -> None:
        """Stop comparing; the next start continues."""
        await self._comparisons.stop()

    def after_commit(self, changes: Iterable[ObjectChange]) -> None:
        """Look for waiting items after relevant changes; may be called from any thread."""
        # A new object has no photos yet, so nothing waits, but a new backbone concerns all photos.
        relevant_changes = (
            change
            for change in changes
            if (change.kind in _RELEVANT_KINDS and change.action != "create") or change.kind == "model"
        )
        if any(not change.unaudited for change in relevant_changes):
            self._comparisons.look_now()

    # For detection

    def find_known_photos(self, session: Session, item_id: str, photo_file_id: str) -> Sequence[KnownPhoto]:
        """Return the photos of the memory of an item's region, for a detection in the photo of a file.

        Returns none while the memory has fewer passed photos than required. Photos of the item itself, photos
        with the same content and photos not yet compared are not included.
        """
        try:
            place = find_place(session, item_id)
        except Problem:
            return ()
        if place is None:
            return ()
        memory = regions.read_compared(session, place)
        compared_members = [member for member in memory.counted_members if memory.has_content(member)]
        if not compared_members:
            return ()
        shown_hashes = {
            photo.inputs.photo_sha256
            for item in item_facts(session, [item_id])
            for photo in item.photos
            if photo.inputs.photo_file_id == photo_file_id
        }
        other_members = [member for member in compared_members if member.sha256 not in shown_hashes]
        kept_members = rules.select_kept(other_members, OLDEST, NEWEST)
        if rules.count_passed(kept_members) < memory.required_photos:
            return ()
        contents = regions.contents(session, kept_members)
        return [KnownPhoto(member.file_id, member.sha256, content) for member, content in contents]

    # For the routes

    async def state(self, item_id: str, caller: Caller) -> MemoryState:
        """Return the memory of the item's region. Raises Problem 404."""
        return await self._database.read(lambda session: self._state(session, item_id, caller))

    async def change(self, item_id: str, changes: MemoryChange, caller: Caller) -> MemoryState:
        """Change the memory of the item's region and return it.

        Raises Problem 403 without the permission to freeze, start over or set the required number, 404 for an
        unknown item or photo, 409 for an item without a region on a reference image.
        """
        if changes.frozen is not None or changes.required is not None or changes.start_over:
            check_permissions(caller, Permission.CATALOGUE_MANAGE)

        def work(session: Session) -> MemoryState:
            place = find_place(session, item_id)
            if place is None:
                raise Problem(409, ErrorCode.CONFLICT, "检查项在参考图上没有区域，没有区域记忆，请先绘制区域")
            memory = regions.read(session, place)
            details = regions.change(session, memory, changes, caller.user_id)
            if details:
                waiting.add_items(session, [item_id])
                details = {"item_id": item_id, **details}
                file_id = place.reference_file_id
                change_key = ("update", regions.KIND, file_id, caller.user_id, caller.address)
                announce(session, ObjectChange(*change_key, details))
            return self._state(session, item_id, caller)

        return await self._database.write(work)

    def _state(self, session: Session, item_id: str, caller: Caller) -> MemoryState:
        place = find_place(session, item_id)
        memory = None if place is None else regions.read(session, place)
        rights = {
            "can_change": Permission.INSPECTION_ITEM_UPDATE in caller.permissions,
            "can_require": Permission.CATALOGUE_MANAGE in caller.permissions,
        }
        if memory is None:
            return MemoryState(
                item_id=item_id,
                reference_file_id=None,
                state=MemoryStatus.EMPTY,
                photos=[],
                required=rules.DEFAULT_REQUIRED_PHOTOS,
                frozen_at=None,
                frozen_by=None,
                begins_at=None,
                disagreements=[],
                proposed_place=None,
                version=VERSION,
                **rights,
            )
        row = memory.row
        listed_members = _list_members(memory)
        kept_members = rules.select_kept(memory.counted_members, OLDEST, NEWEST)
        compared_members = [member for member in kept_members if memory.has_content(member)]
        people = {member.left_out_by for member in memory.left_out.values()}
        frozen_by = None if row is None else row.frozen_by
        names = names_with_usernames(session, people | ({frozen_by} if frozen_by else set()))
        frozen_at = None if row is None else row.frozen_at
        return MemoryState(
            item_id=item_id,
            reference_file_id=memory.place.reference_file_id,
            state=rules.state(
                listed_members, compared_members, memory.required_photos, frozen_at is not None
            ),
            photos=[_to_photo(memory, member, names) for member in listed_members],
            required=memory.required_photos,
            frozen_at=frozen_at,
            frozen_by=None if frozen_by is None else names.get(frozen_by, frozen_by),
            begins_at=None if row is None else row.begins_at,
            disagreements=_find_disagreements(memory, compared_members),
            proposed_place=_propose_place(memory, compared_members),
            version=VERSION,
            **rights,
        )


def _find_disagreements(
    memory: Memory, compared_members: Iterable[Member]
) -> list[tuple[float, float, float, float]]:
    """Return where the memory disagrees with its reference image; nothing until that is computed."""
    row = memory.row
    if row is None or row.disagreements is None or not _is_computed(memory, compared_members):
        return []
    return [(x, y, w, h) for x, y, w, h in json.loads(row.disagreements)]


def _propose_place(memory: Memory, compared_members: Sequence[Member]) -> Place | None:
    """Return how photos are best compared; None until enough photos passed and that is computed."""
    row = memory.row
    if row is None or row.proposed_place is None or not _is_computed(memory, compared_members):
        return None
    if rules.count_passed(compared_members) < memory.required_photos:
        return None
    return Place(row.proposed_place)


def _is_computed(memory: Memory, compared_members: Iterable[Member]) -> bool:
    passed = [member for member in compared_members if member.kind is MemoryKind.PASSED]
    return memory.row is not None and memory.row.basis == memory.combine_bases(passed)


def _list_members(memory: Memory) -> list[Member]:
    """Return the members to list, the newest decisions first; each photo once, by its item's verdict."""
    by_photo: dict[tuple[str, str], Member] = {}
    for member in memory.members:
        key = (member.item.item_id, member.file_id)
        if member.kind is not MemoryKind.REJECTED or key not in by_photo:
            by_photo[key] = member
    members = sorted(by_photo.values(), key=lambda member: (member.decided_at, member.key), reverse=True)
    return members[:MAX_MEMORY_PHOTOS]


def _to_photo(memory: Memory, member: Member, names: Mapping[str, str]) -> MemoryPhoto:
    row = memory.variation(member)
    left_out_row = memory.left_out.get(member.file_id)
    return MemoryPhoto(
        file_id=member.file_id,
        inspection_id=member.item.inspection_id,
        item_id=member.item.item_id,
        record_name=member.item.record_name,
        taken_at=member.photo.taken_at,
        decided_at=member.decided_at,
        decided_by=member.decided_by,
        kind=member.kind,
        differences=None if row is None else row.differences,
        left_out=left_out_row is not None,
        left_out_by=None
        if left_out_row is None
        else names.get(left_out_row.left_out_by, left_out_row.left_out_by),
        left_out_at=None if left_out_row is None else left_out_row.left_out_at,
    )
