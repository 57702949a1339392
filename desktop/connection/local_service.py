"""Starts the local service as a child process, watches it, restarts it after a failure, and stops it.

The child reads from a pipe whose other end this process holds. When this process ends, even by kill -9, the
system closes the pipe, and the service stops when it reads the end of file.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, StrEnum, auto
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from desktop.user_folders import data_dir, preferences_file
from shared.record.codes import StorageFault
from shared.system.os_errors import classify_os_error
from shared.system.paths import program_command, program_command_folder, read_service_address

if TYPE_CHECKING:
    import httpx

_MAX_LOG_BYTES = 5 * 2**20
_RETRY_PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0)
# The failures of a service that ran this long are counted from the beginning.
_STABLE_SECONDS = 30.0
# The faults that may be gone at the next start. A full disk is not one of them.
_RETRIABLE = (None, StorageFault.BUSY_DATABASE, StorageFault.NO_DATABASE)
# How long the start of the process may hold up what the desktop loads meanwhile.
_SPAWN_SECONDS = 1.0
# How long to wait for the address of another desktop's service that is starting.
_ADDRESS_SECONDS = 3.0


class ServiceState(StrEnum):
    """The state of a service."""

    STARTING = "starting"
    READY = "ready"
    RESTARTING = "restarting"
    FAILED = "failed"
    STOPPED = "stopped"


class _StartOutcome(Enum):
    """The outcome of one start of the service."""

    RAN = auto()
    """It was READY until it ended."""
    FAILED = auto()
    OTHER_IS_STARTING = auto()
    """Another program has locked the data folder and has not written its address yet."""


OnState = Callable[[ServiceState, str | None], None]
"""Called in the watching thread with the new state, and with the address if it is READY."""


class EmbeddedService:
    """The service process of this desktop on `data_dir`.

    If another desktop runs a service on the same directory, that service is used until it ends. After
    `max_attempts` failed starts in a row, or one with a permanent `storage_fault`, the state is FAILED until
    `retry`. `ready_seconds` is how long one start may take. The service's stderr is written to `log_file`.
    """

    def __init__(
        self,
        data_dir: Path,
        on_state: OnState = lambda state, url: None,
        *,
        command: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
        max_attempts: int = 6,
        ready_seconds: float = 90.0,
    ) -> None:
        self.data_dir = data_dir.expanduser().absolute()
        self.log_file = self.data_dir / "logs" / "service.log"
        self._on_state = on_state
        self._command = list(
            command or program_command("serve", "--port", "0", "--data-dir", str(self.data_dir))
        )
        self._environment = dict(environment or {})
        self._max_attempts = max_attempts
        self._ready_seconds = ready_seconds
        self._state_changed = threading.Condition()
        self._state = ServiceState.STOPPED
        self._url: str | None = None
        self._storage_fault: StorageFault | None = None
        self._process: subprocess.Popen[str] | None = None
        self._spawned = threading.Event()
        self._stop_requested = threading.Event()
        self._watch_thread: threading.Thread | None = None

    @property
    def state(self) -> ServiceState:
        """The current state."""
        return self._state

    @property
    def url(self) -> str | None:
        """The address of the service; None unless it is READY."""
        return self._url

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of the service's certificate; None if it does not use TLS."""
        address = read_service_address(self.data_dir)
        return None if address is None else address.fingerprint

    @property
    def storage_fault(self) -> StorageFault | None:
        """Why the service FAILED; None if unknown."""
        return self._storage_fault

    @property
    def pid(self) -> int | None:
        """The ID of the running child process; None if there is none or another desktop's service is used."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def set_listener(self, on_state: OnState) -> None:
        """Call `on_state` at every change from now on, and immediately if the service was already started."""
        with self._state_changed:
            self._on_state = on_state
            if self._state is not ServiceState.STOPPED:
                on_state(self._state, self._url)

    def start(self) -> None:
        """Start the service in the background."""
        if self._watch_thread is not None and self._watch_thread.is_alive():
            return
        self._stop_requested.clear()
        self._set_state(ServiceState.STARTING)
        self._watch_thread = threading.Thread(
            target=self._watch_service, name="embedded-service", daemon=True
        )
        self._watch_thread.start()

    def wait_until_spawned(self) -> None:
        """Wait until the process that `start` starts was made or cannot be made: a few milliseconds.

        While this thread imports, the watching thread would wait for the interpreter at each of its steps.
        """
        self._spawned.wait(_SPAWN_SECONDS)

    def retry(self) -> None:
        """Start the service again after it FAILED."""
        if self._watch_thread is not None and self._state is ServiceState.FAILED:
            self._watch_thread.join()
            self.start()

    def wait_until_ready(self, seconds: float = 90.0) -> str:
        """Wait until the service is READY. Returns its address. Raises TimeoutError, also if it FAILED."""
        final_states = (ServiceState.READY, ServiceState.FAILED, ServiceState.STOPPED)
        with self._state_changed:
            self._state_changed.wait_for(lambda: self._state in final_states, timeout=seconds)
            if self._state is ServiceState.READY and self._url is not None:
                return self._url
        raise TimeoutError(f"the service did not start; its log is {self.log_file}")

    def stop(self, grace: float = 8.0) -> None:
        """Stop the child process by closing its pipe, and after `grace` seconds by force."""
        self._stop_requested.set()
        with self._state_changed:
            process = self._process
        if process is not None:
            _end_process(process, grace)
        if self._watch_thread is not None and self._watch_thread is not threading.current_thread():
            self._watch_thread.join()
            self._watch_thread = None
        self._set_state(ServiceState.STOPPED)

    # In the watching thread

    def _watch_service(self) -> None:
        failures = 0
        deadline = time.monotonic() + self._ready_seconds
        while not self._stop_requested.is_set():
            start_time = time.monotonic()
            self._storage_fault = None
            outcome = self._run_service()
            if self._stop_requested.is_set():
                return
            if outcome is _StartOutcome.OTHER_IS_STARTING and time.monotonic() < deadline:
                continue
            if outcome is _StartOutcome.RAN and time.monotonic() - start_time > _STABLE_SECONDS:
                failures = 0
            failures += 1
            if failures >= self._max_attempts or self._storage_fault not in _RETRIABLE:
                self._set_state(ServiceState.FAILED)
                return
            if outcome is _StartOutcome.RAN:
                deadline = time.monotonic() + self._ready_seconds
                self._set_state(ServiceState.RESTARTING)
            self._stop_requested.wait(_RETRY_PAUSES[min(failures, len(_RETRY_PAUSES)) - 1])

    def _run_service(self) -> _StartOutcome:
        """Start the service, or use another desktop's, and wait until it ends."""
        try:
            process = self._spawn()
        except OSError as error:
            self._storage_fault = classify_os_error(error)
            self._write_log(f"cannot start the service: {error}")
            return _StartOutcome.FAILED
        finally:
            self._spawned.set()
        lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        assert process.stdout is not None
        threading.Thread(
            target=_read_lines, args=(process.stdout, lines), name="embedded-service-output", daemon=True
        ).start()
        event = self._read_first_event(process, lines)
        url = event.get("url")
        if event.get("event") == "ready" and isinstance(url, str):
            self._set_state(ServiceState.READY, url)
            process.wait()
            _end_process(process, 0)
            return _StartOutcome.RAN
        if event.get("event") == "failed":
            # Ignore null, and a reason that this version does not know.
            with contextlib.suppress(ValueError):
                self._storage_fault = StorageFault(str(event.get("why")))
        _end_process(process, 0 if event.get("event") not in ("busy", "failed") else 5.0)
        if event.get("event") != "busy":
            return _StartOutcome.FAILED
        return self._use_other_service(url if isinstance(url, str) else None)

    def _spawn(self) -> subprocess.Popen[str]:
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        if os.name == "posix":
            self.data_dir.chmod(0o700)
        if self.log_file.exists() and self.log_file.stat().st_size > _MAX_LOG_BYTES:
            self.log_file.replace(self.log_file.with_suffix(".old.log"))
        environment = {
            **os.environ,
            **self._environment,
            "WALKAROUND_PARENT_PIPE": "1",
            # A frozen program that starts itself must not pass on the folder that it was unpacked to.
            "PYINSTALLER_RESET_ENVIRONMENT": "1",
        }
        with self.log_file.open("ab") as log, self._state_changed:
            if self._stop_requested.is_set():
                raise OSError("stopped")
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                cwd=program_command_folder(),
                text=True,
                encoding="utf-8",
                # Ctrl+C in a terminal must only reach the desktop, which then stops the service.
                start_new_session=os.name == "posix",
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
            return self._process

    def _read_first_event(
        self, process: subprocess.Popen[str], lines: queue.SimpleQueue[str | None]
    ) -> dict[str, Any]:
        """Read the first event that the service prints as JSON; empty if it ended or took too long."""
        deadline = time.monotonic() + self._ready_seconds
        while (remaining := deadline - time.monotonic()) > 0:
            try:
                line = lines.get(timeout=remaining)
            except queue.Empty:
                break
            if line is None:
                return {}
            with contextlib.suppress(ValueError):
                document = json.loads(line)
                if isinstance(document, dict) and "event" in document:
                    return document
        self._write_log(f"the service was not ready after {self._ready_seconds:.0f} s")
        return {}

    def _use_other_service(self, url: str | None) -> _StartOutcome:
        """Use another desktop's service until it ends; without `url`, wait for its address first."""
        deadline = time.monotonic() + _ADDRESS_SECONDS
        while url is None:
            url = self._read_url()
            if url is None and (self._stop_requested.wait(0.1) or time.monotonic() > deadline):
                # Only another start can tell whether the data folder is still locked.
                return _StartOutcome.OTHER_IS_STARTING
        # Imported here because loading them takes 0.1 s, which would delay the start of the service.
        import httpx

        from desktop.client.http.trust import ServerContext

        was_ready = False
        misses = 0
        tls = ServerContext(self.fingerprint)
        with httpx.Client(timeout=3.0, trust_env=False, verify=tls) as http:
            while not self._stop_requested.is_set() and misses < 2:
                if _is_answering(http, url):
                    misses = 0
                    if not was_ready:
                        was_ready = True
                        self._set_state(ServiceState.READY, url)
                else:
                    misses += 1
                self._stop_requested.wait(1.0 if misses == 0 else 0.2)
        return _StartOutcome.RAN if was_ready else _StartOutcome.FAILED

    def _read_url(self) -> str | None:
        address = read_service_address(self.data_dir)
        return None if address is None else address.url

    def _set_state(self, state: ServiceState, url: str | None = None) -> None:
        with self._state_changed:
            if (state, url) == (self._state, self._url):
                return
            self._state, self._url = state, url
            self._state_changed.notify_all()
        self._on_state(state, url)

    def _write_log(self, text: str) -> None:
        with contextlib.suppress(OSError), self.log_file.open("a", encoding="utf-8") as log:
            log.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} desktop: {text}\n")


