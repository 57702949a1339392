"""Sends and receives messages between service and compute process: four bytes of length, then JSON."""

from __future__ import annotations

import json
import struct
from typing import IO, Any, Final

_LENGTH: Final = struct.Struct(">I")
MOST_BYTES: Final = 64 * 2**20


class Closed(EOFError):  # noqa: N818 - the other side has ended
    """The other side has closed, or sent something that is not a message."""


def send(stream: IO[bytes], message: dict[str, Any]) -> None:
    """Write one message. Raises OSError when the other side has gone."""
    data = json.dumps(message).encode()
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> dict[str, Any]:
    """Read one message. Raises Closed."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    if length > MOST_BYTES:
        raise Closed("a message of that length is none")
    try:
        message = json.loads(_exactly(stream, length))
    except ValueError as error:
        raise Closed("not JSON") from error
    if not isinstance(message, dict):
        raise Closed("not an object")
    return message


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) != count:
        raise Closed("the other side has gone")
    return data
