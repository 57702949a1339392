"""Reads regions from labelme's JSON; nothing is written in this format.

A document holds `shapes` with `label`, `shape_type` and `points` in px, and `imagePath`, `imageWidth`,
`imageHeight`. A shape becomes the box around it: for a circle, whose two points are its middle and a point of
its edge, that of the circle; for all others that of their points. A shape without an area is left out.

Source of the fields: the files that the program writes, https://github.com/wkentaro/labelme.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.errors import ExchangeError, Reason
from desktop.exchange.data.imported_regions import ImportedRegion, ImportedRegions, fitted, scaled
from desktop.exchange.formats.walkaround_json import bounding_rect, load, rect_of
from shared.geometry import Rect


def is_labelled(document: Mapping[str, Any]) -> bool:
    """True for what looks like a document of labelme."""
    return isinstance(document.get("shapes"), list)


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """The shapes of a document on `target`, scaled where the sizes differ. Raises ExchangeError."""
    document = load(data)
    if not is_labelled(document):
        raise ExchangeError(Reason.UNREADABLE)
    size = rect_of([0, 0, document.get("imageWidth"), document.get("imageHeight")])
    drafts = []
    for shape in document["shapes"]:
        if not isinstance(shape, dict):
            raise ExchangeError(Reason.UNREADABLE)
        rect, description = _rect(shape), shape.get("description")
        if rect is not None:
            drafts.append(
                ImportedRegion(
                    name=str(shape.get("label") or ""),
                    rect=scaled(rect, None if size is None else (size.w, size.h), target),
                    description=description if isinstance(description, str) and description else None,
                    boxed=shape.get("shape_type") != "rectangle",
                )
            )
    return fitted(drafts, target)


def _rect(shape: Mapping[str, Any]) -> Rect | None:
    points = shape.get("points")
    if not isinstance(points, list) or not all(
        isinstance(point, list) and len(point) == 2 for point in points
    ):
        return None
    box = bounding_rect([number for point in points for number in point])
    if box is None or shape.get("shape_type") != "circle" or len(points) != 2:
        return box
    x, y = (float(number) for number in points[0])
    radius = math.dist((box.x, box.y), (box.right, box.bottom))
    return rect_of([x - radius, y - radius, 2 * radius, 2 * radius])
