"""Tests two service processes on one PostgreSQL database: each receives the changes of the other."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from desktop.client import Session
from desktop.client.http.errors import ClientError
from shared.samples import faces
from shared.wire.events import ChangeEvent
from shared.wire.inspection import RecordCreate
from tests.client_session import open_session
from tests.postgresql import Server
from tests.service.face.conftest import as_face_info
from tests.service.waiting import wait_until
from tests.service_process import create_first_admin, service_process

pytestmark = pytest.mark.postgresql
PATIENCE = 60.0


@pytest.fixture
def two_services(tmp_path: Path, postgresql_server: Server) -> Iterator[tuple[str, str]]:
    """The addresses of two services with one database and one folder, so one `face.key`."""
    postgresql_server.execute("CREATE DATABASE two_services TEMPLATE migrated")
    url = postgresql_server.url("two_services")
    folder = tmp_path / "data"
    with (
        service_process(folder, database_url=url) as first,
        service_process(folder, database_url=url) as other,
    ):
        yield first, other
    postgresql_server.execute("DROP DATABASE two_services WITH (FORCE)")


def test_face_removed_at_one_service_cannot_log_in_at_other(two_services: tuple[str, str]) -> None:
    first, other = two_services
    headers = {"Authorization": f"Bearer {create_first_admin(first)}"}

    def enrol(picture: faces.Pixels) -> None:
        body = {"images": [as_face_info(picture)], "consent": True}
        answer = httpx.post(f"{first}/api/auth/face", json=body, headers=headers, timeout=30)
        assert answer.json()["code"] == 0, answer.text

    def can_log_in(service: str, picture: faces.Pixels) -> bool:
        body = {"faceInfo": as_face_info(picture)}
        answer = httpx.post(f"{service}/api/auth/loginByFaceInfo", json=body, timeout=30)
        assert answer.status_code == 200, answer.text
        return bool(answer.json()["code"] == 0)

    enrol(faces.enrolment_picture())
    # After this login the other service has the template in its memory.
    assert can_log_in(other, faces.login_picture())
    assert httpx.delete(f"{first}/api/auth/face", headers=headers).json()["data"] is True
    assert not can_log_in(other, faces.login_picture())
    enrol(faces.enrolment_picture())
    assert can_log_in(other, faces.login_picture())
    enrol(faces.stranger_picture())
    assert not can_log_in(other, faces.login_picture())
    assert can_log_in(other, faces.stranger_picture())
    # Face login that is disabled at one service is refused at the other.
    switch = {"login_enabled": False}
    assert httpx.put(f"{first}/api/face/policy", json=switch, headers=headers).status_code == 200
    answer = httpx.post(
        f"{other}/api/auth/loginByFaceInfo",
        json={"faceInfo": as_face_info(faces.stranger_picture())},
        timeout=30,
    )
    assert answer.status_code == 403


class Listener:
    """Collects the changes of a session's event stream."""

    def __init__(self, session: Session) -> None:
        self.changes: list[ChangeEvent | None] = []
        self._session = session
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            self._session.events.read(self.changes.append)
        except ClientError:
            return

    def changes_of(self, kind: str) -> list[tuple[str, str | None]]:
        return [(e.action, e.object_id) for e in list(self.changes) if e is not None and e.kind == kind]

    def close(self) -> None:
        self._session.events.close()
        self._thread.join(PATIENCE)


def test_changes_at_one_service_reach_clients_of_both(two_services: tuple[str, str]) -> None:
    with open_session(two_services[0]) as first, open_session(two_services[1]) as second:
        listeners = Listener(first), Listener(second)
        ids: list[str] = []
        try:
            # Both streams are open when each has received a change.
            while not all(listener.changes_of("record") for listener in listeners):
                ids.append(first.records.create(RecordCreate(task_id="t")).inspection_id)
                assert len(ids) < 200
                time.sleep(0.05)
            for session in (second, first, second):
                ids.append(session.records.create(RecordCreate(task_id="t")).inspection_id)
            for listener in listeners:
                wait_until(lambda: ("create", ids[-1]) in listener.changes_of("record"))  # noqa: B023
                changes = listener.changes_of("record")
                assert changes == [("create", record_id) for record_id in ids[-len(changes) :]]
                assert len(changes) >= 3
        finally:
            for listener in listeners:
                listener.close()
