"""Controls a child process: starts it, sends it requests with a time limit, kills and replaces it."""

from __future__ import annotations

import contextlib
import logging
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from service.workers import frames
from service.workers.frames import PROGRESS, Frame
from shared.system.paths import program_command_folder

_LOG = logging.getLogger("walkaround.workers")


class ProcessDied(RuntimeError):  # noqa: N818 - what happened to it
    """Raised if the child process ended, or was killed, before it answered. `timed_out`: it was too slow."""

    def __init__(self, timed_out: bool = False) -> None:
        super().__init__("the child process ended before it answered")
        self.timed_out = timed_out


def _ignore(_read_percent: int) -> None:
    """Ignore progress."""


class Child:
    """One child process, started at the first request and again after its death.

    `command` starts it, usually `program_command("worker", ...)`; paths in requests must be absolute. The
    process ends when its input closes (`service.workers.frames`), so it never outlives the service. One
    thread at a time may call `ask`; the other methods may be called from any thread.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._send_lock = threading.Lock()
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The id of the running process; None if none runs."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def ask(
        self,
        message: dict[str, Any],
        seconds: float,
        *,
        payload: bytes = b"",
        progress: Callable[[int], None] = _ignore,
    ) -> Frame:
        """Send a request and return the answer; `progress` is called with the percents until then.

        After any failure, also one of `progress`, the process is killed and the next request starts a new
        one. Raises ProcessDied if there is no answer within `seconds`, FrameTooLarge if the request is too
        large.
        """
        request = Frame(message, payload)
        process = self._ensure_running()
        try:
            with self._time_limit(process, seconds) as timed_out_event:
                self._send(process, request, timed_out_event)
                while PROGRESS in (answer := self._receive(process, timed_out_event)).message:
                    progress(_read_percent(answer))
                return answer
        except frames.FrameTooLarge:
            raise
        except BaseException:
            # An answer that is still in the pipes belongs to this request and not to the next one.
            self.kill()
            raise

    def hint(self, message: dict[str, Any]) -> None:
        """Send a message without an answer, also during a request; does nothing if no process runs."""
        process = self._process
        if process is not None:
            with contextlib.suppress(ProcessDied):
                self._send(process, Frame(message), threading.Event())

    def kill(self) -> None:
        """End the process at once, also during a request."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            _end_process(process)

    def close(self) -> None:
        """End the process and start none again."""
        self._is_closed = True
        self.kill()

    def _ensure_running(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._is_closed:
                raise ProcessDied
            if self._process is not None and self._process.poll() is not None:
                _end_process(self._process)
                self._process = None
            if self._process is None:
                try:
                    self._process = subprocess.Popen(  # noqa: S603 - our own program
                        self._command,
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        cwd=program_command_folder(),
                    )
                except OSError as error:
                    _LOG.error("a child process cannot be started: %s", error.strerror)
                    raise ProcessDied from error
            return self._process

    @contextlib.contextmanager
    def _time_limit(self, process: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
        """Kill the process if the block lasts longer than `seconds`; the event is set if that happened."""
        timed_out_event = threading.Event()

        def kill_process() -> None:
            timed_out_event.set()
            process.kill()

        timer = threading.Timer(seconds, kill_process)
        timer.daemon = True
        timer.start()
        try:
            yield timed_out_event
        finally:
            timer.cancel()
            timer.join()
            if timed_out_event.is_set():
                self.kill()

    def _send(self, process: subprocess.Popen[bytes], frame: Frame, timed_out_event: threading.Event) -> None:
        assert process.stdin is not None
        try:
            with self._send_lock:
                frames.send(process.stdin, frame)
        except frames.FrameTooLarge:
            raise
        except (OSError, ValueError) as error:
            # A ValueError is a pipe that `kill` has closed.
            raise ProcessDied(timed_out_event.is_set()) from error

    def _receive(self, process: subprocess.Popen[bytes], timed_out_event: threading.Event) -> Frame:
        assert process.stdout is not None
        try:
            return frames.receive(process.stdout)
        except (OSError, ValueError, frames.StreamClosedError) as error:
            raise ProcessDied(timed_out_event.is_set()) from error


def _read_percent(answer: Frame) -> int:
    try:
        return int(answer.message[PROGRESS])
    except (TypeError, ValueError, OverflowError) as error:
        raise ProcessDied from error


def _end_process(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            # Closing flushes unsent bytes, which fails after the end of the process.
            with contextlib.suppress(OSError):
                stream.close()
