"""Converts items to regions on the canvas, and drawn regions to edits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any

from pydantic import BaseModel, Field

from desktop.canvas.model.regions import Region, RegionChange, RegionStore
from desktop.journal import Edit
from desktop.record.detection_settings import (
    DETECTION,
    item_detection_settings,
    move_areas,
    move_with_region,
    pixels,
    with_areas,
    with_settings,
)
from desktop.record.document import Document, ItemView, fraction_point
from desktop.record.item_rows import ItemRow
from shared.record import content
from shared.record.entries import EntryRegion
from shared.record.geometry import Rect, pixels_to_point
from shared.wire.catalogue import ReferenceImage


class CopiedItem(BaseModel):
    """A copied item. `place` is its region x, y, w, h in fractions of its reference image."""

    description: str | None = Field(default=None, max_length=20_000)
    model_id: str | None = Field(default=None, max_length=255)
    place: tuple[float, float, float, float]
    detection: dict[str, Any] | None = None


def copy_of(item: ItemView, size: tuple[int, int]) -> CopiedItem | None:
    """The copied data of `item`; None if it has no region.

    `size` is the size of its reference image in px.
    """
    rect = item.region(*size)
    if rect is None or rect.is_empty:
        return None
    place = pixels_to_point(rect, *size)
    detection = (item.item_point or {}).get(DETECTION)
    return CopiedItem.model_construct(
        description=item.description,
        model_id=item.model_id,
        place=(place.x, place.y, place.w, place.h),
        detection=detection,
    )


def fields_of(copy: CopiedItem, item_point: Mapping[str, Any], place: Rect) -> dict[str, Any]:
    """The fields of the item that a copy becomes at `place` (fractions), whose `item_point` is given."""
    point = dict(item_point)
    settings = item_detection_settings({DETECTION: copy.detection})
    if settings.readable:
        point = with_settings(point, move_with_region(settings, Rect(*copy.place), place))
    elif copy.detection is not None:
        point[DETECTION] = copy.detection
    return {"item_point": point, "description": copy.description, "model_id": copy.model_id}


@dataclass(frozen=True, slots=True)
class ReferenceFile:
    """A reference file. `info` is its fileInfo for new items. `image` is None if only items name the file."""

    info: Mapping[str, Any]
    image: ReferenceImage | None = None

    @property
    def name(self) -> str:
        """The name for the user."""
        filename = str(self.info.get("filename") or "")
        return filename or (self.image.reference_image_name if self.image is not None else "")

    @property
    def mm_per_pixel(self) -> float | None:
        """The scale; None if it is unknown."""
        return self.image.mm_per_pixel if self.image is not None else None


def same_file(first: ReferenceFile | None, second: ReferenceFile | None) -> bool:
    """True when both are the same file, or both are None."""
    if first is None or second is None:
        return first is second
    return first is second or content.is_same_file(first.info, second.info)


def record_file(image: ReferenceImage | None) -> ReferenceFile | None:
    """The file of a record's reference image; None if there is none."""
    if image is None:
        return None
    names = ("download_url", "filename", "ipfs_cid", "mime_type", "size")
    return ReferenceFile({name: getattr(image, name) for name in names}, image)


def item_file(item: ItemView | None, home: ReferenceFile | None) -> ReferenceFile | None:
    """The file of an item's region: the one that the item names, or else `home`, that of its record."""
    info = ((item.item_point or {}) if item is not None else {}).get("fileInfo") or {}
    is_named = content.names_other_file(info, None if home is None else home.info)
    return ReferenceFile(info) if is_named else home


def inspected_region(item: ItemView, home: ReferenceFile | None) -> EntryRegion | None:
    """The item's region as a detection keeps it; `home` is the file of its record."""
    point, file = (item.item_point or {}).get("point"), item_file(item, home)
    if not point or file is None:
        return None
    x, y, w, h = (float(point[side]) for side in ("x", "y", "w", "h"))
    return {"x": x, "y": y, "w": w, "h": h, "ipfs_cid": file.info.get("ipfs_cid")}


@dataclass(frozen=True, slots=True)
class ShownRegions:
    """The region of each row, or None, on a picture of `size` (px)."""

    size: tuple[int, int] = (0, 0)
    rows: Sequence[ItemRow] = ()
    regions: Sequence[Region | None] = ()


