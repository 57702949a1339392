"""Limits face logins per station: failures make it wait and finally block it."""

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
from shared.codes import ErrorCode

FACE_LOGIN_OFF = "face_login_off"
# So many stations may wait for an answer before every picture counts at once.
_MOST_CHALLENGED = 10_000


def policy(session: Session, *, to_change: bool = False) -> FacePolicy:
    """The one row of the policy, locked against other writers when it is `to_change`."""
    return session.get_one(FacePolicy, 1, with_for_update=True if to_change else None)


def busy(seconds: int) -> Problem:
    """The response to an attempt that comes too early."""
    return Problem(
        429,
        ErrorCode.TOO_MANY_REQUESTS,
        f"人脸登录尝试次数过多，请在 {seconds} 秒后重试，或使用密码登录",
        headers={"Retry-After": str(seconds)},
        retry_after=seconds,
    )


class RateLimiter:
    """Allows at most `most` events within `seconds`, by the monotonic clock."""

    def __init__(self, most: int, seconds: float) -> None:
        self._seconds = seconds
        self._taken: deque[float] = deque(maxlen=most)

    def take(self) -> bool:
        """Count one event; False, and not counted, when the limit is reached."""
        at = monotonic()
        if len(self._taken) == self._taken.maxlen and at - self._taken[0] < self._seconds:
            return False
        self._taken.append(at)
        return True


class Stations:
    """Counts failures in a row of each station (`addresses.group`) in the database, past a restart."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # Stations whose last picture led into a challenge that has not been answered yet.
        self._challenged: set[str] = set()

    async def check(self, address: str) -> None:
        """Raises Problem 403 when face login is off, everywhere or here, and 429 while the station waits."""

        station = addresses.group(address)

        def read(session: Session) -> tuple[bool, FaceStation | None]:
            return policy(session).login_enabled, session.get(FaceStation, station)

        enabled, state = await self._database.read(read)
        if not enabled:
            raise Problem(403, FACE_LOGIN_OFF, "管理员已关闭人脸登录，请使用密码登录")
        if state is None:
            return
        if rules.is_off(state.failures):
            raise Problem(
                403, FACE_LOGIN_OFF, "失败次数过多，此设备的人脸登录已停用，请先在此设备上使用密码登录"
            )
        if state.paused_until is not None:
            # Without a sign: a clock that was set back must not make a pause of seconds one of hours.
            left = state.paused_until - state.last_at - abs(now() - state.last_at)
            if left > timedelta():
                raise busy(math.ceil(left.total_seconds()))

    async def challenged(self, address: str) -> None:
        """Announce a picture that led into a challenge. It counts as a failure as soon as anything but the
        right answer follows at the station, so that a picture cannot be tried for its user at no cost.
        """
        station = addresses.group(address)
        if station in self._challenged or len(self._challenged) >= _MOST_CHALLENGED:
            await self._count(address, 1, rules.ASKED_FOR)
        else:
            self._challenged.add(station)
            await self._count(address, 0, rules.ASKED_FOR)

    async def failed(self, address: str, reason: str | None = None) -> None:
        """Count one more failure, and announce the attempt; `reason` speaks of the movement, not of the
        person.
        """
        station = addresses.group(address)
        owed = station in self._challenged
        self._challenged.discard(station)
        # The wrong answer to the challenge is the same attempt as the picture that led into it.
        await self._count(address, 2 if owed and reason is None else 1, reason)

    async def _count(self, address: str, failures: int, reason: str | None) -> None:
        station = addresses.group(address)

        def write(session: Session) -> None:
            at = now()
            session.exec(delete(FaceStation).where(col(FaceStation.last_at) < at - rules.STATION_KEPT))
            state = session.get(FaceStation, station)
            if state is None:
                state = FaceStation(address=station, failures=0, last_at=at)
                session.add(state)
            state.last_at, state.paused_until = at, None
            for _ in range(failures):
                state.failures += 1
                pause = rules.pause_after(state.failures)
                state.paused_until = at + pause if pause else state.paused_until
            details = {"challenge": reason} if reason else {}
            change = ObjectChange("face_login_failed", "login", address=address, details=details, quiet=True)
            announce(session, change)

        await self._database.write(write)

    async def has_failed(self, address: str) -> bool:
        """Whether the last login at the station failed."""
        station = addresses.group(address)
        state = await self._database.read(lambda session: session.get(FaceStation, station))
        return state is not None and state.failures > 0

    async def forgive(self, address: str) -> None:
        """Forget the failures of a station, after someone logged in there."""
        station = addresses.group(address)
        self._challenged.discard(station)
        state = await self._database.read(lambda session: session.get(FaceStation, station))
        if state is not None:
            forget = delete(FaceStation).where(col(FaceStation.address) == station)
            await self._database.write(lambda session: session.exec(forget))
