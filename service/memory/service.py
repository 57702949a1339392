"""Implements the use cases of memories for the routes and for detection."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.db.database import Database
from service.memory import reading, regions, rules, waiting
from service.memory.making import Making
from service.memory.ports import Ports
from service.memory.reading import Memory
from service.memory.rules import Member
from service.web.envelope import Problem
from service.web.security import Caller, ask_right
from shared.codes import ErrorCode, Permission
from shared.wire.memory import (
    MOST_MEMORY_PHOTOS,
    MemoryChange,
    MemoryKind,
    MemoryPhoto,
    MemoryState,
    MemoryStatus,
)

_FOLLOWED = {"item", "record", "reference_image", regions.KIND}


@dataclass(frozen=True, slots=True)
class KnownPhoto:
    """A photo of a memory: its file, the SHA-256 of that, and what it adds (`variation.serial`).

    passed: a person passed it and kept no finding in it. settings, place, place_by_person: as in `Question`.
    """

    file_id: str
    sha256: str
    content: bytes
    passed: bool
    settings: Mapping[str, Any]
    place: Sequence[Sequence[float]] | None
    place_by_person: bool

    @classmethod
    def of(cls, member: Member, content: bytes) -> Self:
        """That of a member, with what it adds."""
        question = member.photo.question
        return cls(
            file_id=member.file_id,
            sha256=member.sha256,
            content=content,
            passed=member.kind is MemoryKind.PASSED and not member.without,
            settings=question.settings,
            place=question.place,
            place_by_person=question.place_by_person,
        )


class MemoryService:
    """The memories of one database; `start` and `stop` frame the work beside the requests."""

    def __init__(self, database: Database, ports: Ports) -> None:
        self._database = database
        self._ports = ports
        self._making = Making(database, ports)

    async def start(self) -> None:
        """Begin to compare what waits."""
        await self._making.start()

    async def stop(self) -> None:
        """End that; the next start goes on with it."""
        await self._making.stop()

    def before_commit(self, session: Session, changes: Iterable[ObjectChange]) -> None:
        """Have wait what `changes` concern, in the transaction of `session`."""
        waiting.follow(session, self._ports, changes)

    def after_commit(self, changes: Iterable[ObjectChange]) -> None:
        """Look what waits now. From any thread."""
        # What was just created has no photos: nothing waits for it.
        followed = (change for change in changes if change.kind in _FOLLOWED and change.action != "create")
        if any(not change.fleeting for change in followed):
            self._making.kick()

    # For detection

    def known(self, session: Session, item_id: str, photo_file_id: str) -> Sequence[KnownPhoto]:
        """Port: the photos of the memory of an item's region, for a detection in the photo of a file.

        Without any while the memory has fewer passed photos than required. Neither the item itself nor
        another one with the same photo says what is normal about it. Photos that are not compared yet are
        left out.
        """
        try:
            place = self._ports.place(session, item_id)
        except Problem:
            return ()
        if place is None:
            return ()
        memory = reading.read_kept(session, self._ports, place)
        usable = [member for member in memory.counted if memory.has_content(member)]
        if not usable:
            return ()
        shown = {
            photo.question.photo_sha256
            for item in self._ports.items(session, [item_id])
            for photo in item.photos
            if photo.question.photo_file_id == photo_file_id
        }
        others = [member for member in usable if member.sha256 not in shown]
        chosen = rules.chosen(others, self._ports.oldest, self._ports.newest)
        if rules.passed_photos(chosen) < memory.required:
            return ()
        stored = reading.contents(session, chosen)
        return [KnownPhoto.of(member, content) for member, content in stored]

    # For the routes

    async def state(self, item_id: str, caller: Caller) -> MemoryState:
        """The memory of the item's region. Raises Problem 404."""
        return await self._database.read(lambda session: self._state(session, item_id, caller))

    async def change(self, item_id: str, changes: MemoryChange, caller: Caller) -> MemoryState:
        """Leave photos out, and for planners freeze, require or restart; gives the memory then.

        Raises Problem 403 for what the caller may not, 404 for an item or a photo that is not there, 409 for
        an item without a region on a reference image.
        """
        if changes.frozen is not None or changes.required is not None or changes.start_over:
            ask_right(caller, Permission.CATALOGUE_MANAGE)

        def work(session: Session) -> MemoryState:
            place = self._ports.place(session, item_id)
            if place is None:
                raise Problem(409, ErrorCode.CONFLICT, "检查项在参考图上没有区域，没有区域记忆，请先绘制区域")
            memory = reading.read(session, self._ports, place)
            changed = regions.change(session, self._ports, memory, changes, caller.user_id)
            if changed:
                waiting.add(session, [item_id])
                details = {"item_id": item_id, **changed}
                file_id = place.reference_file_id
                audited = ("update", regions.KIND, file_id, caller.user_id, caller.address)
                announce(session, ObjectChange(*audited, details))
            return self._state(session, item_id, caller)

        return await self._database.write(work)

    def _state(self, session: Session, item_id: str, caller: Caller) -> MemoryState:
        place = self._ports.place(session, item_id)
        memory = None if place is None else reading.read(session, self._ports, place)
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
                required=rules.REQUIRED,
                frozen_at=None,
                frozen_by=None,
                begins_at=None,
                disagreements=[],
                version=self._ports.version,
                **rights,
            )
        row = memory.row
        shown = _shown(memory)
        chosen = rules.chosen(memory.counted, self._ports.oldest, self._ports.newest)
        ready = [member for member in chosen if memory.has_content(member)]
        people = {member.left_out_by for member in memory.left_out.values()}
        frozen_by = None if row is None else row.frozen_by
        names = self._ports.names(session, people | ({frozen_by} if frozen_by else set()))
        frozen_at = None if row is None else row.frozen_at
        return MemoryState(
            item_id=item_id,
            reference_file_id=memory.place.reference_file_id,
            state=rules.state(shown, ready, memory.required, frozen_at is not None),
            photos=[_photo(memory, member, names) for member in shown],
            required=memory.required,
            frozen_at=frozen_at,
            frozen_by=None if frozen_by is None else names.get(frozen_by, frozen_by),
            begins_at=None if row is None else row.begins_at,
            disagreements=_disagreements(memory, ready),
            version=self._ports.version,
            **rights,
        )


def _disagreements(memory: Memory, ready: Iterable[Member]) -> list[tuple[float, float, float, float]]:
    """Where the memory disagrees with its reference image; nothing while that is being looked for."""
    row = memory.row
    passed = [member for member in ready if member.kind is MemoryKind.PASSED]
    if row is None or row.disagreements is None or row.basis != memory.basis_of(passed):
        return []
    return [(x, y, w, h) for x, y, w, h in json.loads(row.disagreements)]


def _shown(memory: Memory) -> list[Member]:
    """The photos that are listed, the newest decisions first: each once, by the verdict on its item."""
    by_photo: dict[tuple[str, str], Member] = {}
    for member in memory.members:
        at = (member.item.item_id, member.file_id)
        if member.kind is not MemoryKind.REJECTED or at not in by_photo:
            by_photo[at] = member
    ordered = sorted(by_photo.values(), key=lambda member: (member.decided_at, member.key), reverse=True)
    return ordered[:MOST_MEMORY_PHOTOS]


def _photo(memory: Memory, member: Member, names: Mapping[str, str]) -> MemoryPhoto:
    row = memory.variation(member)
    out = memory.left_out.get(member.file_id)
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
        left_out=out is not None,
        left_out_by=None if out is None else names.get(out.left_out_by, out.left_out_by),
        left_out_at=None if out is None else out.left_out_at,
    )
