"""The same life of an enrolment on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.db.database import Database
from service.face.engines.dlib_engine import DlibEngine
from service.face.enrolment import CONSENT_VERSION
from service.web.envelope import Problem, Refusal
from shared.samples import faces
from shared.wire.face import FacePolicy
from tests.service.face.conftest import as_face_info, open_setup


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)], ids=["sqlite", "postgresql"]
)
def database_kind(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind


async def test_from_enrolment_to_deletion(
    database: Database, tmp_path: Path, dlib_engine: DlibEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.face.logins.FAILURE_SECONDS", 0.001)
    setup = open_setup(tmp_path / "faces", dlib_engine, database=database)
    person, stranger = as_face_info(faces.enrolment_picture()), as_face_info(faces.stranger_picture())

    await setup.service.enrolments.enrol(
        "mei", [as_face_info(each) for each in faces.enrolment_pictures()], CONSENT_VERSION
    )
    await setup.service.enrolments.enrol("mei", [person], CONSENT_VERSION)
    assert (await setup.service.enrolments.status("mei")).templates == 1
    await setup.service.logins.login(as_face_info(faces.login_picture()), "192.0.2.7")
    for _ in range(5):
        with pytest.raises(Refusal):
            await setup.service.logins.login(stranger, "192.0.2.7")
    with pytest.raises(Problem):
        await setup.service.logins.login(person, "192.0.2.7")
    await setup.service.logins.password_login("192.0.2.7")
    await setup.service.oversight.change_policy(FacePolicy(login_enabled=False), "chief", "192.0.2.7")
    with pytest.raises(Problem):
        await setup.service.logins.login(person, "192.0.2.7")
    await setup.service.oversight.change_policy(FacePolicy(login_enabled=True), "chief", "192.0.2.7")
    assert await setup.service.enrolments.forget("mei")
    with pytest.raises(Refusal):
        await setup.service.logins.login(person, "192.0.2.7")
