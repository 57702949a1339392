"""Collects a report from the service: record, items, crops of their pictures.

Everything here calls the service and must not run on the GUI thread.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtGui import QImage

from desktop.client.http.errors import Forbidden, NotFound
from desktop.client.session import Session
from desktop.imaging.decoding.decoder import shrink_image
from desktop.localization import camera_terms
from desktop.localization.dates import format_minute_in_zone
from desktop.report import report_terms
from desktop.report.content import (
    Evidence,
    FailedFinding,
    Report,
    ReportedItem,
    ReportSeal,
    ReportTemplate,
    read_template,
)
from desktop.report.pictures import MarkedPicture, Pictures, digest_text, evidence_row, make_failed_findings
from desktop.report.report_terms import report_seal
from desktop.report.reported_item import report_item
from shared import __version__
from shared.record import results
from shared.record.codes import SEALED_STATES
from shared.record.content import file_id_from_url, names_other_file
from shared.record.entries import item_entries
from shared.wire.catalogue import Task
from shared.wire.detection import Severity
from shared.wire.inspection import Item, Photo, Record
from shared.wire.seal import RecordSeal, RecordUsers
from shared.wire.shift import Comment

# The overview is printed 180 mm wide, which makes about 200 dots per inch.
OVERVIEW_PX = 1400

Progress = Callable[[int, int], None]
"""Called with the number of items done and the total. An exception that it raises stops the work."""


@dataclass(frozen=True, slots=True)
class Image:
    """A record's reference image: its fileInfo and its scale, None if the scale is unknown."""

    info: Mapping[str, object]
    mm_per_pixel: float | None


@dataclass(frozen=True, slots=True)
class Content:
    """The data of a report, as the service has it now or as an edition sealed it.

    `report_seal` is None for a draft. `files` maps the IDs of an edition's files to their sealed SHA-256; a
    file with another content is not shown. If `files` is None, pictures are shown as they are now.
    """

    record: Record
    items: Sequence[Item]
    record_seal: RecordSeal
    report_seal: ReportSeal | None
    image: Image | None
    task: Task | None
    severities: Mapping[str, Severity]
    users: RecordUsers
    files: Mapping[str, str] | None = None
    comments: Sequence[Comment] = ()
    films: Sequence[KeptFilm] = ()
    photos: Sequence[KeptPhoto] = ()


class KeptPhoto(NamedTuple):
    """A photo that is kept with the record: its name, its SHA-256, and its item, "" for none."""

    name: str
    sha256: str
    item_id: str


class KeptFilm(NamedTuple):
    """A film that is kept with the record: its name, its size in bytes and its SHA-256."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What the user wants in reports. `template` is the path of a template file, empty for none.

    `failed_pages`: a page for each finding of a failed item.
    """

    failed_pages: bool = False
    template: str = ""


def collect(
    session: Session,
    inspection_id: str,
    made_by: str,
    progress: Progress,
    options: ReportOptions = ReportOptions(),
) -> Report:
    """Collect the report of a record as it is now.

    A picture that no longer exists is left empty. Raises ClientError when a call of the service fails.
    """
    record = session.records.get(inspection_id).value
    items = session.items.all(inspection_id)
    seal = session.records.seal(inspection_id)
    users = session.records.users(inspection_id)
    content = Content(
        record=record,
        items=items,
        record_seal=seal,
        report_seal=report_seal(seal, users.usernames),
        image=_reference_image(session, record),
        task=find_task(session, record.task_id),
        severities=_severities(session, seal),
        users=users,
        comments=_comments(session, inspection_id),
        films=_films(session, inspection_id),
        photos=_photos(session, inspection_id),
    )
    return assemble(session, content, made_by, progress, options)


def _comments(session: Session, inspection_id: str) -> Sequence[Comment]:
    with contextlib.suppress(NotFound, Forbidden):
        return session.records.comments(inspection_id)
    return ()


def _films(session: Session, inspection_id: str) -> Sequence[KeptFilm]:
    with contextlib.suppress(NotFound, Forbidden):
        files = [film.file for film in session.films.list(inspection_id)]
        return [KeptFilm(file.filename, file.size, file.sha256) for file in files]
    return ()


def _photos(session: Session, inspection_id: str) -> Sequence[KeptPhoto]:
    with contextlib.suppress(NotFound, Forbidden):
        owned = [(photo.file, photo.item_id) for photo in session.items.record_photos(inspection_id)]
        free = [(photo.file, "") for photo in session.photos.list(inspection_id) if not photo.items]
        return [
            KeptPhoto(file.filename or "–", digest_text(file.ipfs_cid), item_id)
            for file, item_id in (*owned, *free)
        ]
    return ()


