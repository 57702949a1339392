"""Tests two machines that share a PostgreSQL database and a bucket, but no folder; one of them is killed."""

from __future__ import annotations

import contextlib
import hashlib
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from desktop.client import Session
from shared.record.content import sha256
from shared.record.entries import Entry, rendered_file
from tests.client_session import open_session
from tests.postgresql import Server
from tests.s3_server import S3Server, s3, store_settings
from tests.service.detection.dispatch.test_queue import items_to_detect
from tests.service.detection.graphs import brightness_model
from tests.service.waiting import wait_until
from tests.service_process import ADMIN, RunningService, create_first_admin, running_service

__all__ = ["s3"]

pytestmark = pytest.mark.postgresql

Machine = Callable[[str], AbstractContextManager[RunningService]]
PATIENCE = 90.0


@pytest.fixture
def machine(tmp_path: Path, postgresql_server: Server, s3: S3Server) -> Iterator[Machine]:
    """Starts services, each on a new data folder; database, bucket and secret are the same."""
    postgresql_server.execute("CREATE DATABASE two_machines TEMPLATE migrated")
    settings = {name: str(value) for name, value in store_settings(s3, tmp_path).items()}
    settings["database_url"] = postgresql_server.url("two_machines")
    settings["secret_file"] = str(tmp_path / "secret.key")
    yield lambda name: running_service(tmp_path / name, **settings)
    postgresql_server.execute("DROP DATABASE two_machines WITH (FORCE)")


@contextlib.contextmanager
def open_client(running: RunningService) -> Iterator[httpx.Client]:
    answer = httpx.post(
        f"{running.url}/api/auth/login", json={"username": ADMIN[0], "password": ADMIN[1]}, timeout=30
    ).json()
    headers = {"Authorization": f"Bearer {answer['data']['access_token']}"}
    with httpx.Client(base_url=f"{running.url}/api", headers=headers, timeout=60) as client:
        yield client


def data(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    body = answer.json()
    return body.get("data", body)


def states(client: httpx.Client, record: str) -> list[str]:
    jobs = data(client.get("/detection/jobs", params={"inspection_id": record}))
    return [str(job["state"]) for job in jobs]


def entries(client: httpx.Client, items: list[str]) -> list[dict[str, Any]]:
    return [entry for item in items for entry in client.get(f"/inspection_item/{item}").json()["result"]]


def add_model(session: Session, path: Path) -> str:
    return session.detection.add_model(brightness_model(path), "亮度").model_id


def test_upload_at_one_machine_is_detected_and_sealed_at_another(
    machine: Machine, s3: S3Server, tmp_path: Path
) -> None:
    with machine("one") as first:
        create_first_admin(first.url)
        with open_session(first.url) as session:
            model = add_model(session, tmp_path / "model.onnx")
        with open_client(first) as client:
            record, items = items_to_detect(client, 3)
            client.put(f"/inspection_item/{items[0]}", json={"model_id": model}).raise_for_status()
    with machine("other") as other, open_client(other) as client:
        with s3.outage():
            # Operations that need the store answer 503, jobs wait for it, and the others work.
            client.post(f"/inspection/{record}/detect").raise_for_status()
            refused = client.post("/files", files={"file": ("a.bin", b"while it is away")})
            assert (refused.status_code, refused.json()["data"]["error"]) == (503, "unavailable")
            assert client.get(f"/inspection_item/{items[0]}").status_code == 200
            assert set(states(client, record)) <= {"queued", "running"}
        wait_until(lambda: states(client, record) == ["done"] * 3)
        sealed = client.post(f"/inspection/{record}/finish", json={"accept_model_opinion": True})
        assert data(sealed)["inspection_status"] == "failed"
        images = [rendered_file(cast(Entry, entry)) for entry in entries(client, items)]
        # A verdict has no picture.
        pictures = [image for image in images if image is not None]
        assert pictures
    for name in ("one", "other"):
        assert not list((tmp_path / name / "files").rglob("*"))
    with machine("third") as third, open_client(third) as client:
        assert data(client.get(f"/inspection/{record}/seal/verify"))["intact"] is True
        for picture in pictures:
            content = client.get(str(picture["download_url"]).removeprefix("/api")).content
            assert content.startswith(b"\xff\xd8")
        # The verification reads the bucket, not a local copy.
        key = next(key for key in s3.state.objects if key.endswith(sha256(content)[2:]))
        del s3.state.objects[key]
        differences = data(client.get(f"/inspection/{record}/seal/verify"))["differences"]
        assert [each["kind"] for each in differences] == ["file_missing"]


class Uploads:
    """Uploads files to a service until it is stopped or killed.

    `acknowledged` has the content of each file that the service acknowledged, by file ID.
    """

    def __init__(self, running: RunningService, seed: int) -> None:
        self.acknowledged: dict[str, bytes] = {}
        self._random = random.Random(seed)
        self._stopped = threading.Event()
        self._running = running
        self._thread = threading.Thread(target=self._upload)
        self._thread.start()

    def _upload(self) -> None:
        with open_client(self._running) as client, contextlib.suppress(httpx.TransportError):
            while not self._stopped.is_set():
                content = self._random.randbytes(50_000)
                file = data(client.post("/files", files={"file": ("a.bin", content)}))
                self.acknowledged[file["file_id"]] = content
                # Without a pause they take processor time for as long as a detection waits for its turn.
                self._stopped.wait(0.05)

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(PATIENCE)


@pytest.mark.slow
def test_killed_machine_loses_no_acknowledged_file_or_job(machine: Machine, s3: S3Server) -> None:
    with machine("killed") as killed_machine, machine("other") as other_machine:
        create_first_admin(other_machine.url)
        uploads = [Uploads(killed_machine, 1), Uploads(other_machine, 2)]
        try:
            with open_client(other_machine) as client:
                record, items = items_to_detect(client, 4)
                client.post(f"/inspection/{record}/detect").raise_for_status()
                wait_until(lambda: "done" in states(client, record))
                wait_until(lambda: all(len(each.acknowledged) >= 10 for each in uploads))
                killed_machine.process.kill()
                killed_machine.process.wait(60)
                before = len(uploads[1].acknowledged)
                wait_until(lambda: len(uploads[1].acknowledged) > before + 10)
        finally:
            for each in uploads:
                each.stop()
        with open_client(other_machine) as client:
            wait_until(lambda: states(client, record) == ["done"] * len(items))
            for file_id, content in (uploads[0].acknowledged | uploads[1].acknowledged).items():
                assert client.get(f"/files/{file_id}/content").content == content
            assert [entry["progress"] for entry in entries(client, items)] == ["done"] * len(items)
            for entry in entries(client, items):
                client.get(f"/files/{entry['inputImage']['file_id']}").raise_for_status()
    # No object is incomplete.
    for key, stored in s3.state.objects.items():
        assert "".join(key.split("/")[-2:]) == hashlib.sha256(stored.data).hexdigest()
    assert not s3.state.uploads
