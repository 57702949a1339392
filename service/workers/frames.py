"""Sends and receives frames between the service and a child process.

A frame is two lengths of four bytes, then a JSON object, then raw bytes: a picture or an embedding goes as it
is. Nothing in a frame is ever executed, as a pickle would be: a picture that takes over a child process does
not reach the service.
"""

from __future__ import annotations

import json
import struct
from typing import IO, Any, Final, NamedTuple

_LENGTHS: Final = struct.Struct(">II")
MOST_BYTES: Final = 64 * 2**20
"""Longest JSON object, and longest raw bytes, of a frame."""

PROGRESS: Final = "progress"
"""The key of a message that says how many percent of a request are done."""


class Frame(NamedTuple):
    """A JSON object, and raw bytes that belong to it."""

    message: dict[str, Any]
    payload: bytes = b""


class Closed(EOFError):  # noqa: N818 - the other side has ended
    """The other side has closed, or sent something that is not a frame."""


class FrameTooLarge(ValueError):  # noqa: N818 - says what is wrong with it
    """A frame that the other side would not take."""


def encoded(frame: Frame) -> bytes:
    """The head of a frame, which its payload follows. Raises FrameTooLarge."""
    text = json.dumps(frame.message).encode()
    if max(len(text), len(frame.payload)) > MOST_BYTES:
        raise FrameTooLarge("a frame is longer than the other side takes")
    return _LENGTHS.pack(len(text), len(frame.payload)) + text


def send(stream: IO[bytes], frame: Frame) -> None:
    """Write one frame. Raises OSError when the other side has gone; FrameTooLarge, with nothing written."""
    stream.write(encoded(frame))
    stream.write(frame.payload)
    stream.flush()


def receive(stream: IO[bytes]) -> Frame:
    """Read one frame. Raises Closed."""
    text_length, payload_length = _LENGTHS.unpack(_exactly(stream, _LENGTHS.size))
    if max(text_length, payload_length) > MOST_BYTES:
        raise Closed("longer than a frame can be")
    try:
        message = json.loads(_exactly(stream, text_length))
    except (ValueError, RecursionError) as error:
        raise Closed("not JSON") from error
    if not isinstance(message, dict):
        raise Closed("not an object")
    return Frame(message, _exactly(stream, payload_length))


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) != count:
        raise Closed("the other side has gone")
    return data