def assemble(
    session: Session,
    content: Content,
    made_by: str,
    progress: Progress,
    options: ReportOptions = ReportOptions(),
) -> Report:
    """Build the report of `content`; a picture that no longer exists is left empty.

    Raises ClientError, and TemplateError for a template file that cannot be used.
    """
    template = read_template(Path(options.template)) if options.template else ReportTemplate()
    record, items, image, seal = content.record, content.items, content.image, content.record_seal
    pictures = Pictures(session, content.files)
    photos_by_file_id: dict[str, Photo] = {}
    with contextlib.suppress(NotFound, Forbidden):
        photos_by_file_id = {
            photo.file_id: photo for photo in session.items.record_photos(record.inspection_id)
        }
    evidence: list[Evidence] = []
    reference = None if image is None else _reference(image, pictures, evidence)
    reported_items = []
    failed: list[FailedFinding] = []
    for index, item in enumerate(items):
        progress(index, len(items))
        item_reference = reference
        other_file = _other_file(item, image)
        if other_file is not None:
            picture = pictures.get(other_file)
            item_reference = None if picture is None else MarkedPicture(picture, of_item=True)
            use = QCoreApplication.translate("Report", "Reference image of item {number}")
            evidence.append(evidence_row(use.format(number=index + 1), other_file, pictures))
        reported_item = report_item(
            index + 1, item, item_reference, pictures, evidence, content.severities, content.users.usernames
        )
        photo = _detected_photo(item, photos_by_file_id)
        if photo is not None and photo.camera is not None and photo.camera.frame is not None:
            use = QCoreApplication.translate("Report", "Film of item {number}").format(number=index + 1)
            evidence.append(Evidence(use, photo.camera.frame.film, photo.camera.frame.sha256))
        used_in = "" if photo is None or photo.used_in is None else photo.used_in.inspection_name
        comments = tuple(comment for comment in content.comments if comment.item_id == item.item_id)
        reported_items.append(
            replace(reported_item, camera=_camera_text(photo), used_in=used_in or "", comments=comments)
        )
        if options.failed_pages and reported_item.passed is False:
            failed += _failed_findings(reported_item, item, item_reference, pictures)
    progress(len(items), len(items))
    evidence += _unshown_photos(content, {row.digest for row in evidence})
    use = QCoreApplication.translate("Report", "Film of the record")
    for film in content.films:
        size = QLocale().formattedDataSize(film.size)
        evidence.append(Evidence(use, f"{film.name} ({size})", film.sha256))
    overview = QImage() if reference is None else shrink_image(reference.picture.preview(), OVERVIEW_PX)
    return Report(
        title=record.inspection_name or QCoreApplication.translate("Report", "Inspection record"),
        subtitle=QCoreApplication.translate("Report", "Inspection report"),
        status=seal.record_state,
        status_name=report_terms.status(seal.record_state),
        fields=_fields(content),
        overview=overview,
        overview_scale=1.0 if reference is None else overview.width() / reference.picture.size[0],
        items=tuple(reported_items),
        evidence=tuple(dict.fromkeys(evidence)),
        made_at=datetime.now(UTC),
        made_by=made_by,
        program=f"Walkaround {__version__}",
        record={
            "record": record.model_dump(mode="json"),
            "items": [item.model_dump(mode="json", exclude_unset=True) for item in items],
            "seal": seal.model_dump(mode="json"),
        },
        seal=content.report_seal,
        failed=tuple(failed),
        template=template,
    )


def _unshown_photos(content: Content, shown: set[str]) -> list[Evidence]:
    """The photos that no result of an item uses: they are sealed with the record as all others are."""
    numbers = {item.item_id: number for number, item in enumerate(content.items, 1)}
    further = QCoreApplication.translate("Report", "Further photo of item {number}")
    free = QCoreApplication.translate("Report", "Photo without an item")
    return [
        Evidence(
            further.format(number=numbers[photo.item_id]) if photo.item_id in numbers else free,
            photo.name,
            photo.sha256,
        )
        for photo in content.photos
        if photo.sha256 not in shown
    ]


def _failed_findings(
    reported: ReportedItem, item: Item, reference: MarkedPicture | None, pictures: Pictures
) -> list[FailedFinding]:
    entries = item_entries(item)
    info = (results.shown_result(entries) or {}).get("inputImage")
    alignment = ((results.finished_detection(entries) or {}).get("provenance") or {}).get("alignment")
    return make_failed_findings(
        reported.number,
        reported.name,
        reported.findings,
        None if reference is None else reference.picture,
        pictures.get(info),
        None if alignment is None else alignment.get("homography"),
    )


def _detected_photo(item: Item, photos_by_file_id: Mapping[str, Photo]) -> Photo | None:
    """The photo of an item's result; None if it is unknown."""
    entries = item_entries(item)
    entry = results.shown_result(entries) or {}
    info = entry.get("inputImage") or {}
    return photos_by_file_id.get(str(info.get("file_id") or file_id_from_url(info.get("download_url"))))


