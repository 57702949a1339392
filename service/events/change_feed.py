"""Stores the latest changes and wakes the readers that wait for the next one. Thread-safe."""

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
from service.tasks import Notifier
from shared.wire.events import ChangeEvent

MAX_EVENTS = 2000
"""Events that are stored. A client that is further behind must read everything again."""


class FeedPage(NamedTuple):
    """The events after a position; `lost` if some of them are no longer stored."""

    events: list[ChangeEvent]
    lost: bool
    position: int


class ChangeFeed:
    """The last `capacity` events. A reader has no queue that could fill up: it remembers its position.

    A position is the number of events until then. The ID of an event is `<run of this process>-<position>`,
    because each process stores the events in the order in which they arrived. So the feed recognises an ID of
    an earlier run or of another process.
    """

    def __init__(self, capacity: int = MAX_EVENTS) -> None:
        self._run_id = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._events: deque[ChangeEvent] = deque(maxlen=capacity)
        self._count = 0
        self._readers: Counter[str] = Counter()
        self.notifier = Notifier()
        """Notifies when there are new changes, when changes were missed, and when the feed closes."""
        self.is_closed = False

    def after_commit(self, changes: Sequence[ObjectChange]) -> None:
        """Add `changes` that this process just committed. May be called from any thread."""
        self.add(changes, now())

    def add(self, changes: Sequence[ObjectChange], at: dt.datetime) -> None:
        """Add `changes` of the time `at` and wake every reader. May be called from any thread."""
        with self._lock:
            for change in changes:
                if not change.audit_only:
                    self._count += 1
                    self._events.append(
                        ChangeEvent(
                            id=self.event_id(self._count),
                            action=change.action,
                            kind=change.kind,
                            object_id=change.object_id,
                            actor=change.actor,
                            at=at,
                        )
                    )
        self.notifier.notify()

    def mark_missed(self) -> None:
        """Record that changes may have been missed, so that every reader reads everything again.

        May be called from any thread.
        """
        with self._lock:
            self._events.clear()
            self._count += 1
        self.notifier.notify()

    def close(self) -> None:
        """End every stream. May be called from any thread."""
        self.is_closed = True
        self.notifier.notify()

    @contextmanager
    def count_reader(self, user_id: str = "") -> Iterator[None]:
        """Count a reader of this user while the block runs."""
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
    def reader_count(self) -> int:
        """The number of readers."""
        with self._lock:
            return self._readers.total()

    def reader_count_of(self, user_id: str) -> int:
        """The number of readers of this user."""
        with self._lock:
            return self._readers[user_id]

    def find_position(self, event_id: str | None) -> int | None:
        """The position after the event `event_id`; the newest for None. None if the ID is of another run."""
        if event_id is None:
            return self._count
        run, _, number = event_id.partition("-")
        if run != self._run_id or not (number.isascii() and number.isdigit() and len(number) <= 18):
            return None
        return int(number) if int(number) <= self._count else None

    def event_id(self, position: int) -> str:
        """The ID of the event at `position`. A stream that starts with it continues after this event."""
        return f"{self._run_id}-{position}"

    def events_after(self, position: int) -> FeedPage:
        """The events after `position`."""
        with self._lock:
            new_count = self._count - position
            if new_count > len(self._events):
                return FeedPage([], True, self._count)
            new = [self._events[index] for index in range(len(self._events) - new_count, len(self._events))]
            return FeedPage(new, False, self._count)
