"""Collects the report of a sealed edition from its stored content; not for the GUI thread."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from desktop.client.session import Session
from desktop.report.collect import Content, Image, Progress, assemble, severities_of, task_of
from desktop.report.content import Report
from desktop.report.errors import SealBrokenError
from desktop.report.seal import edition_seal
from shared import results
from shared.codes import STATUS_NAMES, SealState, Status
from shared.content import cid, sha256
from shared.wire.inspection import Item, Record
from shared.wire.seal import Edition, EditionContent, RecordSeal, Tally

Json = Any


def collect_edition(
    session: Session, inspection_id: str, edition: int, made_by: str, progress: Progress
) -> Report:
    """Everything that the report of an edition says: the record as it was sealed, whatever it is now.

    Pictures whose bytes are not the sealed ones are left empty. Raises ClientError, SealBrokenError.
    """
    stored = session.records.edition(inspection_id, edition)
    newest = max(other.edition for other in session.records.editions(inspection_id))
    return assemble(session, _content(session, inspection_id, stored, newest), made_by, progress)


def _content(session: Session, inspection_id: str, stored: EditionContent, newest: int) -> Content:
    if sha256(stored.canonical.encode()) != stored.seal:
        raise SealBrokenError(stored.edition)
    content = json.loads(stored.canonical)
    edition = Edition.model_validate(stored.model_dump(include=set(Edition.model_fields)))
    status = Status(content["record"]["inspection_status"])
    record = Record.model_validate(
        {**content["record"], **content["known"], "status_name": STATUS_NAMES[status]}
    )
    return Content(
        record=record,
        items=[_item(item) for item in content["items"]],
        standing=RecordSeal(
            inspection_id=inspection_id,
            state=SealState.REOPENED if stored.reopened_at is not None else SealState.FINISHED,
            record_state=stored.outcome,
            outcome=stored.outcome,
            counters=Tally.model_validate(content["counters"]),
            newest=edition,
        ),
        sealed=edition_seal(inspection_id, edition, newest),
        image=_image(content["reference_image"], content["files"]),
        task=task_of(session, record.task_id),
        severities=severities_of(content) or {},
        files={file["file_id"]: file["sha256"] for file in content["files"]},
    )


def _item(fields: Mapping[str, Json]) -> Item:
    values = {name: value for name, value in fields.items() if name in Item.model_fields}
    origin = (results.model_entry(fields["result"]) or {}).get("provenance") or {}
    times = {name: f"{fields[name]}Z" for name in ("created_at", "updated_at")}
    named = {"model_name": origin.get("model_name"), "model_description": None}
    return Item.model_validate({**values, **named, **times})


def _image(fields: Mapping[str, Json] | None, files: list[Mapping[str, Json]]) -> Image | None:
    if fields is None:
        return None
    file_id, digest = fields["file_id"], fields["sha256"]
    file = next((entry for entry in files if entry["file_id"] == file_id), {})
    info = {
        "download_url": f"/api/files/{file_id}/content",
        "filename": file.get("filename") or fields["reference_image_name"],
        "ipfs_cid": None if digest is None else cid(digest),
    }
    return Image(info, fields["mm_per_pixel"])
