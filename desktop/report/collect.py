"""Collects a report from the service: record, items, crops of their pictures; not for the GUI thread."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from desktop.client.http.errors import Forbidden, NotFound
from desktop.client.session import Session
from desktop.imaging import ImageError, open_image
from desktop.imaging.sources.cut import map_rect
from desktop.imaging.sources.source import ImageSource
from desktop.localization import camera_terms
from desktop.localization.dates import minute_in_zone
from desktop.localization.detection_terms import model_word
from desktop.report import report_terms
from desktop.report.content import Evidence, Report, ReportedItem, ReportSeal
from desktop.report.seal import report_seal
from shared import __version__, findings, results, suppressed
from shared.codes import SEALED_STATES, Verdict
from shared.content import file_id_of, names_other_file, sha256, sha256_of
from shared.entries import Provenance, entries_of
from shared.findings import Finding
from shared.geometry import Rect, from_corners, point_to_pixels
from shared.wire.catalogue import Task
from shared.wire.detection import Severity
from shared.wire.inspection import Item, Photo, Record
from shared.wire.seal import RecordSeal

# The overview is printed 180 mm wide: 200 dots an inch.
OVERVIEW_PX = 1400
# A crop is printed about 42 mm wide: 200 dots an inch.
CROP_PX = 340
_FAIL = QColor("#cf2f2a")

Progress = Callable[[int, int], None]
"""Called with items done and items in all; what it raises ends the gathering."""


@dataclass(frozen=True, slots=True)
class Image:
    """A record's reference image: its fileInfo and its scale, None where that is not known."""

    info: Mapping[str, object]
    mm_per_pixel: float | None


@dataclass(frozen=True, slots=True)
class Content:
    """What a report says, as the service has it now or as an edition sealed it.

    `sealed` is None for a draft. `files`: the SHA-256 of each file of an edition by its id; another content
    is not shown then. None: pictures are shown as they are now.
    """

    record: Record
    items: Sequence[Item]
    standing: RecordSeal
    sealed: ReportSeal | None
    image: Image | None
    task: Task | None
    severities: Mapping[str, Severity]
    files: Mapping[str, str] | None = None


def collect(session: Session, inspection_id: str, made_by: str, progress: Progress) -> Report:
    """Everything that the report of a record says, with its pictures.

    Raises ClientError when the service cannot be asked; a picture that is gone is left empty.
    """
    record = session.records.get(inspection_id).value
    items = session.items.all(inspection_id)
    seal = session.records.seal(inspection_id)
    content = Content(
        record=record,
        items=items,
        standing=seal,
        sealed=report_seal(seal),
        image=_reference_image(session, record),
        task=task_of(session, record.task_id),
        severities=_severities(session, seal),
    )
    return assemble(session, content, made_by, progress)


def assemble(session: Session, content: Content, made_by: str, progress: Progress) -> Report:
    """The report on `content` with its pictures; one that is gone is left empty. Raises ClientError."""
    record, items, image, seal = content.record, content.items, content.image, content.standing
    pictures = _Pictures(session, content.files)
    taken: dict[str, Photo] = {}
    with contextlib.suppress(NotFound, Forbidden):
        taken = {photo.file_id: photo for photo in session.items.record_photos(record.inspection_id)}
    evidence: list[Evidence] = []
    reference = None if image is None else _reference(image, pictures, evidence)
    reported = []
    for index, item in enumerate(items):
        progress(index, len(items))
        marked_on = reference
        own_file = _other_file(item, image)
        if own_file is not None:
            picture = pictures.get(own_file)
            marked_on = None if picture is None else _Reference(picture, of_item=True)
            use = QCoreApplication.translate("Report", "Reference image of item {number}")
            evidence.append(_evidence(use.format(number=index + 1), own_file, pictures))
        reported_item = _item(index + 1, item, marked_on, pictures, evidence, content.severities)
        reported.append(replace(reported_item, camera=_camera_text(item, taken)))
    progress(len(items), len(items))
    overview = QImage() if reference is None else _scaled_down(reference.picture.preview(), OVERVIEW_PX)
    return Report(
        title=record.inspection_name or QCoreApplication.translate("Report", "Inspection record"),
        subtitle=QCoreApplication.translate("Report", "Inspection report"),
        status=seal.record_state,
        status_name=report_terms.status(seal.record_state),
        fields=_fields(record, content.task, seal),
        overview=overview,
        overview_scale=1.0 if reference is None else overview.width() / reference.picture.size[0],
        items=tuple(reported),
        evidence=tuple(dict.fromkeys(evidence)),
        made_at=datetime.now(UTC),
        made_by=made_by,
        program=f"Walkaround {__version__}",
        record={
            "record": record.model_dump(mode="json"),
            "items": [item.model_dump(mode="json", exclude_unset=True) for item in items],
            "seal": seal.model_dump(mode="json"),
        },
        seal=content.sealed,
    )


