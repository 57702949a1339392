"""Starts a PostgreSQL server for tests, on loopback and in a temporary folder."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any


def find_binaries() -> Path | None:
    """Return the folder that contains `initdb` and `postgres`; None if PostgreSQL is not installed.

    `WALKAROUND_TEST_POSTGRESQL` names the folder. If it is empty, the tests run without PostgreSQL.
    """
    configured = os.environ.get("WALKAROUND_TEST_POSTGRESQL")
    if configured is not None:
        return Path(configured) if configured else None
    initdb = shutil.which("initdb")
    places = [Path(initdb).parent] if initdb else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists()), None)


def free_port() -> int:
    """Return a free port on loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """A running server; `url(name)` is the address of one of its databases.

    `changed_settings` replace the settings for tests: with `fsync="on"` it writes through to the disk.
    """

    def __init__(self, place: Path, **changed_settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="walkaround-pg-"))
        self.port = free_port()
        # PostgreSQL does not start as root.
        options: dict[str, Any] = {
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            "cwd": self.folder,
        }
        if os.geteuid() == 0:
            user = _other_user()
            shutil.chown(self.folder, user)
            options |= {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
        data = self.folder / "data"
        subprocess.run(
            [
                place / "initdb",
                "-D",
                data,
                "-U",
                "walkaround",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C",
                "-N",
            ],
            check=True,
            **options,
        )
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "fsync": "off",
            "max_connections": "200",
            **changed_settings,
        }
        options_of_settings = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        self._start = partial(
            subprocess.Popen[bytes], [place / "postgres", "-D", data, *options_of_settings], **options
        )
        self.process = self._start()
        self._wait()

    def _wait(self) -> None:
        import psycopg

        deadline = time.monotonic() + 30
        while True:
            try:
                psycopg.connect(self._plain("postgres"), connect_timeout=2).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise
                time.sleep(0.05)

    def _plain(self, name: str) -> str:
        return f"postgresql://walkaround@127.0.0.1:{self.port}/{name}"

    def url(self, name: str) -> str:
        """The address of the database `name`."""
        return self._plain(name)

    def execute(self, statement: str) -> None:
        """Run one statement outside a transaction, on the maintenance database."""
        import psycopg

        with psycopg.connect(self._plain("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    @staticmethod
    def allow_writes(folder: Path) -> None:
        """Allow the server to write into `folder`."""
        if os.geteuid() == 0:
            shutil.chown(folder, _other_user())

    def restart(self) -> None:
        """End the server at once, as a crash would, and restart it."""
        # An immediate shutdown (postgresql.org/docs/current/server-shutdown.html).
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(20)
        self.process = self._start()
        self._wait()

    @contextlib.contextmanager
    def pause(self) -> Iterator[None]:
        """Stop all processes of the server in the block: the system accepts connections, nothing answers."""
        pids = [self.process.pid, *_children(self.process.pid)]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def stop(self) -> None:
        """End the server and remove its folder."""
        self.process.terminate()
        self.process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)


def _other_user() -> str:
    return next(name for name in ("postgres", "nobody") if _exists(name))


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


SCHEMA = """
SELECT 'table', c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod) || a.attnotnull::text
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
UNION ALL SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
UNION ALL SELECT 'trigger', tgrelid::regclass::text, tgname, tgenabled::text || pg_get_triggerdef(oid)
    FROM pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT 'function', '', proname, prosrc
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace
UNION ALL SELECT 'setting', '', '', setconfig::text FROM pg_db_role_setting
"""
"""Selects the parts of a schema: kind, table, name, definition."""


class ReusableDatabase:
    """A copy of the database `template` for several tests; `renew` restores its original content.

    Deleting the rows of a small database takes a tenth of the time of creating another one.
    """

    def __init__(self, server: Server, template: str, name: str) -> None:
        self.url = server.url(name)
        self._server, self._template, self._name = server, template, name
        self._create()
        with self._connection() as connection:
            self._schema = set(connection.execute(SCHEMA).fetchall())
            self._tables = {row[1] for row in self._schema if row[0] == "table"}
            self._rows = {table: self._copy_table(connection, table) for table in self._tables}

    def renew(self) -> None:
        """End all connections and restore the tables and rows of the template.

        Added tables stay, without rows. If another part of the schema has changed, the database is created
        again.
        """
        import psycopg

        try:
            with self._connection() as connection:
                renewed = self._try_renew(connection)
        except psycopg.OperationalError:
            renewed = False
        if not renewed:
            self.drop()
            self._create()

    def drop(self) -> None:
        """Remove the database."""
        self._server.execute(f"DROP DATABASE IF EXISTS {self._name} WITH (FORCE)")

    def _create(self) -> None:
        self._server.execute(f"CREATE DATABASE {self._name} TEMPLATE {self._template}")

    def _connection(self) -> Any:
        import psycopg

        return psycopg.connect(self.url)

    def _try_renew(self, connection: Any) -> bool:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        schema = set(connection.execute(SCHEMA).fetchall())
        added = {row[1] for row in schema if row[0] == "table"} - self._tables
        if {row for row in schema if row[1] not in added} != self._schema:
            return False
        # Disables triggers and foreign keys.
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "".join(f'DELETE FROM "{table}";' for table in sorted(self._tables | added))
            + "SELECT setval(format('%I.%I', schemaname, sequencename), start_value, false) FROM pg_sequences"
        )
        for table, rows in self._rows.items():
            if rows:
                with connection.cursor().copy(f'COPY "{table}" FROM STDIN') as copy:
                    copy.write(rows)
        return True

    @staticmethod
    def _copy_table(connection: Any, table: str) -> bytes:
        with connection.cursor().copy(f'COPY "{table}" TO STDOUT') as copy:
            return b"".join(copy)


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
