"""Devices that are allowed for face logins: allowed, renamed, ended, and checked before a login."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from service.db.database import Database, now
from service.face.access import devices
from service.face.engines.dlib_engine import DlibEngine
from service.face.enrolment import CONSENT_VERSION
from service.face.tables import FaceDevice
from service.web.envelope import Problem
from shared.wire.face import Device, FacePolicy
from tests.service.face.conftest import Setup, open_setup
from tests.service.face.people import ADDRESS, PERSON, check_refusal


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)], ids=["sqlite", "postgresql"]
)
def database_kind(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind


@pytest.fixture
def setup(
    database: Database, tmp_path: Path, dlib_engine: DlibEngine, monkeypatch: pytest.MonkeyPatch
) -> Setup:
    monkeypatch.setattr("service.face.logins.FAILURE_SECONDS", 0.001)
    return open_setup(tmp_path / "faces", dlib_engine, database=database)


async def limit(setup: Setup) -> None:
    policy = FacePolicy(login_enabled=True, allowed_devices_only=True)
    await setup.service.oversight.change_policy(policy, "chief", ADDRESS)


async def status_of(setup: Setup, device_token: str) -> int:
    """The status of the refusal of a login from a device; 200 when the person is logged in."""
    try:
        await setup.service.logins.login(PERSON, ADDRESS, "", device_token)
    except Problem as problem:
        return problem.status if problem.error == devices.DEVICE_NOT_ALLOWED else 500
    return 200


async def test_face_login_needs_an_allowed_device_if_the_policy_requires_it(setup: Setup) -> None:
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    allowed = await setup.service.devices.allow("Gate A", "chief", ADDRESS)
    assert await status_of(setup, "") == 200
    await limit(setup)
    assert await status_of(setup, "") == 403
    assert await status_of(setup, "another token") == 403
    assert await status_of(setup, allowed.token) == 200
    with pytest.raises(Problem):
        await setup.service.logins.draw_challenge([], ADDRESS)
    await setup.service.logins.draw_challenge([], ADDRESS, allowed.token)
    await setup.service.devices.end(allowed.device_id, "chief", ADDRESS)
    assert await status_of(setup, allowed.token) == 403


async def test_refused_device_counts_no_failure_of_the_station(setup: Setup) -> None:
    await limit(setup)
    for _ in range(6):
        assert await status_of(setup, "") == 403


async def test_token_is_stored_as_its_hash_alone(setup: Setup) -> None:
    token = (await setup.service.devices.allow("Gate A", "chief", ADDRESS)).token
    rows = await setup.database.read(lambda session: list(session.exec(select(FaceDevice))))
    assert len(rows) == 1
    assert token not in str(rows[0])
    assert token not in str(setup.changes)


async def test_every_change_of_a_device_is_audited(setup: Setup) -> None:
    allowed = await setup.service.devices.allow("Gate A", "chief", ADDRESS)
    renamed = await setup.service.devices.rename(allowed.device_id, "Gate B", "chief", ADDRESS)
    assert renamed == Device(**allowed.model_dump(exclude={"token", "name"}), name="Gate B")
    assert await setup.service.devices.list_all() == [renamed]
    await setup.service.devices.end(allowed.device_id, "chief", ADDRESS)
    assert await setup.service.devices.list_all() == []
    changes = [(each.action, each.kind, each.actor, each.details) for each in setup.changes]
    assert changes == [
        ("create", "face_device", "chief", {"name": "Gate A"}),
        ("update", "face_device", "chief", {"name": "Gate B"}),
        ("delete", "face_device", "chief", {"name": "Gate B"}),
    ]


async def test_unknown_device_is_404(setup: Setup) -> None:
    with pytest.raises(Problem) as caught:
        await setup.service.devices.end("unknown", "chief", ADDRESS)
    assert caught.value.status == 404
    with pytest.raises(Problem) as caught:
        await setup.service.devices.rename("unknown", "Gate", "chief", ADDRESS)
    assert caught.value.status == 404


async def test_devices_are_limited(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "MAX_DEVICES", 1)

    await setup.service.devices.allow("Gate A", "chief", ADDRESS)
    with pytest.raises(Problem) as caught:
        await setup.service.devices.allow("Gate B", "chief", ADDRESS)
    assert caught.value.status == 409


async def test_login_is_remembered_to_the_hour(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    allowed = await setup.service.devices.allow("Gate A", "chief", ADDRESS)
    assert allowed.last_used_at is None
    # A login that fails is no use of the device.
    setup.disabled.add("mei")
    await check_refusal(setup, PERSON)
    setup.disabled.clear()
    await setup.service.logins.login(PERSON, ADDRESS, "", allowed.token)
    first = (await setup.service.devices.list_all())[0].last_used_at
    assert first is not None
    await setup.service.logins.login(PERSON, ADDRESS, "", allowed.token)
    assert (await setup.service.devices.list_all())[0].last_used_at == first
    later = now() + timedelta(hours=2)
    monkeypatch.setattr(devices, "now", lambda: later)
    await setup.service.logins.login(PERSON, ADDRESS, "", allowed.token)
    assert (await setup.service.devices.list_all())[0].last_used_at == later


async def test_requirements_say_which_policies_hold(setup: Setup) -> None:
    service = setup.service.oversight
    before = await service.requirements()
    assert (before.challenge, before.allowed_devices_only, before.refuse_virtual_cameras) == (
        "off",
        False,
        False,
    )
    policy = FacePolicy(login_enabled=True, challenge_admins="always", refuse_virtual_cameras=True)
    await service.change_policy(policy, "chief", ADDRESS)
    assert (await service.requirements()).challenge == "sometimes"
    assert (await service.requirements()).refuse_virtual_cameras
    await service.change_policy(FacePolicy(login_enabled=True, challenge_others="always"), "chief", ADDRESS)
    assert (await service.requirements()).challenge == "always"