def _camera_text(photo: Photo | None) -> str:
    """When and by which camera a photo was taken; empty if unknown."""
    if photo is None or photo.camera is None:
        return ""
    lines = (camera_terms.taken_text(photo.camera), camera_terms.camera_and_lens(photo.camera))
    return "\n".join(filter(None, (*lines, camera_terms.mark_sentence(photo.taken_mark))))


def _severities(session: Session, seal: RecordSeal) -> Mapping[str, Severity]:
    """The severity by label: the sealed one of a sealed record, else the catalogue's current one."""
    if seal.newest is not None and seal.state in SEALED_STATES:
        severities = sealed_severities(
            session.records.edition(seal.inspection_id, seal.newest.edition).content
        )
        if severities is not None:
            return severities
    with contextlib.suppress(NotFound, Forbidden):
        return session.detection.labels()
    return {}


def sealed_severities(content: Mapping[str, Any]) -> Mapping[str, Severity] | None:
    """The severity by label in a sealed content; None for a content of the older form without severities."""
    by_label = content.get("severities")
    return None if by_label is None else {label: Severity(severity) for label, severity in by_label.items()}


def _reference_image(session: Session, record: Record) -> Image | None:
    if record.reference_image_id is None:
        return None
    try:
        image = session.catalogue.reference_images.get(record.reference_image_id)
    except NotFound:
        return None
    return Image(image.model_dump(mode="json"), image.mm_per_pixel)


def _reference(image: Image, pictures: Pictures, evidence: list[Evidence]) -> MarkedPicture | None:
    use = QCoreApplication.translate("Report", "Reference image")
    picture = pictures.get(image.info)
    evidence.append(evidence_row(use, image.info, pictures))
    return None if picture is None else MarkedPicture(picture, image.mm_per_pixel)


def _other_file(item: Item, image: Image | None) -> dict[str, object] | None:
    """The fileInfo of the item's reference file if it is not the record's reference image, else None."""
    file_info = item.item_point.fileInfo if item.item_point is not None else None
    info = None if file_info is None else file_info.model_dump(mode="json")
    return info if names_other_file(info, None if image is None else image.info) else None


def find_task(session: Session, task_id: str) -> Task | None:
    """The task from the catalogue; None for a task of another system. Raises ClientError."""
    try:
        return session.catalogue.tasks.get(task_id)
    except NotFound:
        return None


def _fields(content: Content) -> tuple[tuple[str, str], ...]:
    record, task, seal = content.record, content.task, content.record_seal
    name_changes = content.users.name_changes
    flight = task.flight_number if task else None
    api_status: tuple[tuple[str, str], ...] = ()
    entries = [item_entries(item) for item in content.items]
    if results.is_set_by_client(record.inspection_status, seal.record_state, entries):
        # Clients of the API set this status; it is not a decision of a user of the desktop.
        label = QCoreApplication.translate("Report", "Status in other systems")
        api_status = ((label, report_terms.status(record.inspection_status)),)
    changes_field: tuple[tuple[str, str], ...] = ()
    if name_changes:
        label = QCoreApplication.translate("Report", "Name changes")
        changes_field = ((label, "; ".join(map(report_terms.name_change, name_changes))),)
    # A record of another object than an aircraft has neither field, and its report leaves them out.
    object_fields = (
        (QCoreApplication.translate("Report", "Aircraft"), record.aircraft_name or ""),
        (QCoreApplication.translate("Report", "Flight"), flight or record.flight_id or ""),
    )
    return (
        *(field for field in object_fields if field[1]),
        (QCoreApplication.translate("Report", "Inspector"), seal.executor or record.executor_name or ""),
        (QCoreApplication.translate("Report", "Task"), task.task_name if task else record.task_id),
        (QCoreApplication.translate("Report", "Start time"), _minute_text(record.start_time)),
        (QCoreApplication.translate("Report", "End time"), _minute_text(record.end_time)),
        (QCoreApplication.translate("Report", "Status"), report_terms.status(seal.record_state)),
        *api_status,
        (QCoreApplication.translate("Report", "Outcome"), report_terms.computed_outcome(seal.outcome)),
        (QCoreApplication.translate("Report", "Decided items"), report_terms.decided_items(seal.counters)),
        (QCoreApplication.translate("Report", "Reference image"), record.reference_image_name or ""),
        (QCoreApplication.translate("Report", "Record ID"), record.inspection_id),
        (QCoreApplication.translate("Report", "Created"), _minute_text(record.created_at)),
        *changes_field,
    )


def _minute_text(time: datetime | None) -> str:
    return format_minute_in_zone(time.replace(tzinfo=UTC)) if time is not None else ""
