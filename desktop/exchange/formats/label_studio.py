"""Reads regions from Label Studio's JSON. The format is not written.

The export is a list of tasks. A task has `data` with the address of its picture, and `annotations` (older
exports: `completions`) whose `result` lists shapes. A rectangle has x, y, width and height in percent of the
picture, and its label in `rectanglelabels`. Entries with the same id say more about one shape. Other shapes
become their bounding boxes or are counted. The short export (JSON-MIN) has the address and the shapes of a
task as its own fields.

Source of the fields: https://labelstud.io/guide/export.html and https://labelstud.io/guide/task_format.html.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.file_names import last_name, same_picture
from desktop.exchange.data.imported_regions import (
    ExchangeError,
    ImportedRegion,
    ImportedRegions,
    bounding_rect,
    choose,
    ellipse_bounds,
    fit_regions,
    parse_rect,
    rotated_bounds,
    scale_rect,
)
from desktop.exchange.formats.archive import decode_text
from shared.record.geometry import Rect

_LABELS = ("rectanglelabels", "polygonlabels", "ellipselabels", "brushlabels", "keypointlabels", "labels")
_PLACES = frozenset({"x", "points", "vertices", "rle", "sequence"})
"""Fields of which every shape has one. An entry without them is about the whole picture."""


def tasks(data: bytes) -> list[dict[str, Any]]:
    """The tasks of an export; empty if `data` is something else."""
    try:
        document = json.loads(decode_text(data))
    except (ValueError, RecursionError, ExchangeError):
        return []
    found = document if isinstance(document, list) else [document]
    whole = (_whole_task(task) for task in found if isinstance(task, dict))
    return [task for task in whole if isinstance(task.get("data"), dict)]


def _whole_task(task: dict[str, Any]) -> dict[str, Any]:
    """A task of the short export in the form of the others; unchanged if it is none."""
    lists = [value for value in task.values() if isinstance(value, list)]
    shapes = [shape for values in lists for shape in values if isinstance(shape, dict)]
    if "data" in task or not any("original_width" in shape for shape in shapes):
        return task
    texts = {key: value for key, value in task.items() if isinstance(value, str)}
    return {"data": texts, "annotations": [{"result": [{**shape, "value": shape} for shape in shapes]}]}


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """Read the shapes of the picture `target`. Raises ExchangeError."""
    found = tasks(data)
    matches = [task for task in found if any(same_picture(name, target.name) for name in picture_names(task))]
    task = choose(matches, found)
    drafts, without_area = [], 0
    pages = _pages(task, target.name)
    for shape in _shapes(task):
        if pages and shape.get("item_index", 0) not in pages:
            continue
        value = shape["value"]
        rect = _rect(value, target.width / 100, target.height / 100)
        if rect is None:
            without_area += 1
            continue
        size = parse_rect([0, 0, shape.get("original_width"), shape.get("original_height")])
        # Only compares the proportions: the numbers are parts of the picture.
        scale_rect(rect, None if size is None else (size.w, size.h), target)
        names = next((value[key] for key in _LABELS if isinstance(value.get(key), list) and value[key]), [""])
        is_rectangle = "width" in value and not value.get("rotation")
        drafts.append(ImportedRegion(str(names[0]), rect, is_bounding_box=not is_rectangle))
    return fit_regions(drafts, target, without_area)


def picture_names(task: Mapping[str, Any]) -> Iterator[str]:
    """The names of the picture: in the addresses of its data, without the prefix of an uploaded file."""
    values = (*task["data"].values(), task.get("file_upload"))
    for address in (each for value in values for each in (value if isinstance(value, list) else [value])):
        name = _plain(address)
        yield name
        yield name.partition("-")[2]


def _plain(address: object) -> str:
    return unquote(last_name(address))


def _pages(task: Mapping[str, Any], target: str) -> set[int]:
    """The places of the picture in a task with a list of pictures; empty if the task has no such list."""
    lists = [value for value in task["data"].values() if isinstance(value, list)]
    return {
        number for names in lists for number, name in enumerate(names) if same_picture(_plain(name), target)
    }


def _shapes(task: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The shapes of the newest annotation that was not cancelled, each with all that its entries say."""
    annotations = task.get("annotations") or task.get("completions") or []
    valid = [one for one in annotations if isinstance(one, dict) and not one.get("was_cancelled")]
    shapes: dict[object, dict[str, Any]] = {}
    for number, entry in enumerate(valid[-1].get("result") or [] if valid else []):
        value = entry.get("value") if isinstance(entry, dict) else None
        if isinstance(value, dict) and value.keys() & _PLACES:
            earlier = shapes.get(str(entry.get("id") or number), {"value": {}})
            shapes[str(entry.get("id") or number)] = entry | {"value": value | earlier["value"]}
    yield from shapes.values()


def _rect(value: Mapping[str, Any], x: float, y: float) -> Rect | None:
    """The bounding box of a shape in px; None for a shape without an area. `x`, `y`: px in one percent."""
    points = value.get("points")
    if isinstance(points, list):
        return _scaled(bounding_rect([n for point in points if isinstance(point, list) for n in point]), x, y)
    angle = value.get("rotation")
    angle = math.radians(angle) if isinstance(angle, int | float) else 0.0
    if "radiusX" in value:
        ellipse = _scaled(parse_rect([value.get(key) for key in ("x", "y", "radiusX", "radiusY")]), x, y)
        return ellipse and ellipse_bounds(ellipse, angle)
    rect = _scaled(parse_rect([value.get(key) for key in ("x", "y", "width", "height")]), x, y)
    return rect and rotated_bounds(rect, angle, (rect.x, rect.y))


def _scaled(rect: Rect | None, x: float, y: float) -> Rect | None:
    return rect and Rect(rect.x * x, rect.y * y, rect.w * x, rect.h * y)
