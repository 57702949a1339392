"""Identifies the picture that a region is drawn on: the record's reference image or the item's file.

Detection uses the file that the item names, so the canvas shows the same one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from desktop.pages.workbench.model.document import ItemView
from shared.record import content
from shared.wire.catalogue import ReferenceImage


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
