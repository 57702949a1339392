"""Keeps the latest changes and wakes those who wait for the next; writers on any thread. Writers on any
thread, readers on the event loop."""

from __future__ import annotations

import asyncio
import datetime as dt
import secrets
import threading
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from service.changes import ObjectChange
from service.db.database import now
from shared.wire.events import ChangeEvent

KEPT = 2000
"""Events that a client can be behind before it has to read everything again."""


class FeedPage(NamedTuple):
    """What came after a place: the events, or `lost` when some of them are not kept any more."""

    events: list[ChangeEvent]
    lost: bool
    place: int


class ChangeFeed:
    """The last `kept` events. A reader has no queue that could fill up: it remembers its place.

    A place is the number of events so far. The id of an event is `<this run of the process>-<place>`, so an
    id of an earlier run, or of another process of the same service, is recognised as such: each process keeps
    the events in the order in which it heard of them.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._run = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._events: deque[ChangeEvent] = deque(maxlen=kept)
        self._count = 0
        self._waiting: dict[asyncio.Event, tuple[asyncio.AbstractEventLoop, str]] = {}
        self.closed = False

    def after_commit(self, changes: Sequence[ObjectChange]) -> None:
        """Keep `changes` that this process made just now. From any thread."""
        self.add(changes, now())

    def add(self, changes: Sequence[ObjectChange], at: dt.datetime) -> None:
        """Keep `changes` of the time `at` and wake every reader. From any thread."""
        with self._lock:
            for change in changes:
                if not change.quiet:
                    self._count += 1
                    self._events.append(
                        ChangeEvent(
                            id=self.id_of(self._count),
                            action=change.action,
                            kind=change.kind,
                            object_id=change.object_id,
                            actor=change.actor,
                            at=at,
                        )
                    )
            self._wake()

    def miss(self) -> None:
        """Record that changes may have been missed: every reader is asked to read everything again. From any
        thread."""
        with self._lock:
            self._events.clear()
            self._count += 1
            self._wake()

    def close(self) -> None:
        """End every stream. From any thread."""
        with self._lock:
            self.closed = True
            self._wake()

    def _wake(self) -> None:
        for waiter, (loop, _) in list(self._waiting.items()):
            try:
                loop.call_soon_threadsafe(waiter.set)
            except RuntimeError:
                # The loop was closed under its reader; a writer must not fail for that.
                del self._waiting[waiter]

    def join(self, user_id: str = "") -> asyncio.Event:
        """An event for that user, on the running loop, set at every change; to be passed to `leave`."""
        waiter = asyncio.Event()
        with self._lock:
            self._waiting[waiter] = (asyncio.get_running_loop(), user_id)
        return waiter

    def leave(self, waiter: asyncio.Event) -> None:
        """Stop setting the event `waiter`."""
        with self._lock:
            self._waiting.pop(waiter, None)

    @property
    def readers(self) -> int:
        """How many readers wait."""
        return len(self._waiting)

    def readers_of(self, user_id: str) -> int:
        """How many of them belong to that user."""
        with self._lock:
            return sum(owner == user_id for _, owner in self._waiting.values())

    def position_of(self, event_id: str | None) -> int | None:
        """The place after the event `event_id`, the newest for None; None for an id of another run."""
        if event_id is None:
            return self._count
        run, _, number = event_id.partition("-")
        if run != self._run or not (number.isascii() and number.isdigit() and len(number) <= 18):
            return None
        return int(number) if int(number) <= self._count else None

    def id_of(self, place: int) -> str:
        """The id that goes on after `place`."""
        return f"{self._run}-{place}"

    def since(self, place: int) -> FeedPage:
        """What came after `place`."""
        with self._lock:
            missed = self._count - place
            if missed > len(self._events):
                return FeedPage([], True, self._count)
            new = [self._events[index] for index in range(len(self._events) - missed, len(self._events))]
            return FeedPage(new, False, self._count)
