"""Reads regions from Pascal VOC's XML, of one file or of the files in a ZIP file. The format is not written.

A document is one picture: `filename`, possibly `size` with `width` and `height`, and `object` elements with
`name` and `bndbox` (xmin, ymin, xmax, ymax in px). A document with a DTD is refused, so that it cannot
declare entities.

Source of the fields: the development kit of the challenge, http://host.robots.ox.ac.uk/pascal/VOC/voc2012/.
"""

from __future__ import annotations

import contextlib
import xml.etree.ElementTree as ET

from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.errors import ExchangeError
from desktop.exchange.data.file_names import same_picture, same_stem
from desktop.exchange.data.imported_regions import (
    ImportedRegion,
    ImportedRegions,
    choose,
    fit_regions,
    scale_rect,
)
from desktop.exchange.data.outlines import bounding_rect, parse_rect
from desktop.exchange.formats.archive import (
    decode_xml,
    is_archive,
    parse_xml,
    refuse_unmarked,
    root_tag,
    unpack,
)


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
            if root.find("filename") is not None:
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
        rect = bounding_rect(corners)
        if rect is None:
            without_area += 1
            continue
        rect = scale_rect(rect, None if size is None else (size.w, size.h), target)
        drafts.append(ImportedRegion((element.findtext("name") or "").strip(), rect))
    return fit_regions(drafts, target, without_area)
