"""Filling a record without items: from the template of its reference image, or as in the last inspection."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from desktop.client import RecordFilter, Session
from desktop.pages.sentences import sentence
from desktop.pages.workbench.bench import Bench
from desktop.workers import run
from shared.wire.inspection import Item

_LOOK_BACK = 20


class NoEarlierError(Exception):
    """No earlier record of the same reference image has items."""


class Starting(QObject):
    """Asks the service to fill the open record."""

    filled = Signal()
    """The record has items now."""
    said = Signal(str)
    """Why it could not be filled."""

    def __init__(self, bench: Bench, parent: QObject) -> None:
        super().__init__(parent)
        self._bench = bench

    def from_template(self) -> None:
        """Take the regions that are kept with the reference image."""
        self._run(_from_template)

    def from_last(self) -> None:
        """Take the items of the newest other record of the same reference image."""
        self._run(_from_last)

    def _run(self, function: Callable[[Session, str], Sequence[Item]]) -> None:
        run(
            function,
            self._bench.context.session,
            self._bench.record_id,
            owner=self,
            done=lambda _: self.filled.emit(),
            failed=self._failed,
        )

    def _failed(self, error: Exception) -> None:
        if isinstance(error, NoEarlierError):
            self.said.emit(self.tr("There is no earlier inspection of this reference image."))
        else:
            self.said.emit(sentence(error))


def _from_template(session: Session, record_id: str) -> Sequence[Item]:
    return session.items.from_template(record_id)


def _from_last(session: Session, record_id: str) -> Sequence[Item]:
    record = session.records.get(record_id).value
    if record.reference_image_id is not None:
        where = RecordFilter(reference_image_id=record.reference_image_id)
        for other in session.records.search(where, 1, _LOOK_BACK).data:
            if other.inspection_id == record_id:
                continue
            if session.items.list(other.inspection_id, 1, 1).pagination.total:
                return session.items.from_record(record_id, other.inspection_id)
    raise NoEarlierError
