"""Cuts pictures into tiles in a process with limits: `walkaround worker --tiles`.

Pictures come from anyone, and a decoder may crash, hang or take all memory.
"""

from __future__ import annotations

import os
import shutil
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from service.workers.frames import Frame, Report, serve
from service.workers.limits import limit_memory, lower_priority
from shared.images.tiles import DZSAVE_OPTIONS

ARCHIVE_NAME = "made.zip"
"""The name of the file with the tiles, in the folder of the request."""

_MAX_MEMORY_BYTES = 2 * 2**30
_MIN_FREE_BYTES = 64 * 2**20


class Outcome(StrEnum):
    """The outcome of cutting a picture."""

    DONE = "done"
    BROKEN = "broken"
    """The picture cannot be decoded completely."""
    FULL = "full"
    """The disk has no room for the tiles."""


class CutRequest(NamedTuple):
    """A request to cut the picture at `path` (upright `width` x `height` px) into `folder` / `ARCHIVE_NAME`.

    The paths are absolute.
    """

    path: str
    width: int
    height: int
    folder: str


def to_outcome(answer: Frame) -> Outcome | None:
    """Return the outcome in an answer; None if it has no valid one."""
    try:
        return Outcome(answer.message["outcome"])
    except (KeyError, ValueError):
        return None


def main() -> None:
    """Answer the service's requests until it closes the input."""
    limit_memory(_MAX_MEMORY_BYTES)
    # Requests and detections have priority.
    lower_priority()
    serve(
        lambda frame, report: Frame({"outcome": _cut(CutRequest(**frame.message), report)}),
        discard_prints=True,
    )


def _cut(request: CutRequest, report: Report) -> Outcome:
    # Imported here because the service, which imports the messages, starts sooner without libvips.
    import pyvips

    from service.files.images import BadImageError, open_upright

    folder = Path(request.folder)
    # A rotated picture is unpacked into a temporary file, which must be deleted with the folder.
    for name in ("TMPDIR", "TMP", "TEMP"):
        os.environ[name] = request.folder
    try:
        image = open_upright(Path(request.path))
        if (image.width, image.height) != (request.width, request.height):
            raise BadImageError("the size is not the one that was stored")
        _report(image, report)
        image.dzsave(str(folder / ARCHIVE_NAME), **DZSAVE_OPTIONS)
    except (BadImageError, pyvips.Error):
        return Outcome.FULL if shutil.disk_usage(folder).free < _MIN_FREE_BYTES else Outcome.BROKEN
    return Outcome.DONE


def _report(image: Any, report: Report) -> None:
    reported = -1

    def report_percent(_image: Any, state: Any) -> None:
        nonlocal reported
        if state.percent != reported:
            reported = int(state.percent)
            report(reported)

    image.set_progress(True)
    image.signal_connect("eval", report_percent)
