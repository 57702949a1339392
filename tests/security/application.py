"""An application with one of everything, what every answer has to look like, and a look into its database."""

from __future__ import annotations

import socket
import sqlite3
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
from starlette.testclient import TestClient

from shared import samples
from shared.images.cv import cv2
from tests.contract.application import ContractApp

# Tables that a request may write to although it is refused, or that only say who is logged in.
BESIDES = (
    "account_version",
    "session",
    "spent_refresh",
    "login_failures",
    "audit_event",
    "audit_head",
    "face_station",
)

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

NEVER_SENT = {"name": "值班", "url": "https://webhook.invalid/", "events": ["record.released"]}
"""A webhook at a host that no network has (RFC 6761)."""


def check_frame(answer: httpx2.Response, path: str = "") -> None:
    """Every answer has the headers and an id, tells nothing of the server, and is no HTML."""
    at = (path, answer.status_code)
    for name, value in HEADERS.items():
        assert answer.headers.get(name) == value, (at, name)
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"] or (
        "sandbox" in answer.headers["content-security-policy"]
    ), at
    assert answer.headers["x-request-id"], at
    assert "server" not in answer.headers, at
    assert not [name for name in answer.headers if name.startswith("access-control-")], at
    if path != "/api/docs":
        assert "html" not in answer.headers.get("content-type", ""), at
    if answer.status_code >= 400 and answer.request.method != "HEAD":
        body = answer.json()
        assert body["code"] == 1, at
        assert body["msg"], at
        assert body["data"]["error"], at


def dump(folder: Path, *, leave_out: tuple[str, ...] = ()) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of the database in `folder`."""
    with sqlite3.connect(f"file:{folder / 'walkaround.db'}?mode=ro", uri=True) as connection:
        listed = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        names = [name for (name,) in connection.execute(listed) if name not in leave_out]
        rows = {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
    connection.close()
    return rows


class PopulatedApp(ContractApp):
    """The application in `folder` with an entry of every kind; `ids` fill the paths of the operations."""

    def __init__(self, anonymous: TestClient, folder: Path) -> None:
        super().__init__(anonymous)
        self.folder = folder
        png = bytes(cv2.imencode(".png", samples.draw_panel(96, 64).image)[1])
        form = {"file": ("左翼.png", png, "image/png")}
        self.file = self.admin.post("/api/files", files=form).json()["data"]
        other = {"username": "other", "password": "pass-of-the-other", "name": "别人", "roles": ["planner"]}
        self.other = self.post("/api/users", **other)
        aircraft = self.post("/api/catalogue/aircraft", aircraft_name="B-1")["aircraft_id"]
        flight = self.post("/api/catalogue/flights", flight_number="CA1", aircraft_id=aircraft)["flight_id"]
        task = self.post("/api/catalogue/tasks", task_name="绕机", flight_id=flight)["task_id"]
        image = self.post(
            "/api/catalogue/reference-images", reference_image_name="左翼", file_id=self.file["file_id"]
        )["reference_image_id"]
        record = self.create_record(task_id=task, inspection_name="一", executor_id=self.other["user_id"])
        item = self.create_item(record["inspection_id"], model_id="reference-difference")
        photos = f"/api/inspection_item/{item['item_id']}/photos"
        photo = self.post(photos, file_id=self.file["file_id"])["photo_id"]
        second = self.create_record(task_id=task, inspection_name="二")["inspection_id"]
        self.ids = {
            "user_id": self.other["user_id"],
            "inspection_id": record["inspection_id"],
            "other_id": second,
            "item_id": item["item_id"],
            "photo_id": photo,
            "comment_id": self.post(
                f"/api/inspection/{record['inspection_id']}/comments", item_id=item["item_id"], text="看"
            )["comment_id"],
            "aircraft_id": aircraft,
            "flight_id": flight,
            "task_id": task,
            "reference_image_id": image,
            "file_id": self.file["file_id"],
            "webhook_id": self.post("/api/webhooks", **NEVER_SENT)["webhook_id"],
            "device_id": self.post("/api/face/devices", name="gate")["device_id"],
            "model_id": "reference-difference",
            "job_id": "no-such-job",
        }

    def operations(self) -> dict[str, dict[str, Any]]:
        """Every operation of the API's document by "METHOD /path"."""
        paths = self.anonymous.get("/api/openapi.json").json()["paths"]
        return {
            f"{method.upper()} {path}": operation
            for path, methods in paths.items()
            for method, operation in methods.items()
        }

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Everything that the service keeps, without logins and the audit log."""
        return dump(self.folder, leave_out=BESIDES)


@dataclass(frozen=True)
class LiveService:
    """A running service process."""

    url: str
    folder: Path
    pid: int
    tls: ssl.SSLContext | None = None
    """What a client connects with, where the service answers with TLS."""

    @property
    def log(self) -> str:
        return (self.folder / "service.log").read_text("utf-8")

    def send(self, data: bytes, seconds: float = 3.0) -> bytes:
        """What comes back for raw bytes until the other side closes or is silent for a moment."""
        place = urlsplit(self.url)
        got = b""
        with self._connect((place.hostname or "", place.port or 0), seconds) as wire:
            wire.sendall(data)
            wire.settimeout(seconds)
            try:
                while piece := wire.recv(65536):
                    got += piece
                    wire.settimeout(0.3)
            except (TimeoutError, ConnectionResetError, ssl.SSLError):
                pass
        return got

    @contextmanager
    def _connect(self, place: tuple[str, int], seconds: float) -> Iterator[socket.socket]:
        with socket.create_connection(place, timeout=seconds) as wire:
            if self.tls is None:
                yield wire
                return
            with self.tls.wrap_socket(wire, server_hostname=place[0]) as connection:
                yield connection
