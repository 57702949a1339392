"""Collects a report from the service: record, items, crops of their pictures.

Everything here calls the service and must not run on the GUI thread.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from desktop.client.http.errors import Forbidden, NotFound
from desktop.client.session import Session
from desktop.imaging import ImageError, open_image
from desktop.imaging.decoding.decoder import shrink_image
from desktop.imaging.sources.cut import map_rect
from desktop.imaging.sources.source import ImageSource
from desktop.localization import camera_terms
from desktop.localization.dates import format_minute_in_zone
from desktop.localization.detection_terms import failure_sentence, model_word
from desktop.report import report_terms
from desktop.report.content import Evidence, Report, ReportedItem, ReportSeal
from desktop.report.failed_pages import FailedFinding, make_failed_findings
from desktop.report.seal import report_seal
from desktop.report.template import ReportTemplate, read_template
from shared import __version__
from shared.names import signature
from shared.record import findings, results, suppression
from shared.record.codes import SEALED_STATES, Verdict
from shared.record.content import file_id_from_url, names_other_file, sha256, sha256_from_cid
from shared.record.entries import Entry, EntryThresholds, Provenance, item_entries
from shared.record.findings import Finding
from shared.record.geometry import Rect, point_to_pixels, rect_from_corners
from shared.wire.catalogue import Task
from shared.wire.detection import Severity
from shared.wire.inspection import Item, Photo, Record
from shared.wire.seal import RecordSeal, RecordUsers
from shared.wire.shift import Comment

# The overview is printed 180 mm wide, which makes about 200 dots per inch.
OVERVIEW_PX = 1400
# A crop is printed about 42 mm wide, which makes about 200 dots per inch.
CROP_PX = 340
_BOX_COLOUR = QColor("#cf2f2a")

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
    )
    return assemble(session, content, made_by, progress, options)


def _comments(session: Session, inspection_id: str) -> Sequence[Comment]:
    with contextlib.suppress(NotFound, Forbidden):
        return session.records.comments(inspection_id)
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
    pictures = _Pictures(session, content.files)
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
            item_reference = None if picture is None else _Reference(picture, of_item=True)
            use = QCoreApplication.translate("Report", "Reference image of item {number}")
            evidence.append(_evidence_row(use.format(number=index + 1), other_file, pictures))
        reported_item = _reported_item(
            index + 1, item, item_reference, pictures, evidence, content.severities, content.users.usernames
        )
        photo = _detected_photo(item, photos_by_file_id)
        used_in = "" if photo is None or photo.used_in is None else photo.used_in.inspection_name
        comments = tuple(comment for comment in content.comments if comment.item_id == item.item_id)
        reported_items.append(
            replace(reported_item, camera=_camera_text(photo), used_in=used_in or "", comments=comments)
        )
        if options.failed_pages and reported_item.passed is False:
            failed += _failed_findings(reported_item, item, item_reference, pictures)
    progress(len(items), len(items))
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


def _failed_findings(
    reported: ReportedItem, item: Item, reference: _Reference | None, pictures: _Pictures
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


class _Pictures:
    """Fetches pictures from the service and keeps the last few open."""

    MAX_OPEN = 3

    def __init__(self, session: Session, files: Mapping[str, str] | None = None) -> None:
        """Create a cache. `files` are those of `Content`."""
        self._session = session
        self._files = files
        self._sources: dict[str, ImageSource | None] = {}
        self._digests: dict[str, str] = {}
        self._last_crop: tuple[ImageSource, Rect, QImage, float] | None = None

    def digest(self, info: Mapping[str, object] | None) -> str | None:
        """The SHA-256 of the content that `get` fetched for a fileInfo; None if it fetched nothing.

        The content ID in an item was sent by a client and may belong to another file.
        """
        return self._digests.get(str((info or {}).get("download_url")))

    def get(self, info: Mapping[str, object] | None) -> ImageSource | None:
        """The picture of a fileInfo; None if there is no file or it is not a picture."""
        url = (info or {}).get("download_url")
        if not isinstance(url, str) or not url:
            return None
        if url not in self._sources:
            if len(self._sources) >= self.MAX_OPEN:
                self._sources.pop(next(iter(self._sources)))
            try:
                self._sources[url] = self._fetch(url)
            except (NotFound, ImageError):
                self._sources[url] = None
        return self._sources[url]

    def scaled_crop(self, picture: ImageSource, part: Rect) -> tuple[QImage, float]:
        """Crop `part` (px of the picture), scaled down to at most `CROP_PX`.

        Returns a copy to draw on, and how many of its px one px of the picture takes. The last crop is
        cached, because items that share a photo and have no alignment all show the whole photo.
        """
        if self._last_crop is None or self._last_crop[0] is not picture or self._last_crop[1] != part:
            crop = _crop(picture, part)
            image = shrink_image(crop, CROP_PX)
            self._last_crop = picture, part, image, image.width() / crop.width() if crop.width() else 1.0
        return QImage(self._last_crop[2]), self._last_crop[3]

    def _fetch(self, url: str) -> ImageSource | None:
        """Fetch a picture; None if its content is not the sealed content. Raises ClientError, ImageError."""
        sealed_digest = None if self._files is None else self._files.get(file_id_from_url(url) or "")
        if sealed_digest is not None:
            # Set before fetching: the evidence lists a sealed file even if it no longer exists.
            self._digests[url] = sealed_digest
        data = self._session.files.fetch(url)
        digest = sha256(data)
        if self._files is not None and digest != sealed_digest:
            return None
        self._digests[url] = digest
        return open_image(data)


@dataclass(frozen=True, slots=True)
class _Reference:
    """A picture that regions are marked on; `of_item` if it belongs to one item and not to the record."""

    picture: ImageSource
    mm_per_pixel: float | None = None
    of_item: bool = False


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


def _reference(image: Image, pictures: _Pictures, evidence: list[Evidence]) -> _Reference | None:
    use = QCoreApplication.translate("Report", "Reference image")
    picture = pictures.get(image.info)
    evidence.append(_evidence_row(use, image.info, pictures))
    return None if picture is None else _Reference(picture, image.mm_per_pixel)


def _other_file(item: Item, image: Image | None) -> dict[str, object] | None:
    """The fileInfo of the item's reference file if it is not the record's reference image, else None."""
    file_info = item.item_point.fileInfo if item.item_point is not None else None
    info = None if file_info is None else file_info.model_dump(mode="json")
    return info if names_other_file(info, None if image is None else image.info) else None


def _evidence_row(use: str, info: Mapping[str, object], pictures: _Pictures) -> Evidence:
    """The evidence row of a file whose picture was fetched.

    For a file that no longer exists, the row shows the digest or content ID that the item names.
    """
    digest = pictures.digest(info) or _digest_text(info.get("ipfs_cid"))
    return Evidence(use, str(info.get("filename") or "–"), digest)


def _reported_item(
    number: int,
    item: Item,
    reference: _Reference | None,
    pictures: _Pictures,
    evidence: list[Evidence],
    severities: Mapping[str, Severity],
    usernames: Mapping[str, str],
) -> ReportedItem:
    entries = item_entries(item)
    detection = results.finished_detection(entries)
    current = results.current_entry(entries)
    entry = results.shown_result(entries)
    info = (entry or {}).get("inputImage")
    item_findings = findings.read_findings(
        entry, severities, None if reference is None else reference.mm_per_pixel
    )
    photo = pictures.get(info)
    if info:
        use = QCoreApplication.translate("Report", "Photo of item {number}").format(number=number)
        evidence.append(_evidence_row(use, info, pictures))
    provenance = (detection or {}).get("provenance") or {}
    model = (results.newest_model_entry(entries) or {}).get("provenance") or {}
    digest = str(model.get("model_sha256") or "")
    if not digest and model.get("program_version"):
        # The built-in model is not a file. The version of the program identifies it.
        use_text = QCoreApplication.translate("Report", "Included with Walkaround {version}")
        digest = use_text.format(version=model["program_version"])
    if digest:
        use = QCoreApplication.translate("Report", "Model of item {number}").format(number=number)
        evidence.append(Evidence(use, model_word(item.model_id, item.model_name) or "–", digest))
    region, region_mm, crop = None, None, QImage()
    if item.item_point is not None and item.item_point.point is not None and reference is not None:
        point = item.item_point.point
        region = point_to_pixels(point.x, point.y, point.w, point.h, *reference.picture.size)
        crop = shrink_image(_crop(reference.picture, region), CROP_PX)
        if reference.mm_per_pixel is not None:
            region_mm = (region.w * reference.mm_per_pixel, region.h * reference.mm_per_pixel)
    verdict = current["verdict"] if current is not None and results.is_verdict(current) else {}
    error = (results.newest_detection(entries) or {}).get("error") or {}
    # The service stores its sentence in Chinese: the report has one language.
    failure = failure_sentence(str(error.get("code") or ""), str(error.get("message") or ""))
    is_incomplete = detection is not None and results.is_incomplete(detection)
    return ReportedItem(
        number=number,
        name=item.item_name,
        description=item.description or "",
        model=model_word(item.model_id, item.model_name),
        region=region,
        region_mm=region_mm,
        on_overview=reference is not None and not reference.of_item,
        reference_crop=crop,
        photo_crop=_photo_crop(pictures, photo, item_findings, region, provenance),
        findings=tuple(item_findings),
        passed=_passed_from_verdict(results.current_verdict(entries)),
        opinion=results.model_opinion(entries),
        verdict=results.current_verdict(entries),
        reason=str(verdict.get("reason") or ""),
        decided_by=signature(
            str(verdict.get("by_name") or verdict.get("by") or ""), usernames.get(str(verdict.get("by")))
        ),
        decided_at=_parse_time(verdict.get("at")),
        version=results.entry_version(current) if current is not None else None,
        note="" if is_incomplete else failure or _client_note(entries),
        accepted=results.accepted_version(current) is not None,
        explained=len(suppression.read_suppressed_findings(entry, entries)),
        is_detected=detection is not None and results.is_service_entry(detection),
        coverage=results.entry_coverage(detection),
        is_incomplete=is_incomplete,
        memory_photos=suppression.count_memory_photos(entry, entries),
        settings=_settings(model),
        ignored_areas=len(_item_settings(model).get("ignored") or ()),
    )


def _item_settings(provenance: Provenance) -> Mapping[str, Any]:
    settings = provenance.get("settings")
    return settings if isinstance(settings, Mapping) else {}


def _settings(provenance: Provenance) -> EntryThresholds:
    """The settings of a detection: those of the item before those of the model."""
    of_item = _item_settings(provenance)
    settings = EntryThresholds(**(provenance.get("thresholds") or {}))
    for name in ("sensitivity", "smallest"):
        if isinstance(of_item.get(name), int | float):
            settings[name] = of_item[name]
    return settings


def _client_note(entries: Sequence[Entry]) -> str:
    if results.finished_detection(entries) is not None or not results.has_client_result(entries):
        return ""
    return QCoreApplication.translate("Report", "Entered by a client, not detected here.")


def _passed_from_verdict(verdict: Verdict) -> bool | None:
    return None if verdict is Verdict.UNDECIDED else verdict is Verdict.PASSED


def _photo_crop(
    pictures: _Pictures,
    photo: ImageSource | None,
    item_findings: Sequence[Finding],
    region: Rect | None,
    provenance: Provenance,
) -> QImage:
    """Crop the part of the photo with the region and every finding, and draw the findings' boxes on it."""
    if photo is None:
        return QImage()
    part = _shown_part(photo, region, [finding.box for finding in item_findings], provenance)
    crop, scale = pictures.scaled_crop(photo, part)
    painter = QPainter(crop)
    painter.setPen(QPen(_BOX_COLOUR, 2))
    for finding in item_findings:
        box = finding.box
        painter.drawRect(
            QRectF((box.x - part.x) * scale, (box.y - part.y) * scale, box.w * scale, box.h * scale)
        )
    painter.end()
    return crop


def _shown_part(
    photo: ImageSource, region: Rect | None, boxes: Sequence[Rect], provenance: Provenance
) -> Rect:
    """The part of the photo (its px) around the region and `boxes`; the whole photo without an alignment."""
    whole = Rect(0, 0, *photo.size)
    alignment = provenance.get("alignment")
    matrix = None if alignment is None else alignment.get("homography")
    visible = map_rect(region, np.asarray(matrix, np.float64)) if region is not None and matrix else None
    if visible is None:
        return whole
    # A person may have drawn a finding outside of the region.
    parts = [visible, *boxes]
    left, top = min(part.x for part in parts), min(part.y for part in parts)
    right, bottom = max(part.right for part in parts), max(part.bottom for part in parts)
    margin = 0.08 * max(right - left, bottom - top)
    padded = rect_from_corners(left - margin, top - margin, right + margin, bottom + margin)
    padded = padded.clamp(*photo.size)
    return whole if padded.is_empty else padded


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


def _parse_time(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None


def _digest_text(content_id: object) -> str:
    try:
        return sha256_from_cid(str(content_id))
    except ValueError:
        return str(content_id or "–")


def _crop(picture: ImageSource, region: Rect) -> QImage:
    return QImage() if region.is_empty else picture.crop(region)
