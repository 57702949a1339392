"""Starts the desktop's own service as a child process, watches it, brings it back, and ends it.

The child holds the reading end of a pipe whose other end is ours. However this process ends, also by kill -9,
the system closes that pipe, and the service ends when it reads its end.
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

from shared.codes import Hindrance
from shared.paths import command_folder, own_command, service_address
from shared.reasons import hindrance

if TYPE_CHECKING:
    import httpx

_MAX_LOG = 5 * 2**20
_PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0)
# A service that lived this long was well: its death restarts the count.
_LONG_LIFE = 30.0
# What another start may not meet any more; a full disk stays full.
_MAY_PASS = (None, Hindrance.BUSY_DATABASE, Hindrance.NO_DATABASE)
# How long to look for the address of another desktop's service that is starting.
_LOOK_SECONDS = 3.0


class ServiceState(StrEnum):
    """How the embedded service is."""

    STARTING = "starting"
    READY = "ready"
    RESTARTING = "restarting"
    FAILED = "failed"
    STOPPED = "stopped"


class _StartOutcome(Enum):
    """What became of one start."""

    WELL = auto()
    """It was READY, for a while."""
    FAILED = auto()
    AWAITED = auto()
    """Another program holds the data directory and has not said yet where it answers."""


OnState = Callable[[ServiceState, str | None], None]
"""Called in the watching thread with the new state, and the address when it is READY."""


class EmbeddedService:
    """The service process of this desktop on `data_dir`.

    When another desktop runs the service on the same directory, that one is used for as long as it lives.
    After `tries` failed starts in a row, or one with a `hindrance` that does not pass, the state is FAILED
    until `retry`. `ready_seconds`: how long one start may take, also that of another desktop's. What the
    service writes to stderr goes to `log_file`.
    """

    def __init__(
        self,
        data_dir: Path,
        on_state: OnState = lambda state, url: None,
        *,
        command: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
        tries: int = 6,
        ready_seconds: float = 90.0,
    ) -> None:
        self.data_dir = data_dir.expanduser().absolute()
        self.log_file = self.data_dir / "logs" / "service.log"
        self._on_state = on_state
        self._command = list(command or own_command("serve", "--port", "0", "--data-dir", str(self.data_dir)))
        self._environment = dict(environment or {})
        self._tries = tries
        self._ready_seconds = ready_seconds
        self._changed = threading.Condition()
        self._state = ServiceState.STOPPED
        self._url: str | None = None
        self._hindrance: Hindrance | None = None
        self._process: subprocess.Popen[str] | None = None
        self._stopping = threading.Event()
        self._watch: threading.Thread | None = None

    @property
    def state(self) -> ServiceState:
        """How it is now."""
        return self._state

    @property
    def url(self) -> str | None:
        """Where it answers; None unless it is READY."""
        return self._url

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of the service's certificate; None when it answers without TLS."""
        written = service_address(self.data_dir)
        return None if written is None else written.fingerprint

    @property
    def hindrance(self) -> Hindrance | None:
        """Why it FAILED, where that is known."""
        return self._hindrance

    @property
    def pid(self) -> int | None:
        """The process that was started last here; None when there is none or another desktop's is used."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def follow(self, on_state: OnState) -> None:
        """Call `on_state` from now on; once at once, with how it is, where it has been started."""
        with self._changed:
            self._on_state = on_state
            if self._state is not ServiceState.STOPPED:
                on_state(self._state, self._url)

    def start(self) -> None:
        """Start it in the background; the state says how it goes."""
        if self._watch is not None and self._watch.is_alive():
            return
        self._stopping.clear()
        self._set_state(ServiceState.STARTING)
        self._watch = threading.Thread(target=self._keep_running, name="embedded-service", daemon=True)
        self._watch.start()

    def retry(self) -> None:
        """Try again after FAILED."""
        if self._watch is not None and self._state is ServiceState.FAILED:
            self._watch.join()
            self.start()

    def wait_ready(self, seconds: float = 90.0) -> str:
        """Wait until it answers and give its address. Raises TimeoutError, also when it FAILED."""
        ends = (ServiceState.READY, ServiceState.FAILED, ServiceState.STOPPED)
        with self._changed:
            self._changed.wait_for(lambda: self._state in ends, timeout=seconds)
            if self._state is ServiceState.READY and self._url is not None:
                return self._url
        raise TimeoutError(f"the service did not start; its log is {self.log_file}")

    def stop(self, grace: float = 8.0) -> None:
        """End it: by closing its pipe, after `grace` seconds by force. Another desktop's is left alone."""
        self._stopping.set()
        with self._changed:
            process = self._process
        if process is not None:
            _end_process(process, grace)
        if self._watch is not None and self._watch is not threading.current_thread():
            self._watch.join()
            self._watch = None
        self._set_state(ServiceState.STOPPED)

    # In the watching thread

    def _keep_running(self) -> None:
        failures = 0
        patience_ends = time.monotonic() + self._ready_seconds
        while not self._stopping.is_set():
            began = time.monotonic()
            self._hindrance = None
            life = self._run_once()
            if self._stopping.is_set():
                return
            if life is _StartOutcome.AWAITED and time.monotonic() < patience_ends:
                continue
            if life is _StartOutcome.WELL and time.monotonic() - began > _LONG_LIFE:
                failures = 0
            failures += 1
            if failures >= self._tries or self._hindrance not in _MAY_PASS:
                self._set_state(ServiceState.FAILED)
                return
            if life is _StartOutcome.WELL:
                patience_ends = time.monotonic() + self._ready_seconds
                self._set_state(ServiceState.RESTARTING)
            self._stopping.wait(_PAUSES[min(failures, len(_PAUSES)) - 1])

    def _run_once(self) -> _StartOutcome:
        """One life of the service, or of another desktop's."""
        try:
            process = self._spawn()
        except OSError as error:
            self._hindrance = hindrance(error)
            self._write_log(f"cannot start the service: {error}")
            return _StartOutcome.FAILED
        lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        assert process.stdout is not None
        threading.Thread(
            target=_read_lines, args=(process.stdout, lines), name="embedded-service-output", daemon=True
        ).start()
        first = self._first_line(process, lines)
        url = first.get("url")
        if first.get("event") == "ready" and isinstance(url, str):
            self._set_state(ServiceState.READY, url)
            process.wait()
            _end_process(process, 0)
            return _StartOutcome.WELL
        if first.get("event") == "failed":
            # Null, or a word that only another version knows, says nothing here.
            with contextlib.suppress(ValueError):
                self._hindrance = Hindrance(str(first.get("why")))
        _end_process(process, 0 if first.get("event") not in ("busy", "failed") else 5.0)
        if first.get("event") != "busy":
            return _StartOutcome.FAILED
        return self._use_other(url if isinstance(url, str) else None)

    def _spawn(self) -> subprocess.Popen[str]:
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        if os.name == "posix":
            self.data_dir.chmod(0o700)
        if self.log_file.exists() and self.log_file.stat().st_size > _MAX_LOG:
            self.log_file.replace(self.log_file.with_suffix(".old.log"))
        environment = {
            **os.environ,
            **self._environment,
            "WALKAROUND_PARENT_PIPE": "1",
            # A frozen program that starts itself must not hand down what its own start unpacked.
            "PYINSTALLER_RESET_ENVIRONMENT": "1",
        }
        with self.log_file.open("ab") as log, self._changed:
            if self._stopping.is_set():
                raise OSError("stopped")
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                cwd=command_folder(),
                text=True,
                encoding="utf-8",
                # Ctrl+C in a terminal goes to the desktop alone, which then ends the service in order.
                start_new_session=os.name == "posix",
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
            return self._process

    def _first_line(
        self, process: subprocess.Popen[str], lines: queue.SimpleQueue[str | None]
    ) -> dict[str, Any]:
        """The JSON line of the start; an empty one when the process ended or took too long."""
        ends = time.monotonic() + self._ready_seconds
        while (left := ends - time.monotonic()) > 0:
            try:
                line = lines.get(timeout=left)
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

    def _use_other(self, url: str | None) -> _StartOutcome:
        """Use the service of another desktop until it is gone; without `url` it is still starting."""
        ends = time.monotonic() + _LOOK_SECONDS
        while url is None:
            url = self._url_in_file()
            if url is None and (self._stopping.wait(0.1) or time.monotonic() > ends):
                # Only a start of our own shows whether another process still holds the data directory.
                return _StartOutcome.AWAITED
        # Only here: they take a tenth of a second to load, before the service has been started.
        import httpx

        from desktop.client.http.trust import ServerContext

        was_ready = False
        misses = 0
        tls = ServerContext(self.fingerprint)
        with httpx.Client(timeout=3.0, trust_env=False, verify=tls) as http:
            while not self._stopping.is_set() and misses < 2:
                if _is_answering(http, url):
                    misses = 0
                    if not was_ready:
                        was_ready = True
                        self._set_state(ServiceState.READY, url)
                else:
                    misses += 1
                self._stopping.wait(1.0 if misses == 0 else 0.2)
        return _StartOutcome.WELL if was_ready else _StartOutcome.FAILED

    def _url_in_file(self) -> str | None:
        written = service_address(self.data_dir)
        return None if written is None else written.url

    def _set_state(self, state: ServiceState, url: str | None = None) -> None:
        with self._changed:
            if (state, url) == (self._state, self._url):
                return
            self._state, self._url = state, url
            self._changed.notify_all()
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
    """Close the pipe of `process`, give it `grace` seconds, then use force; returns when it is gone."""
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
