"""Tests the metrics: correct figures, only labels of a fixed list, and the sums of several processes."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from service.app import create_app
from service.command_line import main
from service.db.database import Database
from service.db.write_queue import Write
from service.monitoring import metrics as monitoring_metrics
from service.settings import Settings
from shared import __version__
from tests.postgresql import free_port
from tests.service.program import run_program
from tests.service.waiting import wait_until
from tests.service_app import ADMIN, LOCAL_URL
from tests.service_process import create_first_admin, running_service, service_process

TOKEN = "a-token-of-the-metrics-2b7f"
_HEADERS = {"Authorization": f"Bearer {TOKEN}"}
Labels = frozenset[tuple[str, str]]


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> Settings:
    token = tmp_path / "token"
    token.write_text(TOKEN + "\n")
    token.chmod(0o600)
    return Settings(
        data_dir=tmp_path / "data", database_url=database_url, bcrypt_cost=4, metrics_token_file=token
    )


def parse_samples(exposition: str) -> dict[tuple[str, Labels], float]:
    """All samples of a metrics text, by name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(exposition)
        for sample in family.samples
    }


def scrape(client: TestClient) -> Callable[..., float]:
    """Read the metrics. Returns a function for the value of a sample; 0 for a missing sample."""
    answer = client.get("/metrics", headers=_HEADERS)
    assert answer.status_code == 200
    scrape = parse_samples(answer.text)
    return lambda name, **labels: scrape.get((f"walkaround_{name}", frozenset(labels.items())), 0.0)


def test_requests_are_counted_by_route_and_status_class(client: TestClient) -> None:
    for number in range(3):
        client.get(f"/api/inspection/getInspectionById/secret-id-{number}")
        # The paths of the contract without the prefix are the same operation.
        client.get(f"/inspection/getInspectionById/secret-id-{number}?name=secret-name")
    client.head("/healthz")
    client.get("/api/nothing/secret-path")
    client.request("PROPFIND", "/healthz")
    value = scrape(client)
    count = "http_request_duration_seconds_count"
    by_id = "/api/inspection/getInspectionById/{inspection_id}"
    assert value(count, method="GET", route=by_id, status="4xx") == 6
    assert value(count, method="HEAD", route="/healthz", status="2xx") == 1
    assert value(count, method="GET", route="other", status="4xx") == 1
    assert value(count, method="other", route="other", status="4xx") == 1
    assert value("http_request_duration_seconds_sum", method="GET", route=by_id, status="4xx") > 0
    assert value("info", version=__version__) == 1
    assert abs(value("start_time_seconds") - time.time()) < 600


def test_names_ids_and_paths_are_not_labels(client: TestClient) -> None:
    record = client.post("/api/inspection/create", json={"task_id": "secret-task"}).json()["data"]
    client.get(f"/api/inspection/getInspectionById/{record['inspection_id']}")
    client.post("/api/auth/login", json={"username": "secret-user", "password": "secret-password"})
    client.get("/api/secret-path?secret-query=1", headers={"User-Agent": "secret-agent"})
    text_of_all = client.get("/metrics", headers=_HEADERS).text
    assert "secret" not in text_of_all
    assert record["inspection_id"] not in text_of_all
    assert ADMIN[0] not in text_of_all
    allowed = re.compile(r"[a-z0-9+._ ]*|(GET|POST|PUT|HEAD|DELETE|OPTIONS)|/[\w/{}-]*|\+Inf", re.ASCII)
    for _, labels in parse_samples(text_of_all):
        assert all(allowed.fullmatch(value) for _, value in labels), labels


def test_logins_by_method_and_outcome(client: TestClient) -> None:
    for password in ("wrong-one", ADMIN[1], "wrong-too"):
        client.post("/api/auth/login", json={"username": ADMIN[0], "password": password})
    value = scrape(client)
    assert value("logins_total", method="password", outcome="accepted") == 2
    assert value("logins_total", method="password", outcome="refused") == 2
    assert value("sessions") == 2


def test_metrics_of_database_files_and_disk(client: TestClient, settings: Settings) -> None:
    before = scrape(client)
    client.post("/api/inspection/create", json={"task_id": "t"})
    after = scrape(client)
    writes = "database_wait_seconds_count"
    assert after(writes, kind="write") > before(writes, kind="write")
    assert after("database_wait_seconds_sum", kind="write") > 0
    file = settings.data_dir / "walkaround.db"
    assert after("sqlite_file_bytes") == file.stat().st_size
    assert after("sqlite_wal_bytes") > 0
    assert after("disk_free_bytes") > 0
    assert after("disk_used_bytes") > 0
    assert after("database_up") == 1


def test_read_on_the_event_loop_is_counted(client: TestClient) -> None:
    record = client.post("/api/inspection/create", json={"task_id": "t"}).json()["data"]["inspection_id"]
    before = scrape(client)("database_reads_at_once_total")
    for _ in range(5):
        assert client.get(f"/api/inspection/getInspectionById/{record}").json()["code"] == 0
    # Two reads: the version of the accounts, and the record.
    assert scrape(client)("database_reads_at_once_total") == before + 10


