"""Keeps edits that the service has until the window has their response. No Qt."""

from __future__ import annotations

import threading

from desktop.journal import Edit, Journal
from desktop.journal.edits import join_edits


class UnshownEdits:
    """The edits that were sent but whose response has not reached the window.

    The thread that sends acknowledges an edit before the window gets the response. An item that is rebuilt in
    between would show its state from before the edit. So these edits count as unsent until the response
    arrives. The methods may be called from any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._edits: dict[str, Edit] = {}

    def acknowledge(
        self, journal: Journal, edit: Edit, etag: str | None = None, service_id: str | None = None
    ) -> None:
        """Acknowledge `edit` in the journal (see `Journal.acknowledge`) and keep it until `forget`."""
        with self._lock:
            journal.acknowledge(edit.id, etag, service_id)
            self._edits[edit.id] = edit

    def forget(self, edit_id: str) -> None:
        """Forget an edit because the window has its response. An unknown id is ignored."""
        with self._lock:
            self._edits.pop(edit_id, None)

    def clear(self) -> None:
        """Forget all edits because no response is expected."""
        with self._lock:
            self._edits.clear()

    def has_pending(self, journal: Journal) -> bool:
        """Whether one of these edits or a pending edit of the journal exists."""
        with self._lock:
            return bool(self._edits) or journal.first_pending_edit() is not None

    def count(self, journal: Journal) -> int:
        """The number of these edits and of the unsent ones in the journal."""
        with self._lock:
            return len(self._edits) + journal.unsent_count()

    def with_unsent(self, journal: Journal) -> list[Edit]:
        """These edits and the unsent ones in the journal, oldest first and joined."""
        with self._lock:
            return join_edits([*self._edits.values(), *journal.unsent_edits()])

    def with_unsent_of(self, journal: Journal, object_id: str) -> list[Edit]:
        """The edits of one object that `with_unsent` contains."""
        with self._lock:
            edits = [edit for edit in self._edits.values() if edit.object_id == object_id]
            return join_edits([*edits, *journal.unsent_edits_of(object_id)])
