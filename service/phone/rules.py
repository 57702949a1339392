"""The rules of phone codes without a database: secrets, validity and rate limits."""

from __future__ import annotations

import datetime as dt
import hashlib
import secrets
import time
from collections import deque
from collections.abc import Callable

from shared.wire.phone import CODE_SECONDS, MAX_CODE_SECONDS, CodeEnd

_TOKEN_BYTES = 16
"""128 random bits: impossible to guess, and the QR code stays coarse enough for a dirty lens."""

_PHONES = (("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("HarmonyOS", "HarmonyOS"))

END_SENTENCES = {
    CodeEnd.ENDED: "连接码已被结束，请在工作台上生成新的连接码",
    CodeEnd.EXPIRED: "连接码已过期，请在工作台上生成新的连接码",
    CodeEnd.SEALED: "检查记录已完成，不再接收照片",
    CodeEnd.DELETED: "检查记录或检查项已删除，不再接收照片",
    CodeEnd.LOGGED_OUT: "生成连接码的用户已退出登录，请重新登录后生成新的连接码",
    CodeEnd.NO_RIGHT: "生成连接码的用户没有添加照片的权限，请联系管理员",
}
"""The sentence for each reason why a code has ended."""


def new_token() -> str:
    """Return a new token of 22 characters that need no escaping in a URL."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def secret_hash(secret: str) -> str:
    """Return the stored hash of a token or a key; random secrets need no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


def phone_kind(agent: str) -> str | None:
    """Return the kind of phone that a User-Agent names; None if it names none."""
    return next((name for word, name in _PHONES if word in agent), None)


def initial_expiry(moment: dt.datetime) -> dt.datetime:
    """Return when a code created at `moment` expires."""
    return moment + dt.timedelta(seconds=CODE_SECONDS)


def expiry_after_photo(created_at: dt.datetime, expires_at: dt.datetime, moment: dt.datetime) -> dt.datetime:
    """Return when a code expires after a photo that arrived at `moment`.

    Each photo extends the validity, but not beyond `MAX_CODE_SECONDS` after the creation.
    """
    longest = created_at + dt.timedelta(seconds=MAX_CODE_SECONDS)
    return max(expires_at, min(initial_expiry(moment), longest))


class RateLimiter:
    """Allows `most` events in `seconds` for each key, in this process."""

    def __init__(self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._seconds, self._clock = most, seconds, clock
        self._times: dict[str, deque[float]] = {}

    def seconds_to_wait(self, key: str) -> int:
        """Return the whole seconds until the next event is allowed; 0 if it is allowed now."""
        times, now = self._times.get(key), self._clock()
        while times and times[0] <= now - self._seconds:
            times.popleft()
        if times is None or len(times) < self._most:
            return 0
        return int(times[0] + self._seconds - now) + 1

    def count(self, key: str) -> None:
        """Count an event."""
        if len(self._times) > 10_000:
            newest = self._clock() - self._seconds
            self._times = {
                counted_key: times
                for counted_key, times in self._times.items()
                if times and times[-1] > newest
            }
        self._times.setdefault(key, deque(maxlen=self._most)).append(self._clock())
