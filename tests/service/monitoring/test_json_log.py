"""Tests log lines as JSON: one object per line, times in UTC, no text of exceptions."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from service.app import create_app
from service.monitoring.json_log import JsonFormatter
from service.settings import Settings
from tests.service_app import LOCAL_URL


def make_record(message: str, *args: object, **more: Any) -> logging.LogRecord:
    return logging.LogRecord("walkaround.test", logging.WARNING, "x.py", 1, message, args, **more)


@given(st.text())
def test_line_is_one_line_of_ascii_for_every_text(text: str) -> None:
    line = JsonFormatter().format(make_record("%s", text, exc_info=None))
    assert line.isascii()
    assert len(line.splitlines()) == 1
    assert json.loads(line)["message"] == text


def test_time_is_utc_and_fields_have_names() -> None:
    entry = make_record("disk %d %% full", 93, exc_info=None)
    entry.created = 1_790_000_000.25
    assert json.loads(JsonFormatter().format(entry)) == {
        "time": "2026-09-21T14:13:20.250Z",
        "level": "WARNING",
        "logger": "walkaround.test",
        "message": "disk 93 % full",
    }


def test_exception_is_logged_with_types_and_frames_only() -> None:
    try:
        raise ValueError("secret-text\r\nforged")
    except ValueError:
        line = JsonFormatter().format(make_record("it failed", exc_info=sys.exc_info()))
    entry = json.loads(line)
    assert entry["exception"].startswith("ValueError [")
    assert "secret" not in line


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """The log of the service as JSON objects."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("walkaround")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield stream
    logger.removeHandler(handler)
    logger.setLevel(level)


def test_request_is_logged_with_its_route(settings: Settings, lines: io.StringIO) -> None:
    app = create_app(settings.model_copy(update={"log_format": "json"}))
    with TestClient(app, LOCAL_URL) as client:
        client.get(
            "/inspection/getInspectionById/secret-id?x=secret-query", headers={"x-request-id": "the-id"}
        )
        client.get("/secret-path")
    log = lines.getvalue()
    assert "secret" not in log
    entries = [entry for entry in map(json.loads, log.splitlines()) if entry["logger"] == "walkaround.http"]
    first, second = entries
    assert first.pop("milliseconds") >= 0
    assert first.pop("time").endswith("Z")
    assert first == {
        "level": "INFO",
        "logger": "walkaround.http",
        "message": "request",
        "request_id": "the-id",
        "method": "GET",
        "route": "/api/inspection/getInspectionById/{inspection_id}",
        "status": 401,
    }
    assert (second["route"], second["status"]) == (None, 404)


def test_log_records_of_a_request_have_its_id(
    settings: Settings, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crashes(*_: object) -> bool:
        raise RuntimeError("secret-text")

    monkeypatch.setattr("service.account.service.AccountService.needs_first_run", crashes)
    app = create_app(settings.model_copy(update={"log_format": "json"}))
    with TestClient(app, LOCAL_URL, raise_server_exceptions=False) as client:
        client.get("/api/auth/first-run", headers={"x-request-id": "the-id"})
    log = lines.getvalue()
    crash, request = map(json.loads, log.splitlines())
    assert (crash["level"], crash["request_id"]) == ("ERROR", "the-id")
    assert "RuntimeError [" in crash["message"]
    assert (request["status"], request["request_id"]) == (500, "the-id")
    assert "secret" not in log
