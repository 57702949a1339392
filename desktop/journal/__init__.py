"""Stores edits in one append-only file, which serves undo, redo, autosave, recovery and the send queue.

Start with ``Journal.open(path)``. Plain Python, no Qt.
"""

from desktop.journal.edits import DraftHistory, DraftStep, Edit, EditKind, JournalBusyError, JournalError
from desktop.journal.journal import Journal
from desktop.journal.state import Conflict

__all__ = [
    "Conflict",
    "DraftHistory",
    "DraftStep",
    "Edit",
    "EditKind",
    "Journal",
    "JournalBusyError",
    "JournalError",
]
