"""Runs a temporary PostgreSQL server for tests, on loopback and in a new folder."""

from __future__ import annotations

import contextlib
import os
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
    """The folder of `initdb` and `postgres`; None if PostgreSQL is not installed.

    `WALKAROUND_TEST_POSTGRESQL` sets the folder. If it is empty, the tests run without PostgreSQL.
    """
    configured = os.environ.get("WALKAROUND_TEST_POSTGRESQL")
    if configured is not None:
        return Path(configured) if configured else None
    initdb = shutil.which("initdb")
    folders = [Path(initdb).parent] if initdb else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def free_port() -> int:
    """A free port of loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """A running server; `url(name)` is the address of a database.

    `changed_settings` replace the settings for tests: with `fsync="on"` the server flushes to the disk.
    """

    def __init__(self, binaries: Path, **changed_settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="walkaround-pg-"))
        self.port = free_port()
        import pwd  # which Windows lacks

        # PostgreSQL does not start as root.
        options: dict[str, Any] = {
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            "cwd": self.folder,
        }
        if os.geteuid() == 0:
            user = _unprivileged_user()
            shutil.chown(self.folder, user)
            options |= {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
        data = self.folder / "data"
        subprocess.run(
            [
                binaries / "initdb",
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
        setting_options = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        self._start = partial(
            subprocess.Popen[bytes], [binaries / "postgres", "-D", data, *setting_options], **options
        )
        self.process = self._start()
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        import psycopg

        deadline = time.monotonic() + 30
        while True:
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=2).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise
                time.sleep(0.05)

    def url(self, name: str) -> str:
        """The address of the database `name`."""
        return f"postgresql://walkaround@127.0.0.1:{self.port}/{name}"

    def execute(self, statement: str) -> None:
        """Run a statement outside a transaction, on the maintenance database."""
        import psycopg

        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def restart(self) -> None:
        """End the server immediately, like a crash, and start it again."""
        # An immediate shutdown (postgresql.org/docs/current/server-shutdown.html).
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(60)
        self.process = self._start()
        self._wait_until_ready()

    @contextlib.contextmanager
    def pause(self) -> Iterator[None]:
        """Stop all processes of the server within the block: it accepts connections and never answers."""
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
        self.process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)


def _unprivileged_user() -> str:
    return next(name for name in ("postgres", "nobody") if _user_exists(name))


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
"""Reads the schema of a database: kind, table, name and definition of each part."""


class DatabaseCopy:
    """A copy of the database `template` for several tests; `reset` restores its initial content.

    Deleting the rows of a small database takes a tenth of the time of creating one.
    """

    def __init__(self, server: Server, template: str, name: str) -> None:
        self.url = server.url(name)
        self._server, self._template, self._name = server, template, name
        self._create()
        with self._connection() as connection:
            self._schema = set(connection.execute(SCHEMA).fetchall())
            self._tables = {row[1] for row in self._schema if row[0] == "table"}
            self._rows = {table: self._copy_table(connection, table) for table in self._tables}

    def reset(self) -> None:
        """End all connections, and restore the tables and rows of the template.

        Added tables stay, without rows. If anything else of the schema has changed, creates the database
        again.
        """
        import psycopg

        try:
            with self._connection() as connection:
                is_reset = self._try_reset(connection)
        except psycopg.OperationalError:
            is_reset = False
        if not is_reset:
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

    def _try_reset(self, connection: Any) -> bool:
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


def _user_exists(name: str) -> bool:
    import pwd

    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
