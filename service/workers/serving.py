"""Answers the service's requests inside a child process, until the service closes the input or ends."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import NoReturn

from service.exception_trace import trace_of
from service.workers import frames
from service.workers.frames import PROGRESS, Frame
from service.workers.limits import return_free_memory

Report = Callable[[int], None]
"""Reports the progress of a request in percent."""

Answer = Callable[[Frame, Report], Frame]

IDLE_SECONDS = 60.0
"""After this time without a request, a child process gives its memory back."""


def serve(
    answer: Answer,
    is_hint: Callable[[Frame], bool] | None = None,
    *,
    forget: Callable[[], None] = lambda: None,
    discard_prints: bool = False,
) -> NoReturn:
    """Answer requests one after the other, then end the process.

    `is_hint` is called with every frame on another thread, also during a request; a frame for which it
    returns True is not a request. After `IDLE_SECONDS` without a request, `forget` drops what can be made
    again. `discard_prints` discards everything that the process prints. An exception of `answer` ends the
    process, which the service sees as a crash.
    """
    # Like the service: only its account may read the files that it writes.
    os.umask(0o077)
    # Ctrl+C reaches the whole process group; the service then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The output of libraries must not get between the frames.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    if discard_prints:
        discard_output()
    requests: SimpleQueue[Frame] = SimpleQueue()

    def read_frames() -> None:
        try:
            while True:
                frame = frames.receive(sys.stdin.buffer)
                if is_hint is None or not is_hint(frame):
                    requests.put(frame)
        except frames.StreamClosedError:
            # Exit at once: nobody waits for the answer, and a decoder that hangs would never end.
            os._exit(0)
        except BaseException as problem:
            _crash(problem)

    def send(frame: Frame) -> None:
        try:
            frames.send(answers, frame)
        except OSError:
            os._exit(0)

    threading.Thread(target=read_frames, name="requests", daemon=True).start()
    try:
        while True:
            send(answer(next_request(requests, forget), lambda percent: send(Frame({PROGRESS: percent}))))
    except BaseException as problem:
        _crash(problem)


def next_request(requests: SimpleQueue[Frame], forget: Callable[[], None]) -> Frame:
    """Wait for the next request, in little memory if it takes long."""
    try:
        return requests.get(timeout=IDLE_SECONDS)
    except Empty:
        forget()
        return_free_memory()
        return requests.get()


def _crash(problem: BaseException) -> NoReturn:
    print(f"a child process ends: {trace_of(problem)}", file=sys.stderr, flush=True)
    # Not sys.exit, which would wait for the other thread in a read that does not return.
    os._exit(1)


def discard_output() -> None:
    """Discard everything that this process prints from now on.

    Decoders report broken files on stderr, which is the service's log; senders of files must not fill it.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.dup2(nowhere, sys.stderr.fileno())
    os.close(nowhere)
