"""Checks in a process with limits whether a film can be opened: `walkaround worker --films`.

Films come from anyone, and a decoder may crash, hang or take all memory.
"""

from __future__ import annotations

from pathlib import Path

from service.workers.child import Child, ProcessDied
from service.workers.frames import Frame, serve
from service.workers.limits import limit_memory, lower_priority
from shared.system.paths import program_command

_MAX_MEMORY_BYTES = 3 * 2**30
"""A frame of 8192 px takes 200 MB, and decoders hold several."""
_SECONDS = 60.0
_ANSWER = "opens"


def opens(path: Path) -> bool:
    """Whether the file is a film in MP4, MOV or AVI whose first frame can be decoded. Blocks.

    Starts a process of its own; a film that it does not answer for within 60 s cannot be opened.
    """
    child = Child(program_command("worker", "--films"))
    try:
        return bool(child.ask({"path": str(path.absolute())}, _SECONDS).message.get(_ANSWER))
    except ProcessDied:
        return False
    finally:
        child.close()


def main() -> None:
    """Answer the service's requests until it closes the input."""
    limit_memory(_MAX_MEMORY_BYTES)
    lower_priority()
    serve(
        lambda frame, _report: Frame({_ANSWER: _opens(Path(frame.message["path"]))}),
        discard_prints=True,
    )


def _opens(path: Path) -> bool:
    # The service itself does without OpenCV.
    from shared.images.films import is_within_limits, open_capture, read_frame, read_type

    capture = open_capture(path) if read_type(path) is not None else None
    if capture is None:
        return False
    try:
        return is_within_limits(capture) and read_frame(capture) is not None
    finally:
        capture.release()
