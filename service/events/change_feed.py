"""Keeps the latest changes and wakes the readers that wait for the next. For any thread."""

from __future__ import annotations

import datetime as dt
import secrets
import threading
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from service.changes import ObjectChange
from service.db.database import now
from service.notifier import Notifier
from shared.wire.events import ChangeEvent

KEPT = 2000
"""Events that a client can be behind before it has to read everything again."""


class FeedPage(NamedTuple):
    """The events after a place; `lost` if some of them are no longer kept."""

    events: list[ChangeEvent]
    lost: bool
    place: int


class ChangeFeed:
    """The last `kept` events. A reader has no queue that could fill up: it remembers its place.

    A place is the number of events so far. The id of an event is `<this run of the process>-<place>`, so an
    id of an earlier run, or of another process of the same service, is recognised as such: each process keeps
    the events in the order in which it heard of them.
    """

    def __init__(self, capacity: int = KEPT) -> None:
        self._run = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._events: deque[ChangeEvent] = deque(maxlen=capacity)
        self._count = 0
        self._readers: Counter[str] = Counter()
        self.changed = Notifier()
        """Notified when there are new changes, when some were missed, and at the close."""
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
        self.changed.notify()

    def mark_missed(self) -> None:
        """Record that changes may have been missed: every reader is asked to read everything again. From any
        thread."""
        with self._lock:
            self._events.clear()
            self._count += 1
        self.changed.notify()

    def close(self) -> None:
        """End every stream. From any thread."""
        self.closed = True
        self.changed.notify()

    @contextmanager
    def reading(self, user_id: str = "") -> Iterator[None]:
        """Count a reader of that user as long as the block runs."""
        with self._lock:
            self._readers[user_id] += 1
        try:
            yield
        finally:
            with self._lock:
                self._readers[user_id] -= 1
                if not self._readers[user_id]:
                    del self._readers[user_id]

    @property
    def readers(self) -> int:
        """How many readers there are."""
        with self._lock:
            return self._readers.total()

    def readers_of(self, user_id: str) -> int:
        """How many of them belong to that user."""
        with self._lock:
            return self._readers[user_id]

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

    def events_after(self, place: int) -> FeedPage:
        """What came after `place`."""
        with self._lock:
            missed = self._count - place
            if missed > len(self._events):
                return FeedPage([], True, self._count)
            new = [self._events[index] for index in range(len(self._events) - missed, len(self._events))]
            return FeedPage(new, False, self._count)
