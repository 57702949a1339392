"""Tests how the service stops, reports a failed start, and handles a full disk."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from shared import samples
from shared.images.cv import cv2
from shared.system.paths import program_command, program_folder
from tests.postgresql import Server
from tests.service.program import run_program
from tests.service.waiting import wait_until
from tests.service_process import create_first_admin, running_service

pytestmark = pytest.mark.slow

resource = pytest.importorskip("resource", reason="signals and limits of a process")


def connect(url: str) -> socket.socket:
    address = urlsplit(url)
    return socket.create_connection((address.hostname or "", address.port or 0), timeout=20)


def is_accepting(url: str) -> bool:
    try:
        connect(url).close()
    except OSError:
        return False
    return True


@pytest.fixture
def service_without_parent(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A service on `tmp_path / "data"` without the pipe of a parent, as a server starts it."""
    # Tests that run in the background ignore SIGINT, and their child processes would inherit that.
    handler_before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            program_command("serve", "--port", "0", "--data-dir", str(tmp_path / "data")),
            cwd=program_folder(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    finally:
        signal.signal(signal.SIGINT, handler_before)
    try:
        yield process
    finally:
        process.kill()
        process.wait(60)
        assert process.stdout is not None
        process.stdout.close()


@pytest.mark.parametrize(("signal_number", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_signal_lets_a_request_finish_and_removes_the_address(
    service_without_parent: subprocess.Popen[bytes],
    tmp_path: Path,
    signal_number: signal.Signals,
    status: int,
) -> None:
    assert service_without_parent.stdout is not None
    url = json.loads(service_without_parent.stdout.readline())["url"]
    address = tmp_path / "data" / "service.json"
    assert json.loads(address.read_text("utf-8"))["url"] == url
    body = b'{"username": "nobody", "password": "not-the-password"}'
    head = (
        b"POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body)
    )
    with connect(url) as wire:
        wire.sendall(head)
        # The service sends this when the operation reads the body: the request is in progress.
        assert wire.recv(1024).startswith(b"HTTP/1.1 100")
        service_without_parent.send_signal(signal_number)
        wait_until(lambda: not is_accepting(url), 20)
        wire.sendall(body)
        answer = b""
        while piece := wire.recv(65536):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 200"), answer
    assert service_without_parent.wait(60) == status
    assert not address.exists()


def check_that_streams_end(folder: Path, **settings: str) -> None:
    """Check that an open event stream ends cleanly with the service and does not delay its end."""
    opened, ended = threading.Event(), threading.Event()

    def listen(url: str, headers: dict[str, str]) -> None:
        with httpx.stream("GET", f"{url}/api/events", headers=headers, timeout=30) as response:
            opened.set()
            for _ in response.iter_lines():
                continue
        ended.set()

    with running_service(folder, **settings) as (url, process):
        headers = {"Authorization": f"Bearer {create_first_admin(url)}"}
        listener = threading.Thread(target=listen, args=(url, headers))
        listener.start()
        assert opened.wait(20)
    listener.join(60)
    assert ended.is_set()
    assert process.returncode == 0
    assert "Traceback" not in (folder / "service.log").read_text("utf-8")


@pytest.mark.parametrize("proxies", ["[]", '["127.0.0.1"]'], ids=["alone", "behind a proxy"])
def test_open_stream_ends_cleanly(tmp_path: Path, proxies: str) -> None:
    check_that_streams_end(tmp_path / "data", trusted_proxies=proxies)


@pytest.mark.postgresql
def test_open_streams_of_several_processes_end_cleanly(tmp_path: Path, postgresql_server: Server) -> None:
    postgresql_server.execute("CREATE DATABASE several_end TEMPLATE migrated")
    url = postgresql_server.url("several_end")
    check_that_streams_end(tmp_path / "data", workers="2", database_url=url)


SHORT_END_SCRIPT = """
import service.running
from shared.command_line import main
service.running.END_SECONDS = 0.5
main({arguments!r})
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds the children of a process")
def test_stopped_child_process_does_not_block_the_end_of_the_service(tmp_path: Path) -> None:
    """A child process checks a model file and is stopped meanwhile. Its time limit would be 90 s."""
    arguments = ["serve", "--port", "0", "--data-dir", str(tmp_path / "data")]
    process = subprocess.Popen(
        [sys.executable, "-c", SHORT_END_SCRIPT.format(arguments=arguments)],
        cwd=program_folder(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    check = 0
    try:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        headers = {"Authorization": f"Bearer {create_first_admin(url)}"}

        def upload_model() -> None:
            with contextlib.suppress(httpx.HTTPError):
                files = {"file": ("m.onnx", b"x" * 100)}
                form = {"model_name": "m"}
                httpx.post(f"{url}/api/detection/models", data=form, files=files, headers=headers, timeout=60)

        upload_thread = threading.Thread(target=upload_model)
        upload_thread.start()
        deadline = time.monotonic() + 20
        while not (check := find_child(process.pid, b"--check")):
            assert time.monotonic() < deadline
        os.kill(check, signal.SIGSTOP)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        upload_thread.join(60)
        assert not (tmp_path / "data" / "service.json").exists()
    finally:
        if check:
            os.kill(check, signal.SIGKILL)
        process.kill()
        process.wait(60)
        assert process.stdout is not None
        process.stdout.close()


def find_child(pid: int, word: bytes) -> int:
    """The process ID of the child of `pid` with `word` in its command line; 0 if there is none."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            with contextlib.suppress(OSError):
                if word in Path(f"/proc/{child}/cmdline").read_bytes():
                    return int(child)
    return 0


def run_failing_start(data: Path) -> dict[str, Any]:
    run = run_program("serve", "--port", "0", "--data-dir", str(data))
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1].startswith("walkaround serve: ")
    assert "Traceback" not in run.stderr
    line: dict[str, Any] = json.loads(run.stdout)
    return line


def test_failed_start_prints_the_reason(tmp_path: Path) -> None:
    (tmp_path / "newer").mkdir()
    with sqlite3.connect(tmp_path / "newer" / "walkaround.db") as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES ('9999')")
    connection.close()
    assert run_failing_start(tmp_path / "newer") == {"event": "failed", "why": "newer_database"}
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "walkaround.db").write_bytes(b"no database" * 1000)
    assert run_failing_start(tmp_path / "damaged") == {"event": "failed", "why": "damaged_database"}


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="limits another process")
def test_full_disk_loses_no_saved_data(tmp_path: Path) -> None:
    with (
        running_service(tmp_path / "data") as (url, process),
        httpx.Client(
            base_url=f"{url}/api", headers={"Authorization": f"Bearer {create_first_admin(url)}"}
        ) as http,
    ):
        record = http.post("/inspection/create", json={"task_id": "t1"}).json()["data"]["inspection_id"]
        # No file may become larger than the database: like a full disk, but it works for any user.
        size = max(path.stat().st_size for path in (tmp_path / "data").glob("walkaround.db*"))
        before = resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        item_ids = []
        while True:
            body = {"inspection_id": record, "item_name": "前缘", "description": "d" * 4000}
            answer = http.post("/inspection_item/create", json=body)
            if answer.status_code != 200:
                break
            item_ids.append(answer.json()["item_id"])
            assert len(item_ids) < 1000
        assert (answer.status_code, answer.json()["data"]["error"]) == (507, "storage_full")
        assert "磁盘空间不足" in answer.json()["msg"]
        picture = bytes(cv2.imencode(".png", samples.draw_panel(960, 640).image)[1])
        photo = {"file": ("a.png", picture + bytes(size), "image/png")}
        upload = http.post("/files", files=photo)
        assert (upload.status_code, upload.json()["data"]["error"]) == (507, "storage_full")
        assert "磁盘空间不足" in upload.json()["msg"]
        for item_id in item_ids:
            assert http.get(f"/inspection_item/{item_id}").status_code == 200
        page = http.get("/inspection_item/list", params={"inspection_id": record}).json()
        assert page["data"]["pagination"]["total"] == len(item_ids)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, before)
        assert http.post("/inspection_item/create", json=body).status_code == 200
        assert http.post("/files", files=photo).status_code == 200
    assert list((tmp_path / "data" / "files" / "incoming").iterdir()) == []
