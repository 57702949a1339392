"""Applies other users' changes of the open record as they happen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.background.workers import ProgressReport, run
from desktop.client import Session
from desktop.client.http.errors import NotFound
from desktop.pages.common.change_listener import ChangeListener
from desktop.pages.workbench.open_record.open_record import OpenRecord
from desktop.pages.workbench.sync.outbox import SendResult
from shared.codes import ErrorCode
from shared.wire.events import ChangeEvent
from shared.wire.inspection import Item, Record
from shared.wire.seal import RecordSeal

_GATHER_MS = 150
_AT_ONCE = 50


class LiveChanges(QObject):
    """Listens while the workbench is in front, and brings what changed into the document.

    `reload` reads the whole record again; `photos_changed` gets the id of an item whose photos changed.
    """

    recordChanged = Signal()  # noqa: N815 - a Qt signal
    """Something of the record itself changed, or anything may have."""

    def __init__(
        self,
        open_record: OpenRecord,
        reload: Callable[[], None],
        photos_changed: Callable[[str], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._open_record, self._reload, self._photos_changed = open_record, reload, photos_changed
        self._listener = ChangeListener(open_record.context, self)
        self._listener.heard.connect(self._news)
        self._items: set[str] = set()
        self._created: set[str] = set()
        self._all = False
        self._record = False
        self._gather = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._gather.timeout.connect(self._fetch)
        open_record.edits.answered.connect(self._answered)
        open_record.context.closing.connect(self.stop)

    def start(self) -> None:
        """Start listening, unless already listening."""
        self._listener.start()

    def stop(self) -> None:
        """Stop listening."""
        self._listener.stop()
        self._gather.stop()

    def _answered(self, sent: SendResult) -> None:
        """An edit met a seal that was not known here: look how the record stands."""
        sealed = sent.refused is not None and sent.refused.code == ErrorCode.RECORD_SEALED
        if sealed and sent.edit.record_id == self._open_record.record_id and not self._open_record.sealed:
            self._record = True
            self._gather.start()

    def _news(self, event: ChangeEvent | None) -> None:
        if event is None:
            self._all = True
        elif event.kind == "record" and event.object_id == self._open_record.record_id:
            self._record = True
            self._all = self._all or event.action == "add_items"
        elif event.kind == "item" and event.object_id is not None:
            known = self._known(event.object_id)
            if event.action == "create":
                # What was made here is known from the answer, which may come after the event.
                if not known:
                    self._items.add(event.object_id)
                    self._created.add(event.object_id)
            elif known:
                self._items.add(event.object_id)
            elif event.action == "bring_back":
                # It belongs between the others again: only the whole list says where.
                self._all = True
        if (self._all or self._record or self._items) and not self._gather.isActive():
            self._gather.start()

    def _fetch(self) -> None:
        if self._open_record.document is None:
            return
        if self._all or self._record:
            self.recordChanged.emit()
        if self._all:
            self._all = self._record = False
            self._items.clear()
            self._reload()
            return
        items, self._items = sorted(self._items), set()
        created, self._created = self._created, set()
        items = [item_id for item_id in items if item_id not in created or not self._known(item_id)]
        for item_id in items:
            self._photos_changed(self._open_record.edits.local_id(item_id))
        run(
            _read,
            self._open_record.context.session,
            items,
            owner=self,
            progress=self._take,
            failed=lambda _: None,
            done=lambda _: None,
        )
        if self._record:
            self._record = False
            run(
                _read_record,
                self._open_record.context.session,
                self._open_record.record_id,
                owner=self,
                done=self._take_record,
                failed=lambda _: None,
            )

    def _take_record(self, news: tuple[Record, RecordSeal]) -> None:
        record, seal = news
        self._open_record.update_record(record)
        self._open_record.update_seal(seal)

    def _known(self, service_id: str) -> bool:
        document = self._open_record.document
        return (
            document is not None and document.item(self._open_record.edits.local_id(service_id)) is not None
        )

    def _take(self, news: Sequence[Item] | str) -> None:
        if isinstance(news, str):
            self._open_record.drop(news)
        elif len(news) == 1:
            self._open_record.update_item(news[0])
        else:
            self._open_record.update_items(news)


def _read_record(session: Session, record_id: str) -> tuple[Record, RecordSeal]:
    return session.records.get(record_id).value, session.records.seal(record_id)


def _read(report: ProgressReport, session: Session, item_ids: list[str]) -> None:
    found = []
    for item_id in item_ids:
        try:
            found.append(session.items.get(item_id).value)
        except NotFound:
            report(item_id)
        if len(found) == _AT_ONCE:
            report(found)
            found = []
    if found:
        report(found)
