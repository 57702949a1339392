"""Controls the compute process: starts it, sends requests, kills and replaces it."""

from __future__ import annotations

import json
import logging
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from service.detection.compute import frames
from service.detection.failure import BadModel
from service.detection.messages import Answer
from shared.paths import command_folder, own_command
from shared.wire.detection import ModelKind

_LOG = logging.getLogger(__name__)
CHECK_SECONDS = 90.0


class ProcessDied(RuntimeError):  # noqa: N818 - what happened to it
    """The compute process ended, or was ended, before it answered. `timed_out`: it was too slow."""

    def __init__(self, timed_out: bool = False) -> None:
        super().__init__("the compute process ended before it answered")
        self.timed_out = timed_out


class ComputeProcess:
    """One compute process, started at the first request and again after its death.

    One thread at a time may `ask`; the rest may be called from any.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Process id while one runs."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def ask(self, request: dict[str, Any], seconds: float, progress: Callable[[int], None]) -> Answer:
        """The answer to `request`. Raises ProcessDied."""
        process = self._running()
        late = threading.Event()

        def give_up() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, give_up)
        timer.daemon = True
        timer.start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with self._sending:
                frames.send(process.stdin, request)
            while True:
                answer = frames.receive(process.stdout)
                if answer["event"] == "progress":
                    progress(int(answer["percent"]))
                elif answer["event"] != "ready":
                    return cast(Answer, answer)
        except (OSError, frames.Closed, ValueError) as error:
            self.kill()
            raise ProcessDied(late.is_set()) from error
        finally:
            timer.cancel()

    def prepare_next(self, request: dict[str, Any]) -> None:
        """Let the running process prepare for a coming request; does nothing while none runs."""
        process = self._process
        if process is None or process.stdin is None:
            return
        try:
            with self._sending:
                frames.send(process.stdin, {"next": request})
        except (OSError, ValueError):
            _LOG.debug("the compute process ended before it heard of the next request")

    def kill(self) -> None:
        """End the process at once, in the middle of whatever it does."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    try:
                        stream.close()
                    except OSError:
                        _LOG.debug("a pipe of the compute process was already broken")

    def close(self) -> None:
        """End the process for good."""
        self._closed = True
        self.kill()

    def _running(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise ProcessDied
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(  # noqa: S603 - our own program
                    own_command("worker"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=command_folder()
                )
            return self._process


def check_model(
    path: Path,
    kind: ModelKind | None,
    settings: dict[str, Any],
    classes: int = 0,
    seconds: float = CHECK_SECONDS,
) -> dict[str, Any]:
    """What the model file at `path` is: kind, labels, settings; found by a process of its own.

    classes: how many labels a person gave, 0 for none. Raises BadModel.
    """
    words = ["worker", "--check", str(path.absolute()), "--settings", json.dumps(settings)]
    words += ["--classes", str(classes)]
    if kind is not None:
        words += ["--kind", kind.value]
    try:
        ended = subprocess.run(  # noqa: S603 - our own program
            own_command(*words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
            cwd=command_folder(),
        )
    except subprocess.TimeoutExpired as error:
        raise BadModel("timed_out") from error
    try:
        answer: dict[str, Any] = json.loads(ended.stdout.decode().strip().splitlines()[-1])
    except (ValueError, IndexError) as error:
        raise BadModel("crashed") from error
    if "error" in answer:
        raise BadModel(str(answer["error"]), answer["kinds"])
    return answer