def test_only_faults_of_the_database_are_counted(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(Exception):
        sqlite_errorcode = 13

    def full(*_: Any) -> None:
        raise OperationalError("INSERT secret", {}, Full())

    client.get("/api/inspection/getInspectionById/none")
    with monkeypatch.context() as patch:
        patch.setattr(Write, "make", full)
        assert client.post("/api/inspection/create", json={"task_id": "t"}).status_code == 507
    scrape = parse_samples(client.get("/metrics", headers=_HEADERS).text)
    faults = {labels: value for (name, labels), value in scrape.items() if "faults_total" in name}
    assert faults == {frozenset({("why", "disk_full")}): 1}


def test_metrics_of_detections_and_queue(client: TestClient, settings: Settings) -> None:
    at = "2026-01-01 00:00:00"
    database = Database(settings.url)
    states = ("queued", "queued", "running", "done")

    def fill(session: Any) -> None:
        for number, state in enumerate(states):
            row = {"id": f"job-{number}", "state": state, "at": at, "lease": "2999-01-01 00:00:00"}
            session.execute(
                text(
                    "INSERT INTO detection_job (job_id, item_id, inspection_id, model_id, state, progress,"
                    " attempt, lease_until, created_at, updated_at)"
                    " VALUES (:id, :id, 'r', 'm', :state, 0, 1, :lease, :at, :at)"
                ),
                row,
            )
        session.execute(
            text("INSERT INTO detection_batch (batch_id, created_at) VALUES ('b', :at)"), {"at": at}
        )
        session.execute(
            text(
                "INSERT INTO detection_portion (batch_id, number, inspection_id, item_ids, size)"
                " VALUES ('b', 1, 'r', '[]', 40)"
            )
        )

    # No dispatcher takes them meanwhile.
    from service.observability import figures_collector

    database.write_now(fill)
    collector = figures_collector(database, settings)
    scrape = {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in collector.collect()
        for sample in family.samples
    }
    collector.close()
    assert scrape["walkaround_detection_jobs", frozenset({("state", "queued")})] == 2
    assert scrape["walkaround_detection_jobs", frozenset({("state", "running")})] == 1
    assert scrape["walkaround_detection_batch_items", frozenset()] == 40
    assert scrape["walkaround_detection_oldest_queued_seconds", frozenset()] > 0
    database.close()


def test_scrape_without_a_database_lacks_only_its_figures(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from service.monitoring import metrics as module

    monkeypatch.setattr(module, "ANSWER_SECONDS", 0.05)
    calls, free = [], asyncio.Event()

    def hangs() -> module.StoredFigures:
        calls.append(1)
        while not free.is_set():
            time.sleep(0.005)
        return module.StoredFigures(1, 0, 0.0, 0, 0)

    collector = module.FiguresCollector(hangs, settings.data_dir, None)

    def up() -> dict[str, float]:
        return {sample.name: sample.value for family in collector.collect() for sample in family.samples}

    for _ in range(3):
        scrape = up()
        assert scrape["walkaround_database_up"] == 0
        assert "walkaround_sessions" not in scrape
    assert len(calls) == 1
    free.set()
    monkeypatch.setattr(module, "ANSWER_SECONDS", 30)
    assert up()["walkaround_database_up"] == 1
    collector.close()

    def broken() -> module.StoredFigures:
        raise OperationalError("SELECT", {}, Exception())

    collector = module.FiguresCollector(broken, settings.data_dir, None)
    assert up()["walkaround_database_up"] == 0
    collector.close()


def test_metrics_require_the_token(anonymous: TestClient) -> None:
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer 令牌".encode()},
    ):
        answer = anonymous.get("/metrics", headers=headers)  # type: ignore[arg-type]
        assert (answer.status_code, answer.json()["data"]["error"]) == (401, "not_logged_in")
    assert anonymous.get("/metrics", headers=_HEADERS).headers["content-type"].startswith("text/plain")
    openmetrics = {**_HEADERS, "Accept": "application/openmetrics-text; version=1.0.0"}
    answer = anonymous.get("/metrics", headers=openmetrics)
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert answer.text.endswith("# EOF\n")
    assert "/metrics" not in anonymous.get("/api/openapi.json").json()["paths"]


def test_metrics_need_a_setting(tmp_path: Path, migrated_sqlite: Path) -> None:
    app: FastAPI = create_app(Settings(data_dir=tmp_path, bcrypt_cost=4))
    with TestClient(app, LOCAL_URL) as client:
        assert client.get("/metrics", headers=_HEADERS).status_code == 404
    assert app.state.metrics is None


@pytest.mark.parametrize(
    ("mode", "content", "message"),
    [
        (0o644, TOKEN, "can be read by everyone"),
        (0o600, "short", "not contain a token"),
        (0o600, "", "not contain a token"),
    ],
)
def test_bad_token_file_is_reported(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    mode: int,
    content: str,
    message: str,
) -> None:
    token = tmp_path / "token"
    token.write_text(content)
    token.chmod(mode)
    monkeypatch.setenv("WALKAROUND_METRICS_TOKEN_FILE", str(token))
    monkeypatch.setenv("WALKAROUND_DATA_DIR", str(tmp_path))
    try:
        status = main(["serve", "--port", "0"])
    except SystemExit as end:
        status = int(str(end.code))
    assert status != 0
    error = capsys.readouterr().err
    assert message in error
    assert not content or content not in error


@pytest.mark.parametrize("address", ["9177", "localhost", "::1:9177", "127.0.0.1:port"])
def test_invalid_address_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], address: str
) -> None:
    monkeypatch.setenv("WALKAROUND_METRICS", address)
    assert main(["serve"]) == 2
    assert "127.0.0.1:9177" in capsys.readouterr().err


