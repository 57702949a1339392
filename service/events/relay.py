"""Relays changes between the service processes that share a PostgreSQL database: NOTIFY and LISTEN.

A change is sent inside the transaction that makes it. So PostgreSQL delivers it when the transaction commits,
and never when it is rolled back. Each process listens on its own connection, in a thread, because psycopg
cannot wait on the event loop that asyncio has on Windows. While the connection is lost, the process misses
changes of other processes. When it is restored, every client must read everything again.
"""

import logging
import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Sequence

import psycopg
from pydantic import BaseModel, ValidationError
from sqlalchemy import bindparam, text
from sqlmodel import Session

from service.changes import ObjectChange
from service.db.database import Database, now
from service.db.postgresql import address
from service.events.change_feed import ChangeFeed
from shared.wire.common import ItemTime

log = logging.getLogger("walkaround.events")

CHANNEL = "walkaround_changes"
MAX_BYTES = 7500
"""Largest size of a notification in bytes: PostgreSQL refuses 8000 and more."""
# How long the thread waits for notifications before it checks whether it should end.
_POLL_SECONDS = 0.5
# After this time without a notification a query checks the connection.
_SILENT_SECONDS = 15.0
_FIRST_RETRY_SECONDS, _MAX_RETRY_SECONDS = 0.5, 15.0
_NOTIFY = text("SELECT pg_notify(:channel, :payload)").bindparams(bindparam("channel", CHANNEL))

_NoticedChange = tuple[str, str, str | None, str | None]


class ChangeNotice(BaseModel):
    """One notification: the process that made the changes, the time, and the changes.

    A change is a tuple of action, kind, object ID and actor.
    """

    origin: str
    at: ItemTime
    changes: list[_NoticedChange]


def change_notices(origin: str, changes: Iterable[ObjectChange]) -> Iterator[str]:
    """The notifications of `changes` in order, each within `MAX_BYTES`; `audit_only` changes are left out."""
    empty = ChangeNotice(origin=origin, at=now(), changes=[])
    space = MAX_BYTES - len(empty.model_dump_json().encode())
    part: list[_NoticedChange] = []
    used = 0
    for change in changes:
        if change.audit_only:
            continue
        entry = (change.action, change.kind, change.object_id, change.actor)
        size = len(empty.model_copy(update={"changes": [entry]}).model_dump_json().encode())
        if part and used + size > space:
            yield empty.model_copy(update={"changes": part}).model_dump_json()
            part, used = [], 0
        part.append(entry)
        used += size
    if part:
        yield empty.model_copy(update={"changes": part}).model_dump_json()


class Relay:
    """Connects the change feeds of all processes on the same database."""

    def __init__(self, database: Database, change_feed: ChangeFeed) -> None:
        self._address = address(database.url)
        self._change_feed = change_feed
        # Identifies the notifications of this process. The change feed already has its changes.
        self._origin = secrets.token_hex(8)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="change-relay", daemon=True)

    def before_commit(self, session: Session, changes: Sequence[ObjectChange]) -> None:
        """Add `changes` to the transaction of `session`: its commit sends them to the other processes."""
        for payload in change_notices(self._origin, changes):
            session.execute(_NOTIFY, {"payload": payload})

    def start(self) -> None:
        """Start the thread that listens."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread."""
        self._ended.set()
        if self._thread.is_alive():
            # A database that does not answer must not prevent the service from ending.
            self._thread.join(2 * _POLL_SECONDS)

    def _run(self) -> None:
        pause = _FIRST_RETRY_SECONDS
        while not self._ended.is_set():
            try:
                with psycopg.connect(self._address, autocommit=True) as connection:
                    connection.execute(f"LISTEN {CHANNEL}".encode())
                    # Changes before this moment may have been missed.
                    self._change_feed.mark_missed()
                    pause = _FIRST_RETRY_SECONDS
                    self._listen(connection)
            except psycopg.Error as problem:
                # The text of the exception may contain the address with its password.
                log.error(
                    "changes of other processes are not received: %s; trying again", type(problem).__name__
                )
            self._ended.wait(pause)
            pause = min(2 * pause, _MAX_RETRY_SECONDS)

    def _listen(self, connection: psycopg.Connection) -> None:
        active_at = time.monotonic()
        while not self._ended.is_set():
            for notification in connection.notifies(timeout=_POLL_SECONDS):
                active_at = time.monotonic()
                self._receive(notification.payload)
            if time.monotonic() - active_at >= _SILENT_SECONDS:
                connection.execute("SELECT 1")
                active_at = time.monotonic()

    def _receive(self, payload: str) -> None:
        try:
            notice = ChangeNotice.model_validate_json(payload)
        except ValidationError:
            # Sent by a process with another version of the program: the changed object is unknown.
            self._change_feed.mark_missed()
            return
        if notice.origin != self._origin:
            changes = [
                ObjectChange(action, kind, object_id, actor)
                for action, kind, object_id, actor in notice.changes
            ]
            self._change_feed.add(changes, notice.at)
