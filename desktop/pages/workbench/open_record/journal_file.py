"""Opens and closes the journal file of an account."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import platformdirs

from desktop.journal import Journal, JournalError
from desktop.user_folders import APP

_log = logging.getLogger(__name__)

_COMPACT_BYTES = 4_000_000


def journal_path(user_id: str) -> Path:
    """The path of an account's journal, in the user's data folder."""
    name = re.sub(r"[^A-Za-z0-9-]", "_", user_id)
    return Path(platformdirs.user_data_dir(APP, appauthor=False)) / "journal" / f"{name}.journal"


def open_journal(path: Path) -> Journal:
    """Open the journal at `path`, and compact it if it is large. Raises JournalError."""
    journal = Journal.open(path)
    if path.stat().st_size > _COMPACT_BYTES:
        try:
            journal.compact()
        except JournalError as error:
            # The disk is full. The journal works without being compacted.
            _log.warning("%s", error)
    return journal


def close_journal(journal: Journal) -> None:
    """Close the journal. If its last line cannot be written, the next start treats the end as a crash."""
    try:
        journal.close()
    except JournalError as error:
        _log.warning("%s", error)


def discard_pending(journal: Journal) -> None:
    """Discard all edits that can be sent. Raises JournalError."""
    while pending := journal.pending_edits():
        journal.conflict(pending[0].id, {})
        journal.resolve(pending[0].id, {})
