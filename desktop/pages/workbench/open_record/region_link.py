"""Converts items to regions on the canvas, and drawn regions to edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any

from desktop.canvas.model.regions import Region, RegionChange, RegionStore
from desktop.journal import Edit
from desktop.pages.workbench.model.copied_item import CopiedItem, copy_of, fields_of
from desktop.pages.workbench.model.detection_settings import (
    item_detection_settings,
    move_areas,
    pixels,
    with_areas,
)
from desktop.pages.workbench.model.document import Document, ItemView, fraction_point
from desktop.pages.workbench.model.item_rows import ItemRow
from desktop.pages.workbench.model.reference_file import ReferenceFile, item_file, same_file
from shared.record.geometry import Rect, pixels_to_point


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
        name_of: Callable[[int], str],
        model_id: str | None,
    ) -> list[Edit]:
        """Return the edits for changed regions. Changes of the view state are stored immediately."""
        previous = {region.id for region in change.before}
        edits: list[Edit | None] = []
        count = len(document.items)
        for region in change.after:
            self._view_states[region.id] = region
            self._changed_ids.add(region.id)
            if region.id in previous:
                point = self.point(region.rect, document.item(region.id))
                edits.append(document.change(region.id, change.step.value, {"item_point": point}))
            else:
                count += 1
                fields = {
                    "item_name": region.label or name_of(count),
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
