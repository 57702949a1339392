"""Slows down the guessing of passwords without locking the owner out.

Counts wrong passwords in a row in three ways, each with a wait that doubles:

- by user name and address together, which limits a person who mistypes;
- by address, which limits an attacker who tries many users;
- by user name, from addresses where that user has never logged in, which limits many attackers on one user.

From an address where the user has logged in before, only the first count applies, so the owner can log in
there while others guess. Unknown user names are counted like known ones. All keys are stored as keyed hashes,
because people sometimes type a password into the field of the user name.
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

FIRST_WAIT_SECONDS = 30
LONGEST_WAIT_SECONDS = 15 * 60
FORGET_AFTER = dt.timedelta(hours=24)

# How many wrong passwords are allowed before the first wait.
PAIR_FREE_FAILURES = 5
USER_FREE_FAILURES = 20
ADDRESS_FREE_FAILURES = 30


def wait_seconds(failures: int, free_failures: int) -> int:
    """Return the wait after the last of `failures` wrong passwords in a row: 0, 30, 60, ... 900 s."""
    if failures < free_failures:
        return 0
    return int(min(FIRST_WAIT_SECONDS * 2 ** min(failures - free_failures, 30), LONGEST_WAIT_SECONDS))


@dataclass(frozen=True, slots=True)
class Attempt:
    """The counts of one login attempt.

    `pair` is the key of user name and address; `free_failures` has the failures without a wait for each key.
    """

    pair: str
    free_failures: dict[str, int]


class LoginLimits:
    """Counts wrong passwords in the database, under hashes keyed with `secret`."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def attempt(self, username_key: str, address: str, *, is_known: bool) -> Attempt:
        """Return the attempt of `address` on a user.

        `is_known` states that the user has logged in from that address before.
        """
        client_group = addresses.client_group(address)
        pair = self._key("pair", username_key, client_group)
        free_failures = {pair: PAIR_FREE_FAILURES}
        if not is_known:
            free_failures[self._key("user", username_key)] = USER_FREE_FAILURES
            free_failures[self._key("address", client_group)] = ADDRESS_FREE_FAILURES
        return Attempt(pair, free_failures)

    def _key(self, *parts: str) -> str:
        text = "\0".join(("login limit", *parts)).encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, text, hashlib.sha256).hexdigest()

    def seconds_left(
        self, session: Session, attempt: Attempt, moment: dt.datetime, *, lock_counts: bool = False
    ) -> int:
        """Return how many whole seconds this attempt has to wait; 0 if it may continue.

        `lock_counts` locks the rows, for a transaction that counts the attempt afterwards: it waits for
        transactions that count another attempt now.
        """
        query = select(LoginFailures).where(col(LoginFailures.key).in_(attempt.free_failures))
        if lock_counts:
            query = query.order_by(col(LoginFailures.key)).with_for_update()
        rows = session.exec(query)
        seconds = 0.0
        for row in rows:
            wait = wait_seconds(row.failures, attempt.free_failures[row.key])
            # The absolute value: a clock that was set back must not turn a wait of seconds into hours.
            seconds = max(seconds, wait - abs((moment - row.last_at).total_seconds()))
        return math.ceil(seconds)

    def ensure_counts(self, session: Session, attempt: Attempt, moment: dt.datetime) -> None:
        """Create the missing counts of this attempt: only rows that exist can be locked."""
        rows = [{"key": key, "failures": 0, "last_at": moment} for key in sorted(attempt.free_failures)]
        insert_or_ignore(session, _FAILURES, rows, ["key"])

    def count_failure(self, session: Session, attempt: Attempt, moment: dt.datetime) -> None:
        """Count a wrong password, and delete counts older than `FORGET_AFTER`."""
        long_ago = moment - FORGET_AFTER
        old = select(LoginFailures.key).where(LoginFailures.last_at < long_ago)
        session.exec(
            delete(LoginFailures).where(col(LoginFailures.key).in_(old.with_for_update(skip_locked=True)))
        )
        # Sorted keys: two transactions lock their rows in the same order and cannot deadlock.
        rows = [{"key": key, "failures": 1, "last_at": moment} for key in sorted(attempt.free_failures)]
        increment = {"failures": _FAILURES.c.failures + 1, "last_at": moment}
        insert_or_update(session, _FAILURES, rows, ["key"], increment)

    def forget_failures(self, session: Session, attempt: Attempt) -> None:
        """Delete the count of wrong passwords of this user from this address."""
        session.exec(delete(LoginFailures).where(col(LoginFailures.key) == attempt.pair))
