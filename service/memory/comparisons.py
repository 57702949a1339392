"""Compares the photos of memories in a background task, one at a time, while no detection is pending.

The database contains the work to do, so a service continues where another one stopped, and several services
share the work.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, and_, delete, update
from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.db.database import Database
from service.db.upsert import insert_or_update
from service.detection.dispatch.variations import (
    NEWEST,
    OLDEST,
    VERSION,
    Learned,
    Variations,
    Varied,
    VaryingPhoto,
)
from service.detection.failure import DetectionFailed
from service.exception_trace import trace_of
from service.memory import regions, rules, waiting
from service.memory.facts import Place, decided_item_ids, find_place
from service.memory.regions import KIND, Key, lock_region
from service.memory.rules import Member
from service.memory.tables import REGION, VARIATION
from service.memory.waiting import LeasedItem
from service.stores.port import StoreUnavailableError
from service.tasks import Notifier, end_tasks
from service.web.envelope import Problem
from shared.wire.memory import MemoryKind

_LOG = logging.getLogger(__name__)
_POLL_SECONDS: Final = 2.0
_STORE_SECONDS: Final = 30.0
"""How long a photo waits after its store did not answer."""
_TRIES: Final = 2
_RETRIED_ERRORS: Final = frozenset({"worker_died", "out_of_memory"})
"""Errors after which a second try may succeed."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The next step for a memory; `place` is None for an item without a place.

    `member` is the photo to compare. If it is None, the memory is finished: rows of `unneeded_keys` (item,
    file, kind) lose their content, rows of `removed_keys` are deleted, and what the `passed` photos with
    their contents say of the region is computed (None if it is known). `basis` is of the member, or of the
    passed photos.
    """

    place: Place | None
    member: Member | None = None
    basis: str = ""
    unneeded_keys: Sequence[Key] = ()
    removed_keys: Sequence[Key] = ()
    passed: Sequence[tuple[Member, bytes]] | None = None


class Comparisons:
    """The background task, which compares photos while items wait and no detection is pending."""

    def __init__(self, database: Database, variations: Variations) -> None:
        self._database = database
        self._variations = variations
        self._notifier = Notifier()
        self._task: asyncio.Task[None] | None = None
        self._is_resting = True
        self._tries: dict[str, int] = {}

    async def start(self) -> None:
        """Start the task, with the items that still wait and those that another version has compared."""

        def prepare(session: Session) -> None:
            if self._database.is_sqlite:
                # A SQLite file has only one service, so every lease belongs to a process that has ended.
                waiting.release_all(session)
            waiting.add_items(session, waiting.find_outdated(session, VERSION))

        await self._database.write(prepare)
        self._task = asyncio.create_task(self._loop())

    async def stop(self) -> None:
        """Stop the task. An interrupted comparison is repeated later."""
        await end_tasks(self._task)

    def look_now(self) -> None:
        """Look for waiting items now; may be called from any thread."""
        self._notifier.notify()

    async def _loop(self) -> None:
        while True:
            count = self._notifier.count
            try:
                if await self._work():
                    continue
            except Exception as problem:
                # An unreachable database must not stop the task permanently. The text of an exception may
                # contain SQL and values.
                _LOG.error("cannot update a memory of a region: %s; trying again", trace_of(problem))
            if not self._is_resting:
                self._is_resting = True
                await self._variations.rest()
            await self._notifier.wait(count, _POLL_SECONDS)

    async def _work(self) -> bool:
        """Do one step for the item that has waited longest; return False if there is nothing to do now."""
        if not await self._database.read(self._may_work):
            return False
        item = await self._database.write(waiting.take)
        if item is None:
            return False
        try:
            return await self._step(item)
        except asyncio.CancelledError:
            await self._database.write(lambda session: waiting.release(session, item))
            raise

    async def _step(self, item: LeasedItem) -> bool:
        plan = await self._database.read(lambda session: self._make_plan(session, item.item_id))
        try:
            if plan.member is not None:
                self._is_resting = False
                async with self._keep_lease(item):
                    result = await self._compare(plan.member, plan.basis)
                await self._database.write(lambda session: self._store_result(session, item, plan, result))
                return True
            learned = Learned([], None)
            if plan.passed:
                self._is_resting = False
                photo = plan.passed[0][0].photo.inputs
                contents = [content for _, content in plan.passed]
                async with self._keep_lease(item):
                    learned = await self._learn(photo, contents)
        except StoreUnavailableError:
            await self._database.write(lambda session: waiting.release(session, item, _STORE_SECONDS))
            return True
        await self._database.write(lambda session: self._finish(session, item, plan, learned))
        return True

    @contextlib.asynccontextmanager
    async def _keep_lease(self, item: LeasedItem) -> AsyncIterator[None]:
        """Renew the lease of an item until the end of the block."""
        task = asyncio.create_task(self._renew_lease(item))
        try:
            yield
        finally:
            await end_tasks(task)

    async def _renew_lease(self, item: LeasedItem) -> None:
        while True:
            await asyncio.sleep(waiting.RENEW_INTERVAL.total_seconds())
            try:
                await self._database.write(lambda session: waiting.renew(session, item))
            except Exception as problem:
                # The work continues. If the lease expires, another service repeats the comparison.
                _LOG.warning("cannot renew the lease of a comparison: %s; trying again", trace_of(problem))

    async def _compare(self, member: Member, basis: str) -> Varied | str | None:
        """Compare a photo; return its variation, the code of an error, or None to try again."""
        result: Varied | str
        try:
            result = await self._variations.vary(
                member.photo.inputs, member.order, member.kind, member.judged_findings, member.kept_findings
            )
        except DetectionFailed as problem:
            result = problem.code
        if result in _RETRIED_ERRORS and self._tries.get(basis, 0) + 1 < _TRIES:
            self._tries[basis] = self._tries.get(basis, 0) + 1
            return None
        self._tries.pop(basis, None)
        return result

    async def _learn(self, photo: VaryingPhoto, contents: Sequence[bytes]) -> Learned:
        try:
            return await self._variations.learn(photo, contents)
        except DetectionFailed:
            return Learned([], None)

    # Inside transactions

    def _may_work(self, session: Session) -> bool:
        # A read transaction: usually nothing waits, and a write would delay other writers.
        return waiting.has_items(session) and not self._variations.is_busy(session)

    def _find_place(self, session: Session, item_id: str) -> Place | None:
        try:
            return find_place(session, item_id)
        except Problem:
            # The item was deleted.
            return None

    def _make_plan(self, session: Session, item_id: str) -> _Plan:
        place = self._find_place(session, item_id)
        if place is None:
            return _Plan(None, removed_keys=list(regions.find_variations(session, [item_id])))
        memory = regions.read(session, place)
        kept_members = rules.select_kept(memory.counted_members, OLDEST, NEWEST)
        for member in kept_members:
            row = memory.variation(member)
            if row is None or (row.error is None and not row.has_content):
                return _Plan(place, member, member.basis(memory.version))
        # A photo that a person left out may be put back, and then counts at once.
        all_members = rules.select_kept(memory.members, OLDEST, NEWEST)
        needed_keys = {member.key for member in (*kept_members, *all_members)}
        unneeded_keys = [
            key for key, row in memory.variations.items() if row.has_content and key not in needed_keys
        ]
        member_keys = {member.key for member in memory.members}
        stored_keys = regions.find_variations(session, [item_id])
        removed_keys = [key for key in stored_keys if key not in member_keys]
        passed = [
            member
            for member in kept_members
            if member.kind is MemoryKind.PASSED and memory.has_content(member)
        ]
        basis = memory.combine_bases(passed)
        is_known = not passed if memory.row is None else memory.row.basis == basis
        contents = None if is_known else regions.contents(session, passed)
        return _Plan(place, None, basis, unneeded_keys, removed_keys, contents)

    def _store_result(
        self, session: Session, item: LeasedItem, plan: _Plan, result: Varied | str | None
    ) -> None:
        """Store the result of a comparison and release the item; a result of None means to try again."""
        waiting.release(session, item)
        member, place = plan.member, plan.place
        if result is None or member is None or place is None:
            return
        item_id, file_id, kind = member.key
        if self._find_place(session, item.item_id) != place or not decided_item_ids(session, [item_id], []):
            # The item was deleted or changed during the comparison.
            return
        error, varied = (result, None) if isinstance(result, str) else (None, result)
        row = {
            "item_id": item_id,
            "file_id": file_id,
            "kind": kind,
            "inspection_id": member.item.inspection_id,
            "reference_image_id": place.reference_image_id,
            "region": json.dumps(member.item.region),
            "version": VERSION,
            "basis": plan.basis,
            "error": error,
            "differences": None if varied is None else varied.differences,
            "content": None if varied is None else varied.content,
        }
        insert_or_update(session, VARIATION, [row], ["item_id", "file_id", "kind"])
        _announce(session, place)

    def _finish(self, session: Session, item: LeasedItem, plan: _Plan, learned: Learned) -> None:
        """Store what the memory says, delete unneeded data, and remove the item from the queue."""
        waiting.finish(session, item)
        for key in plan.unneeded_keys:
            session.execute(update(VARIATION).where(_matches(key)).values(content=None))
        for key in plan.removed_keys:
            session.execute(delete(VARIATION).where(_matches(key)))
        place = plan.place
        if plan.passed is not None and place is not None and self._find_place(session, item.item_id) == place:
            row = lock_region(session, place)
            values = {
                "disagreements": json.dumps(learned.disagreements),
                "proposed_place": learned.place,
                "basis": plan.basis,
            }
            session.execute(update(REGION).where(REGION.c.memory_id == row.memory_id).values(values))
            _announce(session, place)


def _matches(key: Key) -> ColumnElement[bool]:
    item_id, file_id, kind = key
    return and_(VARIATION.c.item_id == item_id, VARIATION.c.file_id == file_id, VARIATION.c.kind == kind)


def _announce(session: Session, place: Place) -> None:
    """Announce the change to clients. It is fleeting, thus not audited, because no person made it."""
    announce(session, ObjectChange("update", KIND, place.reference_file_id, unaudited=True))
