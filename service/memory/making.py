"""Compares the photos of memories beside the requests and after the detections, one at a time.

What is to be done is found in the database: a service that starts goes on where another one ended, and
several services share the work.
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
from service.exception_trace import trace_of
from service.memory import reading, rules, waiting
from service.memory.ports import Compared, Place, Ports
from service.memory.reading import Key
from service.memory.regions import KIND, locked_region
from service.memory.rules import Member
from service.memory.tables import REGION, VARIATION
from service.memory.waiting import Taken
from service.notifier import Notifier
from service.stores.port import StoreUnavailableError
from service.web.envelope import Problem
from shared.wire.memory import MemoryKind

_LOG = logging.getLogger(__name__)
_POLL_SECONDS: Final = 2.0
_STORE_SECONDS: Final = 30.0
"""So long a photo waits whose store does not answer."""
_TRIES: Final = 2
_REPEATED: Final = frozenset({"worker_died", "out_of_memory"})
"""What may go well at the next try."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is next for a memory, with none of it for an item without a place: `place` is None.

    member: the photo to compare. Without one: unneeded (item, file, kind) loses its content, removed its row;
    passed are the photos with their contents whose disagreements are to be found, None when they are known.
    basis: of the member, or of the passed photos.
    """

    place: Place | None
    member: Member | None = None
    basis: str = ""
    unneeded: Sequence[Key] = ()
    removed: Sequence[Key] = ()
    passed: Sequence[tuple[Member, bytes]] | None = None


class Making:
    """One task, which compares as long as something waits and no detection does."""

    def __init__(self, database: Database, ports: Ports) -> None:
        self._database = database
        self._ports = ports
        self._kicked = Notifier()
        self._task: asyncio.Task[None] | None = None
        self._resting = True
        self._tries: dict[str, int] = {}

    async def start(self) -> None:
        """Begin with what is left from before, and with what another version of the program compared."""

        def prepare(session: Session) -> None:
            if self._database.is_sqlite:
                # One service owns a SQLite file, so whatever was taken belongs to a process that is gone.
                waiting.give_all_back(session)
            waiting.add(session, waiting.outdated(session, self._ports.version))

        await self._database.write(prepare)
        self._task = asyncio.create_task(self._loop())

    async def stop(self) -> None:
        """End, also in the middle of a comparison, which is made again later."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def kick(self) -> None:
        """Something may wait; from any thread."""
        self._kicked.notify()

    async def _loop(self) -> None:
        while True:
            count = self._kicked.count
            try:
                if await self._work():
                    continue
            except Exception as problem:
                # An unreachable database must not stop the task permanently. The text of an exception may
                # hold SQL and values.
                _LOG.error("a memory could not be brought in line: %s; it goes on", trace_of(problem))
            if not self._resting:
                self._resting = True
                await self._ports.rest()
            await self._kicked.wait(count, _POLL_SECONDS)

    async def _work(self) -> bool:
        """Make one step for the item that waits for longest; False when there is nothing to do now."""
        if not await self._database.read(self._may_work):
            return False
        taken = await self._database.write(waiting.take)
        if taken is None:
            return False
        try:
            return await self._step(taken)
        except asyncio.CancelledError:
            await self._database.write(lambda session: waiting.give_back(session, taken))
            raise

    async def _step(self, taken: Taken) -> bool:
        plan = await self._database.read(lambda session: self._plan(session, taken.item_id))
        try:
            if plan.member is not None:
                self._resting = False
                async with self._leased(taken):
                    compared = await self._compared(plan.member, plan.basis)
                await self._database.write(lambda session: self._keep(session, taken, plan, compared))
                return True
            places: list[list[float]] = []
            if plan.passed:
                self._resting = False
                question = plan.passed[0][0].photo.question
                contents = [content for _, content in plan.passed]
                async with self._leased(taken):
                    places = await self._ports.disagreements(question, contents)
        except StoreUnavailableError:
            await self._database.write(lambda session: waiting.give_back(session, taken, _STORE_SECONDS))
            return True
        await self._database.write(lambda session: self._finish(session, taken, plan, places))
        return True

    @contextlib.asynccontextmanager
    async def _leased(self, taken: Taken) -> AsyncIterator[None]:
        """Renew the lease of an item while it is worked on."""
        renewing = asyncio.create_task(self._renew(taken))
        try:
            yield
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)

    async def _renew(self, taken: Taken) -> None:
        while True:
            await asyncio.sleep(waiting.RENEWED_AFTER.total_seconds())
            try:
                await self._database.write(lambda session: waiting.renew(session, taken))
            except Exception as problem:
                # The work goes on; the lease may run out, and another service does the same again.
                _LOG.warning("the lease of a comparison could not be renewed: %s", trace_of(problem))

    async def _compared(self, member: Member, basis: str) -> Compared | None:
        """What a photo adds; None when it is to be tried again."""
        compared = await self._ports.compare(
            member.photo.question, member.sha256, member.order, member.kind, member.judged, member.without
        )
        if compared.error in _REPEATED and self._tries.get(basis, 0) + 1 < _TRIES:
            self._tries[basis] = self._tries.get(basis, 0) + 1
            return None
        self._tries.pop(basis, None)
        return compared

    # Inside transactions

    def _may_work(self, session: Session) -> bool:
        # Asked by reading: most of the time nothing waits, and a write would hold others up.
        return waiting.is_any(session) and not self._ports.is_busy(session)

    def _place(self, session: Session, item_id: str) -> Place | None:
        try:
            return self._ports.place(session, item_id)
        except Problem:
            # The item was deleted meanwhile.
            return None

    def _plan(self, session: Session, item_id: str) -> _Plan:
        place = self._place(session, item_id)
        if place is None:
            return _Plan(None, removed=list(reading.variations_of(session, [item_id])))
        memory = reading.read(session, self._ports, place)
        chosen = rules.chosen(memory.counted, self._ports.oldest, self._ports.newest)
        for member in chosen:
            row = memory.variation(member)
            if row is None or (row.error is None and not row.has_content):
                return _Plan(place, member, member.basis(memory.version))
        # What a person leaves out may be taken in again, and counts at once then.
        every = rules.chosen(memory.members, self._ports.oldest, self._ports.newest)
        needed = {member.key for member in (*chosen, *every)}
        unneeded = [key for key, row in memory.variations.items() if row.has_content and key not in needed]
        belonging = {member.key for member in memory.members}
        stored = reading.variations_of(session, [item_id])
        removed = [key for key in stored if key not in belonging]
        passed = [
            member for member in chosen if member.kind is MemoryKind.PASSED and memory.has_content(member)
        ]
        basis = memory.basis_of(passed)
        is_known = not passed if memory.row is None else memory.row.basis == basis
        contents = None if is_known else reading.contents(session, passed)
        return _Plan(place, None, basis, unneeded, removed, contents)

    def _keep(self, session: Session, taken: Taken, plan: _Plan, compared: Compared | None) -> None:
        """Keep what a photo adds, and go on with the item; None: try again."""
        waiting.give_back(session, taken)
        member, place = plan.member, plan.place
        if compared is None or member is None or place is None:
            return
        item_id, file_id, kind = member.key
        if self._place(session, taken.item_id) != place or not self._ports.decided(session, [item_id], []):
            # Deleted or changed while it was compared.
            return
        row = {
            "item_id": item_id,
            "file_id": file_id,
            "kind": kind,
            "inspection_id": member.item.inspection_id,
            "reference_image_id": place.reference_image_id,
            "region": json.dumps(member.item.region),
            "version": self._ports.version,
            "basis": plan.basis,
            "error": compared.error,
            "differences": compared.differences,
            "content": compared.content,
        }
        insert_or_update(session, VARIATION, [row], ["item_id", "file_id", "kind"])
        _tell(session, place)

    def _finish(self, session: Session, taken: Taken, plan: _Plan, places: list[list[float]]) -> None:
        """Keep where the memory disagrees, drop what it does not need; the item waits no more."""
        waiting.done(session, taken)
        for key in plan.unneeded:
            session.execute(update(VARIATION).where(_is(key)).values(content=None))
        for key in plan.removed:
            session.execute(delete(VARIATION).where(_is(key)))
        place = plan.place
        if plan.passed is not None and place is not None and self._place(session, taken.item_id) == place:
            row = locked_region(session, self._ports, place)
            values = {"disagreements": json.dumps(places), "basis": plan.basis}
            session.execute(update(REGION).where(REGION.c.memory_id == row.memory_id).values(values))
            _tell(session, place)


def _is(key: Key) -> ColumnElement[bool]:
    item_id, file_id, kind = key
    return and_(VARIATION.c.item_id == item_id, VARIATION.c.file_id == file_id, VARIATION.c.kind == kind)


def _tell(session: Session, place: Place) -> None:
    """Have clients read the memory again; nobody did anything, so it is not audited."""
    announce(session, ObjectChange("update", KIND, place.reference_file_id, fleeting=True))
