"""Chooses the queue of jobs: a leased table on SQLite, procrastinate on PostgreSQL."""

from __future__ import annotations

from service.db.database import Database
from service.detection.queue.port import Queue


def queue_for(database: Database) -> Queue:
    """The queue that fits the database."""
    # procrastinate is imported on PostgreSQL only.
    if database.is_sqlite:
        from service.detection.queue.leased_queue import LeasedQueue

        return LeasedQueue(database)
    from service.detection.queue.procrastinate_queue import ProcrastinateQueue

    return ProcrastinateQueue(database)
