"""Writes and reads the program's JSON format, which contains all data of a record without rounding."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from desktop.exchange.data.column_terms import CODES, ColumnTerms
from desktop.exchange.data.content import ExportedPicture, Inspection, ItemFacts, pixel_region
from desktop.exchange.data.imported_regions import (
    ExchangeError,
    ImportedRegion,
    ImportedRegions,
    Reason,
    fit_regions,
    parse_rect,
    scale_rect,
)
from desktop.exchange.formats.archive import decode_text
from shared import __version__
from shared.record.codes import STATUS_NAMES, Status
from shared.wire.detection import REFERENCE_DIFFERENCE
from shared.wire.inspection import Item, Record
from shared.wire.seal import RecordSeal

FORMAT = "walkaround-inspection"
VERSION = 1
_NO_MODEL_NAME = {"model_name": None, "model_description": None}


def write(inspection: Inspection, _terms: ColumnTerms = CODES) -> bytes:
    """Make a JSON document of the inspection, which `read_inspection` reads.

    The document is the same in every language of the program: it contains the status without its Chinese name
    and the built-in model without its name.
    """
    document = {
        "format": FORMAT,
        "version": VERSION,
        "program": f"Walkaround {__version__}",
        "reference": _picture_fields(inspection.reference),
        "photos": {item_id: _picture_fields(photo) for item_id, photo in inspection.photos.items()},
        "own_references": {
            item_id: _picture_fields(picture) for item_id, picture in inspection.item_references.items()
        },
        "record": inspection.record.model_dump(mode="json", exclude={"status_name"}),
        "seal": None if inspection.seal is None else inspection.seal.model_dump(mode="json"),
        "decisions": {facts.item.item_id: _decision_fields(facts) for facts in inspection.facts()},
        "items": [_item_fields(item) for item in inspection.items],
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False).encode("utf-8")


def read_inspection(data: bytes) -> Inspection:
    """Read an inspection that `write` wrote. Raises ExchangeError (UNREADABLE)."""
    document = load(data)
    try:
        seal = document.get("seal")
        if document["format"] != FORMAT or document["version"] != VERSION:
            raise ExchangeError(Reason.UNREADABLE)
        photos = {item_id: _read_picture(photo) for item_id, photo in document["photos"].items()}
        return Inspection(
            record=Record.model_validate(_add_status_name(document["record"])),
            items=tuple(Item.model_validate(item) for item in document["items"]),
            reference=_read_picture(document["reference"]),
            photos={item_id: photo for item_id, photo in photos.items() if photo is not None},
            item_references={
                item_id: _read_picture(picture)
                for item_id, picture in document.get("own_references", {}).items()
            },
            seal=None if seal is None else RecordSeal.model_validate(seal),
        )
    except (KeyError, TypeError, AttributeError, ValidationError, ValueError) as error:
        raise ExchangeError(Reason.UNREADABLE) from error


def _item_fields(item: Item) -> dict[str, Any]:
    document = item.model_dump(mode="json", exclude_unset=True)
    for entry in document["result"]:
        origin = entry.get("provenance")
        if isinstance(origin, dict) and origin.get("model_id") == REFERENCE_DIFFERENCE:
            entry["provenance"] = origin | {"model_name": None}
    return document | _NO_MODEL_NAME if item.model_id == REFERENCE_DIFFERENCE else document


def _decision_fields(facts: ItemFacts) -> dict[str, Any]:
    """The verdict of an item, for other programs. It follows from the result entries and is not read back."""
    return {
        "verdict": facts.verdict.value,
        "decided_by": facts.decided_by or None,
        "decided_at": facts.decided_at or None,
        "reason": facts.reason or None,
        "accepted_opinion_of_version": facts.accepted_version,
        "inspected_share": facts.inspected_share,
    }


def _add_status_name(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "status_name": STATUS_NAMES[Status(record["inspection_status"])]}


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """Read the regions of an inspection, scaled to the reference image `target`. Raises ExchangeError.

    A region on an image of unknown size keeps its coordinates.
    """
    inspection = read_inspection(data)
    drafts = []
    for item in inspection.items:
        source = inspection.item_references.get(item.item_id, inspection.reference)
        rect = pixel_region(item, source or target)
        if rect is None:
            continue
        size = None if source is None else (source.width, source.height)
        drafts.append(
            ImportedRegion(item.item_name, scale_rect(rect, size, target), item.description, item.model_id)
        )
    return fit_regions(drafts, target)


def load(data: bytes) -> dict[str, Any]:
    """Parse a JSON object. Raises ExchangeError (UNREADABLE)."""
    try:
        document = json.loads(decode_text(data))
    except (ValueError, RecursionError) as error:
        raise ExchangeError(Reason.UNREADABLE) from error
    if not isinstance(document, dict):
        raise ExchangeError(Reason.UNREADABLE)
    return document


def _picture_fields(picture: ExportedPicture | None) -> dict[str, Any] | None:
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
    """The camera data of a photo. It follows from the photo and is not read back."""
    camera, mark = picture.camera, picture.taken_mark
    return {
        **({} if camera is None else {"camera": camera.model_dump(mode="json", exclude_none=True)}),
        **({} if mark is None else {"taken_mark": mark.value}),
    }


def _read_picture(fields: Any) -> ExportedPicture | None:
    if fields is None:
        return None
    size = parse_rect([0, 0, fields["width"], fields["height"]])
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
