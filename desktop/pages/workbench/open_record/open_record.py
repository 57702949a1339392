# ruff: noqa: N815 - Qt signals
"""Owns the open record on the GUI thread: its shown state, the selection, every edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from desktop.canvas.model.regions import RegionStore
from desktop.context import Context
from desktop.imaging.sources.source import ImageSource
from desktop.journal import Edit, EditKind
from desktop.pages.common.messages.seal_terms import sealed_sentence
from desktop.pages.workbench.model.document import Document, ItemView, view_of
from desktop.pages.workbench.model.item_rows import FindingContext, ItemRow, ItemRows, shown_detection
from desktop.pages.workbench.model.reference_file import of_item, of_record
from desktop.pages.workbench.open_record.correction_drafts import CorrectionDrafts
from desktop.pages.workbench.open_record.edits import EditSync
from desktop.pages.workbench.open_record.loading import LoadedRecord, model_names
from desktop.pages.workbench.open_record.region_link import RegionLink, ShownRegions
from desktop.pages.workbench.open_record.slices import ShowScheduler
from desktop.pages.workbench.sync.outbox import SendResult
from shared import results
from shared.codes import SEALED_STATES, Permission, Verdict
from shared.entries import Entry
from shared.results import Counters
from shared.wire.catalogue import ReferenceImage
from shared.wire.detection import DetectionModel, Severity
from shared.wire.inspection import Item, Record
from shared.wire.seal import RecordSeal


class OpenRecord(QObject):
    """The state that the parts of the workbench share; changed through its methods, followed by its
    signals."""

    changed = Signal()
    """The items, the record or the pending edits changed."""
    currentChanged = Signal()
    """Another item is chosen, or another version of its result is shown."""
    selectionChanged = Signal()
    """Other items are selected."""
    refused = Signal(str)
    """Why nothing can be changed now, as a sentence."""
    sealing = Signal()
    """The record was sealed elsewhere: commit typed text before editing ends."""
    draftsBack = Signal(int)
    """The number of restored changes to findings that were not saved when the program ended."""

    def __init__(self, context: Context, store: RegionStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.edits = EditSync.of(context)
        self.document: Document | None = None
        self.reference: ReferenceImage | None = None
        self.source: ImageSource | None = None
        self.models: Sequence[DetectionModel] = ()
        self.seal: RecordSeal | None = None
        """The seal state of the open record; None while it is not loaded."""
        self.severities: Mapping[str, Severity] = {}
        """The severity of each label."""
        self.photos: dict[str, list[str]] = {}
        """File ids of the photos of each item, oldest first, as far as they are known."""
        self.rows: list[ItemRow] = []
        self.link = RegionLink(store)
        self._current = ""
        self._selection: tuple[str, ...] = ()
        self._version: int | None = None
        self.drafts = CorrectionDrafts(self.edits)
        """Findings that are being corrected, by item; shown in place of the entry they correct."""
        self._names: dict[str, str] = {}
        self._rows = ItemRows()
        self._showing = ShowScheduler(self.edits.slice_gate, lambda: self.edits.more, self._refresh, self)
        self.edits.applied.connect(self._applied)
        self.edits.answered.connect(self._answered)
        self.edits.decided.connect(self.rebase)

    # -- the open record

    @property
    def record_id(self) -> str:
        """The id of the open record; empty for none."""
        return self.document.record.inspection_id if self.document is not None else ""

    @property
    def editable(self) -> bool:
        """True when this person may edit here and now."""
        may = self.edits.journal is not None and self.context.may(Permission.INSPECTION_ITEM_UPDATE)
        return may and not self.sealed

    @property
    def sealed(self) -> bool:
        """True when the record was finished and not reopened."""
        return self.seal is not None and self.seal.state in SEALED_STATES

    def refuse_if_sealed(self) -> bool:
        """Return `sealed`; shows a notice when it is True."""
        if self.sealed:
            self.refused.emit(sealed_sentence())
        return self.sealed

    def may_edit(self) -> bool:
        """Return `editable`; shows a notice when the record is sealed."""
        return not self.refuse_if_sealed() and self.editable

    def _waiting(self) -> Sequence[Edit]:
        """The edits shown on top of the service's state; none for a sealed record."""
        return () if self.sealed else self.edits.waiting()

    def _waiting_of(self, item_id: str) -> Sequence[Edit]:
        return () if self.sealed else self.edits.waiting_of(item_id)

    @property
    def counters(self) -> Counters:
        """The items of the record as they are shown: detected, judged, undecided."""
        total = Counters()
        for row in self.rows:
            total = total.plus(Verdict(row.status) if row.judged else Verdict.UNDECIDED, row.detected)
        return total

    @property
    def mm_per_pixel(self) -> float | None:
        """The scale of the picture on view, where it is known."""
        return self.link.file.mm_per_pixel if self.link.file is not None else None

    @property
    def finding_context(self) -> FindingContext:
        """What is needed besides the entry to show the selected item's findings."""
        payload = self.context.payload
        user = None if payload is None else payload.user
        me = ("", "") if user is None else (user.user_id, user.name or user.username)
        return FindingContext(self.severities, self.mm_per_pixel, me)

    def take(self, opened: LoadedRecord) -> None:
        """Open this record."""
        same = opened.record.inspection_id == self.record_id
        was_sealed = self.sealed
        if same and not was_sealed and opened.seal is not None and opened.seal.state in SEALED_STATES:
            self.sealing.emit()
        payload = self.context.payload
        self.document = Document(opened.record, payload.user.user_id if payload is not None else None)
        self.reference, self.models = opened.reference, opened.models
        self.severities, self.seal = opened.severities, opened.seal
        self._names, self._rows = model_names(opened.models), opened.rows
        self.link.record_file = of_record(opened.reference)
        if not same:
            self.link.show_file(None)
            self.source = None
            self.photos.clear()
            self._current, self._selection, self._version = "", (), None
        self.load_items(opened.items)
        if self.sealed:
            self.drafts.close()
        new = not self.sealed and (not same or was_sealed)
        back = self.drafts.open(self.record_id, self.document.items) if new else 0
        if back:
            # Chosen before anything is shown: a draft is saved when the user goes to another item.
            self._current = self.drafts.all()[0].item_id
        elif self.item is None:
            self._current, self._version = self.rows[0].item_id if self.rows else "", None
        if back or not same:
            self._selection = (self._current,) if self._current else ()
        self._show_current()
        if back:
            self.draftsBack.emit(back)

    def show_picture(self, source: ImageSource, shown: ShownRegions) -> None:
        """The picture of the chosen item is loaded; `shown` are the regions on it."""
        self.source = source
        self.link.take(shown, source.size)
        self._refresh()
        # The parts for the chosen item need its region, which is known only now.
        self._show_current()

    def leave(self) -> None:
        """Close the record."""
        self.document = self.reference = self.source = self.seal = None
        self.rows, self._rows = [], ItemRows()
        self.drafts.close()
        self.link.record_file = None
        self.link.show_file(None)
        self._current, self._selection = "", ()
        self.link.show((), ())

    # -- the chosen item

    @property
    def current(self) -> str:
        """The id of the chosen item; empty for none."""
        return self._current

    @property
    def item(self) -> ItemView | None:
        """The chosen item."""
        return self.document.item(self._current) if self.document is not None else None

    @property
    def number(self) -> int:
        """Its number; 0 for none."""
        return self._rows.number(self._current)

    @property
    def entry(self) -> Entry | None:
        """The findings of the chosen item that are shown: a detection, a correction, or a draft of one."""
        draft = self.drafts.get(self._current)
        return self.stored_entry if draft is None else draft.entry

    @property
    def stored_entry(self) -> Entry | None:
        """The result entry that is shown, without the draft."""
        item = self.item
        if item is None:
            return None
        for index, entry in enumerate(item.result):
            if self._version is not None and results.version(entry, index) == self._version:
                return entry
        return shown_detection(item)

    @property
    def newest_shown(self) -> bool:
        """True unless the person went back to an older version of the result."""
        item = self.item
        return item is not None and self.stored_entry is shown_detection(item)

    @property
    def selection(self) -> tuple[str, ...]:
        """The ids of the selected items, for list and canvas alike; what is deleted or copied is among them.

        The chosen item is one of them unless none is selected.
        """
        return self._selection

    def choose(self, item_id: str) -> None:
        """Choose an item and select it alone."""
        self.select((item_id,) if item_id else (), item_id)

    def select(self, item_ids: Sequence[str], current: str = "") -> None:
        """Select these items, of which `current` is the chosen one.

        Without it the chosen item stays when it is among them or none is selected; else it is the last.
        """
        wanted = tuple(dict.fromkeys(item_ids))
        if not current:
            keeps_current = not wanted or self._current in wanted
            current = self._current if keeps_current else wanted[-1]
        selected = wanted != self._selection
        self._selection = wanted
        if current != self._current:
            self._current, self._version = current, None
            self._show_current()
        if selected:
            self.selectionChanged.emit()

    def show_version(self, version: int | None) -> None:
        """Show this version of the result; None for the current one."""
        if version != self._version:
            self._version = version
            self._show_current()

    def forget_version(self) -> None:
        """Show the newest version with the next change."""
        self._version = None

    def step(self, way: int, among: Sequence[str]) -> str:
        """The item `way` places further in `among`, wrapping around; an empty string for none."""
        if not among:
            return ""
        index = among.index(self._current) if self._current in among else -1 if way > 0 else 0
        return among[(index + way) % len(among)]

    def next_undecided(self) -> str:
        """The next undecided item after the selected one; an empty string when all are decided."""
        after = self.rows[self.number :] + self.rows[: self.number]
        open_ones = (row.item_id for row in after if row.status in ("undecided", "not_started"))
        return next((item_id for item_id in open_ones if item_id != self._current), "")

    # -- the service's state

    def load_items(self, views: Sequence[ItemView]) -> None:
        """Replace all items by the service's state."""
        if self.document is None:
            return
        # An item created here may have got its ID from the service since.
        pairs = [(view, self.edits.local_id(view.item_id)) for view in views]
        views = [
            view if view.item_id == local_id else replace(view, item_id=local_id) for view, local_id in pairs
        ]
        self.document.load_items(views, self._waiting())
        self._refresh()

    def update_items(self, items: Sequence[Item]) -> None:
        """Update some items to the service's state."""
        if self.document is None:
            return
        for item in items:
            if item.inspection_id == self.record_id:
                view = view_of(item, self.edits.local_id(item.item_id))
                self.document.update_item(view, self._waiting_of(view.item_id))
        self._refresh()
        self._show_current()

    def update_item(self, item: Item) -> None:
        """Update one item to the service's state."""
        if self.document is not None and item.inspection_id == self.record_id:
            view = view_of(item, self.edits.local_id(item.item_id))
            self.document.update_item(view, self._waiting_of(view.item_id))
            self._refresh()
            if view.item_id == self._current:
                self._show_current()

    def drop(self, service_id: str) -> None:
        """Remove an item that the service no longer has."""
        item_id = self.edits.local_id(service_id)
        # An item that undo brought back lives on under another id.
        if self.document is not None and self.edits.service_id(item_id) == service_id:
            self.document.drop_item(item_id, self._waiting_of(item_id))
            self._refresh()

    def update_record(self, record: Record, seal: RecordSeal) -> None:
        """Update the record and its seal state to the service's state."""
        if self.document is not None and record.inspection_id == self.record_id:
            self.document.record = record
            self.update_seal(seal)

    def update_seal(self, seal: RecordSeal) -> None:
        """Update the seal state after the record was finished, released or reopened."""
        if self.document is None or seal.inspection_id != self.record_id:
            return
        before = self.sealed
        if not before and seal.state in SEALED_STATES:
            self.sealing.emit()
        self.seal = seal
        if self.sealed and not before:
            self.drafts.close()
        elif before and not self.sealed:
            back = self.drafts.open(self.record_id, self.document.items)
            if back:
                self.draftsBack.emit(back)
        if self.sealed != before:
            self.document.rebase(self._waiting())
            self._refresh()
        self.changed.emit()
        self._show_current()

    def rebase(self) -> None:
        """Recompute what is shown from the service's state and the journal."""
        if self.document is not None:
            self.document.rebase(self._waiting())
            self._refresh()
            self._show_current()

    def _answered(self, sent: SendResult) -> None:
        if self.document is None or sent.edit.record_id != self.record_id:
            return
        service_id = self.edits.service_id(sent.edit.object_id)
        if service_id != sent.edit.object_id:
            # An event may have added it under the service's ID before the response arrived.
            self.document.drop_item(service_id, ())
        if sent.item is not None:
            self.document.update_item(sent.item, self._waiting_of(sent.item.item_id))
        elif sent.refused is None:
            self.document.drop_item(sent.edit.object_id, self._waiting_of(sent.edit.object_id))
        self._showing.answered()

    def _applied(self, edits: tuple[Edit, ...]) -> None:
        if self.document is None or edits[0].record_id != self.record_id:
            return
        self.document.apply(edits)
        self._follow_drafts(edits)
        self._showing.taken(len(edits))
        self._choose_restored(edits)
        if any(edit.object_id == self._current for edit in edits):
            self._show_current()

    def _follow_drafts(self, edits: Sequence[Edit]) -> None:
        """A draft goes with its item and comes back with it."""
        for edit in edits:
            if edit.kind is EditKind.DELETE:
                self.drafts.hide(edit.object_id)
            elif edit.kind is EditKind.RESTORE and self.document is not None:
                item = self.document.item(edit.object_id)
                if item is not None:
                    self.drafts.reopen(item)

    def _choose_restored(self, edits: Sequence[Edit]) -> None:
        """Select the restored items to make them visible; an item with a draft becomes the chosen one."""
        back = [edit.object_id for edit in edits if edit.kind is EditKind.RESTORE]
        # Of a large step the last slice stays selected: selecting each of them would be work for nothing.
        if back and not self.edits.more:
            drafted = [item_id for item_id in back if self.drafts.get(item_id) is not None]
            self.select(back, (drafted or back)[0])

    def _refresh(self) -> None:
        if self.document is None:
            return
        self._showing.shown()
        is_deleted = bool(self._current) and self.item is None
        before = self.number if is_deleted else 0
        self.rows = self._rows.of(self.document.items, self._names)
        self.link.show(self.document.items, self.rows)
        if self._selection:
            find_item = self.document.item
            self._selection = tuple(item_id for item_id in self._selection if find_item(item_id) is not None)
        if is_deleted:
            row = min(before, len(self.rows)) - 1
            self._current = self.rows[max(row, 0)].item_id if self.rows else ""
            self._selection = self._selection or ((self._current,) if self._current else ())
            self._version = None
            self._show_current()
        self.changed.emit()

    def _show_current(self) -> None:
        """Announce that the chosen item or its looks changed; its picture is shown with it."""
        if self.document is not None and self.link.show_file(of_item(self.item, self.link.record_file)):
            self.source = None
            self.link.show(self.document.items, self.rows)
        self.currentChanged.emit()
