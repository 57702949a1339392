"""Runs the compute process, `walkaround worker`, which the service starts and feeds by standard streams.

It holds no database and no secrets: it reads the files it is named, answers with findings, and ends when its
input closes, that is when the service has gone (docs/adr/0020-detection-runs-in-a-compute-process.md). A
message `{"next": REQUEST}` is not a request yet: its photo is decoded while the present request runs.
`{"match": REQUEST}` asks which regions a photo shows.
`walkaround worker --check FILE` checks one model file and prints what it is as JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO

from service.detection.compute import frames
from service.detection.failure import BadModel, DetectionFailed
from service.detection.messages import Answer
from shared.wire.detection import ModelKind

if TYPE_CHECKING:
    from service.detection.compute.computer import Computer

_CHECK_BYTES = 6 * 2**30


def main(words: Sequence[str]) -> int:
    """Serve requests until the input closes, or check one model file."""
    parser = argparse.ArgumentParser(prog="walkaround worker", description="run the detection of a service")
    parser.add_argument("--check", type=Path, help="check this model file, print what it is, and end")
    parser.add_argument("--kind", choices=[kind.value for kind in ModelKind], help="the kind, when checking")
    parser.add_argument("--settings", default="{}", help="settings of the model as JSON, when checking")
    parser.add_argument("--classes", type=int, default=0, help="the number of labels given, when checking")
    options = parser.parse_args(words[1:])
    # As for the service: what is written is for its account, and for nobody else.
    os.umask(0o077)
    _step_back()
    if options.check is not None:
        return _check(options.check, options.kind, json.loads(options.settings), options.classes)
    # Whatever a library prints must not end up among the messages.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _serve(sys.stdin.buffer, answers)
    # The thread that reads may stand in a read that never returns.
    os._exit(0)


def _step_back() -> None:
    """Let the window and the requests go first, and this process end first when memory runs out (Linux)."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.nice(5)
    if sys.platform != "linux":
        return
    import resource

    # A container may forbid the one, and the other still holds.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("900", "ascii")
    most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(
        resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
    )


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    from service.detection.compute.computer import Computer

    with Computer() as computer:
        _answer(computer, requests, answers)


def _answer(computer: Computer, requests: BinaryIO, answers: BinaryIO) -> None:
    from service.detection.compute.place_search import to_places_request
    from service.detection.compute.request import to_request

    frames.send(answers, {"event": "ready", "pid": os.getpid()})
    waiting: SimpleQueue[dict[str, Any] | None] = SimpleQueue()

    def read() -> None:
        while True:
            try:
                words = frames.receive(requests)
            except frames.Closed:
                waiting.put(None)
                return
            if "next" in words:
                computer.read_ahead(to_request(words["next"]))
            else:
                waiting.put(words)

    threading.Thread(target=read, name="requests", daemon=True).start()
    while (words := waiting.get()) is not None:
        try:
            answer: Answer
            if "match" in words:
                answer = {"event": "matched", "places": computer.places(to_places_request(words["match"]))}
            else:
                finished = computer.run(
                    to_request(words),
                    lambda percent: frames.send(answers, {"event": "progress", "percent": percent}),
                )
                answer = finished.answer()
        except DetectionFailed as failed:
            answer = {"event": "failed", "error": failed.code}
        except BrokenPipeError:
            return
        # Anything else is a fault of ours or of a library: the job fails, the process goes on.
        except Exception as error:
            print(f"detection failed: {type(error).__name__}: {str(error)!r}", file=sys.stderr, flush=True)
            answer = {"event": "failed", "error": "internal"}
        frames.send(answers, {**answer})


def _check(path: Path, kind: str | None, given: dict[str, Any], classes: int) -> int:
    from service.detection.onnx.check import check

    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_CHECK_BYTES, _CHECK_BYTES))
    try:
        checked = check(path, None if kind is None else ModelKind(kind), given, classes)
    except BadModel as bad:
        print(json.dumps({"error": bad.code, "kinds": bad.kinds}))
        return 1
    except MemoryError:
        print(json.dumps({"error": "dry_run_failed", "kinds": []}))
        return 1
    settings = checked.settings.model_dump()
    print(json.dumps({"kind": checked.kind, "labels": checked.labels, "settings": settings}))
    return 0
