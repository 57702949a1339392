"""Reads the address of the database, and defines the parameters of every PostgreSQL connection."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

_DRIVERS = ("sqlite", "sqlite+pysqlite", "postgresql", "postgresql+psycopg")
_NONE: Mapping[str, str] = MappingProxyType({})

CONNECT_SECONDS = 10
SILENT_SECONDS = 30
"""How long it takes to notice that the network is gone, also while nothing is sent."""
IDLE_SECONDS = 20
"""A transaction that is idle for longer is ended, so that a machine that is suspended or cut off keeps no
locks."""
STATEMENT_SECONDS = 30
"""A statement that runs longer is ended, unless its transaction called `Database.lift_statement_limit`."""
SMALL_READS = {
    "default_transaction_read_only": "on",
    # Planning a page of records takes two to three times as long as reading it, and the plan is always the
    # same: along the index of the order. Without the values the planner would rather read whole tables.
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_bitmapscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
}
"""Settings of connections that only run prebuilt statements, each of which finds a few rows by an index
(postgresql.org/docs/current/runtime-config-query.html)."""


_PROBLEMS = {
    r'database ".*" does not exist': "the database does not exist",
    r'role ".*" does not exist': "the role does not exist",
    "password authentication failed": "the password is wrong",
    "no pg_hba.conf entry": "pg_hba.conf does not admit this machine",
    "Connection refused": "no server listens there",
    "Name or service not known|could not translate host name": "the host name is unknown",
    "timeout expired": "the server does not respond",
}
"""What a server or libpq answers when a connection fails, and what that means."""


def connection_problem(problem: Exception) -> str:
    """Why a database cannot be used, in a few words without an address or a secret."""
    cause = problem.orig if isinstance(problem, DBAPIError) else problem
    meanings = (meaning for answer, meaning in _PROBLEMS.items() if re.search(answer, str(cause)))
    return next(meanings, type(cause).__name__)


def read_url(address: str) -> URL:
    """Read the address of a database. Raises ArgumentError if it is none of SQLite or PostgreSQL."""
    try:
        url = make_url(address)
    except ValueError:
        # The message of the error repeats the port, which may be the end of a password.
        raise ArgumentError("the port is not a number") from None
    if url.drivername not in _DRIVERS:
        raise ArgumentError("neither SQLite nor PostgreSQL")
    return url


def arguments(
    url: URL, statement_seconds: int = STATEMENT_SECONDS, further: Mapping[str, str] = _NONE
) -> dict[str, Any]:
    """The parameters of libpq for a connection to `url`; one that the address gives itself stays as given.

    `further` are settings of the server for this connection.
    """
    settings = {
        "idle_in_transaction_session_timeout": f"{IDLE_SECONDS}s",
        "statement_timeout": f"{statement_seconds}s",
        # It compiles for 100 ms and more what then runs for 20: a count, or a page among a million.
        "jit": "off",
        **further,
    }
    bounds = " ".join(f"-c {name}={value}" for name, value in settings.items())
    in_address = {name: value for name, value in url.query.items() if isinstance(value, str)}
    chosen = {
        "connect_timeout": CONNECT_SECONDS,
        "keepalives": 1,
        "keepalives_idle": SILENT_SECONDS // 2,
        "keepalives_interval": SILENT_SECONDS // 6,
        "keepalives_count": 3,
        "tcp_user_timeout": SILENT_SECONDS * 1000,
        **in_address,
    }
    # The last one of several counts.
    return {**chosen, "options": f"{bounds} {in_address.get('options', '')}".rstrip()}


def address(url: URL, statement_seconds: int = STATEMENT_SECONDS, further: Mapping[str, str] = _NONE) -> str:
    """`url` with `arguments`, for a connection that psycopg opens itself."""
    # Most services are on SQLite: they start sooner without the driver of PostgreSQL.
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    plain = url.set(drivername="postgresql").render_as_string(hide_password=False)
    return make_conninfo("", **{**conninfo_to_dict(plain), **arguments(url, statement_seconds, further)})