def _read_lines(stream: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
    with contextlib.suppress(OSError, ValueError), stream:
        for line in stream:
            lines.put(line)
    lines.put(None)


def _is_answering(http: httpx.Client, url: str) -> bool:
    import httpx

    try:
        return bool(http.get(f"{url}/healthz").json() == {"status": "ok"})
    except (httpx.HTTPError, ValueError):
        return False


def _end_process(process: subprocess.Popen[str], grace: float) -> None:
    """Close the pipe of `process`, wait `grace` seconds, then use force.

    Returns when the process has ended.
    """
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    for wait, force in ((grace, process.terminate), (2.0, process.kill)):
        try:
            process.wait(wait)
            return
        except subprocess.TimeoutExpired:
            force()
    process.wait()


def start_early(server_url: str | None, data_folder: Path | None) -> EmbeddedService | None:
    """Start the local service. Returns None if the desktop will use another service.

    `server_url` and `data_folder` are the options of the command line, as for
    `desktop.app.application.Desktop`.
    """
    if server_url or (server_url is None and _prefers_server()):
        return None
    service = EmbeddedService(data_folder or data_dir())
    service.start()
    service.wait_until_spawned()
    return service


def _prefers_server() -> bool:
    """Whether the preferences name a server. An unreadable file is ignored, as `Preferences` does."""
    try:
        return bool(json.loads(preferences_file().read_text("utf-8")).get("server_url"))
    except (OSError, ValueError, AttributeError):
        return False
