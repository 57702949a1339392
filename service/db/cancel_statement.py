"""Ends a database statement from another thread when its caller no longer waits."""

from __future__ import annotations

import contextlib
import logging
import socket
import sqlite3
import threading
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

log = logging.getLogger("walkaround.database")

CANCEL_SECONDS = 5.0
"""How long a request to PostgreSQL to end a statement may take."""
AGAIN_SECONDS = 0.1


class NoAnswerError(SQLAlchemyError):
    """The database did not answer within the time of a request."""


class RunningStatement:
    """One piece of work on the database, and the connection that it uses."""

    def __init__(self) -> None:
        # Held while the connection is being ended, so that no other work gets it meanwhile.
        self._lock = threading.Lock()
        self._free = threading.Event()
        self._connection: Any = None
        self._abandoned = False
        self.started_at: float | None = None
        """When a thread began with it, on the clock of `time.perf_counter`."""

    def attach(self, connection: Any) -> None:
        """Note the connection that the work uses now. Raises NoAnswerError if its caller no longer waits."""
        with self._lock:
            self.check()
            self._connection = connection

    def detach(self) -> None:
        """Note that the work has returned its connection."""
        with self._lock:
            self._connection = None
        self._free.set()

    def check(self) -> None:
        """Raise NoAnswerError when the caller no longer waits."""
        if self._abandoned:
            raise NoAnswerError("the caller no longer waits")

    def cancel(self) -> None:
        """Have the database end the running statement, and wait for that: the client has left."""
        self._abandoned = True
        cancelled = True
        while cancelled:
            with self._lock:
                cancelled = self._connection is not None and _cancel(self._connection)
            # A request between two statements ends neither of them.
            cancelled = cancelled and not self._free.wait(AGAIN_SECONDS)

    def abandon(self) -> None:
        """Free the thread of the work although the database does not answer: its connection is cut."""
        self._abandoned = True
        with self._lock:
            if self._connection is not None and not isinstance(self._connection, sqlite3.Connection):
                # The driver of PostgreSQL raises if its connection is lost already, which is enough.
                with contextlib.suppress(Exception):
                    _cut(self._connection.fileno())
                return
        self.cancel()


def _cancel(connection: Any) -> bool:
    if isinstance(connection, sqlite3.Connection):
        connection.interrupt()
        return True
    try:
        connection.cancel_safe(timeout=CANCEL_SECONDS)
    except Exception as problem:  # whatever it is, the statement ends by its own time-out
        log.warning("a statement could not be cancelled: %s", type(problem).__name__)
        return False
    return True


def _cut(descriptor: int) -> None:
    # The socket stays the driver's, which finds it at its end and closes it.
    connection = socket.socket(fileno=descriptor)
    try:
        connection.shutdown(socket.SHUT_RDWR)
    finally:
        connection.detach()
