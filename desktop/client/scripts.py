"""Helps scripts that use `Session`: login, all pages of a list, waiting for a detection, reading changes.

It uses neither Qt nor the service, so that httpx and pydantic suffice to run it (ADR 0046). `docs/clients.md`
describes it, `docs/examples/` has scripts.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from desktop.client.http.errors import Unreachable
from desktop.client.session import Session
from shared.wire.common import MAX_PAGE_SIZE, Page
from shared.wire.detection import OPEN_JOB_STATES, Job
from shared.wire.events import ChangeEvent

__all__ = ["Credentials", "changes", "credentials", "every", "logged_in", "wait_for_detection"]

T = TypeVar("T")

PATIENCE_SECONDS = 300.0
"""Seconds for which a call of a script waits for an unreachable service. The desktop waits less."""
_FIRST_PAUSE, _MAX_PAUSE = 0.25, 2.0
_NAMES = {"url": "WALKAROUND_URL", "username": "WALKAROUND_USERNAME", "password": "WALKAROUND_PASSWORD"}


@dataclass(frozen=True, slots=True)
class Credentials:
    """The address of a service, without `/api`, and a login there."""

    url: str
    username: str
    password: str = field(repr=False)


def credentials(env_file: Path | None = None) -> Credentials:
    """Read the credentials from the environment, from `env_file`, or from the terminal, in this order.

    The names are WALKAROUND_URL, WALKAROUND_USERNAME and WALKAROUND_PASSWORD. The file has a line
    `NAME=value` for each. Raises OSError when the file cannot be read, PermissionError when other users can
    read it, and ValueError when a value is missing and there is no terminal.
    """
    file_values = {} if env_file is None else _read_env_file(env_file)
    values = {kind: os.environ.get(name) or file_values.get(name, "") for kind, name in _NAMES.items()}
    missing = [name for kind, name in _NAMES.items() if not values[kind]]
    if missing and not sys.stdin.isatty():
        raise ValueError(f"set {', '.join(missing)} in the environment or in a file")
    for kind, name in _NAMES.items():
        if not values[kind]:
            prompt = getpass.getpass if kind == "password" else input
            values[kind] = prompt(f"{name}: ")
    return Credentials(**values)


def _read_env_file(path: Path) -> dict[str, str]:
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise PermissionError(f"{path} can be read by other users; run: chmod 600 '{path}'")
    lines = (line.partition("=") for line in path.read_text("utf-8").splitlines())
    return {name.strip(): value.strip() for name, _, value in lines if not name.lstrip().startswith("#")}


@contextlib.contextmanager
def logged_in(login: Credentials, *, patience: float = PATIENCE_SECONDS) -> Iterator[Session]:
    """Log in for the block. After an error in the block, the login is not ended and expires later.

    `patience` is the time in seconds for which a call waits for an unreachable service. Within that time,
    calls that read and creates with a key are repeated when the connection is lost. Raises ClientError.
    """
    session = Session(login.url, patience=patience)
    try:
        session.account.login(login.username, login.password)
        yield session
        session.account.logout()
    finally:
        session.close()


def every(fetch: Callable[[int, int], Page[T]], key: Callable[[T], str]) -> Iterator[T]:
    """Iterate over all entries of a list.

    `fetch` returns a page by its number and size, `key` the id of an entry. No entry comes twice. Entries
    that are added during the iteration, and the neighbours of deleted ones, may be left out.
    """
    keys: set[str] = set()
    number, pages = 1, 1
    while number <= pages:
        page = fetch(number, MAX_PAGE_SIZE)
        pages = page.pagination.total_pages
        for entry in page.data:
            if key(entry) not in keys:
                keys.add(key(entry))
                yield entry
        number += 1


def wait_for_detection(
    session: Session, job: Job, seconds: float, progress: Callable[[Job], object] = lambda _: None
) -> Job:
    """Wait for the end of a detection and return the finished job. `progress` gets the job after each
    request.

    Raises TimeoutError when it has not ended after `seconds`, NotFound when its item was deleted.
    """
    deadline = time.monotonic() + seconds
    pause = _FIRST_PAUSE
    while job.state in OPEN_JOB_STATES:
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise TimeoutError(f"the detection has not ended after {seconds:.0f} s")
        time.sleep(min(pause, remaining))
        pause = min(pause * 2, _MAX_PAUSE)
        job = session.detection.job(job.job_id)
        progress(job)
    return job


def changes(session: Session, last_id: str | None = None) -> Iterator[ChangeEvent | None]:
    """Iterate over changes from now on, or after the event `last_id`, until the session is closed.

    None means that changes were missed: read your data again. A lost connection is opened again.
    """
    while True:
        with contextlib.suppress(Unreachable):
            for change in session.events.changes(last_id):
                last_id = last_id if change is None else change.id
                yield change
        if session.is_closed:
            return
        time.sleep(_FIRST_PAUSE)