class _Pictures:
    """Pictures of the service, each fetched once; the last few stay open."""

    KEPT = 3

    def __init__(self, session: Session, files: Mapping[str, str] | None = None) -> None:
        """`files` are those of `Content`."""
        self._session = session
        self._files = files
        self._open: dict[str, ImageSource | None] = {}
        self._digests: dict[str, str] = {}
        self._last: tuple[ImageSource, Rect, QImage, float] | None = None

    def digest(self, info: Mapping[str, object] | None) -> str | None:
        """SHA-256 of what `get` fetched for a fileInfo; None when that was nothing.

        The content id in an item is whatever a client sent, and may be that of another file.
        """
        return self._digests.get(str((info or {}).get("download_url")))

    def get(self, info: Mapping[str, object] | None) -> ImageSource | None:
        """The picture of a fileInfo; None when there is none, or it is gone or no picture."""
        url = (info or {}).get("download_url")
        if not isinstance(url, str) or not url:
            return None
        if url not in self._open:
            if len(self._open) >= self.KEPT:
                self._open.pop(next(iter(self._open)))
            try:
                self._open[url] = self._fetch(url)
            except (NotFound, ImageError):
                self._open[url] = None
        return self._open[url]

    def fitted(self, picture: ImageSource, part: Rect) -> tuple[QImage, float]:
        """A part of a picture in at most `CROP_PX`, to be drawn on, and its px for each px of the picture.

        The last one is kept: items without a place in a photo that they share all show the whole of it.
        """
        if self._last is None or self._last[0] is not picture or self._last[1] != part:
            crop = _crop(picture, part)
            image = _scaled_down(crop, CROP_PX)
            self._last = picture, part, image, image.width() / crop.width() if crop.width() else 1.0
        return QImage(self._last[2]), self._last[3]

    def _fetch(self, url: str) -> ImageSource | None:
        """The picture; None for one whose content is not the sealed one. Raises ClientError, ImageError."""
        sealed = None if self._files is None else self._files.get(file_id_of(url) or "")
        if sealed is not None:
            # Also for a file that is gone: the edition rests on it.
            self._digests[url] = sealed
        data = self._session.files.fetch(url)
        digest = sha256(data)
        if self._files is not None and digest != sealed:
            return None
        self._digests[url] = digest
        return open_image(data)


@dataclass(frozen=True, slots=True)
class _Reference:
    """A picture that regions are marked on, and its scale where it is known; `of_item`: not the record's."""

    picture: ImageSource
    mm_per_pixel: float | None = None
    of_item: bool = False


def _camera_text(item: Item, taken: Mapping[str, Photo]) -> str:
    """When and by which camera the photo of an item was taken; empty where that is not known."""
    entries = entries_of(item)
    shown = results.finished_detection(entries) or results.current(entries) or {}
    info = shown.get("inputImage") or {}
    photo = taken.get(str(info.get("file_id") or file_id_of(info.get("download_url"))))
    if photo is None or photo.camera is None:
        return ""
    lines = (camera_terms.taken(photo.camera), camera_terms.camera_name(photo.camera))
    return "\n".join(filter(None, (*lines, camera_terms.mark_sentence(photo.taken_mark))))


