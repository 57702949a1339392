"""Writes to a service from many threads, records the acknowledged changes, and searches them afterwards.

A change is acknowledged when the complete successful answer has arrived. Afterwards this module reads the
database and the files without the service. Each acknowledged change must be stored and have its entry in the
audit log, and the chain of the audit log must be intact.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from sqlalchemy import text
from sqlmodel import Session

from service.audit.service import AuditService
from service.db.database import Database
from service.settings import Settings
from service.stores.contents import file_contents

_PAUSE_SECONDS = 0.05
"""Pause of a thread after a failed request."""
_TIMEOUT_SECONDS = 120.0
"""A longer request counts as unanswered."""
_FILE_BYTES = 20_000

_REFUSALS = frozenset({503, 507})
"""A part of the service is unavailable or busy; an upload does not fit on the disk."""


@dataclass
class Acknowledged:
    """The acknowledged changes: ids of records, items and verdicts, hashes of files."""

    records: set[str] = field(default_factory=set)
    items: dict[str, str] = field(default_factory=dict)
    """The record of each item."""
    verdicts: set[str] = field(default_factory=set)
    files: dict[str, str] = field(default_factory=dict)
    """The SHA-256 of each file."""

    def __len__(self) -> int:
        return len(self.records) + len(self.items) + len(self.verdicts) + len(self.files)


@dataclass
class Failures:
    """The failed requests: refused with a sentence, unanswered, and others."""

    refused: Counter[str] = field(default_factory=Counter)
    """Number of refusals for each sentence."""
    unanswered: int = 0
    others: list[str] = field(default_factory=list)
    longest: float = 0.0
    """Seconds until the slowest refusal."""


class Writers:
    """Threads that create records and items, upload files and give verdicts without pauses."""

    def __init__(self, url: str, token: str, threads: int) -> None:
        self.acknowledged = Acknowledged()
        self.failures = Failures()
        self._url, self._token = url, token
        self._lock = threading.Lock()
        self._condition = threading.Condition(self._lock)
        self._stop = threading.Event()
        self._numbers = itertools.count(1)
        self._threads = [threading.Thread(target=self._write, name=f"writer-{n}") for n in range(threads)]

    @contextmanager
    def run(self) -> Iterator[Writers]:
        """Write during the block."""
        for thread in self._threads:
            thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            for thread in self._threads:
                thread.join()

    def count(self) -> int:
        """Return the number of acknowledged changes."""
        with self._lock:
            return len(self.acknowledged)

    def wait_for(self, more: int, seconds: float) -> float:
        """Wait for `more` further acknowledged changes; return the seconds. Raises TimeoutError."""
        start = time.monotonic()
        with self._condition:
            goal = len(self.acknowledged) + more
            if not self._condition.wait_for(lambda: len(self.acknowledged) >= goal, seconds):
                raise TimeoutError(f"the service acknowledged nothing for {seconds:.0f} s")
        return time.monotonic() - start

    def wait_for_refusals(self, more: int, seconds: float) -> None:
        """Wait for `more` further refusals. Raises TimeoutError."""
        with self._condition:
            goal = self.failures.refused.total() + more
            if not self._condition.wait_for(lambda: self.failures.refused.total() >= goal, seconds):
                raise TimeoutError(f"the service refused nothing for {seconds:.0f} s")

    def _write(self) -> None:
        headers = {"Authorization": f"Bearer {self._token}"}
        with httpx.Client(base_url=f"{self._url}/api", headers=headers, timeout=_TIMEOUT_SECONDS) as client:
            while not self._stop.is_set():
                self._write_changes(client)

    def _write_changes(self, client: httpx.Client) -> None:
        """Create a record with an item and its verdict, and a file, until a request fails."""
        number = next(self._numbers)
        name = {"inspection_name": f"{number}"}
        record = self._post(client, "/inspection/create", json={"task_id": f"t{number % 7}", **name})
        if record is None:
            return
        inspection_id = record["data"]["inspection_id"]
        self._acknowledge(lambda done: done.records.add(inspection_id))
        body = {"item_name": f"{number}", "inspection_id": inspection_id}
        item = self._post(client, "/inspection_item/create", json=body)
        if item is not None:
            item_id = item["item_id"]
            self._acknowledge(lambda done: done.items.update({item_id: inspection_id}))
            if (
                self._post(client, f"/inspection_item/{item_id}/verdict", json={"verdict": "failed"})
                is not None
            ):
                self._acknowledge(lambda done: done.verdicts.add(item_id))
        content = os.urandom(_FILE_BYTES)
        file = self._post(client, "/files", files={"file": (f"{number}.bin", content)})
        if file is not None:
            stored = file["data"]
            self._acknowledge(lambda done: done.files.update({stored["file_id"]: stored["sha256"]}))

    def _acknowledge(self, update: Callable[[Acknowledged], object]) -> None:
        with self._condition:
            update(self.acknowledged)
            self._condition.notify_all()

    def _post(self, client: httpx.Client, path: str, **body: Any) -> Any:
        """Return the body of a successful answer. Count every other answer and return None."""
        start = time.monotonic()
        try:
            answer = client.post(path, **body)
        except httpx.HTTPError:
            self._fail(lambda failed: setattr(failed, "unanswered", failed.unanswered + 1))
            return None
        if answer.status_code == 200 and answer.json().get("code", 0) == 0:
            return answer.json()
        seconds = time.monotonic() - start

        def add_failure(failed: Failures) -> None:
            failed.longest = max(failed.longest, seconds)
            if answer.status_code in _REFUSALS and answer.json().get("msg"):
                failed.refused[answer.json()["msg"]] += 1
            else:
                failed.others.append(f"{answer.status_code} {path}: {answer.text[:200]}")

        self._fail(add_failure)
        return None

    def _fail(self, update: Callable[[Failures], object]) -> None:
        with self._condition:
            update(self.failures)
            self._condition.notify_all()
        self._stop.wait(_PAUSE_SECONDS)


@dataclass
class Losses:
    """Acknowledged changes and audit entries that are missing; `log` are the problems of the audit log."""

    changes: list[str]
    entries: list[str]
    log: list[str]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is missing."""
        return not (self.changes or self.entries or self.log)


