"""Reads regions from QuPath's GeoJSON, of one file or of the files in a ZIP file. The format is not written.

The export is a FeatureCollection, a list of features, one feature, or one geometry. A feature has
`geometry`, whose coordinates are px of the whole picture, and `properties` with `name` and
`classification`. Every geometry becomes the bounding box of all of its positions, and QuPath writes
ellipses as polygons. Measurements are ignored. A file does not name its picture.

Sources of the fields: RFC 7946, and https://qupath.readthedocs.io/en/stable/docs/advanced/exporting_annotations.html.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.file_names import same_stem, stem
from desktop.exchange.data.imported_regions import (
    ExchangeError,
    ImportedRegion,
    ImportedRegions,
    Reason,
    bounding_rect,
    choose,
    fit_regions,
)
from desktop.exchange.formats.archive import decode_text, is_archive, refuse_unmarked, unpack

Feature = dict[str, Any]

_MAX_DEPTH = 6
"""A collection of multipolygons: geometry, polygon, ring, position, number, and one more."""


def documents(data: bytes) -> dict[str, list[Feature]]:
    """The lists of features by their paths; the path is empty for a single file.

    Raises ExchangeError (TOO_LARGE; UNREADABLE for a damaged ZIP file).
    """
    texts = unpack(data, ".geojson", ".json") if is_archive(data) else {}
    if not is_archive(data):
        with contextlib.suppress(ExchangeError):
            texts = {"": decode_text(data)}
    found = {path: _features(text) for path, text in texts.items()}
    return {path: features for path, features in found.items() if features is not None}


def _features(text: str) -> list[Feature] | None:
    """The features of a document; None if it is something else."""
    # Without parsing every large document of another format.
    if '"coordinates"' not in text and '"FeatureCollection"' not in text:
        return None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(document, dict) and document.get("type") == "FeatureCollection":
        document = document.get("features")
    values = document if isinstance(document, list) else [document]
    features = [feature for value in values if (feature := _feature(value)) is not None]
    return features if len(features) == len(values) else None


def _feature(value: Any) -> Feature | None:
    """A feature, or a geometry alone as a feature without properties; None for something else."""
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        return None
    # Scripts also write the type in lower case.
    if kind.casefold() == "feature":
        return dict(value)
    return {"geometry": value} if "coordinates" in value or "geometries" in value else None


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """Read the features of a document; of a ZIP file the document of `target`. Raises ExchangeError."""
    found = documents(data)
    matches = [features for path, features in found.items() if path and _is_named_after(path, target.name)]
    if is_archive(data) and not matches:
        refuse_unmarked(data, target.name)
    features = choose(matches, list(found.values()))
    if not features:
        raise ExchangeError(Reason.NO_REGIONS)
    drafts, without_area = [], 0
    for feature in features:
        numbers = list(_numbers(feature.get("geometry"), _MAX_DEPTH))
        rect = bounding_rect(numbers)
        if rect is None:
            without_area += 1
            continue
        corners = {(x, y) for x in (rect.x, rect.right) for y in (rect.y, rect.bottom)}
        places = set(zip(numbers[::2], numbers[1::2], strict=True))
        name, description = _names(feature.get("properties"))
        drafts.append(ImportedRegion(name, rect, description, is_bounding_box=places != corners))
    return fit_regions(drafts, target, without_area)


def _is_named_after(path: str, target: str) -> bool:
    """Whether a file is called like the picture: slide.geojson or slide.tif.geojson."""
    return same_stem(path, target) or same_stem(stem(path), target)


def _numbers(value: Any, depth: int) -> Iterator[Any]:
    """The x and y of all positions in a geometry."""
    if depth < 0:
        return
    if isinstance(value, Mapping):
        for key in ("coordinates", "geometries"):
            yield from _numbers(value.get(key), depth)
    elif isinstance(value, list):
        if len(value) >= 2 and not isinstance(value[0], list | dict):
            yield from value[:2]
        else:
            for part in value:
                yield from _numbers(part, depth - 1)


def _names(properties: Any) -> tuple[str, str | None]:
    """The name of a feature and its class if that is another text; the class alone is the name."""
    fields = properties if isinstance(properties, Mapping) else {}
    kind = fields.get("classification")
    if isinstance(kind, Mapping):
        # QuPath 0.5 writes the parts of a derived class, such as Tumor: Positive.
        parts = kind.get("names")
        kind = ": ".join(map(str, parts)) if isinstance(parts, list) else kind.get("name")
    name, kind = (str(text or "").strip() for text in (fields.get("name"), kind))
    return name or kind, kind if name and kind and kind != name else None
