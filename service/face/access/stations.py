"""Limits face logins by station: after failures a station must wait, and finally it is blocked."""

from __future__ import annotations

import math
from collections import deque
from datetime import timedelta
from time import monotonic

from sqlmodel import Session, col, delete

from service.changes import ObjectChange, announce
from service.db.database import Database, now
from service.face import rules
from service.face.tables import FacePolicy, FaceStation
from service.web import addresses
from service.web.envelope import Problem
from shared.record.codes import ErrorCode
from shared.wire.text import fill

FACE_LOGIN_OFF = "face_login_off"
# The most stations with an open challenge; beyond that every picture counts as a failure at once.
_MAX_CHALLENGES = 10_000
_MAX_KNOWN = 10_000
"""The most stations that are remembered as known; the latest ones."""


def policy(session: Session, *, lock: bool = False) -> FacePolicy:
    """Return the row of the policy; `lock` locks it against other writers."""
    return session.get_one(FacePolicy, 1, with_for_update=True if lock else None)


def busy(seconds: int) -> Problem:
    """Return the Problem 429 for an attempt that comes too early."""
    return Problem(
        429,
        ErrorCode.TOO_MANY_REQUESTS,
        fill("人脸登录尝试次数过多，请在 {seconds} 秒后重试，或使用密码登录", seconds=seconds),
        headers={"Retry-After": str(seconds)},
        retry_after=seconds,
    )


class RateLimiter:
    """Allows at most `most` events within `seconds`, by the monotonic clock."""

    def __init__(self, most: int, seconds: float) -> None:
        self._seconds = seconds
        self._times: deque[float] = deque(maxlen=most)

    def take(self) -> bool:
        """Count an event and return True; return False without counting if the limit is reached."""
        moment = monotonic()
        if len(self._times) == self._times.maxlen and moment - self._times[0] < self._seconds:
            return False
        self._times.append(moment)
        return True


class Stations:
    """Counts failures in a row of each station (`addresses.group`) in the database, across restarts."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # Stations whose last picture led to a challenge that has not been answered yet.
        self._challenged_stations: set[str] = set()
        # Stations with a successful login since this process started, the latest last.
        self._known_stations: dict[str, None] = {}

    async def check(self, address: str) -> None:
        """Raise Problem 403 if face login is off, generally or here, 429 while the station must wait."""
        station = addresses.client_group(address)

        def read(session: Session) -> tuple[bool, FaceStation | None]:
            return policy(session).login_enabled, session.get(FaceStation, station)

        is_enabled, state = await self._database.read(read)
        if not is_enabled:
            raise Problem(403, FACE_LOGIN_OFF, "管理员已关闭人脸登录，请使用密码登录")
        if state is None:
            return
        if rules.is_off(state.failures):
            raise Problem(
                403, FACE_LOGIN_OFF, "失败次数过多，此设备的人脸登录已停用，请先在此设备上使用密码登录"
            )
        if state.paused_until is not None:
            # The absolute value: a clock that was set back must not turn a pause of seconds into hours.
            remaining = state.paused_until - state.last_at - abs(now() - state.last_at)
            if remaining > timedelta():
                raise busy(math.ceil(remaining.total_seconds()))

    async def count_challenge_request(self, address: str, reason: str) -> None:
        """Announce a picture that led to a challenge, or a film after which one more movement is requested.

        It counts as a failure unless the correct answer follows at the station, so that nobody can find out
        at no cost which user a picture shows, or which film comes near to that of a person.
        """
        station = addresses.client_group(address)
        if station in self._challenged_stations or len(self._challenged_stations) >= _MAX_CHALLENGES:
            await self._count(address, 1, reason)
        else:
            self._challenged_stations.add(station)
            await self._count(address, 0, reason)

    async def count_failure(self, address: str, reason: str | None = None) -> None:
        """Count a failure and announce the attempt; `reason` is about the movement, not about the person."""
        station = addresses.client_group(address)
        was_challenged = station in self._challenged_stations
        self._challenged_stations.discard(station)
        # A wrong answer to a challenge belongs to the same attempt as the picture that led to it.
        await self._count(address, 2 if was_challenged and reason is None else 1, reason)

    async def _count(self, address: str, failures: int, reason: str | None) -> None:
        station = addresses.client_group(address)

        def write(session: Session) -> None:
            moment = now()
            session.exec(delete(FaceStation).where(col(FaceStation.last_at) < moment - rules.STATION_MEMORY))
            state = session.get(FaceStation, station)
            if state is None:
                state = FaceStation(address=station, failures=0, last_at=moment)
                session.add(state)
            state.last_at, state.paused_until = moment, None
            for _ in range(failures):
                state.failures += 1
                pause = rules.pause_duration(state.failures)
                state.paused_until = moment + pause if pause else state.paused_until
            details = {"challenge": reason} if reason else {}
            change = ObjectChange(
                "face_login_failed", "login", address=address, details=details, audit_only=True
            )
            announce(session, change)

        await self._database.write(write)

    async def has_failed(self, address: str) -> bool:
        """Return whether the last login at the station failed."""
        station = addresses.client_group(address)
        state = await self._database.read(lambda session: session.get(FaceStation, station))
        return state is not None and state.failures > 0

    def is_known(self, address: str) -> bool:
        """Return whether a user has logged in at the station, by face or password, in this process."""
        return addresses.client_group(address) in self._known_stations

    async def forgive(self, address: str) -> None:
        """Delete the failures of a station, after a successful login there, and remember it as known."""
        station = addresses.client_group(address)
        self._known_stations.pop(station, None)
        self._known_stations[station] = None
        if len(self._known_stations) > _MAX_KNOWN:
            del self._known_stations[next(iter(self._known_stations))]
        self._challenged_stations.discard(station)
        state = await self._database.read(lambda session: session.get(FaceStation, station))
        if state is not None:
            forget = delete(FaceStation).where(col(FaceStation.address) == station)
            await self._database.write(lambda session: session.exec(forget))
