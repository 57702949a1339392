"""Tests the spans of requests and detections that a collector receives, and that it receives nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from starlette.testclient import TestClient

from service.app import create_app
from service.command_line import main
from service.monitoring.tracing import Tracing
from service.settings import Settings
from shared.system.paths import program_folder
from tests.collector import running_collector
from tests.service_app import ADMIN, LOCAL_URL
from tests.service_process import create_first_admin, service_process

pytestmark = pytest.mark.slow

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


def attributes(span: Span) -> dict[str, Any]:
    """The attributes of a span."""
    return {
        attribute.key: attribute.value.int_value
        if attribute.value.HasField("int_value")
        else attribute.value.string_value
        for attribute in span.attributes
    }


def test_span_contains_only_route_status_and_duration(settings: Settings) -> None:
    with running_collector() as collector:
        app = create_app(settings.model_copy(update={"otel_endpoint": collector.url}))
        with TestClient(app, LOCAL_URL, raise_server_exceptions=False) as client:
            client.post("/api/auth/login", json={"username": "secret-user", "password": "secret-password"})
            client.get("/inspection/getInspectionById/secret-id?name=secret-query")
            client.get("/secret-path", headers={"User-Agent": "secret-agent"})
            client.get(
                "/healthz", headers={"traceparent": f"00-{TRACE}-{PARENT}-01", "x-request-id": "the-id"}
            )
        spans = collector.wait_for_spans(4)
        assert b"secret" not in b"".join(body for _, body in collector.received)
    login, record, lost, health = spans
    assert login.name == "POST /api/auth/login"
    assert record.name == "GET /api/inspection/getInspectionById/{inspection_id}"
    assert attributes(record) == {
        "http.request.method": "GET",
        "http.route": "/api/inspection/getInspectionById/{inspection_id}",
        "http.response.status_code": 401,
        "walkaround.request_id": attributes(record)["walkaround.request_id"],
    }
    assert (lost.name, attributes(lost)["http.response.status_code"]) == ("GET", 404)
    assert attributes(health)["walkaround.request_id"] == "the-id"
    assert (health.trace_id.hex(), health.parent_span_id.hex()) == (TRACE, PARENT)
    for span in spans:
        assert 0 < span.end_time_unix_nano - span.start_time_unix_nano < 60e9
        assert (len(span.events), len(span.links), span.status.message) == (0, 0, "")


def test_crash_is_an_error_without_the_text_of_the_exception(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crashes(*_: object) -> bool:
        raise RuntimeError("secret-text")

    monkeypatch.setattr("service.account.service.AccountService.needs_first_run", crashes)
    with running_collector() as collector:
        app = create_app(settings.model_copy(update={"otel_endpoint": collector.url}))
        with TestClient(app, LOCAL_URL, raise_server_exceptions=False) as client:
            assert client.get("/api/auth/first-run").status_code == 500
        (span,) = collector.wait_for_spans(1)
        assert b"secret" not in collector.received[0][1]
    assert span.status.code == 2
    assert attributes(span)["http.response.status_code"] == 500


def test_detection_is_a_span() -> None:
    with running_collector() as collector:
        tracing = Tracing(collector.url)
        tracing.detection("onnx", "failed", 1.5)
        tracing.stop()
        (span,) = collector.wait_for_spans(1)
    assert attributes(span) == {"walkaround.model_kind": "onnx", "walkaround.outcome": "failed"}
    assert span.end_time_unix_nano - span.start_time_unix_nano == 1_500_000_000
    assert span.status.code == 2


def test_unreachable_collector_delays_nothing(settings: Settings) -> None:
    app = create_app(settings.model_copy(update={"otel_endpoint": "http://127.0.0.1:9"}))
    with TestClient(app, LOCAL_URL) as client:
        assert client.get("/healthz").status_code == 200


def test_environment_of_opentelemetry_does_not_make_fastapi_send_spans(tmp_path: Path) -> None:
    with running_collector() as collector:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
            patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
            patch.setenv("OTEL_TRACES_EXPORTER", "otlp")
            with service_process(tmp_path / "data") as url:
                create_first_admin(url)
        assert collector.received == []


def test_sdk_of_opentelemetry_is_not_loaded_without_an_endpoint(tmp_path: Path) -> None:
    script = (
        "import sys; from service.app import create_app; from service.settings import Settings; "
        f"create_app(Settings(data_dir={str(tmp_path)!r})); wanted = ('opentelemetry.sdk', "
        "'prometheus_client', 'requests'); print([name for name in wanted if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=program_folder(),
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
    assert ADMIN[1] not in done.stderr


def test_setting_is_refused_if_opentelemetry_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def raise_not_found(_name: str) -> None:
        raise ModuleNotFoundError

    monkeypatch.setattr("importlib.util.find_spec", raise_not_found)
    monkeypatch.setenv("WALKAROUND_OTEL_ENDPOINT", "http://127.0.0.1:4318")
    with pytest.raises(SystemExit):
        main(["serve"])
    assert "'.[otel]'" in capsys.readouterr().err
