"""Writes the parts of datasets for object detection: a COCO document, labels and `data.yaml` of YOLO.

Sources: https://cocodataset.org/#format-data and https://docs.ultralytics.com/datasets/detect/.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shared import __version__
from shared.geometry import Rect


@dataclass(frozen=True, slots=True)
class DatasetPicture:
    """A picture of a dataset: its file name there, its size in upright px, its content id where known."""

    file_name: str
    width: int
    height: int
    content_id: str | None = None


@dataclass(frozen=True, slots=True)
class DatasetBox:
    """A box in px of the upright picture with this file name; `more` are keys beyond COCO."""

    file_name: str
    category: str
    rect: Rect
    more: Mapping[str, Any] = field(default_factory=dict)


def coco_document(
    name: str,
    pictures: Iterable[DatasetPicture],
    boxes: Iterable[DatasetBox],
    categories: Sequence[str] | None = None,
) -> str:
    """A COCO dataset as JSON text; its categories are those of the boxes in their order unless given."""
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
                **box.more,
            }
            for number, box in enumerate(boxes, 1)
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)


def yolo_row(number: int, rect: Rect, width: int, height: int) -> str:
    """The line of a box of class `number` in a picture of this size (px); empty for one outside of it.

    Twelve decimals are a millionth of a pixel in the largest picture.
    """
    inside = rect.clamped(width, height)
    if inside.empty:
        return ""
    values = (
        (inside.x + inside.w / 2) / width,
        (inside.y + inside.h / 2) / height,
        inside.w / width,
        inside.h / height,
    )
    return f"{number} {' '.join(f'{value:.12f}' for value in values)}\n"


def yolo_yaml(classes: Iterable[str], folders: Mapping[str, str]) -> str:
    """The `data.yaml` of a dataset with these classes; `folders` of pictures by what they are for."""
    # A JSON string is a YAML string too.
    rows = "".join(
        f"  {number}: {json.dumps(name, ensure_ascii=False)}\n" for number, name in enumerate(classes)
    )
    places = "".join(f"{use}: {folder}\n" for use, folder in folders.items())
    return f"path: .\n{places}names:{' {}' if not rows else ''}\n{rows}"


def one_line(name: str) -> str:
    """The name of a class on one line: unprintable characters become spaces."""
    return " ".join("".join(char if char.isprintable() else " " for char in name).split()) or "-"
