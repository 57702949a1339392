"""Runs the service as a process: lock, socket, ready line, and the end together with its parent."""

from __future__ import annotations

import json
import logging
import logging.config
import os
import socket
import sys
import threading
from pathlib import Path

import uvicorn
from filelock import FileLock, Timeout

from service.app import create_app
from service.settings import Settings

BUSY = 3
"""Exit status when another service has the data directory."""


def configure_logging(level: str) -> None:
    """Log lines to stderr: time, level, logger, text. Line breaks in the text are escaped."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    logging.getLogger("uvicorn.access").disabled = True
    # httpx and the like repeat addresses; nothing of theirs belongs into an operator's log.
    for name in ("httpx", "httpcore", "multipart", "python_multipart", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)


class _OneLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).replace("\r", "\\r").replace("\n", "\\n")


class Announced(uvicorn.Server):
    """A uvicorn server that prints the ready line once it accepts requests."""

    address_file: Path | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print `{"event": "ready", "url": ..., "pid": ...}` as one line on stdout."""
        await super().startup(sockets)
        if self.should_exit or not self.servers:
            return
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
        line = json.dumps({"event": "ready", "url": f"http://{host}:{port}", "pid": os.getpid()})
        if self.address_file is not None:
            self.address_file.write_text(line, encoding="utf-8")
        print(line, flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams that would stay open, then shut down."""
        self.config.loaded_app.state.end_streams()
        await super().shutdown(sockets)


def _end_with_parent(server: uvicorn.Server) -> None:
    # The parent holds the other end of our stdin; when it goes, however it goes, the read returns.
    def watch() -> None:
        try:
            while os.read(0, 4096):
                pass
        except OSError:
            pass
        server.should_exit = True

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()


def serve(settings: Settings) -> int:
    """Serve until told to stop. Gives the exit status; `BUSY` when the data directory is taken."""
    configure_logging(settings.log_level)
    settings.prepare()
    address_file = settings.data_dir / "service.json"
    lock = FileLock(settings.data_dir / "service.lock")
    try:
        if settings.is_sqlite:
            # One service process per SQLite file: two that write could corrupt it.
            lock.acquire(timeout=0)
    except Timeout:
        running = json.loads(address_file.read_text("utf-8")) if address_file.exists() else {}
        print(json.dumps({"event": "busy", "url": running.get("url")}), flush=True)
        return BUSY
    try:
        config = uvicorn.Config(
            create_app(settings),
            host=settings.host,
            port=settings.port,
            log_config=None,
            server_header=False,
            date_header=True,
            proxy_headers=bool(settings.trusted_proxies),
            forwarded_allow_ips=settings.trusted_proxies or [],
            timeout_graceful_shutdown=5,
            h11_max_incomplete_event_size=64 * 1024,
            access_log=False,
            ws="none",
        )
        server = Announced(config)
        server.address_file = address_file if settings.is_sqlite else None
        if settings.parent_pipe:
            _end_with_parent(server)
        server.run()
        return 0 if server.started else 1
    finally:
        address_file.unlink(missing_ok=True)
        lock.release()
