"""Changes a service from many threads, remembers what was acknowledged, and looks for it afterwards.

A change counts as acknowledged once the whole answer with its success has arrived. Afterwards the database
and the files are read without the service: each acknowledged change has to be there, with its entry in the
audit log, whose chain has to be whole.
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
"""Of a thread whose request failed."""
_TIMEOUT_SECONDS = 120.0
"""A request that takes longer counts as one without an answer in bounded time."""
_FILE_BYTES = 20_000

_REFUSALS = frozenset({503, 507})
"""Something is away or busy; an upload does not fit on the disk."""


@dataclass
class Acknowledged:
    """What the service has answered with success: ids of records, items and verdicts, hashes of files."""

    records: set[str] = field(default_factory=set)
    items: dict[str, str] = field(default_factory=dict)
    """Item -> its record."""
    verdicts: set[str] = field(default_factory=set)
    files: dict[str, str] = field(default_factory=dict)
    """File -> SHA-256 of its content."""

    def __len__(self) -> int:
        return len(self.records) + len(self.items) + len(self.verdicts) + len(self.files)


@dataclass
class Failures:
    """What was not acknowledged: refused with a sentence, without an answer, or anything else."""

    refused: Counter[str] = field(default_factory=Counter)
    """Sentence -> how often."""
    unanswered: int = 0
    others: list[str] = field(default_factory=list)
    longest: float = 0.0
    """Seconds until the slowest refusal."""


class Writers:
    """Threads that create records and items, upload files and give verdicts as fast as they are answered."""

    def __init__(self, url: str, token: str, threads: int) -> None:
        self.done = Acknowledged()
        self.failed = Failures()
        self._url, self._token = url, token
        self._lock = threading.Lock()
        self._acknowledged = threading.Condition(self._lock)
        self._stop = threading.Event()
        self._numbers = itertools.count(1)
        self._threads = [threading.Thread(target=self._write, name=f"writer-{n}") for n in range(threads)]

    @contextmanager
    def running(self) -> Iterator[Writers]:
        """Write for the length of the block."""
        for thread in self._threads:
            thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            for thread in self._threads:
                thread.join()

    def count(self) -> int:
        """How many changes have been acknowledged."""
        with self._lock:
            return len(self.done)

    def wait_for(self, more: int, seconds: float) -> float:
        """Wait until `more` changes more are acknowledged; gives the seconds. Raises TimeoutError."""
        start = time.monotonic()
        with self._acknowledged:
            goal = len(self.done) + more
            if not self._acknowledged.wait_for(lambda: len(self.done) >= goal, seconds):
                raise TimeoutError(f"the service acknowledged nothing for {seconds:.0f} s")
        return time.monotonic() - start

    def wait_for_refusals(self, more: int, seconds: float) -> None:
        """Wait until `more` requests more are refused. Raises TimeoutError."""
        with self._acknowledged:
            goal = self.failed.refused.total() + more
            if not self._acknowledged.wait_for(lambda: self.failed.refused.total() >= goal, seconds):
                raise TimeoutError(f"the service refused nothing for {seconds:.0f} s")

    def _write(self) -> None:
        headers = {"Authorization": f"Bearer {self._token}"}
        with httpx.Client(base_url=f"{self._url}/api", headers=headers, timeout=_TIMEOUT_SECONDS) as client:
            while not self._stop.is_set():
                self._some(client)

    def _some(self, client: httpx.Client) -> None:
        """One record with an item, its verdict and a file, as far as it goes."""
        number = next(self._numbers)
        name = {"inspection_name": f"{number}"}
        record = self._sent(client, "/inspection/create", json={"task_id": f"t{number % 7}", **name})
        if record is None:
            return
        inspection_id = record["data"]["inspection_id"]
        self._acknowledge(lambda done: done.records.add(inspection_id))
        body = {"item_name": f"{number}", "inspection_id": inspection_id}
        item = self._sent(client, "/inspection_item/create", json=body)
        if item is not None:
            item_id = item["item_id"]
            self._acknowledge(lambda done: done.items.update({item_id: inspection_id}))
            if (
                self._sent(client, f"/inspection_item/{item_id}/verdict", json={"verdict": "failed"})
                is not None
            ):
                self._acknowledge(lambda done: done.verdicts.add(item_id))
        content = os.urandom(_FILE_BYTES)
        file = self._sent(client, "/files", files={"file": (f"{number}.bin", content)})
        if file is not None:
            stored = file["data"]
            self._acknowledge(lambda done: done.files.update({stored["file_id"]: stored["sha256"]}))

    def _acknowledge(self, note: Callable[[Acknowledged], object]) -> None:
        with self._acknowledged:
            note(self.done)
            self._acknowledged.notify_all()

    def _sent(self, client: httpx.Client, path: str, **body: Any) -> Any:
        """The answer of a success; None for everything else, which is counted."""
        start = time.monotonic()
        try:
            answer = client.post(path, **body)
        except httpx.HTTPError:
            self._fail(lambda failed: setattr(failed, "unanswered", failed.unanswered + 1))
            return None
        if answer.status_code == 200 and answer.json().get("code", 0) == 0:
            return answer.json()
        took = time.monotonic() - start

        def note(failed: Failures) -> None:
            failed.longest = max(failed.longest, took)
            if answer.status_code in _REFUSALS and answer.json().get("msg"):
                failed.refused[answer.json()["msg"]] += 1
            else:
                failed.others.append(f"{answer.status_code} {path}: {answer.text[:200]}")

        self._fail(note)
        return None

    def _fail(self, note: Callable[[Failures], object]) -> None:
        with self._acknowledged:
            note(self.failed)
            self._acknowledged.notify_all()
        self._stop.wait(_PAUSE_SECONDS)


@dataclass
class Missing:
    """What was acknowledged and is not there. `log` are the problems of the audit log."""

    changes: list[str]
    entries: list[str]
    log: list[str]

    @property
    def nothing(self) -> bool:
        """Whether everything is there."""
        return not (self.changes or self.entries or self.log)


def missing(done: Acknowledged, settings: Settings) -> Missing:
    """What of `done` the database, the files and the audit log of a service that has ended do not have."""
    database = Database(settings.url)
    try:
        stored = database.read_now(_read_stored)
        log = AuditService(database, settings).verify().problems
    finally:
        database.close()
    contents = file_contents(settings)
    changes = [f"record {key}" for key in done.records - stored.records]
    changes += [f"item {key}" for key, of in done.items.items() if stored.items.get(key) != of]
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
    return Missing(changes, entries, log)


@dataclass
class _Stored(Acknowledged):
    entries: set[tuple[str, str, str]] = field(default_factory=set)


def _read_stored(session: Session) -> _Stored:
    def rows(query: str) -> list[Any]:
        return list(session.execute(text(query)))

    return _Stored(
        records={row[0] for row in rows("SELECT inspection_id FROM record")},
        items={row[0]: row[1] for row in rows("SELECT item_id, inspection_id FROM item")},
        verdicts={row[0] for row in rows("SELECT item_id FROM item WHERE outcome = 'failed'")},
        files={row[0]: row[1] for row in rows("SELECT file_id, sha256 FROM file")},
        entries={(row[0], row[1], row[2]) for row in rows("SELECT action, kind, object_id FROM audit_event")},
    )
