"""Computes the memories of single photos in a separate process: `walkaround worker --variations`.

The process has the lowest priority, so detections and all else on the machine go first.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from service.detection.compute.worker import split_payload, yield_to_others
from service.detection.failure import DetectionFailed
from service.detection.messages import Answer
from service.workers.frames import Frame, serve
from shared.record.geometry import Rect

if TYPE_CHECKING:
    from service.detection.compute.computer import Computer


def main() -> None:
    """Answer with memories of photos and with what memories say of their region, until the input closes."""
    yield_to_others()
    from service.detection.compute.computer import Computer

    with Computer() as computer:
        serve(lambda frame, _report: _answer(computer, frame), forget=computer.forget_pictures)


def _answer(computer: Computer, frame: Frame) -> Frame:
    """The answer to `{"request": REQUEST, ...}`.

    With `known`, the sizes of memories in the payload, it has what these say (`Computer.learn`). With `key`,
    `order`, `kind`, `judged` and `without` its payload is the memory of the photo (`Computer.photo_memory`)
    in the format of `variation.serial`.
    """
    from service.detection.messages import to_request
    from service.detection.reference_difference.variation.serial import to_bytes
    from shared.wire.memory import MemoryKind

    message: dict[str, Any] = frame.message
    answer: Answer
    try:
        request = to_request(message["request"])
        if "known" in message:
            places, place = computer.learn(request, split_payload(frame.payload, message["known"]))
            answer = {"event": "learned", "disagreements": places, "place": place}
            return Frame({**answer})
        memory = computer.photo_memory(
            request,
            message["key"],
            message["order"],
            MemoryKind(message["kind"]),
            [Rect(*rect) for rect in message["judged"]],
            [Rect(*rect) for rect in message["without"]],
        )
        answer = {"event": "varied", "differences": sum(len(photo.appearances) for photo in memory.photos)}
        return Frame({**answer}, to_bytes(memory))
    except DetectionFailed as failed:
        answer = {"event": "failed", "error": failed.code}
    # Any other exception is a fault of this program or of a library: the photo is left out, the process
    # continues.
    except Exception as error:
        print(
            f"a photo could not be compared: {type(error).__name__}: {str(error)!r}",
            file=sys.stderr,
            flush=True,
        )
        answer = {"event": "failed", "error": "internal"}
    return Frame({**answer})
