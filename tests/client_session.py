"""Logs in to a test's service with the desktop's client."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from desktop.client import Session
from tests.service_app import ADMIN


@contextlib.contextmanager
def logged_in(url: str) -> Iterator[Session]:
    """Yield a session of the first administrator, who is created if there is no user."""
    session = Session(url)
    try:
        if session.account.first_run_needed():
            session.account.first_run(*ADMIN)
        else:
            session.account.login(*ADMIN)
        yield session
    finally:
        session.close()
