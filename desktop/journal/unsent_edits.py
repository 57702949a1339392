"""Counts the unsent edits of a journal without opening it, because another program may have it open."""

from __future__ import annotations

import contextlib
from pathlib import Path

from desktop.journal import line_format
from desktop.journal.state import JournalState


def count_unsent_edits(path: Path) -> int:
    """The number of unsent edits in the journal at `path`; 0 when it cannot be read."""
    try:
        contents = line_format.decode(path.read_bytes())
    except OSError:
        return 0
    state = JournalState()
    for value in contents.values:
        with contextlib.suppress(KeyError, IndexError, TypeError, ValueError):
            state.apply(value)
    return len(state.queue)
