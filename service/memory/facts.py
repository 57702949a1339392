"""Reads what the memories of regions need of other domains: the decided items of a place and their photos."""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, bindparam, or_, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from service.catalogue.service import find_reference_image
from service.detection import rules as detection_rules
from service.detection.dispatch.variations import VaryingPhoto
from service.detection.models.registry import backbone_in_use
from service.detection.tables import ModelRow
from service.files.lookup import to_stored_file
from service.files.tables import FileRow
from service.inspection import problems
from service.inspection.history.comparison import SAME_PLACE, RegionPlace, overlap, region_place
from service.inspection.history.earlier_items import MAX_SCANNED_ITEMS
from service.inspection.records.matches import record_image, reference_file
from service.inspection.tables import ITEM, PHOTO, RECORD
from shared.record.codes import Verdict
from shared.record.entries import Entry
from shared.wire.common import to_utc
from shared.wire.detection import REFERENCE_DIFFERENCE
from shared.wire.files import StoredFile
from shared.wire.inspection import ItemPoint

_ROWS_AT_ONCE = 1000
_ITEMS = (
    select(
        ITEM.c.item_id,
        ITEM.c.inspection_id,
        ITEM.c.model_id,
        ITEM.c.item_point,
        ITEM.c.result,
        RECORD.c.inspection_name,
        RECORD.c.reference_image_id,
    )
    .join(RECORD, RECORD.c.inspection_id == ITEM.c.inspection_id)
    .where(ITEM.c.item_id.in_(bindparam("ids", expanding=True)))
)
_PHOTOS = (
    select(PHOTO)
    .where(PHOTO.c.item_id.in_(bindparam("ids", expanding=True)))
    .order_by(PHOTO.c.created_at.desc(), PHOTO.c.photo_id.desc())
)
# Only for the reference difference a verdict also confirms what a memory explains.
_IS_DECIDED = (ITEM.c.verdict != str(Verdict.UNDECIDED), ITEM.c.model_id == REFERENCE_DIFFERENCE)

