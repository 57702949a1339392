"""A PostgreSQL server of our own for the tests: on loopback, in a folder of its own, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any


def binaries() -> Path | None:
    """The folder that holds `initdb` and `postgres`; None when there is no server here.

    `WALKAROUND_TEST_POSTGRESQL` names the folder. When it is empty, the tests run without PostgreSQL.
    """
    named = os.environ.get("WALKAROUND_TEST_POSTGRESQL")
    if named is not None:
        return Path(named) if named else None
    found = shutil.which("initdb")
    places = [Path(found).parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists()), None)


def free_port() -> int:
    """A loopback port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """A running server; `url(name)` is the address of one of its databases."""

    def __init__(self, place: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="walkaround-pg-"))
        self.port = free_port()
        # PostgreSQL does not start as root.
        options: dict[str, Any] = {
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            "cwd": self.folder,
        }
        if os.geteuid() == 0:
            user = next(name for name in ("postgres", "nobody") if _exists(name))
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
        }
        words = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        self.process = subprocess.Popen([place / "postgres", "-D", data, *words], **options)
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
            connection.execute(statement)  # type: ignore[call-overload]

    def stop(self) -> None:
        """End the server and remove its folder."""
        self.process.terminate()
        self.process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
