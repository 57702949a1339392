"""Runs the service as a process: lock, socket, ready line, and the end when its parent ends."""

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
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import uvicorn
from fastapi import FastAPI
from sqlalchemy.exc import DBAPIError
from uvicorn.supervisors import Multiprocess

from service.app import create_app
from service.db.database import Database
from service.db.one_service import DatabaseInUseError, FolderInUseError, lock_data_folder, lock_database
from service.db.schema import NewerDatabaseError, migrate
from service.db.storage_faults import classify_storage_fault
from service.observability import MetricsAddressError, process_metrics, serve_metrics
from service.phone.network_access import listen_for_phones
from service.settings import Settings
from service.stores.contents import file_contents
from service.tls import CertificateError, needs_tls
from service.web.addresses import is_loopback
from service.web.protocol import ANSWER_SECONDS, KEEP_ALIVE_SECONDS, BoundedConfig, GuardedProtocol
from shared.record.codes import StorageFault
from shared.system import atomic
from shared.system.os_errors import describe_os_error
from shared.system.paths import SERVICE_ADDRESS_FILE, read_service_address
from shared.system.startup import without_garbage_collection

if TYPE_CHECKING:
    from service.monitoring.endpoint import MetricsServer
    from service.tls.files import CertificateFiles

BUSY = 3
"""Exit status when another service has the data folder."""

END_SECONDS = 8.0
"""How long the shutdown may take; the desktop kills the process two seconds later."""

_PARENT_SECONDS = 1.0
"""How often one of several processes looks whether its supervisor still runs."""

log = logging.getLogger("walkaround.running")


def configure_logging(level: str, form: Literal["text", "json"] = "text") -> None:
    """Log lines to stderr: time, level, logger, text. Line breaks in the text are escaped.

    With "json" each line is a JSON object, see `service.monitoring.json_log`.
    """
    handler = logging.StreamHandler(sys.stderr)
    formatter: logging.Formatter = _OneLineFormatter("%(asctime)s %(levelname)s %(name)s %(message)s")
    if form == "json":
        from service.monitoring.json_log import JsonFormatter

        formatter = JsonFormatter()
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    logging.getLogger("uvicorn.access").disabled = True
    # httpx and others log addresses, pyvips logs every step: an operator's log needs neither.
    for name in (
        *("httpx", "httpcore", "urllib3", "multipart", "python_multipart", "alembic", "pyvips"),
        # It logs the address of a collector that does not answer, which may contain a password.
        "opentelemetry",
    ):
        logging.getLogger(name).setLevel(logging.WARNING)


class _OneLineFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).replace("\r", "\\r").replace("\n", "\\n")


class AnnouncingServer(uvicorn.Server):
    """A uvicorn server that prints the ready line once it accepts requests."""

    address_file: Path | None = None
    certificate: CertificateFiles | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print the ready line."""
        await super().startup(sockets)
        if not self.should_exit and self.servers:
            server_socket = self.servers[0].sockets[0]
            if self.address_file is not None:
                _write_address(self.address_file, _address_entry(server_socket, self.certificate))
            print(_ready_line(server_socket, self.certificate), flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down. The process ends by force if that takes longer than `END_SECONDS`."""
        timer = threading.Timer(END_SECONDS, self._end_by_force)
        timer.daemon = True
        timer.start()
        await super().shutdown(sockets)

    def _end_by_force(self) -> None:
        # A thread in a call that does not return (the check of a model, a dead network share) would keep the
        # process alive. Answered requests are committed; the database rolls back the others.
        log.error("a thread still runs after %.0f s: ending the process", END_SECONDS)
        if self.address_file is not None:
            self.address_file.unlink(missing_ok=True)
        os._exit(0)


def _write_address(path: Path, address: Mapping[str, Any]) -> None:
    # Atomic: another desktop reads the whole file or no file.
    try:
        atomic.write_file(path, json.dumps(address).encode("utf-8"), durable=False)
    except OSError as problem:
        # A full disk must not prevent reading the records.
        log.warning("another desktop will not find this service: %s", describe_os_error(problem))