def _severities(session: Session, seal: RecordSeal) -> Mapping[str, Severity]:
    """How severe findings with a label are: as it was sealed, else as the catalogue says now."""
    if seal.newest is not None and seal.state in SEALED_STATES:
        sealed = severities_of(session.records.edition(seal.inspection_id, seal.newest.edition).content)
        if sealed is not None:
            return sealed
    with contextlib.suppress(NotFound, Forbidden):
        return session.detection.labels()
    return {}


def severities_of(content: Mapping[str, Any]) -> Mapping[str, Severity] | None:
    """What a sealed content says of labels; None for one of the form that did not say it."""
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
    evidence.append(_evidence(use, image.info, pictures))
    return None if picture is None else _Reference(picture, image.mm_per_pixel)


def _other_file(item: Item, image: Image | None) -> dict[str, object] | None:
    """The fileInfo that the item names, where that is not the record's reference image."""
    named = item.item_point.fileInfo if item.item_point is not None else None
    info = None if named is None else named.model_dump(mode="json")
    return info if names_other_file(info, None if image is None else image.info) else None


def _evidence(use: str, info: Mapping[str, object], pictures: _Pictures) -> Evidence:
    """The row of a file after its picture was fetched; by what the item says of one that is gone."""
    digest = pictures.digest(info) or _digest(info.get("ipfs_cid"))
    return Evidence(use, str(info.get("filename") or "–"), digest)


def _item(
    number: int,
    item: Item,
    reference: _Reference | None,
    pictures: _Pictures,
    evidence: list[Evidence],
    severities: Mapping[str, Severity],
) -> ReportedItem:
    entries = entries_of(item)
    detection = results.finished_detection(entries)
    current = results.current(entries)
    shown = current if detection is None else detection
    info = (shown or {}).get("inputImage")
    reported = findings.read_findings(
        shown, severities, None if reference is None else reference.mm_per_pixel
    )
    photo = pictures.get(info)
    if info:
        use = QCoreApplication.translate("Report", "Photo of item {number}").format(number=number)
        evidence.append(_evidence(use, info, pictures))
    provenance = (detection or {}).get("provenance") or {}
    model = (results.model_entry(entries) or {}).get("provenance") or {}
    digest = str(model.get("model_sha256") or "")
    if not digest and model.get("program_version"):
        # The built-in model is no file: the program that it is part of stands for it.
        within = QCoreApplication.translate("Report", "Included with Walkaround {version}")
        digest = within.format(version=model["program_version"])
    if digest:
        use = QCoreApplication.translate("Report", "Model of item {number}").format(number=number)
        evidence.append(Evidence(use, model_word(item.model_id, item.model_name) or "–", digest))
    region, region_mm, crop = None, None, QImage()
    if item.item_point is not None and item.item_point.point is not None and reference is not None:
        point = item.item_point.point
        region = point_to_pixels(point.x, point.y, point.w, point.h, *reference.picture.size)
        crop = _scaled_down(_crop(reference.picture, region), CROP_PX)
        if reference.mm_per_pixel is not None:
            region_mm = (region.w * reference.mm_per_pixel, region.h * reference.mm_per_pixel)
    verdict = current["verdict"] if current is not None and results.is_verdict(current) else {}
    failure = (results.newest_detection(entries) or {}).get("error") or {}
    return ReportedItem(
        number=number,
        name=item.item_name,
        description=item.description or "",
        model=model_word(item.model_id, item.model_name),
        region=region,
        region_mm=region_mm,
        on_overview=reference is not None and not reference.of_item,
        reference_crop=crop,
        photo_crop=_photo_crop(pictures, photo, reported, region, provenance),
        findings=tuple(reported),
        passed=_to_passed(results.verdict(entries)),
        opinion=results.model_opinion(entries),
        verdict=results.verdict(entries),
        reason=str(verdict.get("reason") or ""),
        decided_by=str(verdict.get("by_name") or verdict.get("by") or ""),
        decided_at=_time(verdict.get("at")),
        version=results.version(current) if current is not None else None,
        note=str(failure.get("message") or ""),
        accepted=results.accepted_version(current) is not None,
        explained=len(suppressed.read_suppressed(shown, entries)),
        memory_photos=suppressed.memory_photos(shown, entries),
    )


