"""A station where face logins keep failing waits, and there is a limit over all of them."""

from __future__ import annotations

import asyncio
import itertools
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update
from sqlmodel import Session, col

from service.db.database import now
from service.face import rules
from service.face.access.stations import RateLimiter
from service.face.engines.dlib_engine import DlibEngine
from service.face.enrolment import CONSENT_VERSION
from service.face.tables import FaceStation
from service.web.envelope import Problem, Refusal
from tests.service.face.conftest import Setup, open_setup
from tests.service.face.people import ADDRESS, AGAIN, NOBODY, PERSON, check_refusal


async def test_five_failures_make_the_station_wait_and_longer_each_time(setup: Setup) -> None:
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    for _ in range(5):
        await check_refusal(setup, NOBODY)
    with pytest.raises(Problem) as caught:
        await setup.service.logins.login(AGAIN, ADDRESS)
    assert caught.value.status == 429
    assert 25 < int(caught.value.headers["Retry-After"]) <= 30
    # Another station is not affected.
    await setup.service.logins.login(AGAIN, "192.0.2.8")
    pass_time(setup, timedelta(seconds=31))
    for _ in range(5):
        await check_refusal(setup, NOBODY)
    with pytest.raises(Problem) as caught:
        await setup.service.logins.login(AGAIN, ADDRESS)
    assert 55 < int(caught.value.headers["Retry-After"]) <= 60


def pass_time(setup: Setup, passed: timedelta) -> None:
    def earlier(session: Session) -> None:
        for station in session.scalars(select(FaceStation)):
            if station.paused_until is not None:
                station.paused_until -= passed

    setup.database.write_now(earlier)


async def test_a_clock_that_is_set_back_makes_no_pause_longer(setup: Setup) -> None:
    def set_back(session: Session, by: timedelta) -> None:
        for station in session.scalars(select(FaceStation)):
            assert station.paused_until is not None
            station.paused_until += by
            station.last_at += by

    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    for _ in range(5):
        await check_refusal(setup, NOBODY)
    setup.database.write_now(lambda session: set_back(session, timedelta(seconds=10)))
    with pytest.raises(Problem) as caught:
        await setup.service.logins.login(AGAIN, ADDRESS)
    assert int(caught.value.headers["Retry-After"]) <= 30
    setup.database.write_now(lambda session: set_back(session, timedelta(hours=1)))
    await setup.service.logins.login(AGAIN, ADDRESS)


async def test_fifty_failures_end_face_login_there_until_a_password_login(setup: Setup) -> None:
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    setup.database.write_now(
        lambda session: session.add(FaceStation(address=ADDRESS, failures=49, last_at=now()))
    )
    await check_refusal(setup, NOBODY)
    pass_time(setup, timedelta(days=30))
    with pytest.raises(Problem) as caught:
        await setup.service.logins.login(AGAIN, ADDRESS)
    assert (caught.value.status, caught.value.error) == (403, "face_login_off")
    await setup.service.logins.password_login(ADDRESS)
    await setup.service.logins.login(AGAIN, ADDRESS)


async def test_a_station_is_forgotten_in_the_end(setup: Setup) -> None:
    await check_refusal(setup, NOBODY, "192.0.2.99")
    age = update(FaceStation).values(last_at=now() - rules.STATION_MEMORY - timedelta(days=1))
    setup.database.write_now(lambda session: session.execute(age))
    await check_refusal(setup, NOBODY)
    left = setup.database.read_now(lambda session: list(session.scalars(select(col(FaceStation.address)))))
    assert left == [ADDRESS]


async def test_a_login_forgives_the_failures_before(setup: Setup) -> None:
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    for _ in range(3):
        for _ in range(4):
            await check_refusal(setup, NOBODY)
        await setup.service.logins.login(AGAIN, ADDRESS)


async def test_parallel_attempts_do_not_slip_past_the_limit(setup: Setup) -> None:
    answers = await asyncio.gather(
        *(setup.service.logins.login(NOBODY, ADDRESS) for _ in range(8)), return_exceptions=True
    )
    assert sum(isinstance(answer, Refusal) for answer in answers) == 5
    assert sum(isinstance(answer, Problem) for answer in answers) == 3