ItemRow = Row[*tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class _Reference:
    """The file that a region is drawn on, with its scale if it is the file of the reference image."""

    file: StoredFile
    mm_per_pixel: float | None


class Place(NamedTuple):
    """The region of an item (x, y, w, h as the item stores them) on a reference image.

    `reference_file_id`, `reference_sha256` and `content_id` are of the file that the region is drawn on;
    `size` is its size in upright px, if known.
    """

    item_id: str
    inspection_id: str
    reference_image_id: str
    reference_file_id: str
    reference_sha256: str
    content_id: str
    size: tuple[int, int] | None
    region: tuple[float, float, float, float]


class PhotoFacts(NamedTuple):
    """A photo of an item; `added_at` is in UTC without a time zone, `taken_at` in UTC, if known."""

    added_at: dt.datetime
    taken_at: dt.datetime | None
    inputs: VaryingPhoto


class ItemFacts(NamedTuple):
    """An item with a region, its result entries and its photos, the newest first."""

    item_id: str
    inspection_id: str
    record_name: str | None
    region: tuple[float, float, float, float]
    entries: Sequence[Entry]
    photos: Sequence[PhotoFacts]


class _References:
    """Finds the reference files of items; reads each only once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._references: dict[tuple[str, str], _Reference | None] = {}

    def find(self, row: ItemRow, point: ItemPoint) -> _Reference | None:
        """The reference file of an item; None if its record has no reference image or the file is gone."""
        if row.reference_image_id is None:
            return None
        file_json = "" if point.fileInfo is None else point.fileInfo.model_dump_json()
        key = row.reference_image_id, file_json
        if key not in self._references:
            self._references[key] = self._look_up(row.reference_image_id, point)
        return self._references[key]

    def _look_up(self, reference_image_id: str, point: ItemPoint) -> _Reference | None:
        image = find_reference_image(self._session, reference_image_id)
        record_file = record_image(self._session, reference_image_id)
        file = reference_file(self._session, point, record_file)
        if file is None or image is None:
            return None
        return _Reference(file, image.mm_per_pixel if file.file_id == image.file_id else None)


def find_place(session: Session, item_id: str) -> Place | None:
    """The place of an item; None for an item without a region on a reference image. Raises Problem 404."""
    row = session.execute(_ITEMS, {"ids": [item_id]}).one_or_none()
    if row is None:
        raise problems.no_item()
    point = _point(row)
    region, reference = _region(point), _References(session).find(row, point)
    if region is None or reference is None:
        return None
    file = reference.file
    size = (file.width, file.height) if file.width and file.height else None
    return Place(
        item_id,
        row.inspection_id,
        row.reference_image_id,
        file.file_id,
        file.sha256,
        file.ipfs_cid,
        size,
        region,
    )


def item_ids_at_place(
    session: Session, place: Place, since: dt.datetime | None, until: dt.datetime | None
) -> list[str]:
    """The items with a verdict at the place whose model compares with the reference image, newest first.

    With times (UTC) only those that may have been decided after the first and before the second.
    """
    record, item = RECORD.c, ITEM.c
    query: Select[Any] = (
        select(ITEM.c.item_id, ITEM.c.item_point)
        .join(RECORD, RECORD.c.inspection_id == ITEM.c.inspection_id)
        .where(RECORD.c.reference_image_id == place.reference_image_id, *_IS_DECIDED)
        .order_by(record.created_at.desc(), record.inspection_id.desc(), item.created_at.desc(), item.item_id)
        .limit(MAX_SCANNED_ITEMS)
    )
    # A verdict changes its item, and a record is created before it is decided.
    if since is not None:
        query = query.where(ITEM.c.updated_at >= since.replace(tzinfo=None))
    if until is not None:
        query = query.where(RECORD.c.created_at < until.replace(tzinfo=None))
    target = RegionPlace(place.region, place.content_id)
    shares: dict[str | None, float] = {}
    item_ids = []
    with session.execute(query.execution_options(yield_per=_ROWS_AT_ONCE)) as rows:
        for item_id, item_point in rows:
            if item_point not in shares:
                candidate = region_place(item_point)
                shares[item_point] = 0.0 if candidate is None else overlap(target, candidate, place.size)
            if shares[item_point] >= SAME_PLACE:
                item_ids.append(item_id)
    return item_ids


def share_at_place(place: Place, region: tuple[float, float, float, float]) -> float:
    """The overlap of a region with the place, 0..1; 0 for another place."""
    share = overlap(RegionPlace(place.region, None), RegionPlace(region, None), place.size)
    return share if share >= SAME_PLACE else 0.0


def decided_item_ids(session: Session, items: Collection[str], records: Collection[str]) -> list[str]:
    """Those of these items, and of the items of these records, with a verdict and a reference comparison."""
    changed = or_(ITEM.c.item_id.in_(items), ITEM.c.inspection_id.in_(records))
    return list(session.execute(select(ITEM.c.item_id).where(changed, *_IS_DECIDED)).scalars())


def item_facts(session: Session, item_ids: Sequence[str]) -> Iterator[ItemFacts]:
    """The facts of those of these items that exist."""
    rows = session.execute(_ITEMS, {"ids": list(item_ids)}).all()
    photos: defaultdict[str, list[ItemRow]] = defaultdict(list)
    for photo in session.execute(_PHOTOS, {"ids": list(item_ids)}):
        photos[photo.item_id].append(photo)
    files = _files(session, {photo.file_id for item_photos in photos.values() for photo in item_photos})
    references = _References(session)
    model = session.get(ModelRow, REFERENCE_DIFFERENCE)
    model_settings = {} if model is None else dict(model.settings)
    backbone = backbone_in_use(session)
    for row in rows:
        point = _point(row)
        region, reference = _region(point), references.find(row, point)
        settings = detection_rules.item_settings((point.model_extra or {}).get("detection"))
        if row.model_id != REFERENCE_DIFFERENCE or region is None or reference is None or settings is None:
            continue
        entries: list[Entry] = json.loads(row.result)

        def photo_facts(
            photo: ItemRow, base: _Reference = reference, point: Any = region, item_settings: Any = settings
        ) -> PhotoFacts:
            file = files[photo.file_id]
            is_aligned = photo.homography is not None and photo.reference_file_id == base.file.file_id
            inputs = VaryingPhoto(
                photo_file_id=file.file_id,
                photo_sha256=file.sha256,
                reference_file_id=base.file.file_id,
                reference_sha256=base.file.sha256,
                point=point,
                mm_per_pixel=base.mm_per_pixel,
                model_settings=model_settings,
                settings=detection_rules.for_photo(item_settings, file.file_id).model_dump(mode="json"),
                place=json.loads(photo.homography) if is_aligned else None,
                place_by_person=is_aligned and photo.assigned == "person",
                backbone=backbone,
            )
            return PhotoFacts(photo.created_at, _taken_at(file), inputs)

        item_photos = [photo_facts(photo) for photo in photos[row.item_id] if photo.file_id in files]
        yield ItemFacts(row.item_id, row.inspection_id, row.inspection_name, region, entries, item_photos)


def _point(row: ItemRow) -> ItemPoint:
    return ItemPoint.model_validate_json(row.item_point) if row.item_point else ItemPoint()


def _region(point: ItemPoint) -> tuple[float, float, float, float] | None:
    if point.point is None:
        return None
    rect = point.point
    try:
        return float(rect.x), float(rect.y), float(rect.w), float(rect.h)
    except OverflowError:
        return None


def _files(session: Session, file_ids: Collection[str]) -> Mapping[str, StoredFile]:
    rows = session.exec(select_rows(FileRow).where(col(FileRow.file_id).in_(file_ids)))
    return {row.file_id: to_stored_file(row) for row in rows}


def _taken_at(file: StoredFile) -> dt.datetime | None:
    """When a photo was taken, in UTC; None if the camera stored no time or no time zone."""
    text = None if file.camera is None else file.camera.taken_at
    try:
        taken_at = None if text is None else dt.datetime.fromisoformat(text)
        return None if taken_at is None or taken_at.tzinfo is None else to_utc(taken_at)
    except ValueError:
        return None
