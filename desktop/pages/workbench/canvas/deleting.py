"""Deletes the selection of the focused view. Asks first if photos or verdicts are deleted with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtWidgets import QApplication, QWidget

from desktop.background.workers import run
from desktop.canvas.views.canvas_view import CanvasView
from desktop.client import Session
from desktop.client.http.errors import NotFound
from desktop.journal import EditKind
from desktop.localization.language import join_words
from desktop.pages.workbench.items.items_panel import ItemsPanel
from desktop.pages.workbench.results.correcting import CorrectionController
from desktop.record.item_changes import ItemChanges
from desktop.record.open_record import OpenRecord
from desktop.widgets import Confirm, Field, TextArea
from shared.record import results
from shared.record.codes import Verdict
from shared.wire.inspection import Photo


class DeletionSource(Enum):
    """The views whose selection can be deleted."""

    CANVAS = auto()
    LIST = auto()
    FINDINGS = auto()


@dataclass(frozen=True, slots=True)
class DeletionContents:
    """The numbers of items, and of the photos and verdicts that are deleted with them."""

    items: int
    photos: int
    verdicts: int


class DeleteDialog(Confirm):
    """Names what is deleted. If verdicts are deleted, it asks for a reason."""

    def __init__(self, contents: DeletionContents, parent: QWidget) -> None:
        translate, count = QCoreApplication.translate, contents.items
        super().__init__(
            parent,
            translate("DeleteDialog", "Delete %n item(s)?", "", count),
            _contents_text(contents),
            translate("DeleteDialog", "Delete %n item(s)", "", count),
        )
        self.setObjectName("delete-items")
        self.reason = TextArea(2)
        self.reason.setObjectName("delete-reason")
        self._needs_reason = contents.verdicts > 0
        if self._needs_reason:
            self.body.addWidget(Field(self.tr("Reason for the audit log"), self.reason))
            self.reason.setFocus()
        else:
            self.reason.setParent(self)
            self.reason.hide()
        self.reason.textChanged.connect(self._update_button)
        self._update_button()

    @property
    def reason_text(self) -> str:
        """The typed reason, stripped."""
        return self.reason.toPlainText().strip()

    def _update_button(self) -> None:
        self.confirm_button.setEnabled(not self._needs_reason or bool(self.reason_text))


def _contents_text(contents: DeletionContents) -> str:
    translate = QCoreApplication.translate
    parts = []
    if contents.photos:
        parts.append(translate("DeleteDialog", "%n photo(s)", "", contents.photos))
    if contents.verdicts:
        parts.append(translate("DeleteDialog", "%n verdict(s)", "", contents.verdicts))
    text = translate("DeleteDialog", "Also deleted: {what}. You can undo this.")
    return text.format(what=join_words(parts))


class DeletionController(QObject):
    """Remembers the view that had the focus last, and deletes its selection."""

    notice = Signal(str)
    """The reason why nothing was deleted."""

    def __init__(
        self,
        open_record: OpenRecord,
        items: ItemsPanel,
        view: CanvasView,
        findings: Sequence[QWidget],
        correcting: CorrectionController,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._open_record, self._items, self._view = open_record, items, view
        self._correcting, self._window = correcting, window
        self._commands = open_record.context.commands
        self._places: dict[QWidget, DeletionSource] = {
            view: DeletionSource.CANVAS,
            items.list: DeletionSource.LIST,
        }
        self._places |= dict.fromkeys(findings, DeletionSource.FINDINGS)
        self._last_focused: QWidget = view
        QApplication.instance().focusChanged.connect(self._on_focus_changed)  # type: ignore[union-attr]

    def _on_focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        if now in self._places:
            self._last_focused = now

    @property
    def deletion_source(self) -> DeletionSource:
        """The view that Delete acts on: the one that has or last had the focus, while it is visible."""
        return self._places[self._last_focused] if self._last_focused.isVisible() else DeletionSource.LIST

    def delete(self) -> None:
        """Delete the selection. Asks first if photos or verdicts are deleted with it."""
        if self.deletion_source is DeletionSource.FINDINGS:
            self._delete_finding()
            return
        item_ids = (
            self._list_selection()
            if self.deletion_source is DeletionSource.LIST
            else self._canvas_selection()
        )
        self.delete_items(item_ids)
        if not item_ids:
            self.notice.emit(self._nothing_selected_text())

    def delete_items(self, item_ids: Sequence[str]) -> None:
        """Delete these items except locked ones. Asks first if photos or verdicts are deleted with them."""
        store = self._view.store
        free = [it for it in item_ids if (region := store.get(it)) is None or not region.locked]
        if len(free) < len(item_ids):
            locked = len(item_ids) - len(free)
            text = self.tr("Cannot delete %n locked item(s). Unlock first ({keys}).", "", locked)
            self.notice.emit(text.format(keys=self._commands.keys_text("region.lock")))
        if free:
            self._read_photos(free)

    def _delete_finding(self) -> None:
        if self._correcting.has_chosen:
            self._correcting.remove_chosen()
        else:
            self.notice.emit(
                self.tr("No finding selected. Click a finding, or click an item to delete the item.")
            )

    def _list_selection(self) -> list[str]:
        place_of = self._items.model.row_of
        return [item_id for item_id in self._open_record.selection if place_of(item_id) >= 0]

    def _canvas_selection(self) -> list[str]:
        if not self._view.regions_shown:
            return []
        return [region.id for region in self._view.store.selected_regions if not region.hidden]

    def _nothing_selected_text(self) -> str:
        if self.deletion_source is DeletionSource.CANVAS and not self._view.regions_shown:
            keys = self._commands.keys_text("view.regions")
            return self.tr("Cannot delete hidden regions. Show them first ({keys}).").format(keys=keys)
        if self.deletion_source is DeletionSource.CANVAS:
            return self.tr("No region selected on the image. Delete items without a region in the list.")
        return self.tr("No item selected in the list.")

    # -- what goes with them

    def _read_photos(self, item_ids: Sequence[str]) -> None:
        open_record = self._open_record
        # Read each time: another client may have added a photo since.
        saved_ids = {open_record.edits.service_id(it): it for it in item_ids if not self._is_unsent(it)}
        if not saved_ids or open_record.edits.sending.offline:
            # Without the service the photos that results name are counted.
            self._ask_and_delete(item_ids)
            return
        run(
            _photos,
            open_record.context.session,
            open_record.record_id,
            owner=self,
            done=partial(self._on_photos_read, open_record.record_id, item_ids, saved_ids),
            failed=lambda _: self._ask_and_delete(item_ids),
        )

    def _is_unsent(self, item_id: str) -> bool:
        """Whether the service does not know the item yet. It cannot have photos there."""
        return any(edit.kind is EditKind.CREATE for edit in self._open_record.edits.unsent_edits_of(item_id))

    def _on_photos_read(
        self, record_id: str, item_ids: Sequence[str], saved_ids: dict[str, str], photos: Sequence[Photo]
    ) -> None:
        if self._open_record.record_id != record_id:
            return
        file_ids: dict[str, list[str]] = {item_id: [] for item_id in saved_ids.values()}
        for photo in reversed(photos):
            if photo.item_id in saved_ids:
                file_ids[saved_ids[photo.item_id]].append(photo.file_id)
        self._open_record.photos.update(file_ids)
        self._ask_and_delete(item_ids)

    def _ask_and_delete(self, item_ids: Sequence[str]) -> None:
        contents = self._count_contents(item_ids)
        if not contents.photos and not contents.verdicts:
            ItemChanges(self._open_record).remove(item_ids)
            return
        dialog = DeleteDialog(contents, self._window)
        dialog.accepted.connect(lambda: ItemChanges(self._open_record).remove(item_ids, dialog.reason_text))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _count_contents(self, item_ids: Sequence[str]) -> DeletionContents:
        document, verdicts = self._open_record.document, 0
        # One photo of the record is often a photo of several of the items.
        photos: set[str] = set()
        for item_id in item_ids:
            item = document.item(item_id) if document is not None else None
            if item is None:
                continue
            named_cids = {str((entry.get("inputImage") or {}).get("ipfs_cid")) for entry in item.result}
            photos.update(self._open_record.photos.get(item_id, named_cids - {"None"}))
            verdict_count = sum(results.is_verdict(entry) for entry in item.result)
            has_pending_verdict = item.pending_verdict is not None and item.verdict is not Verdict.UNDECIDED
            verdicts += max(verdict_count, 1) if has_pending_verdict else verdict_count
        return DeletionContents(len(item_ids), len(photos), verdicts)


def _photos(session: Session, record_id: str) -> Sequence[Photo]:
    try:
        return session.items.record_photos(record_id)
    except NotFound:
        return ()
