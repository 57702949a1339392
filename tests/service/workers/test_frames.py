"""Tests that frames arrive unchanged, and that other bytes are not read as frames."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.workers import frames
from service.workers.frames import Frame, FrameTooLarge, StreamClosedError

pytestmark = pytest.mark.slow

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
FRAMES = st.builds(Frame, st.dictionaries(st.text(), VALUES), st.binary())


def write_frames(*sent: Frame) -> bytes:
    stream = io.BytesIO()
    for frame in sent:
        frames.send(stream, frame)
    return stream.getvalue()


@given(st.lists(FRAMES, max_size=3))
def test_frames_arrive_in_order_and_unchanged(sent: list[Frame]) -> None:
    stream = io.BytesIO(write_frames(*sent))
    assert [frames.receive(stream) for _ in sent] == sent
    with pytest.raises(StreamClosedError):
        frames.receive(stream)


@given(FRAMES, st.data())
def test_incomplete_frame_is_an_end(frame: Frame, data: st.DataObject) -> None:
    whole = write_frames(frame)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(StreamClosedError):
        frames.receive(io.BytesIO(whole[:cut]))


@given(st.binary(max_size=200))
def test_all_bytes_are_read_as_a_frame_or_an_end(noise: bytes) -> None:
    try:
        frame = frames.receive(io.BytesIO(noise))
    except StreamClosedError:
        return
    assert isinstance(frame.message, dict)


@pytest.mark.parametrize("text", [b"", b"{", b"[1]", b"null", b"\xff", b"[" * 100_000])
def test_frame_that_is_not_a_json_object_ends_the_stream(text: bytes) -> None:
    with pytest.raises(StreamClosedError):
        frames.receive(io.BytesIO(struct.pack(">II", len(text), 0) + text))


class GreedyReader(io.BytesIO):
    """Records the largest number of bytes that was read at once."""

    most = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.most = max(self.most, size or 0)
        return super().read(size)


@pytest.mark.parametrize("lengths", [(frames.MAX_BYTES + 1, 0), (2, frames.MAX_BYTES + 1), (2**32 - 1, 0)])
def test_too_long_frame_is_refused_before_it_is_read(lengths: tuple[int, int]) -> None:
    stream = GreedyReader(struct.pack(">II", *lengths) + b"{}")
    with pytest.raises(StreamClosedError):
        frames.receive(stream)
    assert stream.most <= 8


@pytest.mark.parametrize("frame", [Frame({}, b"x" * 101), Frame({"a": "x" * 101})])
def test_too_long_frame_is_not_sent(frame: Frame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_BYTES", 100)
    stream = io.BytesIO()
    with pytest.raises(FrameTooLarge):
        frames.send(stream, frame)
    assert stream.getvalue() == b""
    frames.send(stream, Frame({}, b"x" * 100))


def test_raw_bytes_are_sent_unchanged() -> None:
    picture = bytes(range(256)) * 10
    head = json.dumps({"picture": True}).encode()
    written = struct.pack(">II", len(head), 2560) + head + picture
    assert write_frames(Frame({"picture": True}, picture)) == written
