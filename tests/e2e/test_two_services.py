"""Tests two service processes on one PostgreSQL database: changes of one reach the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from shared.samples import faces
from tests.postgresql import Server
from tests.service.face.conftest import as_face_info
from tests.service_process import first_admin, service_process

pytestmark = pytest.mark.postgresql


@pytest.fixture
def two(tmp_path: Path, postgresql_server: Server) -> Iterator[tuple[str, str]]:
    """The addresses of two services with one database and one folder, so one `face.key`."""
    postgresql_server.execute("CREATE DATABASE two_services TEMPLATE migrated")
    url = postgresql_server.url("two_services")
    folder = tmp_path / "data"
    with (
        service_process(folder, database_url=url) as one,
        service_process(folder, database_url=url) as other,
    ):
        yield one, other
    postgresql_server.execute("DROP DATABASE two_services WITH (FORCE)")


def test_face_removed_at_one_service_cannot_log_in_at_other(two: tuple[str, str]) -> None:
    one, other = two
    mine = {"Authorization": f"Bearer {first_admin(one)}"}

    def enrol(picture: faces.Pixels) -> None:
        body = {"images": [as_face_info(picture)], "consent": True}
        answer = httpx.post(f"{one}/api/auth/face", json=body, headers=mine, timeout=30)
        assert answer.json()["code"] == 0, answer.text

    def logs_in(at: str, picture: faces.Pixels) -> bool:
        body = {"faceInfo": as_face_info(picture)}
        answer = httpx.post(f"{at}/api/auth/loginByFaceInfo", json=body, timeout=30)
        assert answer.status_code == 200, answer.text
        return bool(answer.json()["code"] == 0)

    enrol(faces.enrolment())
    # From here on the other holds the template in its memory.
    assert logs_in(other, faces.login())
    assert httpx.delete(f"{one}/api/auth/face", headers=mine).json()["data"] is True
    assert not logs_in(other, faces.login())
    enrol(faces.enrolment())
    assert logs_in(other, faces.login())
    enrol(faces.stranger())
    assert not logs_in(other, faces.login())
    assert logs_in(other, faces.stranger())
    # Disabled at one, out at the other, whatever the face.
    switch = {"login_enabled": False}
    assert httpx.put(f"{one}/api/face/policy", json=switch, headers=mine).status_code == 200
    answer = httpx.post(
        f"{other}/api/auth/loginByFaceInfo", json={"faceInfo": as_face_info(faces.stranger())}, timeout=30
    )
    assert answer.status_code == 403
