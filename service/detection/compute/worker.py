"""Runs the compute process, `walkaround worker`, which the service starts and feeds by standard streams.

It has no database and no secrets. It reads the files that a request names, answers with findings, and ends
when its input closes, that is when the service has ended
(ADR 0020).

A message `{"next": REQUEST}` announces a request: its photo is decoded while the present request runs.
`{"match": REQUEST}` requests the regions that a photo shows. A request with the key `known` has memories of
the region as its payload, one after another; `known` lists their sizes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from service.detection.failure import DetectionFailed
from service.detection.messages import Answer
from service.workers.frames import Frame, Report, serve
from service.workers.limits import end_first, limit_memory, lower_priority, physical_memory

if TYPE_CHECKING:
    from service.detection.compute.computer import Computer


def main() -> None:
    """Answer detections and matches until the input closes."""
    yield_to_others()
    from service.detection.compute.computer import Computer
    from service.detection.messages import to_request

    with Computer() as computer:

        def prepare_next(frame: Frame) -> bool:
            if "next" not in frame.message:
                return False
            computer.read_ahead(to_request(frame.message["next"]))
            return True

        serve(
            lambda request, report: Frame({**_answer(computer, request, report)}),
            prepare_next,
            forget=computer.forget_pictures,
        )


def yield_to_others() -> None:
    """Give the window and the requests priority, and end this process first if memory runs out."""
    lower_priority()
    end_first()
    limit_memory(physical_memory() * 3 // 4)


def split_payload(payload: bytes, sizes: Sequence[int]) -> list[bytes]:
    """The parts of a payload, which have these sizes in bytes."""
    ends = list(accumulate(sizes))
    return [payload[end - size : end] for end, size in zip(ends, sizes, strict=True)]


def _answer(computer: Computer, frame: Frame, report: Report) -> Answer:
    from service.detection.messages import to_places_request, to_request

    message: dict[str, Any] = dict(frame.message)
    contents = split_payload(frame.payload, message.pop("known", ()))
    try:
        if "match" in message:
            return {"event": "matched", "places": computer.places(to_places_request(message["match"]))}
        return computer.run(to_request(message), report, contents=contents).answer()
    except DetectionFailed as failed:
        return {"event": "failed", "error": failed.code}
    # Any other exception is a fault of this program or of a library: the job fails, the process continues.
    except Exception as error:
        print(f"detection failed: {type(error).__name__}: {str(error)!r}", file=sys.stderr, flush=True)
        return {"event": "failed", "error": "internal"}
