"""Matches a record's photos with the regions of its items, beside the requests."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import update
from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.db.database import Database
from service.exception_trace import trace_of
from service.inspection.records import matches
from service.inspection.records.matches import MatchRegion
from service.inspection.records.record_photos import RecordPhotos
from service.inspection.tables import RECORD_PHOTO
from service.tasks import end_tasks
from service.web.envelope import Problem
from service.web.security import Caller
from shared.wire.photos import PhotoMatch, PhotoState, RecordPhoto

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Question:
    inspection_id: str
    photo_id: str
    file_id: str
    regions: Sequence[MatchRegion]
    caller: Caller


MatchPhoto = Callable[[str, Sequence[MatchRegion]], Awaitable[tuple[str | None, list[PhotoMatch]]]]
"""Finds which of the regions the photo of a file shows; returns an error code or None, and the matches.

A function of detection, which is above.
"""


class Matching:
    """At most one matching of a photo at a time, and one of all computed at a time."""

    def __init__(self, database: Database, photos: RecordPhotos, match_photo: MatchPhoto) -> None:
        self._database = database
        self._match_photo = match_photo
        self._photos = photos
        self._tasks: dict[str, asyncio.Task[None]] = {}
        # Many photos come at once; one at a time asks, so that detections have their turns in between.
        self._lock = asyncio.Lock()

    async def match(self, inspection_id: str, photo_id: str, wait: float, caller: Caller) -> RecordPhoto:
        """Match the photo again, or join the matching that is under way, and wait up to `wait` seconds.

        Gives the photo as it is then. Raises Problem 404, and 409 when the record is sealed.
        """
        joins = photo_id in self._tasks
        question = await self._database.write(
            lambda session: self._start_matching(session, inspection_id, photo_id, joins, caller)
        )
        # Another request may have begun it meanwhile, or the one that was joined has ended.
        task = self._tasks.get(photo_id)
        if task is None and joins:
            return await self._photos.get(inspection_id, photo_id)
        if task is None:
            task = self._tasks[photo_id] = asyncio.create_task(self._run(question))
        await asyncio.wait({task}, timeout=wait)
        return await self._photos.get(inspection_id, photo_id)

    async def stop(self) -> None:
        """Give up what is under way; it stays waiting, and is matched when someone asks for it again."""
        await end_tasks(*self._tasks.values())

    def _start_matching(
        self, session: Session, inspection_id: str, photo_id: str, joins: bool, caller: Caller
    ) -> _Question:
        record, photo = self._photos.lock(session, inspection_id, photo_id)
        if not joins:
            values = {"state": str(PhotoState.WAITING), "error": None}
            session.execute(update(RECORD_PHOTO).where(RECORD_PHOTO.c.photo_id == photo_id).values(values))
        item_regions = matches.places(session, inspection_id, record.reference_image_id)
        regions = [
            item_region.region for item_region in item_regions.values() if item_region.region is not None
        ]
        return _Question(inspection_id, photo_id, photo.file_id, regions, caller)

    async def _run(self, question: _Question) -> None:
        try:
            async with self._lock:
                error, answer = await self._answer(question)
            await self._database.write(lambda session: self._store_answer(session, question, error, answer))
        except Exception as problem:
            # A database that is away: the photo stays waiting.
            _LOG.error("a matching could not be stored: unexpected %s", trace_of(problem))
        finally:
            self._tasks.pop(question.photo_id, None)

    async def _answer(self, question: _Question) -> tuple[str | None, Sequence[PhotoMatch]]:
        try:
            return await self._match_photo(question.file_id, question.regions)
        except Exception as problem:
            # The text of an exception may hold SQL and values.
            _LOG.error("a photo could not be matched: unexpected %s", trace_of(problem))
            return "internal", ()

    def _store_answer(
        self, session: Session, question: _Question, error: str | None, answer: Sequence[PhotoMatch]
    ) -> None:
        try:
            self._photos.lock(session, question.inspection_id, question.photo_id)
        except Problem:
            # The photo or its record was deleted, or the record sealed, meanwhile.
            return
        if error is not None:
            state = PhotoState.FAILED
        else:
            state = PhotoState.MATCHED if any(match.covered for match in answer) else PhotoState.UNMATCHED
        values = {
            "state": str(state),
            "error": error,
            "matches": matches.stored_text(answer, question.regions),
        }
        of_photo = RECORD_PHOTO.c.photo_id == question.photo_id
        session.execute(update(RECORD_PHOTO).where(of_photo).values(values))
        caller = question.caller
        # A proposal is not an action of a user: it is announced to clients and not audited.
        change = ObjectChange(
            "update", "record", question.inspection_id, caller.user_id, caller.address, unaudited=True
        )
        announce(session, change)
