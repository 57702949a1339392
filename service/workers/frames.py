"""Sends and receives frames between the service and a child process.

A frame consists of two lengths of four bytes, a JSON object, and raw bytes such as a picture or an embedding.
Unlike a pickle, a frame contains nothing that is executed: a picture that takes over a child process cannot
take over the service.
"""

from __future__ import annotations

import json
import struct
from typing import IO, Any, Final, NamedTuple

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
    """Read one frame. Raises Closed."""
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
