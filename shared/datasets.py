"""Writes the parts of object detection datasets: COCO documents, YOLO labels and `data.yaml`.

Sources: https://cocodataset.org/#format-data and https://docs.ultralytics.com/datasets/detect/.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from shared import __version__
from shared.record.geometry import Rect

_JOINERS: Final = "\u200c\u200d"
"""Hold the parts of an emoji together, and letters of Persian and Indian scripts apart or together."""


@dataclass(frozen=True, slots=True)
class DatasetPicture:
    """A picture of a dataset: its file name there, its upright size in px and its content id if known."""

    file_name: str
    width: int
    height: int
    content_id: str | None = None


@dataclass(frozen=True, slots=True)
class DatasetBox:
    """A box in px of the upright picture with this file name. `extra_keys` are keys beyond COCO."""

    file_name: str
    category: str
    rect: Rect
    extra_keys: Mapping[str, Any] = field(default_factory=dict)


def build_coco_document(
    name: str,
    pictures: Iterable[DatasetPicture],
    boxes: Iterable[DatasetBox],
    categories: Sequence[str] | None = None,
) -> str:
    """Return a COCO dataset as JSON text. Its default categories are those of the boxes, in their order."""
    boxes = list(boxes)
    pictures = list(pictures)
    image_ids = {picture.file_name: number for number, picture in enumerate(pictures, 1)}
    names = dict.fromkeys(box.category for box in boxes) if categories is None else categories
    category_ids = {category: number for number, category in enumerate(names, 1)}
    document = {
        "info": {"description": name, "version": "1", "contributor": f"Walkaround {__version__}"},
        "licenses": [],
        "images": [
            {
                "id": image_ids[picture.file_name],
                "file_name": picture.file_name,
                "width": picture.width,
                "height": picture.height,
                "ipfs_cid": picture.content_id,
            }
            for picture in pictures
        ],
        "categories": [
            {"id": number, "name": category, "supercategory": ""} for category, number in category_ids.items()
        ],
        "annotations": [
            {
                "id": number,
                "image_id": image_ids[box.file_name],
                "category_id": category_ids[box.category],
                "bbox": [box.rect.x, box.rect.y, box.rect.w, box.rect.h],
                "area": box.rect.area,
                "iscrowd": 0,
                "segmentation": [],
                **box.extra_keys,
            }
            for number, box in enumerate(boxes, 1)
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)


def yolo_row(number: int, rect: Rect, width: int, height: int) -> str:
    """Return the line for a box of class `number` in a picture of this size (px); "" for a box outside of it.

    Twelve decimals resolve a millionth of a pixel in the largest picture.
    """
    inside = rect.clamp(width, height)
    if inside.is_empty:
        return ""
    values = (
        (inside.x + inside.w / 2) / width,
        (inside.y + inside.h / 2) / height,
        inside.w / width,
        inside.h / height,
    )
    return f"{number} {' '.join(f'{value:.12f}' for value in values)}\n"


def yolo_yaml(classes: Iterable[str], folders: Mapping[str, str]) -> str:
    """Return the `data.yaml` of a dataset with these classes; `folders` maps uses to folders of pictures.

    Without `path`, which Ultralytics reads as relative to the folder where it runs, the folders are relative
    to the file.
    """
    # Every JSON string is also a YAML string.
    rows = "".join(
        f"  {number}: {json.dumps(name, ensure_ascii=False)}\n" for number, name in enumerate(classes)
    )
    folder_rows = "".join(f"{use}: {folder}\n" for use, folder in folders.items())
    return f"{folder_rows}names:{' {}' if not rows else ''}\n{rows}"


def clean_class_name(name: str) -> str:
    """Return the name of a class on one line: unprintable characters but joiners become spaces."""
    shown = (char if char.isprintable() or char in _JOINERS else " " for char in name)
    return " ".join("".join(shown).split()) or "-"
