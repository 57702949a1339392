"""The secrets of a working day are not in JSON logs, metrics and traces of a service that gives them all."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.collector import running_collector
from tests.postgresql import free_port
from tests.security.application import LiveService
from tests.security.test_secrets import Day, play_day
from tests.service_process import service_process

pytestmark = pytest.mark.slow


@dataclass
class OperatorView:
    """What came out of the service for an operator on such a day."""

    day: Day
    log: str
    metrics: bytes
    sent: bytes
    spans: list[Any]


@pytest.fixture(scope="module")
def operator_view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatorView]:
    folder = tmp_path_factory.mktemp("watched") / "data"
    address = f"127.0.0.1:{free_port()}"
    with running_collector() as collector:
        with pytest.MonkeyPatch.context() as patch:
            for name in [name for name in os.environ if name.startswith("WALKAROUND_")]:
                patch.delenv(name)
            with service_process(
                folder,
                log_level="DEBUG",
                log_format="json",
                metrics=address,
                otel_endpoint=collector.url,
            ) as url:
                pid = json.loads((folder / "service.json").read_text("utf-8"))["pid"]
                day = play_day(LiveService(url, folder, pid))
                for attack in ("/x%0d%0a2026 forged", "/x%e2%80%a8forged%c2%85line%0b%0c%1b[31m"):
                    httpx.get(f"{url}{attack}")
                metrics = httpx.get(f"http://{address}/metrics").content
        log = (folder / "service.log").read_text("utf-8")
        yield OperatorView(
            day, log, metrics, b"".join(body for _, body in collector.received), collector.spans
        )


def _find_secrets(secrets: dict[str, bytes], where: bytes) -> list[str]:
    return [name for name, secret in secrets.items() if secret in where]


def test_no_line_of_a_json_log_holds_a_secret_or_is_forged(operator_view: OperatorView) -> None:
    assert _find_secrets(operator_view.day.secrets, operator_view.log.encode()) == []
    lines = operator_view.log.splitlines()
    entries = [json.loads(line) for line in lines]
    assert len(lines) == operator_view.log.count("\n")
    assert any(entry["level"] == "DEBUG" for entry in entries)
    for entry in entries:
        assert dt.datetime.fromisoformat(entry["time"]).utcoffset() == dt.timedelta(0)
        assert {"time", "level", "logger", "message"} <= entry.keys()
    requests = [entry for entry in entries if entry["message"] == "request"]
    assert len(requests) > 20
    assert {"request_id", "method", "route", "status", "milliseconds"} <= requests[0].keys()
    assert "forged" not in operator_view.log


def test_no_metric_holds_a_secret_or_a_name(operator_view: OperatorView) -> None:
    assert _find_secrets(operator_view.day.secrets, operator_view.metrics) == []
    assert b'walkaround_logins_total{method="face",outcome="accepted"} 1.0' in operator_view.metrics
    detected = b'walkaround_detection_duration_seconds_count{kind="reference_difference",outcome="done"} 1.0'
    assert detected in operator_view.metrics
    for name in (b"chief", b'"li"', "主任".encode()):
        assert name not in operator_view.metrics


def test_no_span_holds_a_secret_or_a_name(operator_view: OperatorView) -> None:
    assert _find_secrets(operator_view.day.secrets, operator_view.sent) == []
    names = {span.name for span in operator_view.spans}
    assert {"POST /api/auth/login", "POST /api/auth/loginByFaceInfo", "detection"} <= names
    assert b"canary" not in operator_view.sent
    assert "主任".encode() not in operator_view.sent
    assert {attribute.key for span in operator_view.spans for attribute in span.attributes} == {
        "http.request.method",
        "http.route",
        "http.response.status_code",
        "walkaround.request_id",
        "walkaround.model_kind",
        "walkaround.outcome",
    }
