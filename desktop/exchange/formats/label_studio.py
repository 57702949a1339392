"""Reads regions from Label Studio's JSON. The format is not written.

The export is a list of tasks. A task has `data` with the address of its picture, and `annotations` (older
exports: `completions`) whose `result` lists shapes. A rectangle has x, y, width and height in percent of the
picture, and its label in `rectanglelabels`. Other shapes become their bounding boxes or are counted.

Source of the fields: https://labelstud.io/guide/export.html and https://labelstud.io/guide/task_format.html.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.errors import ExchangeError, Reason
from desktop.exchange.data.file_names import last_name, same_picture
from desktop.exchange.data.imported_regions import ImportedRegion, ImportedRegions, fit_regions, scale_rect
from desktop.exchange.formats.archive import decode_text
from desktop.exchange.formats.walkaround_json import bounding_rect, parse_rect
from shared.record.geometry import Rect

_LABELS = ("rectanglelabels", "polygonlabels", "ellipselabels", "brushlabels", "keypointlabels", "labels")


def tasks(data: bytes) -> list[dict[str, Any]]:
    """The tasks of an export; empty if `data` is something else."""
    try:
        document = json.loads(decode_text(data))
    except (ValueError, RecursionError, ExchangeError):
        return []
    found = document if isinstance(document, list) else [document]
    return [task for task in found if isinstance(task, dict) and isinstance(task.get("data"), dict)]


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """Read the shapes of the picture `target`. Raises ExchangeError."""
    found = tasks(data)
    matches = [task for task in found if any(same_picture(name, target.name) for name in _names(task))]
    if len(matches) != 1 and len(found) != 1:
        raise ExchangeError(Reason.WHICH_PICTURE if found else Reason.UNREADABLE)
    task = matches[0] if len(matches) == 1 else found[0]
    drafts, without_area = [], 0
    for shape in _shapes(task):
        value = shape.get("value")
        rect = _rect(value) if isinstance(value, dict) else None
        if not isinstance(value, dict) or rect is None:
            without_area += 1
            continue
        size = parse_rect([0, 0, shape.get("original_width"), shape.get("original_height")])
        # Only compares the proportions: the numbers are parts of the picture.
        scale_rect(rect, None if size is None else (size.w, size.h), target)
        x, y = target.width / 100, target.height / 100
        names = next((value[key] for key in _LABELS if isinstance(value.get(key), list) and value[key]), [""])
        is_rectangle = shape.get("type") == "rectanglelabels" and not value.get("rotation")
        placed = Rect(rect.x * x, rect.y * y, rect.w * x, rect.h * y)
        drafts.append(ImportedRegion(str(names[0]), placed, is_bounding_box=not is_rectangle))
    return fit_regions(drafts, target, without_area)


def _names(task: Mapping[str, Any]) -> Iterator[str]:
    """The names of the picture: in the addresses of its data, without the prefix of an uploaded file."""
    for value in (*task["data"].values(), task.get("file_upload")):
        name = unquote(last_name(value))
        yield name
        yield name.partition("-")[2]


def _shapes(task: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The shapes of the newest annotation that was not cancelled."""
    annotations = task.get("annotations") or task.get("completions") or []
    valid = [one for one in annotations if isinstance(one, dict) and not one.get("was_cancelled")]
    for shape in valid[-1].get("result") or [] if valid else []:
        if isinstance(shape, dict) and shape.get("type") not in ("choices", "textarea", "rating"):
            yield shape


def _rect(value: Mapping[str, Any]) -> Rect | None:
    """The bounding box of a shape in percent of the picture; None for a shape without an area."""
    points = value.get("points")
    if isinstance(points, list):
        return bounding_rect([number for point in points if isinstance(point, list) for number in point])
    if "radiusX" in value:
        middle = parse_rect([value.get(key) for key in ("x", "y", "radiusX", "radiusY")])
        return middle and Rect(middle.x - middle.w, middle.y - middle.h, 2 * middle.w, 2 * middle.h)
    rect = parse_rect([value.get(key) for key in ("x", "y", "width", "height")])
    angle = value.get("rotation")
    if rect is None or not isinstance(angle, int | float) or not angle:
        return rect
    # It is turned about its upper left corner.
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    corners = [(0.0, 0.0), (rect.w, 0.0), (rect.w, rect.h), (0.0, rect.h)]
    return bounding_rect(
        [n for x, y in corners for n in (rect.x + x * cos - y * sin, rect.y + x * sin + y * cos)]
    )
