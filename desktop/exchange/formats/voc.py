"""Reads regions from Pascal VOC's XML, of one file or of the files in a ZIP file. The format is not written.

A document is one picture: `filename`, possibly `size` with `width` and `height`, and `object` elements with
`name` and `bndbox` (xmin, ymin, xmax, ymax in px), or the `robndbox` or `polygon` of other programs. A
document with a DTD is refused, so that it cannot declare entities.

Source of the fields: the development kit of the challenge, http://host.robots.ox.ac.uk/pascal/VOC/voc2012/.
"""

from __future__ import annotations

import contextlib
import xml.etree.ElementTree as ET

from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.file_names import same_picture, same_stem
from desktop.exchange.data.imported_regions import (
    ExchangeError,
    ImportedRegion,
    ImportedRegions,
    bounding_rect,
    choose,
    fit_regions,
    parse_rect,
    rotated_bounds,
    scale_rect,
)
from desktop.exchange.formats.archive import (
    decode_xml,
    is_archive,
    parse_xml,
    refuse_unmarked,
    root_tag,
    unpack,
)
from shared.record.geometry import Rect


def documents(data: bytes) -> dict[str, ET.Element]:
    """The documents of Pascal VOC by their paths; the path is empty for a single file.

    Raises ExchangeError (UNREADABLE, TOO_LARGE).
    """
    texts = unpack(data, ".xml") if is_archive(data) else {"": decode_xml(data)}
    found = {}
    for path, text in texts.items():
        if root_tag(text) != "annotation":
            # A whole tree of a large file of CVAT would take ten times its memory.
            continue
        with contextlib.suppress(ExchangeError):
            root = parse_xml(text)
            if root.find("filename") is not None or root.find("object/name") is not None:
                found[path] = root
    return found


def picture_names(data: bytes) -> list[str]:
    """The names of the pictures of all documents. Raises ExchangeError (UNREADABLE, TOO_LARGE)."""
    return [root.findtext("filename") or "" for root in documents(data).values()]


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """Read the objects of the picture `target`, scaled if the sizes differ. Raises ExchangeError."""
    found = documents(data)
    matches = [
        root
        for path, root in found.items()
        if same_picture(root.findtext("filename"), target.name) or (path and same_stem(path, target.name))
    ]
    if not matches:
        refuse_unmarked(data, target.name)
    root = choose(matches, list(found.values()))
    size = parse_rect([0, 0, root.findtext("size/width"), root.findtext("size/height")])
    drafts, without_area = [], 0
    for element in root.iterfind("object"):
        corners = [element.findtext(f"bndbox/{side}") for side in ("xmin", "ymin", "xmax", "ymax")]
        box = bounding_rect(corners)
        rect = box or _turned_box(element) or _polygon(element)
        if rect is None:
            without_area += 1
            continue
        rect = scale_rect(rect, None if size is None else (size.w, size.h), target)
        name = (element.findtext("name") or "").strip()
        drafts.append(ImportedRegion(name, rect, is_bounding_box=box is None))
    return fit_regions(drafts, target, without_area)


def _turned_box(element: ET.Element) -> Rect | None:
    """The bounding box of roLabelImg's `robndbox`: its middle, its sides, and its angle in radians."""
    box = parse_rect([element.findtext(f"robndbox/{key}") for key in ("cx", "cy", "w", "h")])
    angle = parse_rect([0, 0, 0, element.findtext("robndbox/angle") or 0])
    if box is None or angle is None:
        return None
    return rotated_bounds(Rect(box.x - box.w / 2, box.y - box.h / 2, box.w, box.h), angle.h)


def _polygon(element: ET.Element) -> Rect | None:
    """The bounding box of `polygon`: of `x1`, `y1`, `x2`, ... or of points with `x` and `y`."""
    values = [each for each in element.iterfind("polygon//*") if each.tag.rstrip("0123456789") in ("x", "y")]
    xs, ys = ([each.text for each in values if each.tag[0] == axis] for axis in "xy")
    return bounding_rect([n for pair in zip(xs, ys, strict=False) for n in pair])
