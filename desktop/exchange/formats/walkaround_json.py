"""Writes and reads the program's own JSON: everything of a record, number for number."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from desktop.exchange.data.column_terms import CODES, ColumnTerms
from desktop.exchange.data.content import ExportedPicture, Inspection, ItemFacts, region_of
from desktop.exchange.data.errors import ExchangeError, Reason
from desktop.exchange.data.imported_regions import ImportedRegion, ImportedRegions, fitted, scaled
from desktop.exchange.formats.archive import text_of
from shared import __version__
from shared.codes import STATUS_NAMES, Status
from shared.geometry import Rect
from shared.wire.detection import REFERENCE_DIFFERENCE
from shared.wire.inspection import Item, Record
from shared.wire.seal import RecordSeal

FORMAT = "walkaround-inspection"
VERSION = 1
_UNNAMED = {"model_name": None, "model_description": None}


def write(inspection: Inspection, _terms: ColumnTerms = CODES) -> bytes:
    """The inspection as JSON; `read` gives it back.

    It has codes, in every language: the status without its Chinese name, the built-in model by its id.
    """
    document = {
        "format": FORMAT,
        "version": VERSION,
        "program": f"Walkaround {__version__}",
        "reference": _picture(inspection.reference),
        "photos": {item_id: _picture(photo) for item_id, photo in inspection.photos.items()},
        "own_references": {
            item_id: _picture(picture) for item_id, picture in inspection.own_references.items()
        },
        "record": inspection.record.model_dump(mode="json", exclude={"status_name"}),
        "seal": None if inspection.seal is None else inspection.seal.model_dump(mode="json"),
        "decisions": {facts.item.item_id: _decision(facts) for facts in inspection.facts()},
        "items": [_item(item) for item in inspection.items],
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False).encode("utf-8")


def read(data: bytes) -> Inspection:
    """The inspection that `write` wrote. Raises ExchangeError (UNREADABLE)."""
    document = load(data)
    try:
        seal = document.get("seal")
        if document["format"] != FORMAT or document["version"] != VERSION:
            raise ExchangeError(Reason.UNREADABLE)
        photos = {item_id: _read_picture(photo) for item_id, photo in document["photos"].items()}
        return Inspection(
            record=Record.model_validate(_with_status_name(document["record"])),
            items=tuple(Item.model_validate(item) for item in document["items"]),
            reference=_read_picture(document["reference"]),
            photos={item_id: photo for item_id, photo in photos.items() if photo is not None},
            own_references={
                item_id: _read_picture(picture)
                for item_id, picture in document.get("own_references", {}).items()
            },
            seal=None if seal is None else RecordSeal.model_validate(seal),
        )
    except (KeyError, TypeError, AttributeError, ValidationError, ValueError) as error:
        raise ExchangeError(Reason.UNREADABLE) from error


def _item(item: Item) -> dict[str, Any]:
    document = item.model_dump(mode="json", exclude_unset=True)
    for entry in document["result"]:
        origin = entry.get("provenance")
        if isinstance(origin, dict) and origin.get("model_id") == REFERENCE_DIFFERENCE:
            entry["provenance"] = origin | {"model_name": None}
    return document | _UNNAMED if item.model_id == REFERENCE_DIFFERENCE else document


def _decision(facts: ItemFacts) -> dict[str, Any]:
    """What a person decided about an item; it follows from the result entries and is not read again."""
    return {
        "verdict": facts.verdict.value,
        "decided_by": facts.decided_by or None,
        "decided_at": facts.decided_at or None,
        "reason": facts.reason or None,
        "accepted_opinion_of_version": facts.accepted_version,
    }


def _with_status_name(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "status_name": STATUS_NAMES[Status(record["inspection_status"])]}


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """The regions of such a file on another reference image. Raises ExchangeError.

    A region in pixels of an image of unknown size keeps its pixels.
    """
    inspection = read(data)
    drafts = []
    for item in inspection.items:
        source = inspection.own_references.get(item.item_id, inspection.reference)
        rect = region_of(item, source or target)
        if rect is None:
            continue
        size = None if source is None else (source.width, source.height)
        drafts.append(
            ImportedRegion(item.item_name, scaled(rect, size, target), item.description, item.model_id)
        )
    return fitted(drafts, target)


def load(data: bytes) -> dict[str, Any]:
    """A JSON object. Raises ExchangeError (UNREADABLE)."""
    try:
        document = json.loads(text_of(data))
    except (ValueError, RecursionError) as error:
        raise ExchangeError(Reason.UNREADABLE) from error
    if not isinstance(document, dict):
        raise ExchangeError(Reason.UNREADABLE)
    return document


def rect_of(values: Any) -> Rect | None:
    """A rectangle from x, y, w, h; None for anything that is not a rectangle."""
    if not isinstance(values, list | tuple) or len(values) != 4:
        return None
    try:
        x, y, w, h = (float(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        return None
    # NaN compares with nothing, so it is refused too.
    return Rect(x, y, w, h) if all(abs(value) < 1e9 for value in (x, y, w, h)) else None


def bounding_rect(numbers: Sequence[Any]) -> Rect | None:
    """The rectangle around points given as x, y, x, y, ...; None for anything else."""
    if len(numbers) < 4 or len(numbers) % 2:
        return None
    try:
        across = [float(number) for number in numbers[::2]]
        down = [float(number) for number in numbers[1::2]]
    except (TypeError, ValueError, OverflowError):
        return None
    return rect_of([min(across), min(down), max(across) - min(across), max(down) - min(down)])


def _picture(picture: ExportedPicture | None) -> dict[str, Any] | None:
    if picture is None:
        return None
    return {
        "filename": picture.name,
        "width": picture.width,
        "height": picture.height,
        "ipfs_cid": picture.content_id,
        "mm_per_pixel": picture.mm_per_pixel,
        **_camera_fields(picture),
    }


def _camera_fields(picture: ExportedPicture) -> dict[str, Any]:
    """What is known of a photo's camera; it follows from the photo and is not read again."""
    camera, mark = picture.camera, picture.taken_mark
    return {
        **({} if camera is None else {"camera": camera.model_dump(mode="json", exclude_none=True)}),
        **({} if mark is None else {"taken_mark": mark.value}),
    }


def _read_picture(fields: Any) -> ExportedPicture | None:
    if fields is None:
        return None
    size = rect_of([0, 0, fields["width"], fields["height"]])
    if size is None or size.w < 1 or size.h < 1:
        raise ValueError("a picture has a size")
    scale = fields.get("mm_per_pixel")
    return ExportedPicture(
        str(fields["filename"]),
        int(size.w),
        int(size.h),
        fields["ipfs_cid"],
        mm_per_pixel=float(scale) if scale is not None else None,
    )
