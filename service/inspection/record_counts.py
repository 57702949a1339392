"""Counts the records that refer to an entry of the catalogue: ports of the catalogue."""

from __future__ import annotations

from sqlalchemy import Column, func, select
from sqlmodel import Session

from service.inspection.tables import RECORD


def count_of_task(session: Session, task_id: str) -> int:
    """The number of records of a task."""
    return _count(session, RECORD.c.task_id, task_id)


def count_of_reference_image(session: Session, reference_image_id: str) -> int:
    """The number of records with a reference image."""
    return _count(session, RECORD.c.reference_image_id, reference_image_id)


def _count(session: Session, column: Column[str], value: str) -> int:
    count: int = session.execute(select(func.count()).where(column == value)).scalar_one()
    return count
