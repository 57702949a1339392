"""Relays changes between the service processes that share a PostgreSQL database: NOTIFY and LISTEN.

A change is sent inside the transaction that makes it, so PostgreSQL delivers it when that commits, and never
when it is rolled back. Each process listens on a connection of its own, on a thread, since psycopg cannot
wait on the loop that asyncio has on Windows. While that connection is lost, changes of other
processes are missed: when it is back, every client is asked to read everything again.
"""

from __future__ import annotations

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
MOST_BYTES = 7500
"""Of one notification: PostgreSQL refuses 8000 and more."""
# How long a wait for notifications lasts before the thread looks whether it should end.
_LOOK_SECONDS = 0.5
# A connection that is silent for longer is checked by a query.
_SILENT_SECONDS = 15.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 15.0
_NOTIFY = text("SELECT pg_notify(:channel, :payload)").bindparams(bindparam("channel", CHANNEL))

_NoticedChange = tuple[str, str, str | None, str | None]


class ChangeNotice(BaseModel):
    """One notification: which process made the changes, when, and action, kind, object and actor of each."""

    origin: str
    at: ItemTime
    changes: list[_NoticedChange]


def change_notices(origin: str, changes: Iterable[ObjectChange]) -> Iterator[str]:
    """The notifications of `changes` without the quiet ones, in order, each within `MOST_BYTES`."""
    empty = ChangeNotice(origin=origin, at=now(), changes=[])
    space = MOST_BYTES - len(empty.model_dump_json().encode())
    part: list[_NoticedChange] = []
    used = 0
    for change in changes:
        if change.quiet:
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
    """Connects this process's change feed with those of the other processes on the same database."""

    def __init__(self, database: Database, change_feed: ChangeFeed) -> None:
        self._address = address(database.url)
        self._change_feed = change_feed
        # Notifications of this process are skipped: the change feed has its changes already.
        self._origin = secrets.token_hex(8)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="change-relay", daemon=True)

    def before_commit(self, session: Session, changes: Sequence[ObjectChange]) -> None:
        """Send `changes` to the other processes when the transaction of `session` commits."""
        for payload in change_notices(self._origin, changes):
            session.execute(_NOTIFY, {"payload": payload})

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def stop(self) -> None:
        """Stop listening."""
        self._ended.set()
        if self._thread.is_alive():
            # A database that does not answer must not keep the service from ending.
            self._thread.join(2 * _LOOK_SECONDS)

    def _run(self) -> None:
        pause = _FIRST_PAUSE
        while not self._ended.is_set():
            try:
                with psycopg.connect(self._address, autocommit=True) as connection:
                    connection.execute(f"LISTEN {CHANNEL}".encode())
                    # Changes before this moment were missed.
                    self._change_feed.mark_missed()
                    pause = _FIRST_PAUSE
                    self._listen(connection)
            except psycopg.Error as problem:
                # Its text may hold the address with its password.
                log.error(
                    "changes of other processes are not received: %s; trying again", type(problem).__name__
                )
            self._ended.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _listen(self, connection: psycopg.Connection) -> None:
        received_at = time.monotonic()
        while not self._ended.is_set():
            for notification in connection.notifies(timeout=_LOOK_SECONDS):
                received_at = time.monotonic()
                self._receive(notification.payload)
            if time.monotonic() - received_at >= _SILENT_SECONDS:
                connection.execute("SELECT 1")
                received_at = time.monotonic()

    def _receive(self, payload: str) -> None:
        try:
            note = ChangeNotice.model_validate_json(payload)
        except ValidationError:
            # A process with another version of the program sent it: which object changed is not known.
            self._change_feed.mark_missed()
            return
        if note.origin != self._origin:
            changes = [
                ObjectChange(action, kind, object_id, actor)
                for action, kind, object_id, actor in note.changes
            ]
            self._change_feed.add(changes, note.at)
