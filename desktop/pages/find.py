"""What a form offers to choose from, found by a part of its name."""

from __future__ import annotations

from functools import partial

from desktop.client.session import Session
from desktop.context import Context
from desktop.pages.chooser import Choice, Find
from shared.codes import Permission
from shared.wire.catalogue import Task

_MOST = 50


def aircraft(session: Session) -> Find:
    """Finds aircraft."""
    return partial(_aircraft, session)


def flights(session: Session) -> Find:
    """Finds flights."""
    return partial(_flights, session)


def tasks(session: Session) -> Find:
    """Finds tasks."""
    return partial(_tasks, session)


def references(session: Session) -> Find:
    """Finds reference images."""
    return partial(_references, session)


def people(context: Context) -> Find:
    """Finds people; who may not see the users finds only themselves."""
    payload = context.payload
    own = [(payload.user.user_id, payload.user.name or payload.user.username)] if payload else []
    if not context.may(Permission.USER_MANAGE):
        return lambda _text: own
    return partial(_people, context.session)


def task_name(task: Task) -> str:
    """A task with its flight and its aircraft, as one line."""
    return " · ".join(part for part in (task.task_name, task.flight_number, task.aircraft_name) if part)


def _aircraft(session: Session, text: str) -> list[Choice]:
    return [(a.aircraft_id, a.aircraft_name) for a in session.catalogue.aircraft.list(1, _MOST, text).data]


def _flights(session: Session, text: str) -> list[Choice]:
    return [(f.flight_id, f.flight_number) for f in session.catalogue.flights.list(1, _MOST, text).data]


def _tasks(session: Session, text: str) -> list[Choice]:
    return [(t.task_id, task_name(t)) for t in session.catalogue.tasks.list(1, _MOST, text).data]


def _people(session: Session, text: str) -> list[Choice]:
    return [(u.user_id, u.name or u.username) for u in session.users.list(1, _MOST, text).data]


def _references(session: Session, text: str) -> list[Choice]:
    found = session.catalogue.reference_images.list(1, _MOST, text).data
    return [(r.reference_image_id, r.reference_image_name) for r in found]
