"""Sends detections and matches to the compute process, and model files to a process that checks them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from service.detection.failure import BadModel
from service.detection.messages import Answer, Request, as_json
from service.workers.child import Child, ProcessDied
from service.workers.frames import Frame
from shared.system.paths import program_command
from shared.wire.detection import ModelKind

CHECK_SECONDS = 90.0


class ComputeProcess:
    """One compute process. It starts at the first request, and again after it died.

    options: of `walkaround worker`, which select another kind of process.
    One thread at a time may call `ask`; the other methods may be called from any thread.
    """

    def __init__(self, *options: str) -> None:
        self._child = Child(program_command("worker", *options))

    @property
    def pid(self) -> int | None:
        """Process id while one runs."""
        return self._child.pid

    def ask(
        self,
        request: dict[str, Any],
        seconds: float,
        progress: Callable[[int], None],
        contents: Sequence[bytes] = (),
    ) -> Answer:
        """Send `request` with memories of its region and return the answer. Raises ProcessDied."""
        return cast(Answer, self.ask_frame(request, seconds, progress, contents).message)

    def ask_frame(
        self,
        request: dict[str, Any],
        seconds: float,
        progress: Callable[[int], None] = lambda _percent: None,
        contents: Sequence[bytes] = (),
    ) -> Frame:
        """Do the same as `ask` and return the answer with its payload."""
        message = {**request, "known": [len(content) for content in contents]} if contents else request
        return self._child.ask(message, seconds, payload=b"".join(contents), progress=progress)

    def prepare_next(self, request: dict[str, Any]) -> None:
        """Let the running process prepare for a coming request; does nothing while none runs."""
        self._child.hint({"next": request})

    def kill(self) -> None:
        """End the process at once, also during a request."""
        self._child.kill()

    def close(self) -> None:
        """End the process for good."""
        self._child.close()


def run_once(request: Request, seconds: float = CHECK_SECONDS) -> Answer:
    """The answer of a compute process of its own, which ends afterwards."""
    process = ComputeProcess()
    try:
        return process.ask(as_json(request), seconds, lambda _percent: None)
    except ProcessDied as died:
        return {"event": "failed", "error": "timed_out" if died.timed_out else "worker_died"}
    finally:
        process.close()


def check_model(
    path: Path,
    kind: ModelKind | None,
    settings: dict[str, Any],
    classes: int = 0,
    seconds: float = CHECK_SECONDS,
) -> dict[str, Any]:
    """The kind, labels and settings of the model file at `path`, which a separate process determines.

    classes: the number of labels that a user gave, 0 for none. Raises BadModel.
    """
    child = Child(program_command("worker", "--check"))
    request = {"path": str(path.absolute()), "kind": kind, "settings": settings, "classes": classes}
    try:
        answer = child.ask(request, seconds).message
    except ProcessDied as died:
        raise BadModel("timed_out" if died.timed_out else "crashed") from died
    finally:
        child.close()
    if "error" in answer:
        raise BadModel(str(answer["error"]), answer["kinds"], **answer["counts"])
    return answer
