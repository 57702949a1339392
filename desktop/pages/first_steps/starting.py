"""Creates a record from a picture, with the objects that it refers to and its items. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from desktop.background.workers import ProgressReport
from desktop.client import Session
from desktop.client.api.catalogue import Entries
from desktop.client.http.errors import Conflict
from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.imported_regions import (
    ExchangeError,
    ImportedRegion,
    ImportedRegions,
    Reason,
    item_creates,
)
from desktop.exchange.formats.archive import MAX_BYTES
from desktop.exchange.found_picture import FoundPicture, find_picture
from desktop.exchange.registry import read_regions
from desktop.imaging.conversion import prepare_upload
from desktop.messages.exchange_messages import left_out_sentence
from desktop.record.item_changes import default_names
from shared.ids import new_key
from shared.record.geometry import pixels_to_point
from shared.wire.catalogue import (
    AircraftWrite,
    ReferenceImage,
    ReferenceImageWrite,
    TaskWrite,
    TemplateRegion,
)
from shared.wire.detection import REFERENCE_DIFFERENCE
from shared.wire.inspection import ItemCreate, ItemPoint, Point, RecordCreate, RecordUpdate

_MAX_TEMPLATE_REGIONS = 2000
"""The most regions that the service accepts in a template."""
_ANY_SIDE = 100_000
"""A side in px that is larger than every picture: no region is outside."""
_UPLOAD_PERCENT = 70
"""The progress in percent when the upload is complete."""


@dataclass(frozen=True, slots=True)
class CatalogueChoice:
    """An entry of the catalogue: the ID of an existing one, or the name of one to create."""

    entry_id: str = ""
    name: str = ""

    def __bool__(self) -> bool:
        return bool(self.entry_id or self.name)


@dataclass(frozen=True, slots=True)
class StartDetails:
    """The entries of the form. `whole_image` is the name of the item for the whole image; empty for none."""

    picture: Path | bytes
    picture_name: str
    name: str
    task: CatalogueChoice
    aircraft: CatalogueChoice
    executor_id: str
    whole_image: str = ""
    regions: Path | None = None


@dataclass(slots=True)
class Progress:
    """The objects created so far, so that a second attempt after an error creates nothing twice."""

    reference: ReferenceImage | None = None
    reference_key: tuple[object, str] | None = None
    """The picture and the aircraft that the reference image was created for."""
    record_id: str = ""
    item_key: str = field(default_factory=new_key)
    has_items: bool = False


@dataclass(frozen=True, slots=True)
class StartedRecord:
    """The created record; `left_out` says what of the file is no region, as sentences."""

    record_id: str
    regions: int = 0
    left_out: str = ""


def start_record(
    report: ProgressReport, session: Session, details: StartDetails, progress: Progress
) -> StartedRecord:
    """Create the record. Reports percent.

    Raises ClientError, ImageError, OSError, and ExchangeError if the file of regions cannot be used; then no
    record is created.
    """
    aircraft_id = _find_or_create_aircraft(session, details.aircraft)
    reference = _create_reference(report, session, details, aircraft_id, progress)
    target = _as_picture(reference)
    drafts = ImportedRegions() if details.regions is None else _read_regions(details.regions, target)
    task_id = _find_or_create_task(session, details.task, aircraft_id)
    record_id = _create_or_update_record(session, details, task_id, reference.reference_image_id, progress)
    report(90)
    if not progress.has_items:
        if drafts:
            _create_items(report, session, reference, record_id, drafts, target)
        elif details.whole_image:
            whole = ItemPoint(point=Point(x=0, y=0, w=1, h=1))
            item = ItemCreate(
                item_name=details.whole_image,
                inspection_id=record_id,
                model_id=REFERENCE_DIFFERENCE,
                item_point=whole,
            )
            session.items.create(item, progress.item_key)
        progress.has_items = True
    report(100)
    return StartedRecord(record_id, len(drafts), left_out_sentence(drafts.outside, drafts.without_area))


def _create_or_update_record(
    session: Session, details: StartDetails, task_id: str, reference_image_id: str, progress: Progress
) -> str:
    """Create the record, or update the one that an earlier attempt created. Returns its ID."""
    name = details.name or None
    if progress.record_id:
        change = RecordUpdate(inspection_name=name, task_id=task_id, reference_image_id=reference_image_id)
        return session.records.update(progress.record_id, change).value.inspection_id
    body = RecordCreate(
        inspection_name=name,
        task_id=task_id,
        executor_id=details.executor_id,
        reference_image_id=reference_image_id,
        start_time=datetime.now(UTC),
    )
    progress.record_id = session.records.create(body, new_key()).inspection_id
    return progress.record_id


def _find_or_create_aircraft(session: Session, aircraft: CatalogueChoice) -> str | None:
    if not aircraft:
        return None
    if aircraft.entry_id:
        return aircraft.entry_id
    entries = session.catalogue.aircraft
    for entry in _find_by_name(entries, aircraft.name):
        if entry.aircraft_name == aircraft.name:
            return str(entry.aircraft_id)
    return entries.create(AircraftWrite(aircraft_name=aircraft.name)).aircraft_id


def _find_or_create_task(session: Session, task: CatalogueChoice, aircraft_id: str | None) -> str:
    """The ID of the selected task, or of the task with this name and aircraft, created if missing.

    A selected task of another aircraft is not used: its records would lose the aircraft.
    """
    entries, name = session.catalogue.tasks, task.name
    if task.entry_id:
        selected = entries.get(task.entry_id)
        if aircraft_id is None or selected.aircraft_id == aircraft_id:
            return task.entry_id
        name = selected.task_name
    for entry in _find_by_name(entries, name):
        if (entry.task_name, entry.aircraft_id) == (name, aircraft_id):
            return str(entry.task_id)
    return entries.create(TaskWrite(task_name=name, aircraft_id=aircraft_id)).task_id


def _find_by_name(entries: Entries[Any, Any], name: str) -> Sequence[Any]:
    return entries.list(1, 200, name).data


def _create_reference(
    report: ProgressReport,
    session: Session,
    details: StartDetails,
    aircraft_id: str | None,
    progress: Progress,
) -> ReferenceImage:
    key = (details.picture, aircraft_id or "")
    if progress.reference is not None and progress.reference_key == key:
        return progress.reference

    def on_progress(done: int, total: int) -> None:
        report(_UPLOAD_PERCENT * done // total if total else 0)

    source, name = prepare_upload(details.picture, details.picture_name)
    uploaded_file = session.files.upload(source, name, progress=on_progress)
    body = ReferenceImageWrite(
        reference_image_name=Path(details.picture_name).stem[:255] or details.picture_name,
        file_id=uploaded_file.file_id,
        aircraft_id=aircraft_id,
    )
    progress.reference = session.catalogue.reference_images.create(body)
    progress.reference_key = key
    report(_UPLOAD_PERCENT + 10)
    return progress.reference


def _as_picture(reference: ReferenceImage) -> ExportedPicture:
    return ExportedPicture(
        reference.filename or reference.reference_image_name,
        reference.width or 0,
        reference.height or 0,
        reference.ipfs_cid,
    )


def look_into(path: Path) -> FoundPicture | None:
    """The picture that a file of regions names, if it can be found.

    Raises OSError, and ExchangeError if no picture makes the file readable.
    """
    picture = find_picture(path)
    try:
        _read_regions(path, ExportedPicture("", _ANY_SIDE, _ANY_SIDE, None))
    except ExchangeError as error:
        if error.reason in (Reason.UNREADABLE, Reason.NO_REGIONS, Reason.TOO_LARGE):
            raise
    return picture


def _read_regions(path: Path, target: ExportedPicture) -> ImportedRegions:
    if path.stat().st_size > MAX_BYTES:
        raise ExchangeError(Reason.TOO_LARGE)
    return read_regions(path.read_bytes(), path.name, target)


def _create_items(
    report: ProgressReport,
    session: Session,
    reference: ReferenceImage,
    record_id: str,
    drafts: Sequence[ImportedRegion],
    target: ExportedPicture,
) -> None:
    """Create an item for each region.

    The template of the reference image creates up to `_MAX_TEMPLATE_REGIONS` items with one request; the
    others are created one by one.
    """
    model_ids = {model.model_id for model in session.detection.models() if model.enabled}
    names = default_names({draft.name for draft in drafts})
    bodies = item_creates(drafts, record_id, target, None, names)
    template = []
    for draft, body in zip(drafts[:_MAX_TEMPLATE_REGIONS], bodies[:_MAX_TEMPLATE_REGIONS], strict=True):
        fractions = pixels_to_point(draft.rect, target.width, target.height)
        template.append(
            TemplateRegion(
                item_name=body.item_name,
                description=body.description,
                model_id=body.model_id if body.model_id in model_ids else REFERENCE_DIFFERENCE,
                point=Point(x=fractions.x, y=fractions.y, w=fractions.w, h=fractions.h),
            )
        )
    session.catalogue.reference_images.set_template(reference.reference_image_id, template)
    try:
        session.items.from_template(record_id)
    except Conflict:
        # An earlier attempt has already created these items.
        return
    remaining = bodies[_MAX_TEMPLATE_REGIONS:]
    for number, body in enumerate(remaining):
        if body.model_id not in model_ids:
            body.model_id = REFERENCE_DIFFERENCE
        session.items.create(body, new_key())
        report(90 + 10 * number // len(remaining))
