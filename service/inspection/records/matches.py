"""Defines the regions that a record's photos are matched with, and the matches that a photo keeps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select
from sqlmodel import Session

from service.catalogue.service import find_reference_image
from service.files.lookup import file_info, find_file
from service.inspection.rules import json_text
from service.inspection.tables import ITEM, ITEM_ORDER
from shared.record.entries import EntryRegion
from shared.record.geometry import map_corners, point_to_pixels
from shared.wire.files import StoredFile
from shared.wire.inspection import ItemPoint, Place, Point
from shared.wire.photos import PhotoMatch

_ITEMS = (
    select(ITEM.c.item_id, ITEM.c.item_name, ITEM.c.item_point)
    .where(ITEM.c.inspection_id == bindparam("inspection_id"))
    .order_by(*ITEM_ORDER)
)


@dataclass(frozen=True, slots=True)
class MatchRegion:
    """A region that is looked for in a photo: x, y, w, h as the item keeps them, on a reference file.

    is_fixed: the camera does not move, so the region is where it is in the reference file.
    """

    item_id: str
    reference_file_id: str
    point: tuple[float, float, float, float]
    is_fixed: bool = False


@dataclass(frozen=True, slots=True)
class ItemRegion:
    """An item of a record; `region` is None while its region or its reference image is not known.

    `inspected` is the region as a detection keeps it.
    """

    item_id: str
    item_name: str
    region: MatchRegion | None
    reference: StoredFile | None
    inspected: EntryRegion | None = None

    def corners(self, homography: Sequence[Sequence[float]]) -> list[list[float]] | None:
        """The corners of the region in px of the photo; None when they are not known."""
        if self.region is None or self.reference is None or not self.reference.width:
            return None
        rect = point_to_pixels(*self.region.point, self.reference.width, self.reference.height or 0)
        corners = map_corners(rect, homography)
        return None if corners is None else [list(corner) for corner in corners]


def reference_file(session: Session, point: ItemPoint, image: StoredFile | None) -> StoredFile | None:
    """The file that an item's region is marked on: the one that it names, else the record's `image`."""
    if point.fileInfo is None:
        return image
    stored = find_file(session, point.fileInfo.model_dump(exclude_none=True))
    return image if stored is None else stored


def entry_region(point: Point | None, reference: StoredFile | None) -> EntryRegion | None:
    """An item's region on its reference file as a detection keeps it."""
    if point is None or reference is None:
        return None
    x, y, w, h = (float(value) for value in (point.x, point.y, point.w, point.h))
    return {"x": x, "y": y, "w": w, "h": h, "ipfs_cid": reference.ipfs_cid}


def record_image(session: Session, reference_image_id: str | None) -> StoredFile | None:
    """The file of a record's reference image; None when it has none that is known."""
    image = None if reference_image_id is None else find_reference_image(session, reference_image_id)
    return None if image is None else file_info(session, image.file_id)


def places(session: Session, inspection_id: str, reference_image_id: str | None) -> dict[str, ItemRegion]:
    """The items of a record by their ids, in their order."""
    image = record_image(session, reference_image_id)
    # Nearly all items of a record name the same file, word for word.
    files: dict[str, StoredFile | None] = {}
    items = {}
    for row in session.execute(_ITEMS, {"inspection_id": inspection_id}):
        point = ItemPoint.model_validate_json(row.item_point) if row.item_point else ItemPoint()
        file_json = "" if point.fileInfo is None else point.fileInfo.model_dump_json()
        if file_json not in files:
            files[file_json] = reference_file(session, point, image)
        file, region = files[file_json], None
        inspected = entry_region(point.point, file)
        if file is not None and inspected is not None:
            place = (inspected["x"], inspected["y"], inspected["w"], inspected["h"])
            region = MatchRegion(row.item_id, file.file_id, place, _is_fixed(point))
        items[row.item_id] = ItemRegion(row.item_id, row.item_name, region, file, inspected)
    return items


def _is_fixed(point: ItemPoint) -> bool:
    settings = (point.model_extra or {}).get("detection")
    return isinstance(settings, Mapping) and settings.get("place") == Place.FIXED


def stored_text(matches: Iterable[PhotoMatch], regions: Sequence[MatchRegion]) -> str:
    """`matches` as a photo keeps them: each with the region that was looked for."""
    of_item = {region.item_id: region for region in regions}
    return json_text(
        [
            {
                **match.model_dump(mode="json"),
                "region": [of_item[match.item_id].reference_file_id, *of_item[match.item_id].point],
            }
            for match in matches
        ]
    )


def current(text: str, item_regions: Mapping[str, ItemRegion]) -> list[PhotoMatch]:
    """The matches of a text by `stored_text` for regions that are as they were, in the order of the items."""
    of_item = {stored["item_id"]: stored for stored in json.loads(text)}
    matches = []
    for item_id, item_region in item_regions.items():
        match, region = of_item.get(item_id), item_region.region
        if match is None or region is None:
            continue
        if match["region"] == [region.reference_file_id, *region.point]:
            matches.append(PhotoMatch.model_validate(match))
    return matches
