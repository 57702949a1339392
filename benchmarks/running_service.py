"""Runs a real service for a benchmark, and fills it with items that have a photo."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from benchmarks.figures import find_children, processor_seconds
from shared.system.paths import program_command, program_folder
from shared.wire.detection import REFERENCE_DIFFERENCE

ADMIN = {"username": "chief", "password": "correct-horse-battery"}


class Service:
    """A real service on a data folder, started and killed as often as wanted."""

    def __init__(self, data_dir: Path, **settings: str) -> None:
        self._data_dir = data_dir
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self.client = httpx.Client(timeout=120)
        self.ready_after = 0.0
        """Seconds from the last start of its process until it accepted requests."""

    def start(self) -> None:
        """Start it and log in."""
        environment = {**os.environ, "WALKAROUND_BCRYPT_COST": "4", **self._settings}
        start = time.perf_counter()
        self._process = subprocess.Popen(
            program_command("serve", "--port", "0", "--data-dir", str(self._data_dir)),
            cwd=program_folder(),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        url = json.loads(self._process.stdout.readline())["url"]
        self.ready_after = time.perf_counter() - start
        self.client.close()
        self.client = httpx.Client(base_url=f"{url}/api", timeout=120)
        needed = self.client.post("/auth/first-run", json={**ADMIN, "name": "主任"})
        answer = needed if needed.status_code == 200 else self.client.post("/auth/login", json=ADMIN)
        token = answer.json()["data"]["access_token"]
        self.client.headers["Authorization"] = f"Bearer {token}"

    def processes(self) -> list[int]:
        """The ids of its process and of those that it has started (Linux)."""
        assert self._process is not None
        return [self._process.pid, *find_children(self._process.pid)]

    def cpu_seconds(self) -> float:
        """The processor time of its processes so far (Linux)."""
        return sum(map(processor_seconds, self.processes()))

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """End it in order."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(30)
        self.client.close()


@contextmanager
def service(fill: Callable[[Path], None] = Path.mkdir, **settings: str) -> Iterator[Service]:
    """A running service on a fresh data folder, which `fill` makes, with `settings` as variables of its
    environment.
    """
    with tempfile.TemporaryDirectory() as folder:
        data_dir = Path(folder) / "data"
        fill(data_dir)
        running = Service(data_dir, **settings)
        running.start()
        try:
            yield running
        finally:
            running.stop()


def upload(client: httpx.Client, name: str, data: bytes) -> httpx.Response:
    """Upload a file."""
    return client.post("/files", files={"file": (name, data)})


def create_item(
    client: httpx.Client,
    inspection_id: str,
    reference: dict[str, Any] | None,
    photo_id: str,
    model_id: str = REFERENCE_DIFFERENCE,
) -> str:
    """Create an item with a photo, and with all of the `reference` image as its region; returns its id."""
    body: dict[str, Any] = {"item_name": "panel", "inspection_id": inspection_id, "model_id": model_id}
    if reference is not None:
        file = {"download_url": reference["download_url"]}
        body["item_point"] = {"point": {"x": 0, "y": 0, "w": 1, "h": 1}, "fileInfo": file}
    item_id: str = client.post("/inspection_item/create", json=body).json()["item_id"]
    client.post(f"/inspection_item/{item_id}/photos", json={"file_id": photo_id})
    return item_id


def stored_body(answer: httpx.Response) -> dict[str, Any]:
    """The data of an answer. Raises HTTPStatusError."""
    answer.raise_for_status()
    body: dict[str, Any] = answer.json()
    inner: dict[str, Any] = body.get("data", body)
    return inner
