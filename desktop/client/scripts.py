"""What a script needs beside `Session`: a login, every page, the end of a detection, changes as they come.

No Qt and nothing of the service: httpx and pydantic are enough to run it (ADR 0046). `docs/clients.md` shows
how, `docs/examples/` has scripts.
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
from shared.wire.detection import OPEN, Job
from shared.wire.events import ChangeEvent

__all__ = ["Credentials", "changes", "credentials", "every", "logged_in", "wait_for_detection"]

T = TypeVar("T")

PATIENCE_SECONDS = 300.0
"""How long a call of a script waits for a service that is away; a person at the desktop waits less."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 2.0
_NAMES = {"url": "WALKAROUND_URL", "username": "WALKAROUND_USERNAME", "password": "WALKAROUND_PASSWORD"}


@dataclass(frozen=True, slots=True)
class Credentials:
    """The address of a service, without `/api`, and a login there."""

    url: str
    username: str
    password: str = field(repr=False)


def credentials(env_file: Path | None = None) -> Credentials:
    """The credentials in the environment, else in `env_file`, else asked for at the terminal.

    Their names are WALKAROUND_URL, WALKAROUND_USERNAME and WALKAROUND_PASSWORD; the file has a line
    `NAME=value` for each. Raises OSError when the file cannot be read, PermissionError when other users can
    read it, and ValueError when something is missing and there is no terminal.
    """
    in_file = {} if env_file is None else _read(env_file)
    values = {kind: os.environ.get(name) or in_file.get(name, "") for kind, name in _NAMES.items()}
    missing = [name for kind, name in _NAMES.items() if not values[kind]]
    if missing and not sys.stdin.isatty():
        raise ValueError(f"set {', '.join(missing)} in the environment or in a file")
    for kind, name in _NAMES.items():
        if not values[kind]:
            ask = getpass.getpass if kind == "password" else input
            values[kind] = ask(f"{name}: ")
    return Credentials(**values)


def _read(path: Path) -> dict[str, str]:
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise PermissionError(f"{path} can be read by other users; run: chmod 600 '{path}'")
    lines = (line.partition("=") for line in path.read_text("utf-8").splitlines())
    return {name.strip(): value.strip() for name, _, value in lines if not name.lstrip().startswith("#")}


@contextlib.contextmanager
def logged_in(login: Credentials, *, patience: float = PATIENCE_SECONDS) -> Iterator[Session]:
    """A session with that login, which ends with the block; after a failure it expires by itself.

    `patience`: seconds for which a call waits for a service that is not there. Calls that read, and creates
    with a key, go on by themselves when the connection is lost within that time. Raises ClientError.
    """
    session = Session(login.url, patience=patience)
    try:
        session.account.login(login.username, login.password)
        yield session
        session.account.logout()
    finally:
        session.close()


def every(fetch: Callable[[int, int], Page[T]], key: Callable[[T], str]) -> Iterator[T]:
    """Every entry of a list, page by page: `fetch` gives a page by its number and size, `key` an entry's id.

    What is added while the pages are read may be left out; nothing comes twice. What is deleted meanwhile may
    have its neighbour left out.
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
    """The job once it has ended; `progress` is called with it each time that it was asked for.

    Raises TimeoutError when it has not ended after `seconds`, NotFound when its item was deleted.
    """
    ends = time.monotonic() + seconds
    pause = _FIRST_PAUSE
    while job.state in OPEN:
        left = ends - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"the detection has not ended after {seconds:.0f} s")
        time.sleep(min(pause, left))
        pause = min(pause * 2, _LONGEST_PAUSE)
        job = session.detection.job(job.job_id)
        progress(job)
    return job


def changes(session: Session, last_id: str | None = None) -> Iterator[ChangeEvent | None]:
    """Every change from now on, or after the event `last_id`, until the session is closed.

    None comes when some were missed: read again what you keep. A lost connection is made again.
    """
    while True:
        with contextlib.suppress(Unreachable):
            for change in session.events.changes(last_id):
                last_id = last_id if change is None else change.id
                yield change
        if session.closed:
            return
        time.sleep(_FIRST_PAUSE)
