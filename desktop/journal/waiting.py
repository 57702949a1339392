"""Counts the edits of a journal that wait to be sent, without opening it: another program may hold it."""

from __future__ import annotations

import contextlib
from pathlib import Path

from desktop.journal import line_format
from desktop.journal.state import JournalState


def waiting_edits(path: Path) -> int:
    """How many edits of the journal at `path` the service does not have yet; 0 when it cannot be read."""
    try:
        contents = line_format.decode(path.read_bytes())
    except OSError:
        return 0
    state = JournalState()
    for value in contents.values:
        with contextlib.suppress(KeyError, IndexError, TypeError, ValueError):
            state.apply(value)
    return len(state.queue)
