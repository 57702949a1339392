"""Slows down the guessing of passwords without locking the owner out.

Three counts of wrong passwords in a row, each with a wait that doubles:

- user name and address together: what a person who mistypes meets;
- address: one guesser who tries many users;
- user name, from addresses where that user has never logged in: many guessers who try one user.

From an address where the user has logged in before only the first count applies, so the owner gets in there
while others guess. User names are counted alike whether they exist or not, and stored as keyed hashes: what
is typed into the user name may be a password.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import math
from dataclasses import dataclass

from sqlmodel import Session, col, delete, select

from service.account.tables import LoginFailures
from service.db.upsert import insert_or_ignore, insert_or_update
from service.web import addresses

_FAILURES = LoginFailures.__table__

FIRST_WAIT = 30
LONGEST_WAIT = 15 * 60
FORGET_AFTER = dt.timedelta(hours=24)

# Wrong passwords before the first wait.
PAIR_FREE = 5
USER_FREE = 20
ADDRESS_FREE = 30


def wait_seconds(failures: int, free: int) -> int:
    """How long to wait after the last of `failures` wrong passwords in a row: 0, 30, 60, ... 900 s."""
    if failures < free:
        return 0
    return int(min(FIRST_WAIT * 2 ** min(failures - free, 30), LONGEST_WAIT))


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to log in, as it is counted: the keys that apply, with how many failures are free."""

    pair: str
    free: dict[str, int]


class LoginLimits:
    """Counts wrong passwords in the database, under hashes keyed with `secret`."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def attempt(self, username_key: str, address: str, *, is_known: bool) -> Attempt:
        """The attempt of `address` on a user; `is_known` when that user has logged in from there before."""
        group = addresses.group(address)
        pair = self._key("pair", username_key, group)
        free = {pair: PAIR_FREE}
        if not is_known:
            free[self._key("user", username_key)] = USER_FREE
            free[self._key("address", group)] = ADDRESS_FREE
        return Attempt(pair, free)

    def _key(self, *parts: str) -> str:
        text = "\0".join(("login limit", *parts)).encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, text, hashlib.sha256).hexdigest()

    def seconds_left(
        self, session: Session, attempt: Attempt, at: dt.datetime, *, counting: bool = False
    ) -> int:
        """How many whole seconds this attempt has to wait; 0 when it may go on.

        `counting`: in a transaction that counts it next, after those that count another one now.
        """
        query = select(LoginFailures).where(col(LoginFailures.key).in_(attempt.free))
        if counting:
            query = query.order_by(col(LoginFailures.key)).with_for_update()
        rows = session.exec(query)
        left = 0.0
        for row in rows:
            wait = wait_seconds(row.failures, attempt.free[row.key])
            # Without a sign: a clock that was set back must not make a wait of seconds one of hours.
            left = max(left, wait - abs((at - row.last_at).total_seconds()))
        return math.ceil(left)

    def ensure_counts(self, session: Session, attempt: Attempt, at: dt.datetime) -> None:
        """Make the counts of this attempt where there are none: only what is there can be locked."""
        none = [{"key": key, "failures": 0, "last_at": at} for key in sorted(attempt.free)]
        insert_or_ignore(session, _FAILURES, none, ["key"])

    def failed(self, session: Session, attempt: Attempt, at: dt.datetime) -> None:
        """Count a wrong password, and forget the counts of long ago."""
        long_ago = at - FORGET_AFTER
        old = select(LoginFailures.key).where(LoginFailures.last_at < long_ago)
        session.exec(
            delete(LoginFailures).where(col(LoginFailures.key).in_(old.with_for_update(skip_locked=True)))
        )
        # In one order, so that two attempts never wait for each other's rows.
        first = [{"key": key, "failures": 1, "last_at": at} for key in sorted(attempt.free)]
        one_more = {"failures": _FAILURES.c.failures + 1, "last_at": at}
        insert_or_update(session, _FAILURES, first, ["key"], one_more)

    def succeeded(self, session: Session, attempt: Attempt) -> None:
        """Forget the wrong passwords of this user from this address."""
        session.exec(delete(LoginFailures).where(col(LoginFailures.key) == attempt.pair))
