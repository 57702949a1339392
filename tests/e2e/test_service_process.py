"""Tests the service as a process: ready line, lock and end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import httpx
import pytest

from shared.system.paths import program_command, program_folder
from tests.postgresql import Server
from tests.service.program import run_program
from tests.service.waiting import wait_until
from tests.service_process import FRESH, create_first_admin, running_service, service_process

pytestmark = pytest.mark.slow


def test_open_event_stream_does_not_delay_the_end(tmp_path: Path) -> None:
    lines: list[str] = []
    opened, notified = threading.Event(), threading.Event()
    with service_process(tmp_path / "data", FRESH) as url:
        token = create_first_admin(url)
        headers = {"Authorization": f"Bearer {token}"}

        def listen() -> None:
            with httpx.stream("GET", f"{url}/api/events", headers=headers, timeout=20) as response:
                for line in response.iter_lines():
                    lines.append(line)
                    opened.set()
                    if '"kind":"record"' in line.replace(" ", ""):
                        notified.set()

        listener = threading.Thread(target=listen)
        listener.start()
        assert opened.wait(20)
        httpx.post(f"{url}/api/inspection/create", json={"task_id": "t1"}, headers=headers)
        assert notified.wait(20), lines
    listener.join(20)
    assert not listener.is_alive()
    # The server ended the stream: otherwise it would log that its shutdown took too long.
    log = (tmp_path / "data" / "service.log").read_text("utf-8")
    assert "graceful shutdown exceeded" not in log
    assert "Finished server process" in log


def test_head_of_a_streamed_answer_ends_with_its_headers(tmp_path: Path) -> None:
    """An event stream has no end, and a file may be large. The connection is usable again immediately."""
    with service_process(tmp_path / "data") as url:
        headers = {"Authorization": f"Bearer {create_first_admin(url)}"}
        with httpx.Client(base_url=url, headers=headers, timeout=20) as client:
            sent = client.post("/api/files", files={"file": ("a.bin", b"x" * 3_000_000)}).json()["data"]
            for path, kind in (
                ("/api/events", "text/event-stream"),
                (sent["download_url"], sent["mime_type"]),
                ("/api/events", "text/event-stream"),
            ):
                head = client.head(path)
                assert (head.status_code, head.content) == (200, b"")
                assert head.headers["content-type"].startswith(kind)
                assert client.get("/healthz").json() == {"status": "ok"}
            assert client.head(sent["download_url"]).headers["content-length"] == "3000000"
    log = (tmp_path / "data" / "service.log").read_text("utf-8")
    assert "unexpected" not in log
    assert "Exception" not in log


def test_second_service_on_the_same_data_prints_the_address_of_the_first(tmp_path: Path) -> None:
    with service_process(tmp_path / "data") as url:
        second = run_program("serve", "--port", "0", "--data-dir", str(tmp_path / "data"))
    assert second.returncode == 3
    assert json.loads(second.stdout) == {"event": "busy", "url": url}
    assert f"already runs at {url} on" in second.stderr


def test_service_starts_after_kill_9_with_every_acknowledged_change(tmp_path: Path) -> None:
    command = program_command("serve", "--port", "0", "--data-dir", str(tmp_path / "data"))
    first = subprocess.Popen(
        command,
        cwd=program_folder(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    assert first.stdout is not None
    ready = json.loads(first.stdout.readline())
    headers = {"Authorization": f"Bearer {create_first_admin(ready['url'])}"}
    body = {"task_id": "t1", "inspection_name": "左翼"}
    record = httpx.post(f"{ready['url']}/api/inspection/create", json=body, headers=headers).json()["data"]
    os.kill(ready["pid"], signal.SIGKILL)
    first.wait(60)
    first.stdout.close()
    with service_process(tmp_path / "data") as url:
        path = f"{url}/api/inspection/getInspectionById/{record['inspection_id']}"
        assert httpx.get(path, headers=headers).json()["data"] == record


def test_several_processes_require_postgresql(tmp_path: Path) -> None:
    run = run_program("serve", "--workers", "2", "--data-dir", str(tmp_path / "data"))
    assert run.returncode == 2
    assert "PostgreSQL" in run.stderr


@pytest.mark.postgresql
def test_two_processes_serve_one_address_and_a_killed_one_is_replaced(
    tmp_path: Path, postgresql_server: Server
) -> None:
    postgresql_server.execute("CREATE DATABASE two_processes")
    url = postgresql_server.url("two_processes")
    with service_process(tmp_path / "data", FRESH, workers="2", database_url=url) as address:
        headers = {"Authorization": f"Bearer {create_first_admin(address)}"}
        body = {"task_id": "t1"}
        record = httpx.post(f"{address}/api/inspection/create", json=body, headers=headers).json()["data"]
        path = f"{address}/api/inspection/getInspectionById/{record['inspection_id']}"
        for _ in range(20):
            assert httpx.get(path, headers=headers).json()["data"] == record
        logs = (tmp_path / "data" / "service.log").read_text("utf-8")
        pids = [int(number) for number in re.findall(r"Started server process \[(\d+)\]", logs)]
        assert len(set(pids)) == 2
        os.kill(pids[0], signal.SIGKILL)
        log = tmp_path / "data" / "service.log"
        wait_until(lambda: log.read_text("utf-8").count("Started server process") >= 3)
        assert httpx.get(path, headers=headers).json()["data"] == record
        port = address.rpartition(":")[2]
        other = run_program(
            *("serve", "--workers", "2", "--port", port),
            *("--data-dir", str(tmp_path / "other"), "--database-url", url),
        )
        assert (other.returncode, f"cannot listen on 127.0.0.1, port {port}" in other.stderr) == (1, True)


@pytest.mark.postgresql
@pytest.mark.skipif(os.name != "posix", reason="Windows does not tell a process that its parent ended")
def test_processes_end_after_their_supervisor_was_killed(tmp_path: Path, postgresql_server: Server) -> None:
    postgresql_server.execute("CREATE DATABASE killed_supervisor")
    url = postgresql_server.url("killed_supervisor")

    def answers(address: str) -> bool:
        try:
            return httpx.get(f"{address}/healthz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    with running_service(tmp_path / "data", FRESH, workers="2", database_url=url) as service:
        assert answers(service.url)
        service.process.kill()
        wait_until(lambda: not answers(service.url))