async def test_too_many_simultaneous_requests_are_refused(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.face.recognition.MAX_WAITING", 2)

    logins = [asyncio.create_task(setup.service.logins.login(NOBODY, f"192.0.2.{host}")) for host in range(4)]
    # Nobody is looked at before two were sent away.
    async with setup.service._recognition.lock, asyncio.timeout(10):
        for sent_away in itertools.islice(asyncio.as_completed(logins), 2):
            with pytest.raises(Problem):
                await sent_away
    answers = await asyncio.gather(*logins, return_exceptions=True)
    assert sum(isinstance(answer, Refusal) for answer in answers) == 2
    enrolments = await asyncio.gather(
        *(setup.service.enrolments.enrol(f"user-{number}", [NOBODY], CONSENT_VERSION) for number in range(4)),
        return_exceptions=True,
    )
    assert [type(answer) for answer in enrolments] == [Refusal, Refusal, Problem, Problem]


async def test_there_is_a_limit_over_all_stations(setup: Setup) -> None:
    outcomes = []
    for number in range(70):
        try:
            await setup.service.logins.login("no picture", f"192.0.2.{number}")
        except (Refusal, Problem) as problem:
            outcomes.append(type(problem))
    assert outcomes == [Refusal] * 60 + [Problem] * 10


async def test_twelve_addresses_do_not_shut_out_a_station_where_users_log_in(setup: Setup) -> None:
    async def fail(host: int) -> type[Exception]:
        try:
            await setup.service.logins.login(NOBODY, f"198.51.100.{host}")
        except (Refusal, Problem) as problem:
            return type(problem)
        raise AssertionError("nobody logged in")

    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    await setup.service.logins.login(AGAIN, ADDRESS)
    await setup.service.logins.password_login("192.0.2.9")
    outcomes = [await fail(host) for host in range(12) for _ in range(5)]
    outcomes.append(await fail(12))
    # One was counted before the station was known.
    assert outcomes == [Refusal] * 59 + [Problem] * 2
    for known in (ADDRESS, "192.0.2.9"):
        await setup.service.logins.login(AGAIN, known)
        await setup.service.logins.draw_challenge([], known)
    with pytest.raises(Problem) as caught:
        await setup.service.logins.login(AGAIN, "192.0.2.10")
    assert caught.value.status == 429
    # Its own failures make it wait as before.
    for _ in range(5):
        await check_refusal(setup, NOBODY)
    with pytest.raises(Problem):
        await setup.service.logins.login(AGAIN, ADDRESS)


async def test_places_are_kept_for_known_stations(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.face.recognition.MAX_WAITING", 2)

    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    await setup.service.logins.password_login(ADDRESS)
    async with setup.service._recognition.lock:
        others = [
            asyncio.create_task(setup.service.logins.login(NOBODY, f"192.0.2.{host}"))
            for host in range(100, 105)
        ]
        # Two of them wait, and the others were sent away.
        for sent_away in itertools.islice(asyncio.as_completed(others), 3):
            with pytest.raises(Problem):
                await sent_away
        login = asyncio.create_task(setup.service.logins.login(AGAIN, ADDRESS))
    assert (await login).access_token
    await asyncio.gather(*others, return_exceptions=True)


async def test_a_station_that_waits_takes_no_logins_from_the_others(setup: Setup) -> None:
    await setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION)
    for _ in range(5):
        await check_refusal(setup, NOBODY)
    answers = await asyncio.gather(
        *(setup.service.logins.login(AGAIN, ADDRESS) for _ in range(80)), return_exceptions=True
    )
    assert {answer.status for answer in answers if isinstance(answer, Problem)} == {429}
    assert len(answers) == 80
    await setup.service.logins.login(AGAIN, "192.0.2.8")


def test_the_limit_over_all_stations_forgets_after_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 10.0, 59.9, 60.0, 60.1, 69.9, 70.0])
    monkeypatch.setattr("service.face.access.stations.monotonic", lambda: next(clock))
    pace = RateLimiter(2, 60)
    assert [pace.take() for _ in range(7)] == [True, True, False, True, False, False, True]


def test_limit_survives_restart(setup: Setup, dlib_engine: DlibEngine, tmp_path: Path) -> None:
    async def fail() -> None:
        for _ in range(5):
            await check_refusal(setup, NOBODY)

    asyncio.run(fail())
    again = open_setup(tmp_path, dlib_engine)
    with pytest.raises(Problem) as caught:
        asyncio.run(again.service.logins.login(PERSON, ADDRESS))
    assert caught.value.status == 429
    again.database.close()
