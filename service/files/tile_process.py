"""Cuts one picture into tiles in a process with limits, since pictures are not trusted. Pictures come from
anyone: here they have limits."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pyvips

from service.files.images import BadImage, open_upright
from shared.images.tiles import SAVE

MADE = "made.zip"
BROKEN = "broken"
"""Sent when the picture cannot be read to its end."""
FULL = "full"
"""Sent when the disk has no room for the tiles."""
DONE = "done"

_MEMORY = 2 * 2**30
_LEAST_FREE = 64 * 2**20


def cut(pipe: Connection, path: Path, mime_type: str, size: tuple[int, int], folder: Path) -> None:
    """Write the tiles of the picture at `path` (upright `size` px) to `folder` / `MADE`.

    Sends how many percent are done, then DONE, BROKEN or FULL.
    """
    # Ctrl+C reaches the whole group; the service then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _bound(folder)
    # Decoders write about broken pictures to stderr, which is the service's log: no sender may fill it.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        image = open_upright(path, mime_type)
        if (image.width, image.height) != size:
            raise BadImage("the size is not the one that was stored")
        _report(image, pipe)
        image.dzsave(str(folder / MADE), **SAVE)
    except (BadImage, pyvips.Error):
        pipe.send(FULL if shutil.disk_usage(folder).free < _LEAST_FREE else BROKEN)
    else:
        pipe.send(DONE)


def _bound(folder: Path) -> None:
    # A turned picture is unpacked into a temporary file, which then goes with the folder.
    for name in ("TMPDIR", "TMP", "TEMP"):
        os.environ[name] = str(folder)
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
        # Requests and detection go first.
        with contextlib.suppress(OSError):
            os.nice(10)


def _report(image: Any, pipe: Connection) -> None:
    seen = -1

    def report(_image: Any, state: Any) -> None:
        nonlocal seen
        if state.percent != seen:
            seen = int(state.percent)
            try:
                pipe.send(seen)
            except OSError:
                # The service is gone, so no client waits for the tiles.
                os._exit(1)

    image.set_progress(True)
    image.signal_connect("eval", report)
