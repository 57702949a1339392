"""Creates the sample inspection in the service, and deletes exactly what it created. No widgets.

The pictures are drawn by `shared.samples.inspection`. The created objects are identified by their IDs, never
by their names: an entry that a user renamed is deleted, another entry with the same name is not.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from desktop.background.workers import ProgressReport
from desktop.client import Session
from desktop.client.http.errors import Conflict, NotFound
from shared.images.cv import cv2
from shared.record.geometry import pixels_to_point
from shared.samples import Image, inspection
from shared.wire.catalogue import AircraftWrite, FlightWrite, ReferenceImageWrite, TaskWrite, TemplateRegion
from shared.wire.detection import REFERENCE_DIFFERENCE
from shared.wire.inspection import Point, RecordCreate
from shared.wire.photos import PhotoItemSet

_STEP_COUNT = 9
_PHOTO_QUALITY = 93


@dataclass(frozen=True, slots=True)
class SampleTexts:
    """The texts of the sample in the user's language.

    `items` are names and descriptions in the order of `inspection.REGIONS`.
    """

    aircraft: str
    aircraft_type: str
    flight: str
    task: str
    reference: str
    record: str
    items: tuple[tuple[str, str], ...]
    reopening_reason: str
    """The reason with which a finished sample is reopened before it is deleted."""


@dataclass(slots=True)
class SampleObjects:
    """The IDs of the created objects; empty for objects that do not exist."""

    inspection_id: str = ""
    reference_image_id: str = ""
    task_id: str = ""
    flight_id: str = ""
    aircraft_id: str = ""

    def ids(self) -> dict[str, str]:
        """The IDs of the existing objects by field."""
        return {name: value for name, value in asdict(self).items() if value}


def create_sample(
    report: ProgressReport, session: Session, texts: SampleTexts, executor_id: str
) -> SampleObjects:
    """Create aircraft, flight, task, reference image and a record with regions and photos.

    Reports percent. If it fails or is cancelled, deletes the created objects. Raises ClientError.
    """
    objects = SampleObjects()
    done_steps = 0

    def step() -> None:
        nonlocal done_steps
        done_steps += 1
        report(100 * done_steps // _STEP_COUNT)

    try:
        _create(session, texts, executor_id, objects, step)
    except BaseException:
        with contextlib.suppress(Exception):
            delete_sample(session, objects, texts.reopening_reason)
        raise
    return objects


def _create(
    session: Session, texts: SampleTexts, executor_id: str, objects: SampleObjects, step: Callable[[], None]
) -> None:
    pictures = inspection.draw_inspection()
    step()
    reference = session.files.upload(_encode(pictures.reference, ".png"), "sample-reference.png")
    step()
    photo = session.files.upload(_encode(pictures.photo, ".jpg"), "sample.jpg")
    step()
    catalogue = session.catalogue
    aircraft = AircraftWrite(aircraft_name=texts.aircraft, aircraft_type=texts.aircraft_type)
    objects.aircraft_id = catalogue.aircraft.create(aircraft).aircraft_id
    flight = FlightWrite(flight_number=texts.flight, aircraft_id=objects.aircraft_id)
    objects.flight_id = catalogue.flights.create(flight).flight_id
    task = TaskWrite(task_name=texts.task, flight_id=objects.flight_id, aircraft_id=objects.aircraft_id)
    objects.task_id = catalogue.tasks.create(task).task_id
    step()
    image = ReferenceImageWrite(
        reference_image_name=texts.reference,
        file_id=reference.file_id,
        aircraft_id=objects.aircraft_id,
        mm_per_pixel=inspection.MM_PER_PIXEL,
        template=_template(texts),
    )
    objects.reference_image_id = catalogue.reference_images.create(image).reference_image_id
    step()
    record = RecordCreate(
        inspection_name=texts.record,
        task_id=objects.task_id,
        executor_id=executor_id,
        reference_image_id=objects.reference_image_id,
        start_time=datetime.now(UTC),
    )
    objects.inspection_id = session.records.create(record).inspection_id
    step()
    items = session.items.from_template(objects.inspection_id)
    step()
    record_photo = session.photos.add(objects.inspection_id, photo.file_id)
    step()
    homography = [[float(number) for number in row] for row in pictures.homography]
    session.photos.assign(
        objects.inspection_id,
        record_photo.photo_id,
        [PhotoItemSet(item_id=item.item_id, homography=homography) for item in items],
    )
    step()


def _template(texts: SampleTexts) -> list[TemplateRegion]:
    template = []
    for region, (name, description) in zip(inspection.REGIONS, texts.items, strict=True):
        fractions = pixels_to_point(region.region, *inspection.SIZE)
        template.append(
            TemplateRegion(
                item_name=name,
                description=description,
                model_id=REFERENCE_DIFFERENCE,
                point=Point(x=fractions.x, y=fractions.y, w=fractions.w, h=fractions.h),
            )
        )
    return template


def _encode(image: Image, suffix: str) -> bytes:
    settings = [cv2.IMWRITE_JPEG_QUALITY, _PHOTO_QUALITY] if suffix == ".jpg" else []
    _, data = cv2.imencode(suffix, image, settings)
    return bytes(data)


def delete_sample(session: Session, objects: SampleObjects, reopening_reason: str) -> SampleObjects:
    """Delete `objects` and nothing else. Returns those that are kept because other objects refer to them.

    A finished record is reopened first, with the reason `reopening_reason`. Raises ClientError; a second call
    deletes the remaining objects.
    """
    remaining = SampleObjects()
    if objects.inspection_id:
        with contextlib.suppress(NotFound):
            _delete_record(session, objects.inspection_id, reopening_reason)
        objects.inspection_id = ""
    catalogue = session.catalogue
    for name, delete in (
        ("reference_image_id", catalogue.reference_images.delete),
        ("task_id", catalogue.tasks.delete),
        ("flight_id", catalogue.flights.delete),
        ("aircraft_id", catalogue.aircraft.delete),
    ):
        entry_id = getattr(objects, name)
        if not entry_id:
            continue
        try:
            delete(entry_id)
        except NotFound:
            pass
        except Conflict:
            # A record, task, flight or reference image of a user refers to it.
            setattr(remaining, name, entry_id)
        setattr(objects, name, "")
    return remaining


def _delete_record(session: Session, inspection_id: str, reopening_reason: str) -> None:
    try:
        session.records.delete(inspection_id)
    except Conflict:
        session.records.reopen(inspection_id, reopening_reason)
        session.records.delete(inspection_id)
