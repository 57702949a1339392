"""Sends and receives frames between the service and a child process.

A frame consists of two lengths of four bytes, a JSON object, and raw bytes such as a picture or an embedding.
Unlike a pickle, a frame contains nothing that is executed: a picture that takes over a child process cannot
take over the service.

Answers the service's requests inside a child process, until the service closes the input or ends.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import IO, Any, Final, NamedTuple, NoReturn

from service.exception_trace import trace_of
from service.workers.limits import return_free_memory

_LENGTHS: Final = struct.Struct(">II")
MAX_BYTES: Final = 64 * 2**20
"""The maximum length of the JSON object, and of the raw bytes, of a frame."""

PROGRESS: Final = "progress"
"""The key of a message with the progress of a request in percent."""


class Frame(NamedTuple):
    """A JSON object and the raw bytes that belong to it."""

    message: dict[str, Any]
    payload: bytes = b""


class StreamClosedError(EOFError):
    """The other side has closed, or sent something that is not a frame."""


class FrameTooLarge(ValueError):  # noqa: N818 - says what is wrong with it
    """Raised for a frame that the other side would refuse."""


def encode_head(frame: Frame) -> bytes:
    """Return the bytes of a frame before its payload. Raises FrameTooLarge."""
    text = json.dumps(frame.message).encode()
    if max(len(text), len(frame.payload)) > MAX_BYTES:
        raise FrameTooLarge("a frame is longer than the other side takes")
    return _LENGTHS.pack(len(text), len(frame.payload)) + text


def send(stream: IO[bytes], frame: Frame) -> None:
    """Write one frame. Raises OSError if the other side has ended, FrameTooLarge before writing anything."""
    stream.write(encode_head(frame))
    stream.write(frame.payload)
    stream.flush()


def receive(stream: IO[bytes]) -> Frame:
    """Read one frame. Raises StreamClosedError."""
    text_length, payload_length = _LENGTHS.unpack(_read_exactly(stream, _LENGTHS.size))
    if max(text_length, payload_length) > MAX_BYTES:
        raise StreamClosedError("a frame is too long")
    try:
        message = json.loads(_read_exactly(stream, text_length))
    except (ValueError, RecursionError) as error:
        raise StreamClosedError("a frame is not JSON") from error
    if not isinstance(message, dict):
        raise StreamClosedError("a frame is not a JSON object")
    return Frame(message, _read_exactly(stream, payload_length))


def _read_exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) != count:
        raise StreamClosedError("the other side has ended")
    return data


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
                frame = receive(sys.stdin.buffer)
                if is_hint is None or not is_hint(frame):
                    requests.put(frame)
        except StreamClosedError:
            # Exit at once: nobody waits for the answer, and a decoder that hangs would never end.
            os._exit(0)
        except BaseException as problem:
            _crash(problem)

    def reply(frame: Frame) -> None:
        try:
            send(answers, frame)
        except OSError:
            os._exit(0)

    threading.Thread(target=read_frames, name="requests", daemon=True).start()
    try:
        while True:
            reply(answer(next_request(requests, forget), lambda percent: reply(Frame({PROGRESS: percent}))))
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
