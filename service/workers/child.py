"""Controls a child process: starts it, asks it within a time limit, kills and replaces it."""

from __future__ import annotations

import contextlib
import logging
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from service.workers import frames
from service.workers.frames import PROGRESS, Frame
from shared.paths import command_folder

_LOG = logging.getLogger("walkaround.workers")


class ProcessDied(RuntimeError):  # noqa: N818 - what happened to it
    """The child process ended, or was ended, before it answered. `timed_out`: it was too slow."""

    def __init__(self, timed_out: bool = False) -> None:
        super().__init__("the child process ended before it answered")
        self.timed_out = timed_out


def _ignore(_percent: int) -> None:
    """Progress that nothing waits for."""


class Child:
    """One child process, started at the first request and again after its death.

    `command` starts it, usually `own_command("worker", ...)`; paths in requests must be absolute. It ends
    when its input closes (`service.workers.serving`), so it never outlives the service. One thread at a time
    may `ask`; the rest may be called from any.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Process id while one runs."""
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
        """The answer to a request, within `seconds`; `progress` gets the percents on the way.

        Whatever goes wrong, also in `progress`, the process is ended, and the next request starts a new one.
        Raises ProcessDied; FrameTooLarge for a request that is too large to be sent.
        """
        request = Frame(message, payload)
        process = self._running()
        try:
            with self._time_limit(process, seconds) as late:
                self._send(process, request, late)
                while PROGRESS in (answer := self._receive(process, late)).message:
                    progress(_percent(answer))
                return answer
        except frames.FrameTooLarge:
            raise
        except BaseException:
            # What is still in its pipes answers this request and not the next one.
            self.kill()
            raise

    def hint(self, message: dict[str, Any]) -> None:
        """Send a message that gets no answer, also during a request; does nothing while no process runs."""
        process = self._process
        if process is not None:
            with contextlib.suppress(ProcessDied):
                self._send(process, Frame(message), threading.Event())

    def kill(self) -> None:
        """End the process at once, in the middle of whatever it does."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            _end(process)

    def close(self) -> None:
        """End the process for good."""
        self._closed = True
        self.kill()

    def _running(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise ProcessDied
            if self._process is not None and self._process.poll() is not None:
                _end(self._process)
                self._process = None
            if self._process is None:
                try:
                    self._process = subprocess.Popen(  # noqa: S603 - our own program
                        self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=command_folder()
                    )
                except OSError as error:
                    _LOG.error("a child process cannot be started: %s", error.strerror)
                    raise ProcessDied from error
            return self._process

    @contextlib.contextmanager
    def _time_limit(self, process: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
        """Kill the process after `seconds` in the block; the event says that it was."""
        late = threading.Event()

        def give_up() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, give_up)
        timer.daemon = True
        timer.start()
        try:
            yield late
        finally:
            timer.cancel()
            timer.join()
            if late.is_set():
                self.kill()

    def _send(self, process: subprocess.Popen[bytes], frame: Frame, late: threading.Event) -> None:
        assert process.stdin is not None
        try:
            with self._sending:
                frames.send(process.stdin, frame)
        except frames.FrameTooLarge:
            raise
        except (OSError, ValueError) as error:
            # A ValueError is a pipe that `kill` has closed.
            raise ProcessDied(late.is_set()) from error

    def _receive(self, process: subprocess.Popen[bytes], late: threading.Event) -> Frame:
        assert process.stdout is not None
        try:
            return frames.receive(process.stdout)
        except (OSError, ValueError, frames.Closed) as error:
            raise ProcessDied(late.is_set()) from error


def _percent(answer: Frame) -> int:
    try:
        return int(answer.message[PROGRESS])
    except (TypeError, ValueError, OverflowError) as error:
        raise ProcessDied from error


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            # What could not be sent is lost with the process.
            with contextlib.suppress(OSError):
                stream.close()
