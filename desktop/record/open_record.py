"""Owns the open record on the GUI thread: its displayed state, the selection and the edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from desktop.canvas.model.regions import RegionStore
from desktop.context import Context
from desktop.imaging.sources.source import ImageSource
from desktop.journal import Edit, EditKind
from desktop.messages.seal_terms import sealed_sentence
from desktop.record.changes import Change, changes_between, item_change
from desktop.record.document import Document, ItemView, view_of
from desktop.record.drafts import CorrectionDrafts, VerdictDraft, VerdictDrafts
from desktop.record.edits import RecordEdits
from desktop.record.item_rows import FindingContext, ItemRow, ItemRows, shown_detection
from desktop.record.loading import LoadedRecord, model_names
from desktop.record.outbox import SendResult
from desktop.record.region_link import RegionLink, ShownRegions, item_file, record_file, same_file
from desktop.record.slices import ShowScheduler
from shared.names import user_label
from shared.record import results
from shared.record.codes import SEALED_STATES, Permission, Verdict
from shared.record.entries import Entry
from shared.record.results import Counters
from shared.wire.catalogue import ReferenceImage
from shared.wire.detection import DetectionModel, Severity
from shared.wire.inspection import Item, Record
from shared.wire.seal import RecordSeal


class OpenRecord(QObject):
    """The state that the parts of the workbench share. Its methods change it, its signals announce
    changes."""

    changing = Signal()
    """The displayed items are about to change."""
    rows_changed = Signal()
    """The rows of the items were computed again."""
    items_changed = Signal()
    """Items were added, removed or moved to another place of the list."""
    regions_changed = Signal()
    """Regions of items changed, or the picture that they are on."""
    fields_changed = Signal()
    """Names, descriptions, models or settings of items changed."""
    results_changed = Signal()
    """Detections or corrections of items changed."""
    record_changed = Signal()
    """The record was opened, or its fields, its seal or the right to edit it changed."""
    current_changed = Signal()
    """Another item was chosen, or another result of the chosen one is shown."""
    current_edited = Signal(object)
    """The chosen item changed, but not its result: a `Change`."""
    selection_changed = Signal()
    """The selection changed."""
    refused = Signal(str)
    """A change was refused. The text is the reason, as a sentence."""
    sealing = Signal()
    """The record was sealed elsewhere. Receivers must commit typed text, because editing ends."""
    drafts_restored = Signal(int)
    """The number of restored changes to findings that were not saved when the program ended."""

    def __init__(self, context: Context, store: RegionStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.edits = RecordEdits.of(context)
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
        self._items: Sequence[ItemView] = ()
        """The items as they were announced last."""
        self._item: ItemView | None = None
        """The chosen item as it was announced last."""
        self._current = ""
        self._selection: tuple[str, ...] = ()
        self._version: int | None = None
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

    def _unsent_edits(self) -> Sequence[Edit]:
        """The edits that are shown on top of the service's state; none for a sealed record."""
        return () if self.sealed else self.edits.unsent_edits()

    def _unsent_edits_of(self, item_id: str) -> Sequence[Edit]:
        return () if self.sealed else self.edits.unsent_edits_of(item_id)

    @property
    def counters(self) -> Counters:
        """The numbers of detected, decided and undecided items, as they are displayed."""
        total = Counters()
        for row in self.rows:
            total = total.plus(Verdict(row.status) if row.is_judged else Verdict.UNDECIDED, row.detected)
        return total

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

    def take(self, loaded: LoadedRecord) -> None:
        """Open this record."""
        is_same = loaded.record.inspection_id == self.record_id
        was_sealed = self.sealed
        if is_same and not was_sealed and loaded.seal is not None and loaded.seal.state in SEALED_STATES:
            self.sealing.emit()
        payload = self.context.payload
        self.document = Document(loaded.record, payload.user.user_id if payload is not None else None)
        self.reference, self.models = loaded.reference, loaded.models
        self.severities, self.seal = loaded.severities, loaded.seal
        self.min_reason = loaded.min_reason
        self._model_names, self._rows = model_names(loaded.models), loaded.rows
        self.link.record_file = record_file(loaded.reference)
        if not is_same:
            self.link.show_file(None)
            self.source = None
            self.photos.clear()
            self._current, self._selection, self._version = "", (), None
        self.load_items(loaded.items, Change.ALL)
        self._end_history()
        if self.sealed:
            self._close_drafts()
        new = not self.sealed and (not is_same or was_sealed)
        restored_count = self._open_drafts() if new else 0
        waiting = self.verdict_drafts.item_ids() if new else []
        if restored_count:
            # The item is chosen before anything is shown, because a change of the item would save its draft.
            self._current = self.drafts.all()[0].item_id
        elif waiting and not is_same:
            self._current, self._version = waiting[0], None
        elif self.item is None:
            self._current, self._version = self.rows[0].item_id if self.rows else "", None
        if restored_count or not is_same:
            self._selection = (self._current,) if self._current else ()
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

    def leave(self) -> None:
        """Close the record."""
        self.document = self.reference = self.source = self.seal = None
        self.rows, self._rows = [], ItemRows()
        self._items, self._item = (), None
        self.drafts.close()
        self.link.record_file = None
        self.link.show_file(None)
        self._current, self._selection = "", ()
        self.link.show((), ())

    # -- the chosen item

    @property
    def current(self) -> str:
        """The id of the chosen item; empty if there is none."""
        return self._current

    @property
    def item(self) -> ItemView | None:
        """The chosen item."""
        return self.document.item(self._current) if self.document is not None else None

    @property
    def number(self) -> int:
        """The number of the chosen item; 0 if there is none."""
        return self._rows.number(self._current)

    @property
    def entry(self) -> Entry | None:
        """The displayed entry of the chosen item: a detection, a correction or a draft of a correction."""
        draft = self.drafts.get(self._current)
        return self.stored_entry if draft is None else draft.entry

    @property
    def stored_entry(self) -> Entry | None:
        """The displayed result entry, without the draft."""
        item = self.item
        if item is None:
            return None
        for index, entry in enumerate(item.result):
            if self._version is not None and results.entry_version(entry, index) == self._version:
                return entry
        return shown_detection(item)

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
        return self._selection

    def choose(self, item_id: str) -> None:
        """Choose an item and select only this item."""
        self.select((item_id,) if item_id else (), item_id)

    def select(self, item_ids: Sequence[str], current: str = "") -> None:
        """Select these items, with `current` as the chosen one.

        Without `current`, the chosen item stays if it is selected or if none is selected. Otherwise the last
        one is chosen.
        """
        selection = tuple(dict.fromkeys(item_ids))
        if not current:
            keeps_current = not selection or self._current in selection
            current = self._current if keeps_current else selection[-1]
        selection_changed = selection != self._selection
        self._selection = selection
        if current != self._current:
            self._current, self._version = current, None
            self._show_current()
        if selection_changed:
            self.selection_changed.emit()

    def show_version(self, version: int | None) -> None:
        """Show this version of the result; None shows the current one."""
        if version != self._version:
            self._version = version
            self._show_current()

    def forget_version(self) -> None:
        """Show the newest version at the next update."""
        self._version = None

    def step(self, offset: int, item_ids: Sequence[str]) -> str:
        """The item `offset` places after the chosen one in `item_ids`, wrapping around; empty if there is
        none."""
        if not item_ids:
            return ""
        index = item_ids.index(self._current) if self._current in item_ids else -1 if offset > 0 else 0
        return item_ids[(index + offset) % len(item_ids)]

    def next_undecided(self) -> str:
        """The next undecided item after the selected one; an empty string when all are decided."""
        following = self.rows[self.number :] + self.rows[: self.number]
        undecided_ids = (row.item_id for row in following if row.status in ("undecided", "not_started"))
        return next((item_id for item_id in undecided_ids if item_id != self._current), "")

    # -- the service's state

    def load_items(self, views: Sequence[ItemView], change: Change = Change.NOTHING) -> None:
        """Replace all items by the service's state, and announce `change` and what else changed."""
        if self.document is None:
            return
        # The service may have assigned another ID to an item that was created here.
        pairs = [(view, self.edits.local_id(view.item_id)) for view in views]
        views = [
            view if view.item_id == local_id else replace(view, item_id=local_id) for view, local_id in pairs
        ]
        self.document.load_items(views, self._unsent_edits())
        self._refresh(change)

    def update_items(self, items: Sequence[Item]) -> None:
        """Update some items to the service's state."""
        if self.document is None:
            return
        views = [
            view_of(item, self.edits.local_id(item.item_id))
            for item in items
            if item.inspection_id == self.record_id
        ]
        for view in views:
            self.document.update_item(view, self._unsent_edits_of(view.item_id))
        self._refresh()

    def drop(self, service_id: str) -> None:
        """Remove an item that the service no longer has."""
        item_id = self.edits.local_id(service_id)
        # An item that undo restored may have another id.
        if self.document is not None and self.edits.service_id(item_id) == service_id:
            self.document.drop_item(item_id, self._unsent_edits_of(item_id))
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
        was_sealed, old_state = self.sealed, None if self.seal is None else self.seal.state
        if not was_sealed and seal.state in SEALED_STATES:
            self.sealing.emit()
        self.seal = seal
        self._end_history()
        if self.sealed and not was_sealed:
            self._close_drafts()
        elif was_sealed and not self.sealed:
            restored_count = self._open_drafts()
            if restored_count:
                self.drafts_restored.emit(restored_count)
        if self.sealed != was_sealed:
            self.document.rebase(self._unsent_edits())
            self._refresh()
        self.record_changed.emit()
        if seal.state != old_state:
            self._show_current()

    def _end_history(self) -> None:
        """Let undo not reach behind the newest seal, also one that was set while the record was closed."""
        if self.seal is not None and self.seal.newest is not None:
            self.edits.end_history(self.record_id, self.seal.newest.edition)

    def _open_drafts(self) -> int:
        """Restore what the user has not completed. Returns the number of restored changes to findings."""
        assert self.document is not None
        items = self.document.items
        self.verdict_drafts.open(self.record_id, [item.item_id for item in items])
        return self.drafts.open(self.record_id, items)

    def _close_drafts(self) -> None:
        self.drafts.close()
        self.verdict_drafts.close()

    def keep_verdict_draft(self, item_id: str, draft: VerdictDraft | None) -> None:
        """Store the verdict of an item that is not complete; None discards it."""
        if draft is None:
            self.verdict_drafts.drop(item_id)
        else:
            self.verdict_drafts.keep(item_id, draft)

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
        if self.document is not None:
            self.document.rebase(self._unsent_edits())
            self._refresh()
            self._show_current()

    def _on_answered(self, sent: SendResult) -> None:
        if self.document is None or sent.edit.record_id != self.record_id:
            return
        service_id = self.edits.service_id(sent.edit.object_id)
        if service_id != sent.edit.object_id:
            # An event may have added it under the service's ID before the response arrived.
            self.document.drop_item(service_id, ())
        if sent.item is not None:
            self.document.update_item(sent.item, self._unsent_edits_of(sent.item.item_id))
        elif sent.refused is None:
            self.document.drop_item(sent.edit.object_id, self._unsent_edits_of(sent.edit.object_id))
        self._show_scheduler.on_answer()

    def _on_applied(self, edits: tuple[Edit, ...]) -> None:
        if self.document is None or edits[0].record_id != self.record_id:
            return
        self.document.apply(edits)
        self._update_drafts(edits)
        self._show_scheduler.on_edits(len(edits))
        self._choose_restored(edits)

    def _update_drafts(self, edits: Sequence[Edit]) -> None:
        """Hide the drafts of deleted items, and show those of restored items again."""
        for edit in edits:
            if edit.kind is EditKind.DELETE:
                self.drafts.hide(edit.object_id)
            elif edit.kind is EditKind.RESTORE and self.document is not None:
                item = self.document.item(edit.object_id)
                if item is not None:
                    self.drafts.reopen(item)

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
        is_deleted = bool(self._current) and self.item is None
        number = self.number
        self.rows = self._rows.rows_of(items, self._model_names)
        self.link.show(items, self.rows)
        if self._selection:
            find_item = self.document.item
            self._selection = tuple(item_id for item_id in self._selection if find_item(item_id) is not None)
        if is_deleted:
            self._choose_neighbour(number)
        self._announce(change)
        self._announce_item()

    def _choose_neighbour(self, number: int) -> None:
        """Choose the item after the deleted one, which had this number."""
        row = min(number, len(self.rows)) - 1
        self._current = self.rows[max(row, 0)].item_id if self.rows else ""
        self._selection = self._selection or ((self._current,) if self._current else ())
        self._version = None
        self._show_current()

    def _announce(self, change: Change) -> None:
        self.rows_changed.emit()
        for kind, signal in (
            (Change.ITEMS, self.items_changed),
            (Change.REGIONS, self.regions_changed),
            (Change.FIELDS, self.fields_changed),
            (Change.RESULTS, self.results_changed),
        ):
            if kind & change:
                signal.emit()

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