class AnnouncingProcesses(Multiprocess):
    """Several server processes on one socket. Prints the ready line when all of them accept requests."""

    is_announced = False
    report_death: Callable[[int], object] | None = None
    """Called with the process ID of each process that died."""
    certificate: CertificateFiles | None = None

    def keep_subprocess_alive(self) -> None:
        """Replace each process that died, and print the ready line once when all are ready."""
        earlier_pids = {process.pid for process in self.processes}
        super().keep_subprocess_alive()
        if self.report_death is not None:
            for pid in earlier_pids - {process.pid for process in self.processes}:
                if pid is not None:
                    self.report_death(pid)
        if not self.is_announced and all(process.is_ready() for process in self.processes):
            self.is_announced = True
            print(_ready_line(self.sockets[0], self.certificate), flush=True)

    def join_all(self) -> None:
        """Wait for all processes, at most `END_SECONDS` in total, then kill those that still run."""
        deadline = time.monotonic() + END_SECONDS
        for process in self.processes:
            process.process.join(max(0.0, deadline - time.monotonic()))
            if process.process.is_alive():
                log.error("process %s still runs after %.0f s: ending it", process.pid, END_SECONDS)
                process.process.kill()
        super().join_all()


def _address_entry(server_socket: socket.socket, certificate: CertificateFiles | None) -> dict[str, Any]:
    """The address of a socket that accepts requests, and with TLS the fingerprint of the certificate."""
    host, port = server_socket.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    url = f"{'http' if certificate is None else 'https'}://{host}:{port}"
    address = {"event": "ready", "url": url, "pid": os.getpid()}
    return address if certificate is None else {**address, "fingerprint": certificate.fingerprint()}


def _ready_line(server_socket: socket.socket, certificate: CertificateFiles | None) -> str:
    """The line `{"event": "ready", "url": ..., "pid": ...}`; "fingerprint" for a self-made certificate."""
    line = _address_entry(server_socket, certificate)
    if certificate is not None and not certificate.is_own:
        del line["fingerprint"]
    return json.dumps(line)


def _print_busy(data_dir: Path) -> None:
    """Print the line `{"event": "busy", "url": ...}` with the address of the service, and a sentence."""
    service = read_service_address(data_dir)
    line = {"event": "busy", "url": None if service is None else service.url}
    if service is not None and service.fingerprint is not None:
        line["fingerprint"] = service.fingerprint
    print(json.dumps(line), flush=True)
    address = "" if service is None else f" at {service.url}"
    print(
        f"walkaround serve: a service already runs{address} on the data folder {data_dir}. Use that one, or "
        "give another folder with --data-dir.",
        file=sys.stderr,
    )


def _stop_with_parent(stop: Callable[[], None]) -> None:
    # The parent has the other end of this stdin: when the parent ends in any way, the read returns.
    def wait_for_parent() -> None:
        try:
            while os.read(0, 4096):
                pass
        except OSError:
            pass
        stop()

    threading.Thread(target=wait_for_parent, name="parent-watch", daemon=True).start()


def create_process_app() -> FastAPI:
    """Create the application of one of several processes, with the settings of the environment."""
    settings = Settings()
    configure_logging(settings.log_level, settings.log_format)
    # A process whose supervisor was killed would serve on, and nobody would end it.
    threading.Thread(target=_end_after, args=(os.getppid(),), name="parent-watch", daemon=True).start()
    return _create_app(settings)


def _end_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_SECONDS)
    log.warning("the process that started this one has ended: ending too")
    os.kill(os.getpid(), signal.SIGTERM)


def _create_app(settings: Settings) -> FastAPI:
    with without_garbage_collection():
        app = create_app(settings)
    GuardedProtocol.end_streams = staticmethod(app.state.end_streams)
    return app


def _server_config(
    settings: Settings, app: FastAPI | str, certificate: CertificateFiles | None
) -> uvicorn.Config:
    return BoundedConfig(
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
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        ssl_context_factory=None if certificate is None else certificate.reloading_context,
        access_log=False,
        ws="none",
    )


def _server_certificate(settings: Settings) -> CertificateFiles | None:
    """The TLS certificate of the server; None for plain HTTP. Raises CertificateError and OSError."""
    if not needs_tls(settings):
        return None
    # Importing the library that reads certificates takes 30 ms, which a service on loopback saves.
    from service.tls.files import usable_files

    files = usable_files(settings)
    log.info("answering with the certificate %s, fingerprint %s", files.certificate, files.fingerprint())
    return files


