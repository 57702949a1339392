"""Finds what photos add to the memory of a region, in a process of its own: `walkaround worker --variations`.

It works beside the detections and after them: it gives way to everything else on the machine.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from service.detection.compute.worker import parts_of, step_back
from service.detection.failure import DetectionFailed
from service.detection.messages import Answer
from service.workers.frames import Frame
from service.workers.serving import serve
from shared.geometry import Rect

if TYPE_CHECKING:
    from service.detection.compute.computer import Computer


def main() -> None:
    """Answer what photos add, and where memories disagree, until the input closes."""
    step_back()
    from service.detection.compute.computer import Computer

    with Computer() as computer:
        serve(lambda frame, _report: _answer(computer, frame))


def _answer(computer: Computer, frame: Frame) -> Frame:
    """The answer to `{"request": REQUEST, ...}`.

    With `known`, sizes of memories in the payload: where these disagree. With `key`, `order`, `kind`,
    `judged` and `without`: what the photo adds (`Computer.memory_of`), in the format of `variation.serial` as
    the payload.
    """
    from service.detection.compute.request import to_request
    from service.detection.reference_difference.variation.serial import to_bytes
    from shared.wire.memory import MemoryKind

    message: dict[str, Any] = frame.message
    answer: Answer
    try:
        request = to_request(message["request"])
        if "known" in message:
            places = computer.disagreements(request, parts_of(frame.payload, message["known"]))
            answer = {"event": "disagreeing", "places": places}
            return Frame({**answer})
        memory = computer.memory_of(
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
    # Anything else is a fault of ours or of a library: the photo adds nothing, the process goes on.
    except Exception as error:
        print(
            f"a photo could not be compared: {type(error).__name__}: {str(error)!r}",
            file=sys.stderr,
            flush=True,
        )
        answer = {"event": "failed", "error": "internal"}
    return Frame({**answer})
