"""Runs the service as a process: lock, socket, ready line, and the end together with its parent."""

from __future__ import annotations

import json
import logging
import logging.config
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from filelock import FileLock, Timeout
from sqlalchemy.exc import DBAPIError
from uvicorn.supervisors import Multiprocess

from service.app import create_app
from service.db.database import Database
from service.db.schema import NewerDatabaseError, migrate
from service.db.storage_faults import hindrance_of
from service.settings import Settings
from service.web.protocol import GuardedProtocol
from shared import atomic
from shared.paths import SERVICE_ADDRESS, service_address
from shared.reasons import reason
from shared.starting import without_collections

BUSY = 3
"""Exit status when another service has the data directory."""

ANSWER_SECONDS = 5
"""How long requests in progress may take once the service has been asked to stop."""

END_SECONDS = 8.0
"""How long the whole end may take; the desktop uses force two seconds later."""

log = logging.getLogger("walkaround.running")


def configure_logging(level: str) -> None:
    """Log lines to stderr: time, level, logger, text. Line breaks in the text are escaped."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    logging.getLogger("uvicorn.access").disabled = True
    # httpx and the like repeat addresses, pyvips tells every step: nothing for an operator's log.
    for name in ("httpx", "httpcore", "multipart", "python_multipart", "alembic", "pyvips"):
        logging.getLogger(name).setLevel(logging.WARNING)


class _OneLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).replace("\r", "\\r").replace("\n", "\\n")


class AnnouncingServer(uvicorn.Server):
    """A uvicorn server that prints the ready line once it accepts requests."""

    address_file: Path | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print the ready line."""
        await super().startup(sockets)
        if not self.should_exit and self.servers:
            line = _ready(self.servers[0].sockets[0])
            if self.address_file is not None:
                _keep_address(self.address_file, line)
            print(line, flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down, within `END_SECONDS` in any case."""
        timer = threading.Timer(END_SECONDS, self._end_at_once)
        timer.daemon = True
        timer.start()
        await super().shutdown(sockets)

    def _end_at_once(self) -> None:
        # A thread in a call that does not return (a model that is checked, a dead network share) would keep
        # the process for as long. What was answered is committed, what was not is rolled back.
        log.error("something still runs after %.0f s: ending without it", END_SECONDS)
        if self.address_file is not None:
            self.address_file.unlink(missing_ok=True)
        os._exit(0)


def _keep_address(path: Path, line: str) -> None:
    # In one step: another desktop that looks right now reads all of it or nothing.
    try:
        atomic.write(path, line.encode("utf-8"), durable=False)
    except OSError as problem:
        # A full disk must not prevent reading the records.
        log.warning("another desktop will not find this service: %s", reason(problem))


class AnnouncingProcesses(Multiprocess):
    """Several server processes on one socket; the ready line comes when all of them accept requests."""

    announced = False

    def keep_subprocess_alive(self) -> None:
        """Replace a process that died, and say once that all are ready."""
        super().keep_subprocess_alive()
        if not self.announced and all(process.is_ready() for process in self.processes):
            self.announced = True
            print(_ready(self.sockets[0]), flush=True)

    def join_all(self) -> None:
        """Wait for the processes, for `END_SECONDS` altogether; what still runs then is ended by force."""
        ends = time.monotonic() + END_SECONDS
        for process in self.processes:
            process.process.join(max(0.0, ends - time.monotonic()))
            if process.process.is_alive():
                log.error("process %s still runs after %.0f s: ending it", process.pid, END_SECONDS)
                process.process.kill()
        super().join_all()


def _ready(listening: socket.socket) -> str:
    """The line `{"event": "ready", "url": ..., "pid": ...}` for a socket that accepts requests."""
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return json.dumps({"event": "ready", "url": f"http://{host}:{port}", "pid": os.getpid()})


def _end_with_parent(stop: Callable[[], None]) -> None:
    # The parent holds the other end of our stdin; when it goes, however it goes, the read returns.
    def watch() -> None:
        try:
            while os.read(0, 4096):
                pass
        except OSError:
            pass
        stop()

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()


def application() -> FastAPI:
    """The application of one of several processes, with the settings of the environment."""
    settings = Settings()
    configure_logging(settings.log_level)
    return _application(settings)


def _application(settings: Settings) -> FastAPI:
    with without_collections():
        app = create_app(settings)
    GuardedProtocol.end_streams = staticmethod(app.state.end_streams)
    return app


def _config(settings: Settings, app: FastAPI | str) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        factory=isinstance(app, str),
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        log_config=None,
        http=GuardedProtocol,
        server_header=False,
        date_header=True,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies or [],
        timeout_graceful_shutdown=ANSWER_SECONDS,
        access_log=False,
        ws="none",
    )


def serve(settings: Settings) -> int:
    """Serve until told to stop. Gives the exit status; `BUSY` when the data directory is taken.

    When it cannot start it prints `{"event": "failed", "why": ...}`, a `Hindrance` or null, and raises
    OSError, DBAPIError or NewerDatabaseError.
    """
    configure_logging(settings.log_level)
    try:
        settings.prepare()
        return _serve_alone(settings) if settings.workers == 1 else _serve_many(settings)
    except (OSError, DBAPIError, NewerDatabaseError) as problem:
        print(json.dumps({"event": "failed", "why": hindrance_of(problem)}), flush=True)
        raise


def _serve_alone(settings: Settings) -> int:
    address_file = settings.data_dir / SERVICE_ADDRESS
    lock = FileLock(settings.data_dir / "service.lock")
    try:
        if settings.is_sqlite:
            # One service process per SQLite file: two that write could corrupt it.
            lock.acquire(timeout=0)
    except Timeout:
        print(json.dumps({"event": "busy", "url": service_address(settings.data_dir)}), flush=True)
        return BUSY
    try:
        # That of a service that was killed: what listens there now may be another program.
        address_file.unlink(missing_ok=True)
        app = _application(settings)
        server = AnnouncingServer(_config(settings, app))
        server.address_file = address_file if settings.is_sqlite else None
        if settings.parent_pipe:
            _end_with_parent(lambda: setattr(server, "should_exit", True))
        # The server hands a signal that ended it on to who was there before: the default would end the
        # process here, with the address left behind.
        signal.signal(signal.SIGTERM, lambda *_: setattr(server, "should_exit", True))
        server.run()
        if app.state.start_failure is not None:
            raise app.state.start_failure
        return 0 if server.started else 1
    except SystemExit:
        # uvicorn ends like this when it cannot listen; the system's reason is in the log line before.
        print(
            f"walkaround serve: cannot listen on {settings.host}, port {settings.port}. Another program may "
            "use the port, or the address is not one of this machine: name others with --port and --host.",
            file=sys.stderr,
        )
        return 1
    finally:
        address_file.unlink(missing_ok=True)
        lock.release()


def _serve_many(settings: Settings) -> int:
    # Here and not in each process: they would migrate at the same moment.
    database = Database(settings.url)
    migrate(database)
    database.close()
    config = _config(settings, "service.running:application")
    listening = config.bind_socket()
    processes = AnnouncingProcesses(config, sockets=[listening])
    if settings.parent_pipe:
        _end_with_parent(processes.should_exit.set)
    processes.run()
    listening.close()
    return 0 if processes.announced else 1
