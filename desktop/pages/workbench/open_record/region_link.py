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
    followed,
    item_detection_settings,
    pixels,
    with_areas,
)
from desktop.pages.workbench.model.document import Document, ItemView, fraction_point
from desktop.pages.workbench.model.item_rows import ItemRow
from desktop.pages.workbench.model.reference_file import ReferenceFile, of_item, same_file
from shared.geometry import Rect, pixels_to_point


@dataclass(frozen=True, slots=True)
class ShownRegions:
    """The region of each row, None where it has none, on a picture of `size` (px)."""

    size: tuple[int, int] = (0, 0)
    rows: Sequence[ItemRow] = ()
    regions: Sequence[Region | None] = ()


@dataclass(slots=True)
class RegionLink:
    """Keeps a region store in step with a document.

    `file` is the picture on view, `record_file` that of the record's reference image, `size` its upright px,
    (0, 0) until it is loaded. Only items that are marked on `file` are shown. Locked, hidden and in front are
    properties of the view, not of the item, and last as long as the record is open.
    """

    store: RegionStore
    size: tuple[int, int] = (0, 0)
    file: ReferenceFile | None = None
    record_file: ReferenceFile | None = None
    pasted: Mapping[str, CopiedItem] = field(default_factory=dict)
    """What was copied elsewhere and is being pasted, by the ids that the copies name."""
    _looks: dict[str, Region] = field(default_factory=dict)
    _shown: ShownRegions = field(default_factory=ShownRegions)
    _touched: set[str] = field(default_factory=set)
    """Items that look different from `_shown`."""

    def show(self, items: Sequence[ItemView], rows: Sequence[ItemRow]) -> None:
        """Show every item that has a region."""
        if self.size[0] <= 0:
            self.store.replace(())
            return
        self._shown = self.worked_out(items, rows, self.size)
        self._touched.clear()
        self.store.replace([region for region in self._shown.regions if region is not None])

    def worked_out(
        self, items: Sequence[ItemView], rows: Sequence[ItemRow], size: tuple[int, int]
    ) -> ShownRegions:
        """The regions on a picture of this size, for `take`; may be called from any thread."""
        before = self._shown if self._shown.size == size else ShownRegions()
        # An item that did not change has the very same row, mostly in the same place.
        stay = list(map(is_, rows, before.rows))
        other = [index for index, same in enumerate(stay) if not same]
        if self._touched:
            other += [index for index, row in enumerate(rows[: len(stay)]) if row.item_id in self._touched]
        regions: list[Region | None] = [*before.regions[: len(stay)], *[None] * (len(rows) - len(stay))]
        for index in (*other, *range(len(stay), len(rows))):
            item = items[index]
            regions[index] = self._region(item, rows[index], size) if self.shows(item) else None
        return ShownRegions(size, rows, regions)

    def take(self, shown: ShownRegions, size: tuple[int, int]) -> None:
        """Set the loaded picture and the result of `worked_out` for it."""
        self._shown, self.size = shown, size

    def shows(self, item: ItemView) -> bool:
        """True when the item is marked on the picture on view."""
        return same_file(of_item(item, self.record_file), self.file)

    def show_file(self, file: ReferenceFile | None) -> bool:
        """Show `file` from now on, without a size until it is loaded; False when it was shown before."""
        same = same_file(file, self.file)
        self.file = file
        if not same:
            self.size = (0, 0)
            self._shown = ShownRegions()
        return not same

    def _region(self, item: ItemView, row: ItemRow, size: tuple[int, int]) -> Region | None:
        rect = item.region(*size)
        if rect is None or rect.empty:
            return None
        note = "" if row.best is None else f"{row.best:.2f}"
        region = Region(item.item_id, rect, row.number, row.name, row.state, note)
        before = self._looks.get(item.item_id)
        if before is not None:
            region = replace(region, locked=before.locked, hidden=before.hidden, z=before.z)
        return region

    def edits(
        self,
        document: Document,
        change: RegionChange,
        name_of: Callable[[int], str],
        model_id: str | None,
    ) -> list[Edit]:
        """Return the edits for drawn or changed regions; changes of looks are applied at once."""
        before = {region.id for region in change.before}
        edits: list[Edit | None] = []
        count = len(document.items)
        for region in change.after:
            self._looks[region.id] = region
            self._touched.add(region.id)
            if region.id in before:
                point = self.point(region.rect, document.item(region.id))
                edits.append(document.change(region.id, change.step.value, {"item_point": point}))
            else:
                count += 1
                fields = {
                    "item_name": region.label or name_of(count),
                    "item_point": self.point(region.rect, None),
                    "model_id": model_id,
                    **self._carried(document, region),
                }
                edits.append(document.make(change.step.value, fields, region.id))
        return [edit for edit in edits if edit is not None]

    def _carried(self, document: Document, region: Region) -> dict[str, Any]:
        """The fields that a copy takes over from its original; empty for a new region."""
        original = document.item(region.copy_of) if region.copy_of else None
        copied = copy_of(original, self.size) if original is not None else self.pasted.get(region.copy_of)
        if copied is None:
            return {}
        return fields_of(copied, self.point(region.rect, None), pixels_to_point(region.rect, *self.size))

    def point(self, rect: Rect, item: ItemView | None) -> dict[str, Any]:
        """`item_point` for a region, with the item's other values."""
        width, height = self.size
        whole = dict(item.item_point or {}) if item is not None else {}
        now = item.region(width, height) if item is not None else None
        if now == rect:
            return whole
        whole["point"] = {**(whole.get("point") or {}), **fraction_point(rect, width, height)}
        areas = item_detection_settings(whole).ignored
        if areas and now is not None:
            whole = with_areas(whole, followed(pixels(areas, self.size), now, rect), self.size)
        if self.file is not None and self.file.info.get("download_url") and not whole.get("fileInfo"):
            whole["fileInfo"] = dict(self.file.info)
        return whole
