"""Helps scripts that use `Session`: login, all pages of a list, waiting for a detection, reading changes.

It uses neither Qt nor the service, so that httpx and pydantic suffice to run it (ADR 0046). `docs/clients.md`
describes it, `docs/examples/` has scripts.
"""

from __future__ import annotations

import contextlib
import getpass
import locale
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from desktop.client.http.errors import Unreachable, Untrusted
from desktop.client.http.trust import add_fingerprint
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
_FINGERPRINT = "WALKAROUND_FINGERPRINT"


@dataclass(frozen=True, slots=True)
class Credentials:
    """The address of a service, with or without `/api`, and a login there.

    `fingerprint` is that of the server's key, if the system does not trust its certificate.
    """

    url: str
    username: str
    password: str = field(repr=False)
    fingerprint: str | None = None


def credentials(env_file: Path | None = None) -> Credentials:
    """Read the credentials from the environment, from `env_file`, or from the terminal, in this order.

    The names are WALKAROUND_URL, WALKAROUND_USERNAME and WALKAROUND_PASSWORD, and WALKAROUND_FINGERPRINT,
    which is not asked for. The file has a line `NAME=value` for each; quotes around a value are removed.
    Raises OSError when the file cannot be read, PermissionError when other users can read it, and ValueError
    when a value is missing and there is no terminal, or for a fingerprint with an address without TLS.
    """
    file_values = {} if env_file is None else _read_env_file(env_file)

    def value_of(name: str) -> str:
        return os.environ.get(name) or file_values.get(name, "")

    values = {kind: value_of(name) for kind, name in _NAMES.items()}
    missing = [name for kind, name in _NAMES.items() if not values[kind]]
    if missing and not sys.stdin.isatty():
        raise ValueError(f"set {', '.join(missing)} in the environment or in a file")
    for kind, name in _NAMES.items():
        if not values[kind]:
            prompt = getpass.getpass if kind == "password" else input
            values[kind] = prompt(f"{name}: ")
    # In any case of letters, as tools print it.
    fingerprint = value_of(_FINGERPRINT).strip().upper() or None
    if fingerprint and not values["url"].lower().startswith("https://"):
        # Without TLS no key is compared, and the password would go to any server.
        raise ValueError(f"{_FINGERPRINT} needs an address that starts with https://")
    return Credentials(**values, fingerprint=fingerprint)


def _read_env_file(path: Path) -> dict[str, str]:
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise PermissionError(f"{path} can be read by other users; run: chmod 600 '{path}'")
    lines = (line.partition("=") for line in path.read_text("utf-8").splitlines())
    return {
        name.strip(): _unquote(value.strip()) for name, _, value in lines if not name.lstrip().startswith("#")
    }


def _unquote(value: str) -> str:
    """The value as a shell or systemd reads it, so that one file serves all."""
    is_quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if is_quoted else value


@contextlib.contextmanager
def logged_in(login: Credentials, *, patience: float = PATIENCE_SECONDS) -> Iterator[Session]:
    """Log in for the block. After an error in the block, the login is not ended and expires later.

    `patience` is the time in seconds for which a call waits for an unreachable service. Within that time,
    calls that read and creates with a key are repeated when the connection is lost. Texts of the service are
    in Chinese if the locale is, otherwise in English. Raises ClientError.
    """
    # docs/api.md calls the address with `/api` the base URL.
    url = login.url.rstrip("/").removesuffix("/api")
    session = Session(url, fingerprint=login.fingerprint, patience=patience)
    session.prefer_language(_language())
    try:
        try:
            session.account.login(login.username, login.password)
        except Untrusted as error:
            raise _UntrustedService(url, add_fingerprint(error, url)) from error
        yield session
        session.account.logout()
    finally:
        session.close()


class _UntrustedService(Untrusted):
    """The error of a certificate that is not trusted, with the setting that trusts it."""

    def __init__(self, url: str, untrusted: Untrusted) -> None:
        super().__init__(found=untrusted.found, trusted=untrusted.trusted)
        self._url = url

    def __str__(self) -> str:
        if self.trusted is None:
            fault = f"The certificate of {self._url} is not trusted."
        else:
            fault = f"The key of {self._url} does not have the fingerprint in {_FINGERPRINT}."
        return (
            f"{fault} Its fingerprint is {self.found}. Set {_FINGERPRINT} to it only if `walkaround tls` "
            "shows the same on the server."
        )


def _language() -> str:
    """The language of texts by the locale: that of messages on POSIX, that of the user on Windows."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, names), None) or locale.getlocale()[0] or ""
    # Windows has names such as `Chinese (Simplified)_China`.
    return "zh-CN" if name.lower().startswith(("zh", "chinese")) else "en"


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
