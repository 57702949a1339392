"""Reads regions from labelme's JSON. The format is not written.

A document contains `shapes` with `label`, `shape_type` and `points` in px, and `imagePath`, `imageWidth`,
`imageHeight`. Each shape becomes its bounding box. The two points of a circle are its centre and a point on
its edge. A shape without an area, such as a point, is left out and counted.

Source of the fields: the files that the program writes, https://github.com/wkentaro/labelme.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from typing import Any

from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.file_names import same_picture, same_stem
from desktop.exchange.data.imported_regions import (
    ExchangeError,
    ImportedRegion,
    ImportedRegions,
    Reason,
    bounding_rect,
    choose,
    fit_regions,
    parse_rect,
    scale_rect,
)
from desktop.exchange.formats.archive import is_archive, refuse_unmarked, unpack
from desktop.exchange.formats.walkaround_json import load
from shared.record.geometry import Rect


def is_labelme_document(document: Mapping[str, Any]) -> bool:
    """Whether a JSON document looks like labelme's."""
    return isinstance(document.get("shapes"), list)


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """Read the shapes of a document, scaled to `target` if the sizes differ; of a ZIP file the document of
    `target`. Raises ExchangeError.
    """
    document = _unpack_document(data, target) if is_archive(data) else load(data)
    if not is_labelme_document(document):
        raise ExchangeError(Reason.UNREADABLE)
    size = parse_rect([0, 0, document.get("imageWidth"), document.get("imageHeight")])
    drafts, without_area = [], 0
    for shape in document["shapes"]:
        if not isinstance(shape, dict):
            raise ExchangeError(Reason.UNREADABLE)
        rect, description = _rect(shape), shape.get("description")
        if rect is None:
            without_area += 1
        else:
            drafts.append(
                ImportedRegion(
                    name=str(shape.get("label") or ""),
                    rect=scale_rect(rect, None if size is None else (size.w, size.h), target),
                    description=description if isinstance(description, str) and description else None,
                    is_bounding_box=shape.get("shape_type") != "rectangle",
                )
            )
    return fit_regions(drafts, target, without_area)


def documents(data: bytes) -> dict[str, dict[str, Any]]:
    """The documents of labelme in a ZIP file by their paths. Raises ExchangeError (UNREADABLE, TOO_LARGE)."""
    found = {}
    for path, text in unpack(data, ".json").items():
        with contextlib.suppress(ExchangeError):
            document = load(text.encode("utf-8"))
            if is_labelme_document(document):
                found[path] = document
    return found


def _unpack_document(data: bytes, target: ExportedPicture) -> dict[str, Any]:
    found = documents(data)
    matches = [
        document
        for path, document in found.items()
        if same_picture(document.get("imagePath"), target.name) or same_stem(path, target.name)
    ]
    if not matches:
        refuse_unmarked(data, target.name)
    return choose(matches, list(found.values()))


def _rect(shape: Mapping[str, Any]) -> Rect | None:
    points = shape.get("points")
    if not isinstance(points, list) or not all(
        isinstance(point, list) and len(point) >= 2 for point in points
    ):
        return None
    # Points of a volume have a third number.
    box = bounding_rect([number for point in points for number in point[:2]])
    if box is None or shape.get("shape_type") != "circle" or len(points) != 2:
        return box
    x, y = (float(number) for number in points[0][:2])
    radius = math.dist((box.x, box.y), (box.right, box.bottom))
    return parse_rect([x - radius, y - radius, 2 * radius, 2 * radius])
