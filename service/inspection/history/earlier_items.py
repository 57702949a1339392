"""Reads the earlier items at the place of an item, with what the service knows of each."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import and_, bindparam, or_, select
from sqlmodel import Session

from service.catalogue.service import find_reference_image
from service.inspection import problems, sources
from service.inspection.history.comparison import SAME_PLACE, RegionPlace, Size, overlap, region_place
from service.inspection.tables import ITEM, RECORD
from shared.record import results
from shared.record.entries import Entry, EntryCorrection, EntryVerdict
from shared.record.geometry import Rect
from shared.wire.common import ItemTime
from shared.wire.history import Corners

MAX_SCANNED_ITEMS = 20_000
"""So many of the newest items on a reference image are looked through at most."""
_AT_ONCE = 1000
_TIME: TypeAdapter[dt.datetime] = TypeAdapter(ItemTime)


class PresentItem(NamedTuple):
    """The item whose place is asked for."""

    item_point: str | None
    result: str
    inspection_id: str
    reference_image_id: str | None
    created_at: dt.datetime


class PastItem(NamedTuple):
    """An earlier item at that place, with its record."""

    item_id: str
    item_name: str
    result: str
    inspection_id: str
    inspection_name: str | None
    inspection_status: str
    start_time: dt.datetime | None
    created_at: dt.datetime
    executor_id: str | None
    executor_name: str | None


@dataclass(frozen=True, slots=True)
class AtPlace:
    """An item, the size of its reference image (upright, px) where known, and the earlier items at its place.

    `earlier` holds the items with the overlap of their regions, 0..1, newest first.
    """

    present: PresentItem
    size: Size | None
    earlier: Sequence[tuple[PastItem, float]]


class EarlierItems:
    """Finds the items at a place."""

    def __init__(self) -> None:
        item, record, executors = ITEM.c, RECORD.c, sources.executors.c
        self._present = (
            select(
                item.item_point,
                item.result,
                record.inspection_id,
                record.reference_image_id,
                record.created_at,
            )
            .join(RECORD, record.inspection_id == item.inspection_id)
            .where(item.item_id == bindparam("item_id"))
        )
        # The index of the reference image gives the records in this order, that of the items theirs. The
        # results are long: only those of the items at the place are read, afterwards.
        self._earlier = (
            select(item.item_id, item.item_point)
            .select_from(RECORD)
            .join(ITEM, item.inspection_id == record.inspection_id)
            .where(
                record.reference_image_id == bindparam("reference_image_id"),
                record.created_at <= bindparam("created_at"),
                or_(
                    record.created_at < bindparam("created_at"),
                    and_(
                        record.created_at == bindparam("created_at"),
                        record.inspection_id < bindparam("inspection_id"),
                    ),
                ),
            )
            .order_by(
                record.created_at.desc(), record.inspection_id.desc(), item.created_at.desc(), item.item_id
            )
            .limit(bindparam("most"))
            .execution_options(yield_per=_AT_ONCE)
        )
        self._past_items = (
            select(
                item.item_id,
                item.item_name,
                item.result,
                record.inspection_id,
                record.inspection_name,
                record.inspection_status,
                record.start_time,
                record.created_at,
                record.executor_id,
                executors.name_with_username.label("executor_name"),
            )
            .select_from(ITEM)
            .join(RECORD, record.inspection_id == item.inspection_id)
            .outerjoin(sources.executors, executors.id == record.executor_id)
            .where(item.item_id.in_(bindparam("item_ids", expanding=True)))
        )

    def of_item(self, session: Session, item_id: str, limit: int) -> AtPlace:
        """The item and the newest `limit` earlier ones at its place. Raises Problem 404.

        None earlier for an item without a region or a record without a reference image. Of the items on the
        image, the newest `MAX_SCANNED_ITEMS` count.
        """
        row = session.execute(self._present, {"item_id": item_id}).one_or_none()
        if row is None:
            raise problems.no_item()
        present = PresentItem._make(row)
        present_place = region_place(present.item_point)
        if present_place is None or present.reference_image_id is None:
            return AtPlace(present, None, ())
        image = find_reference_image(session, present.reference_image_id)
        size = None
        if image is not None and image.width is not None and image.height is not None:
            size = (image.width, image.height)
        values = {
            "reference_image_id": present.reference_image_id,
            "created_at": present.created_at,
            "inspection_id": present.inspection_id,
            "most": MAX_SCANNED_ITEMS,
        }
        rows = session.execute(self._earlier, values)
        try:
            shares = _at_place(rows, present_place, size, limit)
        finally:
            rows.close()
        by_id = {item.item_id: item for item in self.read(session, list(shares))}
        return AtPlace(present, size, [(by_id[past_id], share) for past_id, share in shares.items()])

    def read(self, session: Session, item_ids: Sequence[str]) -> list[PastItem]:
        """The items with these ids, with their records, in no order."""
        return [PastItem._make(row) for row in session.execute(self._past_items, {"item_ids": item_ids})]


def _at_place(
    items: Iterable[tuple[str, str | None]], place: RegionPlace, size: Size | None, limit: int
) -> dict[str, float]:
    """The ids of the first `limit` items whose region is the place `here`, with the overlap."""
    shares: dict[str, float] = {}
    # Records that start with those of the last one share their regions, letter by letter.
    known_shares: dict[str | None, float] = {}
    for item_id, item_point in items:
        share = known_shares.get(item_point)
        if share is None:
            item_place = region_place(item_point)
            share = known_shares[item_point] = 0.0 if item_place is None else overlap(place, item_place, size)
        if share >= SAME_PLACE:
            shares[item_id] = share
            if len(shares) == limit:
                break
    return shares


def corners(rect: Rect) -> Corners:
    """A rectangle as the answers give it."""
    return Corners(x1=rect.x, y1=rect.y, x2=rect.right, y2=rect.bottom)


def detection_author(detection: Entry | None) -> tuple[str | None, dt.datetime | None]:
    """Who found the findings of a detection, and when: the person who corrected them, else the model."""
    if detection is None:
        return None, None
    if results.is_correction(detection):
        correction = detection["correction"]
        return author_name(correction), parse_time(correction.get("at"))
    origin = detection.get("provenance")
    if not isinstance(origin, Mapping):
        return None, None
    model = origin.get("model_name")
    return model if isinstance(model, str) else None, parse_time(origin.get("finished_at"))


def read_verdict(entries: Sequence[Entry]) -> EntryVerdict:
    """What a person said of these entries; empty where no verdict counts."""
    current = results.current_entry(entries)
    return current["verdict"] if current is not None and results.is_verdict(current) else EntryVerdict()


def author_name(authorship: EntryVerdict | EntryCorrection) -> str | None:
    """The name of the person who said it, else the id."""
    return next(
        (name for name in (authorship.get("by_name"), authorship.get("by")) if isinstance(name, str)),
        None,
    )


def parse_time(value: object) -> dt.datetime | None:
    """A time as an entry holds it; None for anything else."""
    # A client may have written anything there.
    try:
        return _TIME.validate_python(value)
    except ValidationError:
        return None
