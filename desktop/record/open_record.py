"""Owns the open record on the GUI thread: its displayed state, the selection and the edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QObject

from desktop.canvas.model.regions import RegionStore
from desktop.context import Context
from desktop.imaging.sources.source import ImageSource
from desktop.journal import Edit, EditKind
from desktop.messages.seal_terms import sealed_sentence
from desktop.record.changes import Change, RecordSignals, Selection, changes_between, item_change
from desktop.record.document import Document, ItemView
from desktop.record.drafts import CorrectionDrafts, VerdictDrafts
from desktop.record.edits import RecordEdits
from desktop.record.item_rows import FindingContext, ItemRow, ItemRows, counters, shown_detection
from desktop.record.loading import LoadedRecord, model_names
from desktop.record.merging import ServiceState
from desktop.record.outbox import SendResult
from desktop.record.region_link import RegionLink, ShownRegions, item_file, record_file, same_file
from desktop.record.slices import ShowScheduler
from shared.names import user_label
from shared.record.codes import SEALED_STATES, Permission
from shared.record.entries import Entry
from shared.record.results import Counters
from shared.wire.catalogue import ReferenceImage
from shared.wire.detection import DetectionModel, Severity
from shared.wire.inspection import Item, Record
from shared.wire.seal import RecordSeal


class OpenRecord(RecordSignals):
    """The state that the parts of the workbench share. Its methods change it, its signals announce
    changes."""

    def __init__(self, context: Context, store: RegionStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.edits = RecordEdits.of(context)
        self.document: Document | None = None
        self._service: ServiceState | None = None
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
        self._items: Sequence[ItemView] = ()
        """The items as they were announced last."""
        self._item: ItemView | None = None
        """The chosen item as it was announced last."""
        self._selection = Selection()
        self.drafts = CorrectionDrafts(self.edits)
        """Drafts of corrections by item. A draft is shown in place of the entry that it corrects."""
        self.verdict_drafts = VerdictDrafts(self.edits)
        """Verdicts by item that wait for their reason. A draft is shown in place of the verdict."""
        self.min_reason = 1
        """The least number of characters of a reason, as the service asks for it."""
        self._model_names: dict[str, str] = {}
        self._rows = ItemRows()
        self._show_scheduler = ShowScheduler(
            self.edits.slice_gate, lambda: self.edits.has_more, self._refresh, self
        )
        self.edits.applied.connect(self._on_applied)
        self.edits.answered.connect(self._on_answered)
        self.edits.decided.connect(self.rebase)

    # -- the open record

    @property
    def record_id(self) -> str:
        """The id of the open record; empty if there is none."""
        return self.document.record.inspection_id if self.document is not None else ""

    @property
    def editable(self) -> bool:
        """Whether the user may edit the record now."""
        may = self.edits.journal is not None and self.context.may(Permission.INSPECTION_ITEM_UPDATE)
        return may and not self.sealed

    @property
    def sealed(self) -> bool:
        """Whether the record was finished and not reopened."""
        return self.seal is not None and self.seal.state in SEALED_STATES

    def refuse_if_sealed(self) -> bool:
        """Return `sealed`, and show a notice if it is True."""
        if self.sealed:
            self.refused.emit(sealed_sentence())
        return self.sealed

    def may_edit(self) -> bool:
        """Return `editable`, and show a notice if the record is sealed."""
        return not self.refuse_if_sealed() and self.editable

    @property
    def counters(self) -> Counters:
        """The numbers of detected, decided and undecided items, as they are displayed."""
        return counters(self.rows)

    @property
    def mm_per_pixel(self) -> float | None:
        """The scale of the displayed picture; None if it is unknown."""
        return self.link.file.mm_per_pixel if self.link.file is not None else None

    @property
    def finding_context(self) -> FindingContext:
        """The context for displaying the findings of the chosen item."""
        payload = self.context.payload
        user = None if payload is None else payload.user
        me = ("", "") if user is None else (user.user_id, user_label(user.name, user.username))
        return FindingContext(self.severities, self.mm_per_pixel, me)

    def open(self, loaded: LoadedRecord) -> None:
        """Open this record."""
        is_same = loaded.record.inspection_id == self.record_id
        was_sealed = self.sealed
        if is_same and not was_sealed and loaded.seal is not None and loaded.seal.state in SEALED_STATES:
            self.sealing.emit()
        payload = self.context.payload
        self.document = Document(loaded.record, payload.user.user_id if payload is not None else None)
        self._service = ServiceState(self.document, self.edits, lambda: self.sealed)
        self.reference, self.models = loaded.reference, loaded.models
        self.severities, self.seal = loaded.severities, loaded.seal
        self.min_reason = loaded.min_reason
        self._model_names, self._rows = model_names(loaded.models), loaded.rows
        self.link.record_file = record_file(loaded.reference)
        if not is_same:
            self.link.show_file(None)
            self.source = None
            self.photos.clear()
            self._selection = Selection()
        self.photos.update((item_id, list(file_ids)) for item_id, file_ids in loaded.photos.items())
        self._service.load(loaded.items)
        self._refresh(Change.ALL)
        self._end_history()
        if self.sealed:
            self._close_drafts()
        new = not self.sealed and (not is_same or was_sealed)
        restored_count = self._open_drafts() if new else 0
        waiting = self.verdict_drafts.item_ids() if new else []
        if restored_count:
            # The item is chosen before anything is shown, because a change of the item would save its draft.
            self._selection.current = self.drafts.all()[0].item_id
        elif waiting and not is_same:
            self._selection.choose(waiting[0])
        elif self.item is None:
            self._selection.choose(self.rows[0].item_id if self.rows else "")
        if restored_count or not is_same:
            self._selection.items = (self.current,) if self.current else ()
        self.record_changed.emit()
        self._show_current()
        if restored_count:
            self.drafts_restored.emit(restored_count)

    def show_picture(self, source: ImageSource, regions: ShownRegions) -> None:
        """Show the loaded picture of the chosen item with these regions."""
        self.source = source
        self.link.set_regions(regions, source.size)
        self._refresh(Change.REGIONS)
        # The views of the chosen item need its region in px, which is known only now.
        self._show_current()

    def close(self) -> None:
        """Close the record."""
        self.document = self.reference = self.source = self.seal = self._service = None
        self.rows, self._rows = [], ItemRows()
        self._items, self._item = (), None
        self._close_drafts()
        self.link.record_file = None
        self.link.show_file(None)
        self._selection = Selection()
        self.link.show((), ())

    # -- the chosen item

    @property
    def current(self) -> str:
        """The id of the chosen item; empty if there is none."""
        return self._selection.current

    @property
    def item(self) -> ItemView | None:
        """The chosen item."""
        return self.document.item(self.current) if self.document is not None else None

    @property
    def number(self) -> int:
        """The number of the chosen item; 0 if there is none."""
        return self._rows.number(self.current)

    @property
    def entry(self) -> Entry | None:
        """The displayed entry of the chosen item: a detection, a correction or a draft of a correction."""
        draft = self.drafts.get(self.current)
        return self.stored_entry if draft is None else draft.entry

    @property
    def stored_entry(self) -> Entry | None:
        """The displayed result entry, without the draft."""
        return self._selection.entry_of(self.item)

    @property
    def shows_newest(self) -> bool:
        """Whether the newest version of the result is displayed."""
        item = self.item
        return item is not None and self.stored_entry is shown_detection(item)

    @property
    def selection(self) -> tuple[str, ...]:
        """The ids of the selected items, in the list and on the canvas. Deleting and copying apply to them.

        The chosen item is one of them unless none is selected.
        """
        return self._selection.items

    def choose(self, item_id: str) -> None:
        """Choose an item and select only this item."""
        self.select((item_id,) if item_id else (), item_id)

    def select(self, item_ids: Sequence[str], current: str = "") -> None:
        """Select these items, with `current` as the chosen one, as `Selection.select` does."""
        is_other, differs = self._selection.select(item_ids, current)
        if is_other:
            self._show_current()
        if differs:
            self.selection_changed.emit()

    def show_version(self, version: int | None) -> None:
        """Show this version of the result; None shows the current one."""
        if version != self._selection.version:
            self._selection.version = version
            self._show_current()

    def show_newest_later(self) -> None:
        """Show the newest version at the next update."""
        self._selection.version = None

    def next_undecided(self) -> str:
        """The next undecided item after the chosen one; empty when all others are decided."""
        return self._selection.next_undecided(self.rows, self.number)

    # -- the service's state

    def update_items(
        self, items: Sequence[Item], photos: Mapping[str, list[str]] = MappingProxyType({})
    ) -> None:
        """Update some items to the service's state. `photos`: file ids of photos by the service's item id."""
        if self._service is not None:
            self.photos.update((self.edits.local_id(item_id), ids) for item_id, ids in photos.items())
            self._service.update(items)
            self._refresh()

    def remove_item(self, service_id: str) -> None:
        """Remove an item that the service no longer has."""
        if self._service is not None and self._service.remove(service_id):
            self._refresh()

    def update_record(self, record: Record, seal: RecordSeal) -> None:
        """Update the record and its seal state to the service's state."""
        if self.document is not None and record.inspection_id == self.record_id:
            self.document.record = record
            self.update_seal(seal)

    def update_seal(self, seal: RecordSeal) -> None:
        """Update the seal state after the record was finished, released or reopened."""
        if self._service is None or seal.inspection_id != self.record_id:
            return
        was_sealed, old_state = self.sealed, None if self.seal is None else self.seal.state
        if not was_sealed and seal.state in SEALED_STATES:
            self.sealing.emit()
        self.seal = seal
        self._end_history()
        if self.sealed != was_sealed:
            if self.sealed:
                self._close_drafts()
            elif restored_count := self._open_drafts():
                self.drafts_restored.emit(restored_count)
            self._service.rebase()
            self._refresh()
        self.record_changed.emit()
        if seal.state != old_state:
            self._show_current()

    def _end_history(self) -> None:
        """Let undo not reach behind the newest seal, also one that was set while the record was closed."""
        if self.seal is not None and self.seal.newest is not None:
            self.edits.end_history(self.record_id, self.seal.newest.edition)

    def call_when_saved(self, callback: Callable[[], None], owner: QObject) -> None:
        """Call `callback` when all edits of the open record that can be sent were sent, possibly immediately.

        It is not called if another record is open then, or if `owner` no longer exists.
        """
        record_id = self.record_id
        self.edits.call_when_saved(
            record_id, lambda: callback() if self.record_id == record_id else None, owner
        )

    def _open_drafts(self) -> int:
        """Restore what the user has not completed. Returns the number of restored changes to findings."""
        assert self.document is not None
        items = self.document.items
        self.verdict_drafts.open(self.record_id, [item.item_id for item in items])
        return self.drafts.open(self.record_id, items)

    def _close_drafts(self) -> None:
        self.drafts.close()
        self.verdict_drafts.close()

    @property
    def waiting(self) -> list[str]:
        """The items with something that the user has not completed, in their order.

        That is a verdict without its reason, a reason that is being typed, a correction that is not saved, or
        a change that the service refused.
        A record with one of them cannot be finished.
        """
        unfinished = {draft.item_id for draft in self.drafts.all() if draft.steps}
        unfinished |= set(self.verdict_drafts.item_ids())
        unfinished |= {conflict.edit.object_id for conflict in self.edits.conflicts()}
        return [row.item_id for row in self.rows if row.item_id in unfinished]

    def rebase(self) -> None:
        """Recompute the displayed state from the service's state and the journal."""
        if self._service is not None:
            self._service.rebase()
            self._refresh()
            self._show_current()

    def _on_answered(self, sent: SendResult) -> None:
        if self._service is None or sent.edit.record_id != self.record_id:
            return
        self._service.answer(sent)
        self._show_scheduler.on_answer()

    def _on_applied(self, edits: tuple[Edit, ...]) -> None:
        if self.document is None or edits[0].record_id != self.record_id:
            return
        self.document.apply(edits)
        self.drafts.follow_edits(edits, self.document.item)
        self._show_scheduler.on_edits(len(edits))
        self._choose_restored(edits)

    def _choose_restored(self, edits: Sequence[Edit]) -> None:
        """Select restored items to make them visible. An item with a draft is chosen."""
        restored_ids = [edit.object_id for edit in edits if edit.kind is EditKind.RESTORE]
        # After a large step, only the last slice is selected: the selection of the others would not last.
        if restored_ids and not self.edits.has_more:
            with_draft = [item_id for item_id in restored_ids if self.drafts.get(item_id) is not None]
            self.select(restored_ids, (with_draft or restored_ids)[0])

    def _refresh(self, change: Change = Change.NOTHING) -> None:
        """Compute the displayed rows and regions, and announce `change` and what else changed."""
        if self.document is None:
            return
        self._show_scheduler.on_shown()
        self.changing.emit()
        items = self.document.items
        change |= changes_between(self._items, items)
        self._items = items
        is_deleted = bool(self.current) and self.item is None
        number = self.number
        self.rows = self._rows.rows_of(items, self._model_names, self.photos)
        self.link.show(items, self.rows)
        self._selection.retain(self.document.item)
        if is_deleted:
            if self._item is not None and not self.document.is_deleted_here(self.current):
                self.current_gone.emit(number, self._item.item_name)
            self._selection.choose_neighbour(self.rows, number)
            self._show_current()
        self.announce(change)
        self._announce_item()

    def _announce_item(self) -> None:
        """Announce what changed on the chosen item since it was announced."""
        item, shown = self.item, self._item
        if item is None or shown is None or item.item_id != shown.item_id:
            return
        change = item_change(shown, item)
        is_elsewhere = not same_file(item_file(item, self.link.record_file), self.link.file)
        if Change.RESULTS in change or is_elsewhere:
            self._show_current()
        elif change:
            self._item = item
            self.current_edited.emit(change)

    def _show_current(self) -> None:
        """Announce that the chosen item changed, and switch to its picture."""
        self._item = self.item
        if self.document is not None and self.link.show_file(item_file(self.item, self.link.record_file)):
            self.source = None
            self.link.show(self.document.items, self.rows)
        self.current_changed.emit()
