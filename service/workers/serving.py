"""Answers the service's requests inside a child process, until the service closes its input or is gone."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import NoReturn

from service.exception_trace import trace_of
from service.workers import frames
from service.workers.frames import PROGRESS, Frame

Report = Callable[[int], None]
"""Says how many percent of a request are done."""

Answer = Callable[[Frame, Report], Frame]


def serve(
    answer: Answer, is_hint: Callable[[Frame], bool] | None = None, *, silent: bool = False
) -> NoReturn:
    """Answer requests one after the other, then end the process.

    `is_hint` sees every frame as it arrives, on another thread, also while a request is answered; a frame
    that it says yes to is not a request. `silent` drops what is printed. An exception of `answer` ends the
    process, which is a crash for the service.
    """
    # As for the service: what is written is for its account alone.
    os.umask(0o077)
    # Ctrl+C reaches the whole group; the service then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Whatever a library prints must not end up among the frames.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    if silent:
        silence()
    waiting: SimpleQueue[Frame] = SimpleQueue()

    def read() -> None:
        try:
            while True:
                frame = frames.receive(sys.stdin.buffer)
                if is_hint is None or not is_hint(frame):
                    waiting.put(frame)
        except frames.Closed:
            # At once: no one waits for the answer, and a decoder that hangs would never end.
            os._exit(0)
        except BaseException as problem:
            _crash(problem)

    def send(frame: Frame) -> None:
        try:
            frames.send(answers, frame)
        except OSError:
            os._exit(0)

    threading.Thread(target=read, name="requests", daemon=True).start()
    try:
        while True:
            send(answer(waiting.get(), lambda percent: send(Frame({PROGRESS: percent}))))
    except BaseException as problem:
        _crash(problem)


def _crash(problem: BaseException) -> NoReturn:
    print(f"a child process ends: {trace_of(problem)}", file=sys.stderr, flush=True)
    # Not sys.exit, which would wait for the other thread in a read that does not return.
    os._exit(1)


def silence() -> None:
    """Drop what is printed from here on.

    Decoders write about broken files to stderr, which is the service's log: no sender may fill it.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.dup2(nowhere, sys.stderr.fileno())
    os.close(nowhere)