def test_metrics_have_their_own_address(tmp_path: Path) -> None:
    port = free_port()
    with service_process(tmp_path / "data", metrics=f"127.0.0.1:{port}") as url:
        create_first_admin(url)
        answer = httpx.get(f"http://127.0.0.1:{port}/metrics")
        assert 'walkaround_logins_total{method="password",outcome="accepted"} 1.0' in answer.text
        assert httpx.get(f"http://127.0.0.1:{port}/").status_code == 404
        assert httpx.post(f"http://127.0.0.1:{port}/metrics").status_code == 404
        # Without a token the address of the service has no metrics.
        assert httpx.get(f"{url}/metrics").status_code == 404
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{port}/metrics")


def test_occupied_address_is_reported(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server_socket:
        address = f"127.0.0.1:{server_socket.getsockname()[1]}"
        run = run_program("serve", "--port", "0", "--data-dir", str(tmp_path), "--metrics", address)
    assert run.returncode == 1
    assert run.stdout == '{"event": "failed", "why": null}\n'
    assert f"cannot serve metrics on {address}" in run.stderr
    assert "--metrics" in run.stderr
    assert "Traceback" not in run.stderr


def test_state_of_a_process_is_sampled(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitoring_metrics, "SAMPLE_SECONDS", 0.01)
    app = create_app(settings)
    app.state.metrics._lag.set(99.0)
    with TestClient(app, LOCAL_URL) as client:
        wait_until(lambda: scrape(client)("event_loop_lag_seconds") != 99.0)


@pytest.fixture
def two_processes(database_url: str, tmp_path: Path) -> Iterator[tuple[str, str, int]]:
    """Two service processes: their address, the address of the metrics, and the ID of the parent process."""
    metrics = f"127.0.0.1:{free_port()}"
    with running_service(
        tmp_path / "data", workers="2", database_url=database_url, metrics=metrics
    ) as running:
        yield running.url, f"http://{metrics}/metrics", running.process.pid


@pytest.mark.postgresql
@pytest.mark.parametrize("database_kind", ["postgresql"])
@pytest.mark.slow
def test_metrics_are_the_sums_of_all_processes(two_processes: tuple[str, str, int]) -> None:
    url, metrics, parent = two_processes
    create_first_admin(url)

    def count_requests() -> float:
        scrape = parse_samples(httpx.get(metrics).text)
        labels = frozenset({("method", "GET"), ("route", "/healthz"), ("status", "2xx")})
        return scrape.get(("walkaround_http_request_duration_seconds_count", labels), 0.0)

    def send_requests(times: int) -> set[int]:
        for _ in range(times):
            # A new connection each time, so that both processes receive requests.
            assert httpx.get(f"{url}/healthz").status_code == 200
        return children(parent)

    workers = send_requests(40)
    assert len(workers) == 2
    wait_until(lambda: count_requests() == 40)
    scrape = parse_samples(httpx.get(metrics).text)
    assert scrape["walkaround_sessions", frozenset()] == 1
    assert scrape["walkaround_database_up", frozenset()] == 1
    assert (
        scrape["walkaround_logins_total", frozenset({("method", "password"), ("outcome", "accepted")})] == 1
    )

    os.kill(min(workers), signal.SIGKILL)
    deadline = time.monotonic() + 60
    while len(now := children(parent)) < 2 or now == workers:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert count_requests() == 40
    answered = 0
    while answered < 20:
        assert time.monotonic() < deadline
        try:
            answered += httpx.get(f"{url}/healthz").status_code == 200
        except httpx.TransportError:
            # The killed process received this request.
            continue
    wait_until(lambda: count_requests() == 60)


def children(parent: int) -> set[int]:
    """The IDs of the server processes that are children of `parent`."""
    pids = set()
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            status_text = status.read_text("utf-8")
            command = (status.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if re.search(rf"^PPid:\s{parent}$", status_text, re.MULTILINE) and b"spawn_main" in command:
            pids.add(int(status.parent.name))
    return pids
