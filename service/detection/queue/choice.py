"""Chooses the queue of jobs: a leased table on SQLite, procrastinate on PostgreSQL."""

from __future__ import annotations

from service.db.database import Database
from service.detection.queue.port import Queue


def choose_queue(database: Database) -> Queue:
    """The queue for the kind of database."""
    # Only PostgreSQL needs procrastinate.
    if database.is_sqlite:
        from service.detection.queue.leased_queue import LeasedQueue

        return LeasedQueue(database)
    from service.detection.queue.procrastinate_queue import ProcrastinateQueue

    return ProcrastinateQueue(database)