@dataclass(slots=True)
class RegionLink:
    """Synchronizes a region store with a document.

    `file` is the displayed picture, `record_file` the record's reference image, `size` the upright size of
    `file` in px, (0, 0) until it is loaded. Only items with a region on `file` are shown. Locked, hidden and
    z are properties of the view, not of the item, and are kept while the record is open.
    """

    store: RegionStore
    size: tuple[int, int] = (0, 0)
    file: ReferenceFile | None = None
    record_file: ReferenceFile | None = None
    paste_sources: Mapping[str, CopiedItem] = field(default_factory=dict)
    """The copied items that are being pasted, by the `copy_of` of their regions."""
    _view_states: dict[str, Region] = field(default_factory=dict)
    _shown_regions: ShownRegions = field(default_factory=ShownRegions)
    _changed_ids: set[str] = field(default_factory=set)
    """Ids of items whose view state differs from `_shown_regions`."""

    def show(self, items: Sequence[ItemView], rows: Sequence[ItemRow]) -> None:
        """Show all items that have a region."""
        if self.size[0] <= 0:
            self.store.replace(())
            return
        self._shown_regions = self.compute_regions(items, rows, self.size)
        self._changed_ids.clear()
        self.store.replace([region for region in self._shown_regions.regions if region is not None])

    def compute_regions(
        self, items: Sequence[ItemView], rows: Sequence[ItemRow], size: tuple[int, int]
    ) -> ShownRegions:
        """Compute the regions on a picture of this size, for `set_regions`. May be called from any thread."""
        previous = self._shown_regions if self._shown_regions.size == size else ShownRegions()
        # An unchanged item has the same row object, mostly at the same index.
        unchanged = list(map(is_, rows, previous.rows))
        changed_indexes = [index for index, is_same in enumerate(unchanged) if not is_same]
        if self._changed_ids:
            changed_indexes += [
                index for index, row in enumerate(rows[: len(unchanged)]) if row.item_id in self._changed_ids
            ]
        regions: list[Region | None] = [
            *previous.regions[: len(unchanged)],
            *[None] * (len(rows) - len(unchanged)),
        ]
        for index in (*changed_indexes, *range(len(unchanged), len(rows))):
            item = items[index]
            regions[index] = self._region(item, rows[index], size) if self.shows(item) else None
        return ShownRegions(size, rows, regions)

    def set_regions(self, regions: ShownRegions, size: tuple[int, int]) -> None:
        """Set the loaded picture and the result of `compute_regions` for it."""
        self._shown_regions, self.size = regions, size

    def shows(self, item: ItemView) -> bool:
        """Whether the region of the item is on the displayed picture."""
        return same_file(item_file(item, self.record_file), self.file)

    def show_file(self, file: ReferenceFile | None) -> bool:
        """Switch to `file`, whose size is unknown until it is loaded. Returns False if it is displayed
        already."""
        is_same = same_file(file, self.file)
        self.file = file
        if not is_same:
            self.size = (0, 0)
            self._shown_regions = ShownRegions()
        return not is_same

    def _region(self, item: ItemView, row: ItemRow, size: tuple[int, int]) -> Region | None:
        rect = item.region(*size)
        if rect is None or rect.is_empty:
            return None
        note = "" if row.best is None else f"{row.best:.2f}"
        region = Region(item.item_id, rect, row.number, row.name, row.state, note)
        previous = self._view_states.get(item.item_id)
        if previous is not None:
            region = replace(region, locked=previous.locked, hidden=previous.hidden, z=previous.z)
        return region

    def edits(
        self,
        document: Document,
        change: RegionChange,
        names: Iterator[str],
        model_id: str | None,
    ) -> list[Edit]:
        """Return the edits for changed regions. Changes of the view state are stored immediately.

        `names` gives the names of new regions without a label.
        """
        previous = {region.id for region in change.before}
        edits: list[Edit | None] = []
        for region in change.after:
            self._view_states[region.id] = region
            self._changed_ids.add(region.id)
            if region.id in previous:
                point = self.point(region.rect, document.item(region.id))
                edits.append(document.change(region.id, change.step.value, {"item_point": point}))
            else:
                fields = {
                    "item_name": region.label or next(names),
                    "item_point": self.point(region.rect, None),
                    "model_id": model_id,
                    **self._copied_fields(document, region),
                }
                edits.append(document.make(change.step.value, fields, region.id))
        return [edit for edit in edits if edit is not None]

    def _copied_fields(self, document: Document, region: Region) -> dict[str, Any]:
        """The fields that a copy inherits from its original; empty for a new region."""
        original = document.item(region.copy_of) if region.copy_of else None
        copied = (
            copy_of(original, self.size) if original is not None else self.paste_sources.get(region.copy_of)
        )
        if copied is None:
            return {}
        return fields_of(copied, self.point(region.rect, None), pixels_to_point(region.rect, *self.size))

    def point(self, rect: Rect, item: ItemView | None) -> dict[str, Any]:
        """The `item_point` for a region, with the item's other values."""
        width, height = self.size
        item_point = dict(item.item_point or {}) if item is not None else {}
        present_rect = item.region(width, height) if item is not None else None
        if present_rect == rect:
            return item_point
        item_point["point"] = {**(item_point.get("point") or {}), **fraction_point(rect, width, height)}
        areas = item_detection_settings(item_point).ignored
        if areas and present_rect is not None:
            item_point = with_areas(
                item_point, move_areas(pixels(areas, self.size), present_rect, rect), self.size
            )
        if self.file is not None and self.file.info.get("download_url") and not item_point.get("fileInfo"):
            item_point["fileInfo"] = dict(self.file.info)
        return item_point
