"""Opens sessions of the desktop's client at a service that a test runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from desktop.client import Session
from tests.service_app import ADMIN


@contextlib.contextmanager
def open_session(url: str) -> Iterator[Session]:
    """A session of the first administrator, who is created if there is none."""
    session = Session(url)
    try:
        if session.account.first_run_needed():
            session.account.first_run(*ADMIN)
        else:
            session.account.login(*ADMIN)
        yield session
    finally:
        session.close()
