"""Searches aircraft, flights, tasks, reference images and users by part of a name, page by page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QImage

from desktop.client.session import Session
from desktop.context import Context
from desktop.pages.common.forms.chooser import PAGE, Choice, Find
from shared.codes import Permission
from shared.wire.catalogue import Task

_PICTURE_PX = 128


def aircraft(session: Session) -> Find:
    """Finds aircraft."""
    return partial(_aircraft, session)


def flights(session: Session) -> Find:
    """Finds flights."""
    return partial(_flights, session)


def tasks(session: Session) -> Find:
    """Finds tasks."""
    return partial(_tasks, session)


def references(session: Session, aircraft_id: str | None = None) -> Find:
    """Finds reference images; those of an aircraft first."""
    return partial(_references, session, aircraft_id)


def reference_picture(session: Session) -> Callable[[str], QImage]:
    """Gives a small picture of a reference image by its id."""
    return partial(_reference_picture, session)


def people(context: Context) -> Find:
    """Finds people; who may not see the users finds only themselves.

    Who is logged in counts at every search: a page can be made before anyone is.
    """
    return partial(_people, context)


def task_name(task: Task) -> str:
    """A task with its flight and its aircraft, as one line."""
    return " · ".join(part for part in (task.task_name, task.flight_number, task.aircraft_name) if part)


def _aircraft(session: Session, text: str, page: int) -> list[Choice]:
    found = session.catalogue.aircraft.list(page, PAGE, text).data
    return [(one.aircraft_id, one.aircraft_name) for one in found]


def _flights(session: Session, text: str, page: int) -> list[Choice]:
    found = session.catalogue.flights.list(page, PAGE, text).data
    return [(one.flight_id, one.flight_number) for one in found]


def _tasks(session: Session, text: str, page: int) -> list[Choice]:
    return [(one.task_id, task_name(one)) for one in session.catalogue.tasks.list(page, PAGE, text).data]


def _people(context: Context, text: str, page: int) -> list[Choice]:
    if context.may(Permission.USER_MANAGE):
        found = context.session.users.list(page, PAGE, text).data
        return [(one.user_id, one.name or one.username) for one in found]
    payload = context.payload
    if payload is None or page > 1:
        return []
    return [(payload.user.user_id, payload.user.name or payload.user.username)]


def _reference_picture(session: Session, reference_image_id: str) -> QImage:
    reference = session.catalogue.reference_images.get(reference_image_id)
    return QImage.fromData(session.files.thumbnail(reference.file_id, _PICTURE_PX))


def _references(session: Session, aircraft_id: str | None, text: str, page: int) -> list[Choice]:
    images = session.catalogue.reference_images
    found = images.list(page, PAGE, text).data
    if aircraft_id is not None and page == 1:
        own = images.list(1, PAGE, text, aircraft_id=aircraft_id).data
        found = own + [image for image in found if image not in own]
    return [(image.reference_image_id, image.reference_image_name) for image in found]
