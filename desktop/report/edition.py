"""Collects the report of a sealed edition from its stored content.

Everything here calls the service and must not run on the GUI thread.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from desktop.client.session import Session
from desktop.report.collect import (
    Content,
    Image,
    KeptFilm,
    KeptPhoto,
    Progress,
    ReportOptions,
    assemble,
    find_task,
    sealed_severities,
)
from desktop.report.content import Report, SealBrokenError
from desktop.report.report_terms import edition_seal
from shared.record import results
from shared.record.codes import STATUS_NAMES, SealState, Status
from shared.record.content import cid, sha256
from shared.wire.inspection import Item, Record
from shared.wire.seal import Edition, EditionContent, RecordSeal, Tally
from shared.wire.shift import Comment

Json = Any


def collect_edition(
    session: Session,
    inspection_id: str,
    edition: int,
    made_by: str,
    progress: Progress,
    options: ReportOptions = ReportOptions(),  # noqa: B008 - immutable
) -> Report:
    """Collect the report of an edition: the record as it was sealed, even if it changed since.

    Pictures whose content is not the sealed content are left empty. Raises ClientError, and SealBrokenError
    if the stored content does not match its seal.
    """
    stored_edition = session.records.edition(inspection_id, edition)
    newest = max(other.edition for other in session.records.editions(inspection_id))
    content = _content(session, inspection_id, stored_edition, newest)
    return assemble(session, content, made_by, progress, options)


def _content(session: Session, inspection_id: str, stored_edition: EditionContent, newest: int) -> Content:
    if sha256(stored_edition.canonical.encode()) != stored_edition.seal:
        raise SealBrokenError(stored_edition.edition)
    content = json.loads(stored_edition.canonical)
    users = session.records.users(inspection_id)
    edition = Edition.model_validate(stored_edition.model_dump(include=set(Edition.model_fields)))
    status = Status(content["record"]["inspection_status"])
    record = Record.model_validate(
        {**content["record"], **content["known"], "status_name": STATUS_NAMES[status]}
    )
    return Content(
        record=record,
        items=[_item(item) for item in content["items"]],
        record_seal=RecordSeal(
            inspection_id=inspection_id,
            state=SealState.REOPENED if stored_edition.reopened_at is not None else SealState.FINISHED,
            record_state=stored_edition.outcome,
            outcome=stored_edition.outcome,
            counters=Tally.model_validate(content["counters"]),
            newest=edition,
            executor=content["known"].get("executor"),
        ),
        report_seal=edition_seal(inspection_id, edition, newest, users.usernames),
        image=_image(content["reference_image"], content["files"]),
        task=find_task(session, record.task_id),
        severities=sealed_severities(content) or {},
        files={file["file_id"]: file["sha256"] for file in content["files"]},
        users=users,
        films=_films(content),
        photos=_photos(content),
        comments=[
            Comment.model_validate({**comment, "created_at": f"{comment['created_at']}Z"})
            for comment in content.get("comments", [])
        ],
    )


def _films(content: Mapping[str, Json]) -> list[KeptFilm]:
    files = {file["file_id"]: file for file in content["files"]}
    film_files = [files[film["file_id"]] for film in content.get("films", []) if film["file_id"] in files]
    return [KeptFilm(file["filename"], file["size"], file["sha256"]) for file in film_files]


def _photos(content: Mapping[str, Json]) -> list[KeptPhoto]:
    files = {file["file_id"]: file for file in content["files"]}
    owned = [(photo, item["item_id"]) for item in content["items"] for photo in item.get("photos", ())]
    assigned = {photo.get("record_photo_id") for photo, _ in owned}
    free = [(photo, "") for photo in content.get("photos", ()) if photo["photo_id"] not in assigned]
    return [
        KeptPhoto(files[photo["file_id"]]["filename"], files[photo["file_id"]]["sha256"], item_id)
        for photo, item_id in (*owned, *free)
        if photo["file_id"] in files
    ]


def _item(fields: Mapping[str, Json]) -> Item:
    values = {name: value for name, value in fields.items() if name in Item.model_fields}
    origin = (results.newest_model_entry(fields["result"]) or {}).get("provenance") or {}
    times = {name: f"{fields[name]}Z" for name in ("created_at", "updated_at")}
    model_fields = {"model_name": origin.get("model_name"), "model_description": None}
    return Item.model_validate({**values, **model_fields, **times})


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
