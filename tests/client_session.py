"""Logs the desktop's client in at a service that a test runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from desktop.client import Session
from tests.service_app import ADMIN


@contextlib.contextmanager
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