def serve(settings: Settings) -> int:
    """Serve until a signal to stop. Returns the exit status; `BUSY` if another service uses the directory.

    If the service cannot start, prints `{"event": "failed", "why": ...}` with a `StorageFault` or null, and
    raises OSError, DBAPIError, NewerDatabaseError or CertificateError.
    """
    configure_logging(settings.log_level, settings.log_format)
    try:
        settings.prepare()
        # One service on SQLite per data folder and per file: the second uses the first, and two writing
        # processes could corrupt the file.
        with (
            lock_data_folder(settings.data_dir, alone=settings.is_sqlite),
            lock_database(settings.database_file),
        ):
            return _serve_one_process(settings) if settings.workers == 1 else _serve_processes(settings)
    except FolderInUseError:
        _print_busy(settings.data_dir)
        return BUSY
    except MetricsAddressError as problem:
        print(json.dumps({"event": "failed", "why": None}), flush=True)
        print(
            f"walkaround serve: cannot serve metrics on {settings.metrics}: {problem}. Another program may "
            "use the port, or the address is not one of this machine: give another with --metrics.",
            file=sys.stderr,
        )
        return 1
    except DatabaseInUseError as problem:
        print(json.dumps({"event": "failed", "why": StorageFault.BUSY_DATABASE}), flush=True)
        print(
            f"walkaround serve: {problem}. Stop that service, or give another database with --database-url.",
            file=sys.stderr,
        )
        return 1
    except (OSError, DBAPIError, NewerDatabaseError, CertificateError) as problem:
        print(json.dumps({"event": "failed", "why": classify_storage_fault(problem)}), flush=True)
        raise


def _serve_one_process(settings: Settings) -> int:
    address_file = settings.data_dir / SERVICE_ADDRESS_FILE
    metrics_server: MetricsServer | None = None
    try:
        # A killed service left its address. Another program may listen there now.
        address_file.unlink(missing_ok=True)
        certificate = _server_certificate(settings)
        app = _create_app(settings)
        if app.state.metrics is not None:
            metrics_server = serve_metrics(settings, app.state.metrics.text)
        server = AnnouncingServer(_server_config(settings, app, certificate))
        server.certificate = certificate
        server.address_file = address_file if settings.is_sqlite else None
        if is_loopback(settings.host) or settings.host == "localhost":
            app.state.phone_network_access.start_listener = partial(listen_for_phones, settings, app)
        if settings.parent_pipe:
            _stop_with_parent(lambda: setattr(server, "should_exit", True))
        # The server passes the signal that ended it to the earlier handler. The default handler would end the
        # process here and leave the address file.
        signal.signal(signal.SIGTERM, lambda *_: setattr(server, "should_exit", True))
        server.run()
        if app.state.start_failure is not None:
            raise app.state.start_failure
        return 0 if server.started else 1
    except SystemExit:
        return _say_cannot_listen(settings)
    finally:
        if metrics_server is not None:
            metrics_server.stop()
        address_file.unlink(missing_ok=True)


def _say_cannot_listen(settings: Settings) -> int:
    # uvicorn exits if it cannot listen. Its log line before has the reason.
    print(
        f"walkaround serve: cannot listen on {settings.host}, port {settings.port}. Another program may "
        "use the port, or the address is not one of this machine: give others with --port and --host.",
        file=sys.stderr,
    )
    return 1


def _serve_processes(settings: Settings) -> int:
    # Checks the settings of the file store here, so that a fault is reported once, not by each process.
    file_contents(settings).close()
    # Not in each process: all processes would migrate at the same moment.
    database = Database(settings.url)
    migrate(database)
    database.close()
    certificate = _server_certificate(settings)
    config = _server_config(settings, "service.running:create_process_app", certificate)
    with ExitStack() as stack:
        try:
            server_socket = stack.enter_context(closing(config.bind_socket()))
        except SystemExit:
            return _say_cannot_listen(settings)
        processes = AnnouncingProcesses(config, sockets=[server_socket])
        processes.certificate = certificate
        if settings.parent_pipe:
            _stop_with_parent(processes.should_exit.set)
        if settings.has_metrics:
            processes.report_death = stack.enter_context(process_metrics(settings))
        processes.run()
    return 0 if processes.is_announced else 1
