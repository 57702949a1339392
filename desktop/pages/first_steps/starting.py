"""Makes a record from a picture: uploads it, makes what the record refers to, and its items. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from desktop.background.workers import ProgressReport
from desktop.client import Session
from desktop.client.api.catalogue import Entries
from desktop.client.http.errors import Conflict
from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.errors import ExchangeError, Reason
from desktop.exchange.data.imported_regions import ImportedRegion, ImportedRegions, item_creates
from desktop.exchange.formats.archive import MAX_BYTES
from desktop.exchange.registry import read_regions
from desktop.imaging.conversion import prepare_upload
from shared.geometry import pixels_to_point
from shared.ids import new_key
from shared.wire.catalogue import (
    AircraftWrite,
    ReferenceImage,
    ReferenceImageWrite,
    TaskWrite,
    TemplateRegion,
)
from shared.wire.detection import REFERENCE_DIFFERENCE
from shared.wire.inspection import ItemCreate, ItemPoint, Point, RecordCreate, RecordUpdate

_MOST_TEMPLATE = 2000
"""What the service takes for a template."""
_UPLOADED = 70
"""Percent of the work that the upload is."""


@dataclass(frozen=True, slots=True)
class CatalogueChoice:
    """An entry of the catalogue: the id of one that was chosen, or the name of one to be made."""

    entry_id: str = ""
    name: str = ""

    def __bool__(self) -> bool:
        return bool(self.entry_id or self.name)


@dataclass(frozen=True, slots=True)
class StartDetails:
    """What a person filled in. `whole_image` names the item of the whole image; empty: no such item."""

    picture: Path | bytes
    picture_name: str
    name: str
    task: CatalogueChoice
    aircraft: CatalogueChoice
    executor_id: str
    whole_image: str = ""
    regions: Path | None = None
    unnamed: Callable[[int], str] = "Item {}".format
    """Names the n-th region (from 1) that has no name."""


@dataclass(slots=True)
class Progress:
    """The objects created so far: a second attempt after a failure continues and creates nothing twice."""

    reference: ReferenceImage | None = None
    reference_for: tuple[object, str] | None = None
    """Picture and aircraft that the reference image was made for."""
    record_id: str = ""
    item_key: str = field(default_factory=new_key)
    filled: bool = False


@dataclass(frozen=True, slots=True)
class StartedRecord:
    """The record that was made; `left_out` regions lie outside of the picture."""

    record_id: str
    regions: int = 0
    left_out: int = 0


def start(
    report: ProgressReport, session: Session, details: StartDetails, progress: Progress
) -> StartedRecord:
    """Make the record. Reports percent.

    Raises ClientError, ImageError, OSError, and ExchangeError for a file of regions that cannot be used: then
    no record is made.
    """
    aircraft_id = _aircraft(session, details.aircraft)
    reference = _reference(report, session, details, aircraft_id, progress)
    target = _target_picture(reference)
    drafts = ImportedRegions() if details.regions is None else _read(details.regions, target)
    task_id = _task(session, details.task, aircraft_id)
    record_id = _record(session, details, task_id, reference.reference_image_id, progress)
    report(90)
    if not progress.filled:
        if drafts:
            _create_items(report, session, reference, record_id, drafts, target, details.unnamed)
        elif details.whole_image:
            whole = ItemPoint(point=Point(x=0, y=0, w=1, h=1))
            item = ItemCreate(
                item_name=details.whole_image,
                inspection_id=record_id,
                model_id=REFERENCE_DIFFERENCE,
                item_point=whole,
            )
            session.items.create(item, progress.item_key)
        progress.filled = True
    report(100)
    return StartedRecord(record_id, len(drafts), drafts.left_out)


def _record(
    session: Session, details: StartDetails, task_id: str, reference_image_id: str, progress: Progress
) -> str:
    """The record; one that an earlier try made takes over what is typed now."""
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


def _aircraft(session: Session, aircraft: CatalogueChoice) -> str | None:
    if not aircraft:
        return None
    if aircraft.entry_id:
        return aircraft.entry_id
    entries = session.catalogue.aircraft
    for entry in _find_by_name(entries, aircraft.name):
        if entry.aircraft_name == aircraft.name:
            return str(entry.aircraft_id)
    return entries.create(AircraftWrite(aircraft_name=aircraft.name)).aircraft_id


def _task(session: Session, task: CatalogueChoice, aircraft_id: str | None) -> str:
    """Return the ID of the chosen task, or of the one with this name and aircraft, created if missing."""
    if task.entry_id:
        return task.entry_id
    entries = session.catalogue.tasks
    for entry in _find_by_name(entries, task.name):
        if (entry.task_name, entry.aircraft_id) == (task.name, aircraft_id):
            return str(entry.task_id)
    return entries.create(TaskWrite(task_name=task.name, aircraft_id=aircraft_id)).task_id


def _find_by_name(entries: Entries[Any, Any], name: str) -> Sequence[Any]:
    return entries.list(1, 200, name).data


def _reference(
    report: ProgressReport,
    session: Session,
    details: StartDetails,
    aircraft_id: str | None,
    progress: Progress,
) -> ReferenceImage:
    wanted = (details.picture, aircraft_id or "")
    if progress.reference is not None and progress.reference_for == wanted:
        return progress.reference

    def count(done: int, total: int) -> None:
        report(_UPLOADED * done // total if total else 0)

    source, name = prepare_upload(details.picture, details.picture_name)
    stored = session.files.upload(source, name, progress=count)
    body = ReferenceImageWrite(
        reference_image_name=Path(details.picture_name).stem[:255] or details.picture_name,
        file_id=stored.file_id,
        aircraft_id=aircraft_id,
    )
    progress.reference = session.catalogue.reference_images.create(body)
    progress.reference_for = wanted
    report(_UPLOADED + 10)
    return progress.reference


def _target_picture(reference: ReferenceImage) -> ExportedPicture:
    return ExportedPicture(
        reference.filename or reference.reference_image_name,
        reference.width or 0,
        reference.height or 0,
        reference.ipfs_cid,
    )


def _read(path: Path, target: ExportedPicture) -> ImportedRegions:
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
    unnamed: Callable[[int], str],
) -> None:
    """Give the record an item for each region: by the template of the reference image, which takes one
    request, and what it does not hold one by one.
    """
    model_ids = {model.model_id for model in session.detection.models() if model.enabled}
    bodies = item_creates(drafts, record_id, target, None, unnamed)
    template = []
    for draft, body in zip(drafts[:_MOST_TEMPLATE], bodies[:_MOST_TEMPLATE], strict=True):
        part = pixels_to_point(draft.rect, target.width, target.height)
        template.append(
            TemplateRegion(
                item_name=body.item_name,
                description=body.description,
                model_id=body.model_id if body.model_id in model_ids else REFERENCE_DIFFERENCE,
                point=Point(x=part.x, y=part.y, w=part.w, h=part.h),
            )
        )
    session.catalogue.reference_images.set_template(reference.reference_image_id, template)
    try:
        session.items.from_template(record_id)
    except Conflict:
        # An earlier attempt came as far as this.
        return
    rest = bodies[_MOST_TEMPLATE:]
    for number, body in enumerate(rest):
        if body.model_id not in model_ids:
            body.model_id = REFERENCE_DIFFERENCE
        session.items.create(body, new_key())
        report(90 + 10 * number // len(rest))
