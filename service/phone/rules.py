"""Decides about codes without a database: secrets, how long a code is valid, and how often is too often."""

from __future__ import annotations

import datetime as dt
import hashlib
import secrets
import time
from collections import deque
from collections.abc import Callable

from shared.wire.phone import CODE_SECONDS, LONGEST_SECONDS, CodeEnd

_TOKEN_BYTES = 16
"""128 random bits: nobody guesses them, and a QR code of them stays coarse enough for a dirty lens."""

_PHONES = (("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("HarmonyOS", "HarmonyOS"))

ENDED = {
    CodeEnd.ENDED: "连接码已被结束，请在工作台上生成新的连接码",
    CodeEnd.EXPIRED: "连接码已过期，请在工作台上生成新的连接码",
    CodeEnd.SEALED: "检查记录已完成，不再接收照片",
    CodeEnd.DELETED: "检查记录或检查项已删除，不再接收照片",
    CodeEnd.LOGGED_OUT: "生成连接码的用户已退出登录，请重新登录后生成新的连接码",
    CodeEnd.NO_RIGHT: "生成连接码的用户没有添加照片的权限，请联系管理员",
}
"""What to say of a code that has ended."""


def new_token() -> str:
    """A token: 22 characters that need no escaping in an address."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def hash_of(secret: str) -> str:
    """What is stored of a token or a key. They are random, so a plain SHA-256 does not lead back."""
    return hashlib.sha256(secret.encode()).hexdigest()


def phone_of(agent: str) -> str | None:
    """The kind of phone that a User-Agent names; None when it names none."""
    return next((name for word, name in _PHONES if word in agent), None)


def first_end(at: dt.datetime) -> dt.datetime:
    """When a code that is made at `at` expires."""
    return at + dt.timedelta(seconds=CODE_SECONDS)


def end_after_photo(created_at: dt.datetime, expires_at: dt.datetime, at: dt.datetime) -> dt.datetime:
    """When a code expires after a photo that arrived at `at`: who works goes on, but not without end."""
    longest = created_at + dt.timedelta(seconds=LONGEST_SECONDS)
    return max(expires_at, min(first_end(at), longest))


class RateLimiter:
    """Allows `most` in `seconds` for each key, in this process."""

    def __init__(self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._seconds, self._clock = most, seconds, clock
        self._times: dict[str, deque[float]] = {}

    def wait(self, key: str) -> int:
        """The whole seconds until the next is allowed; 0 for now."""
        times, at = self._times.get(key), self._clock()
        while times and times[0] <= at - self._seconds:
            times.popleft()
        if times is None or len(times) < self._most:
            return 0
        return int(times[0] + self._seconds - at) + 1

    def count(self, key: str) -> None:
        """One more happened."""
        if len(self._times) > 10_000:
            newest = self._clock() - self._seconds
            self._times = {
                counted_key: times
                for counted_key, times in self._times.items()
                if times and times[-1] > newest
            }
        self._times.setdefault(key, deque(maxlen=self._most)).append(self._clock())