def find_losses(done: Acknowledged, settings: Settings) -> Losses:
    """Find acknowledged changes that database, files and audit log of an ended service do not contain."""
    database = Database(settings.url)
    try:
        stored = database.read_now(_read_stored_changes)
        log = AuditService(database, settings).verify().problems
    finally:
        database.close()
    contents = file_contents(settings)
    changes = [f"record {key}" for key in done.records - stored.records]
    changes += [f"item {key}" for key, record_id in done.items.items() if stored.items.get(key) != record_id]
    changes += [f"verdict of {key}" for key in done.verdicts - stored.verdicts]
    for file_id, sha256 in done.files.items():
        if stored.files.get(file_id) != sha256:
            changes.append(f"file {file_id}")
        elif contents.stored_hash(sha256) != sha256:
            changes.append(f"content of {file_id}")
    expected = {("create", "record", key) for key in done.records}
    expected |= {("create", "item", key) for key in done.items}
    expected |= {("create", "file", key) for key in done.files}
    expected |= {("update", "item", key) for key in done.verdicts}
    entries = [f"{action} {kind} {key}" for action, kind, key in expected - stored.entries]
    return Losses(changes, entries, log)


@dataclass
class _StoredChanges(Acknowledged):
    entries: set[tuple[str, str, str]] = field(default_factory=set)


def _read_stored_changes(session: Session) -> _StoredChanges:
    def rows(query: str) -> list[Any]:
        return list(session.execute(text(query)))

    return _StoredChanges(
        records={row[0] for row in rows("SELECT inspection_id FROM record")},
        items={row[0]: row[1] for row in rows("SELECT item_id, inspection_id FROM item")},
        verdicts={row[0] for row in rows("SELECT item_id FROM item WHERE outcome = 'failed'")},
        files={row[0]: row[1] for row in rows("SELECT file_id, sha256 FROM file")},
        entries={(row[0], row[1], row[2]) for row in rows("SELECT action, kind, object_id FROM audit_event")},
    )
