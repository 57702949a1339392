"""Tests which messages of libraries the service logs."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from service.running import configure_logging


@pytest.fixture
def output(capsys: pytest.CaptureFixture[str]) -> Iterator[pytest.CaptureFixture[str]]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    configure_logging("INFO")
    yield capsys
    root.handlers[:], root.level = handlers, level


@pytest.mark.parametrize("name", ["pyvips", "httpx", "alembic"])
def test_libraries_log_only_warnings(name: str, output: pytest.CaptureFixture[str]) -> None:
    logging.getLogger(name).info("reducev: 15 point mask")
    logging.getLogger(name).warning("out of memory")
    log = output.readouterr().err
    assert "out of memory" in log
    assert "15 point mask" not in log
