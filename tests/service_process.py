"""The real service as its own process, for tests of what talks to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from desktop.client import Session
from desktop.embedded import EmbeddedService

ADMIN = ("chief", "correct-horse-battery")


@contextmanager
def running_service(data_dir: Path) -> Iterator[str]:
    """The address of a service on `data_dir`, with quick password hashing; it ends with the block."""
    service = EmbeddedService(data_dir, environment={"WALKAROUND_BCRYPT_COST": "4"})
    service.start()
    try:
        yield service.wait_ready(60)
    finally:
        service.stop()


@contextmanager
def logged_in(url: str) -> Iterator[Session]:
    """A session of the first admin, who is made when there is nobody yet."""
    session = Session(url)
    try:
        if session.account.first_run_needed():
            session.account.first_run(*ADMIN)
        else:
            session.account.login(*ADMIN)
        yield session
    finally:
        session.close()