def _to_passed(verdict: Verdict) -> bool | None:
    return None if verdict is Verdict.UNDECIDED else verdict is Verdict.PASSED


def _photo_crop(
    pictures: _Pictures,
    photo: ImageSource | None,
    reported: Sequence[Finding],
    region: Rect | None,
    provenance: Provenance,
) -> QImage:
    """The part of the photo that shows the region and every finding, with the boxes drawn on it."""
    if photo is None:
        return QImage()
    part = _shown_part(photo, region, [finding.box for finding in reported], provenance)
    fitted, scale = pictures.fitted(photo, part)
    painter = QPainter(fitted)
    painter.setPen(QPen(_FAIL, 2))
    for finding in reported:
        box = finding.box
        painter.drawRect(
            QRectF((box.x - part.x) * scale, (box.y - part.y) * scale, box.w * scale, box.h * scale)
        )
    painter.end()
    return fitted


def _shown_part(
    photo: ImageSource, region: Rect | None, boxes: Sequence[Rect], provenance: Provenance
) -> Rect:
    """The part of the photo (px of it) around the region and `boxes`; all of it without an alignment."""
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
    inside = from_corners(left - margin, top - margin, right + margin, bottom + margin)
    inside = inside.clamped(*photo.size)
    return whole if inside.empty else inside


def task_of(session: Session, task_id: str) -> Task | None:
    """The task in the catalogue; None for one of another system. Raises ClientError."""
    try:
        return session.catalogue.tasks.get(task_id)
    except NotFound:
        return None


def _fields(record: Record, task: Task | None, seal: RecordSeal) -> tuple[tuple[str, str], ...]:
    flight = task.flight_number if task else None
    api_status: tuple[tuple[str, str], ...] = ()
    if record.inspection_status is not seal.record_state:
        # What a client of the service sets and sees, which no person decided here.
        name = QCoreApplication.translate("Report", "API status")
        api_status = ((name, report_terms.status(record.inspection_status)),)
    # A record of any other part has neither, and its report says nothing of them.
    thing = (
        (QCoreApplication.translate("Report", "Aircraft"), record.aircraft_name or ""),
        (QCoreApplication.translate("Report", "Flight"), flight or record.flight_id or ""),
    )
    return (
        *(field for field in thing if field[1]),
        (QCoreApplication.translate("Report", "Executor"), record.executor_name or ""),
        (QCoreApplication.translate("Report", "Task"), task.task_name if task else record.task_id),
        (QCoreApplication.translate("Report", "Start time"), _minute(record.start_time)),
        (QCoreApplication.translate("Report", "End time"), _minute(record.end_time)),
        (QCoreApplication.translate("Report", "Status"), report_terms.status(seal.record_state)),
        *api_status,
        (QCoreApplication.translate("Report", "Outcome"), report_terms.computed_outcome(seal.outcome)),
        (QCoreApplication.translate("Report", "Decided items"), report_terms.decided_items(seal.counters)),
        (QCoreApplication.translate("Report", "Reference image"), record.reference_image_name or ""),
        (QCoreApplication.translate("Report", "Record ID"), record.inspection_id),
        (QCoreApplication.translate("Report", "Created"), _minute(record.created_at)),
    )


def _minute(time: datetime | None) -> str:
    return minute_in_zone(time.replace(tzinfo=UTC)) if time is not None else ""


def _time(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None


def _digest(content_id: object) -> str:
    try:
        return sha256_of(str(content_id))
    except ValueError:
        return str(content_id or "–")


def _crop(picture: ImageSource, region: Rect) -> QImage:
    return QImage() if region.empty else picture.crop(region)


def _scaled_down(image: QImage, longest: int) -> QImage:
    if image.isNull() or max(image.width(), image.height()) <= longest:
        return image
    size = image.size().scaled(QSize(longest, longest), Qt.AspectRatioMode.KeepAspectRatio)
    return image.scaled(size, mode=Qt.TransformationMode.SmoothTransformation)
