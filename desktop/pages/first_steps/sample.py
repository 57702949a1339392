"""Makes the sample inspection at the service, and removes exactly what it made. No widgets.

The pictures come from `shared.samples.inspection`. What was made is known by its ids, never by a name: an
entry that a person renamed goes with the sample, one that a person called like it stays.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from desktop.background.workers import ProgressReport
from desktop.client import RecordFilter, Session
from desktop.client.http.errors import Conflict, NotFound
from shared.geometry import pixels_to_point
from shared.images.cv import cv2
from shared.samples import Image, inspection
from shared.wire.catalogue import AircraftWrite, FlightWrite, ReferenceImageWrite, TaskWrite, TemplateRegion
from shared.wire.detection import REFERENCE_DIFFERENCE
from shared.wire.inspection import Point, RecordCreate
from shared.wire.photos import PhotoItemSet

_STEPS = 9
_PHOTO_QUALITY = 93


@dataclass(frozen=True, slots=True)
class SampleTexts:
    """What the sample says, in the person's language; `items` are (name, description) in the order of
    `inspection.REGIONS`."""

    aircraft: str
    aircraft_type: str
    flight: str
    task: str
    reference: str
    record: str
    items: tuple[tuple[str, str], ...]
    reopened: str
    """Why a finished sample is reopened before it is deleted."""


@dataclass(slots=True)
class SampleObjects:
    """The IDs of the created objects; empty for those that do not exist yet or any more."""

    inspection_id: str = ""
    reference_image_id: str = ""
    task_id: str = ""
    flight_id: str = ""
    aircraft_id: str = ""

    def ids(self) -> dict[str, str]:
        """Field -> ID, of those that exist."""
        return {name: value for name, value in asdict(self).items() if value}


def create(report: ProgressReport, session: Session, texts: SampleTexts, executor_id: str) -> SampleObjects:
    """Create aircraft, flight, task, reference image and a record with regions and photos.

    Reports percent. Deletes what was created when it fails or is cancelled. Raises ClientError.
    """
    objects = SampleObjects()
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        report(100 * done // _STEPS)

    try:
        _create(session, texts, executor_id, objects, step)
    except BaseException:
        with contextlib.suppress(Exception):
            remove(session, objects, texts.reopened)
        raise
    return objects


def _create(
    session: Session, texts: SampleTexts, executor_id: str, objects: SampleObjects, step: Callable[[], None]
) -> None:
    drawn = inspection.draw()
    step()
    reference = session.files.upload(_encoded(drawn.reference, ".png"), "sample-reference.png")
    step()
    photo = session.files.upload(_encoded(drawn.photo, ".jpg"), "sample.jpg")
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
    shown = session.photos.add(objects.inspection_id, photo.file_id)
    step()
    homography = [[float(number) for number in row] for row in drawn.homography]
    session.photos.assign(
        objects.inspection_id,
        shown.photo_id,
        [PhotoItemSet(item_id=item.item_id, homography=homography) for item in items],
    )
    step()


def _template(texts: SampleTexts) -> list[TemplateRegion]:
    template = []
    for spot, (name, description) in zip(inspection.REGIONS, texts.items, strict=True):
        part = pixels_to_point(spot.region, *inspection.SIZE)
        template.append(
            TemplateRegion(
                item_name=name,
                description=description,
                model_id=REFERENCE_DIFFERENCE,
                point=Point(x=part.x, y=part.y, w=part.w, h=part.h),
            )
        )
    return template


def _encoded(image: Image, ending: str) -> bytes:
    settings = [cv2.IMWRITE_JPEG_QUALITY, _PHOTO_QUALITY] if ending == ".jpg" else []
    _, data = cv2.imencode(ending, image, settings)
    return bytes(data)


def remove(session: Session, objects: SampleObjects, reopened: str) -> SampleObjects:
    """Delete `objects` and nothing else; returns those that stay because other objects refer to them.

    A record that was finished is reopened first, with the reason `reopened`. Raises ClientError; what is
    gone by then is gone, and a second call deletes the rest.
    """
    remaining = SampleObjects()
    if objects.inspection_id:
        with contextlib.suppress(NotFound):
            _delete_record(session, objects.inspection_id, reopened)
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
            if _has_records(session, name, entry_id):
                setattr(remaining, name, entry_id)
            else:
                delete(entry_id)
        except NotFound:
            pass
        except Conflict:
            # Another task, flight or reference image belongs to it.
            setattr(remaining, name, entry_id)
        setattr(objects, name, "")
    return remaining


def _has_records(session: Session, name: str, entry_id: str) -> bool:
    """True when a record other than the sample's uses this task or reference image.

    The service would delete them, as a task may live in another system; the record would lose its aircraft.
    """
    if name not in ("task_id", "reference_image_id"):
        return False
    where = RecordFilter(task_id=entry_id) if name == "task_id" else RecordFilter(reference_image_id=entry_id)
    return session.records.search(where, 1, 1).pagination.total > 0


def _delete_record(session: Session, inspection_id: str, reopened: str) -> None:
    try:
        session.records.delete(inspection_id)
    except Conflict:
        session.records.reopen(inspection_id, reopened)
        session.records.delete(inspection_id)
