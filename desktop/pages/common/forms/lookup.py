"""Searches aircraft, flights, tasks, reference images and users by part of a name, page by page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QImage

from desktop.client.session import Session
from desktop.context import Context
from desktop.imaging.decoding.pixels import decode_thumbnail
from desktop.pages.common.forms.chooser import PAGE_SIZE, Choice, FindPage
from shared.names import user_label
from shared.record.codes import Permission
from shared.wire.catalogue import Task

_PICTURE_PX = 128


def aircraft(session: Session) -> FindPage:
    """A function that finds aircraft."""
    return partial(_find_aircraft, session)


def flights(session: Session) -> FindPage:
    """A function that finds flights."""
    return partial(_find_flights, session)


def tasks(session: Session) -> FindPage:
    """A function that finds tasks."""
    return partial(_find_tasks, session)


def references(session: Session, aircraft_id: str | None = None) -> FindPage:
    """A function that finds reference images; those of the aircraft come first."""
    return partial(_find_references, session, aircraft_id)


def reference_picture(session: Session) -> Callable[[str], QImage]:
    """A function that reads a small picture of a reference image by its ID."""
    return partial(_read_reference_picture, session)


def people(context: Context) -> FindPage:
    """A function that finds users. Users who may not see the others find only themselves.

    The permission is checked at every search, because a page may be created before the login.
    """
    return partial(_find_users, context)


def task_name(task: Task) -> str:
    """The name of a task with its flight and its aircraft, on one line."""
    return " · ".join(part for part in (task.task_name, task.flight_number, task.aircraft_name) if part)


def _find_aircraft(session: Session, text: str, page: int) -> list[Choice]:
    entries = session.catalogue.aircraft.list(page, PAGE_SIZE, text).data
    return [(aircraft.aircraft_id, aircraft.aircraft_name) for aircraft in entries]


def _find_flights(session: Session, text: str, page: int) -> list[Choice]:
    entries = session.catalogue.flights.list(page, PAGE_SIZE, text).data
    return [(flight.flight_id, flight.flight_number) for flight in entries]


def _find_tasks(session: Session, text: str, page: int) -> list[Choice]:
    return [
        (task.task_id, task_name(task)) for task in session.catalogue.tasks.list(page, PAGE_SIZE, text).data
    ]


def _find_users(context: Context, text: str, page: int) -> list[Choice]:
    if context.may(Permission.USER_MANAGE):
        users = context.session.users.list(page, PAGE_SIZE, text).data
        return [(user.user_id, user_label(user.name, user.username)) for user in users]
    payload = context.payload
    if payload is None or page > 1:
        return []
    return [(payload.user.user_id, user_label(payload.user.name, payload.user.username))]


def _read_reference_picture(session: Session, reference_image_id: str) -> QImage:
    reference = session.catalogue.reference_images.get(reference_image_id)
    return decode_thumbnail(session.files.thumbnail(reference.file_id, _PICTURE_PX))


def _find_references(session: Session, aircraft_id: str | None, text: str, page: int) -> list[Choice]:
    images = session.catalogue.reference_images
    entries = images.list(page, PAGE_SIZE, text).data
    if aircraft_id is not None and page == 1:
        aircraft_images = images.list(1, PAGE_SIZE, text, aircraft_id=aircraft_id).data
        entries = aircraft_images + [image for image in entries if image not in aircraft_images]
    return [(image.reference_image_id, image.reference_image_name) for image in entries]
