"""Imports regions from other programs' files in batches and exports the inspection."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QProgressDialog, QWidget

from desktop.background.workers import run
from desktop.canvas.views.canvas_view import CanvasView
from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.imported_regions import ExchangeError, ImportedRegions, Reason, item_creates
from desktop.exchange.formats.archive import MAX_BYTES
from desktop.exchange.registry import READABLE_PATTERNS, read_regions
from desktop.localization.language import join_sentences
from desktop.messages.error_messages import sentence
from desktop.messages.exchange_messages import exchange_sentence, left_out_sentence
from desktop.pages.common.files.export import ExportController
from desktop.pages.common.files.file_dialogs import Purpose, open_file
from desktop.record.document import ItemView
from desktop.record.edit_names import EditName
from desktop.record.item_changes import ItemChanges, default_names
from desktop.record.open_record import OpenRecord
from desktop.record.region_link import CopiedItem, RegionLink, copy_of
from desktop.record.slices import SLICE_SIZE, Slices
from shared.ids import new_key
from shared.wire.inspection import ItemCreate


class RegionFilesController(QObject):
    """Exports the open record, and imports regions onto its reference image as one undo step."""

    notice = Signal(str)
    """A message for the user."""

    def __init__(self, open_record: OpenRecord, window: QWidget) -> None:
        super().__init__(window)
        self._open_record, self._window = open_record, window
        self._left_out, self._boxed = "", 0
        self.importing = BulkImport(open_record, window)
        self.importing.imported.connect(self._on_imported)
        self.exporter = ExportController(open_record.context, window)
        self.exporter.notice.connect(self.notice)
        self.exporter.written.connect(
            lambda path: self.notice.emit(self.tr("Saved: {path}").format(path=path))
        )

    def export(self) -> None:
        """Ask for a format and a file, then write the record once everything is saved."""
        document = self._open_record.document
        chosen = None if document is None else self.exporter.ask_target(document.record.inspection_name or "")
        if chosen is not None:
            record_id = self._open_record.record_id
            self._open_record.edits.call_when_saved(
                record_id, lambda: self.exporter.write(record_id, *chosen)
            )

    def ask(self) -> None:
        """Ask for a file and import its regions."""
        kinds = self.tr("Region files ({patterns})").format(patterns=" ".join(READABLE_PATTERNS))
        chosen = open_file(self._window, self.tr("Import regions"), kinds, Purpose.REGIONS)
        if chosen is not None:
            self.read(chosen)

    def read(self, path: Path) -> None:
        """Import the regions of a file."""
        if self._open_record.document is not None and not self._open_record.may_edit():
            return
        target = self._target()
        if target is None:
            self.notice.emit(self.tr("The reference image is still opening. Import again when it is shown."))
            return
        open_record = self._open_record
        document = open_record.document
        if document is None or self.importing.busy:
            return
        record_id, used_names = open_record.record_id, {item.item_name for item in document.items}
        info = None if open_record.link.file is None else open_record.link.file.info
        model_ids, default = (
            {model.model_id for model in open_record.models},
            ItemChanges(open_record).default_model(),
        )

        def items() -> tuple[list[dict[str, Any]], str, int]:
            drafts = _read_file(path, target)
            names = default_names(used_names | {draft.name for draft in drafts})
            fields = _fields(item_creates(drafts, record_id, target, info, names), model_ids, default)
            left_out = left_out_sentence(drafts.outside, drafts.without_area)
            return fields, left_out, drafts.bounding_box_count

        run(
            items,
            owner=self,
            done=lambda read: self._create_items(record_id, *read),
            failed=lambda error: self.notice.emit(self._on_read_failed(error)),
        )

    def _target(self) -> ExportedPicture | None:
        file, (width, height) = self._open_record.link.file, self._open_record.link.size
        if file is None or width <= 0 or height <= 0:
            return None
        return ExportedPicture(file.name, width, height, file.info.get("ipfs_cid"))

    def _create_items(self, record_id: str, fields: list[dict[str, Any]], left_out: str, boxed: int) -> None:
        if (
            self._open_record.record_id == record_id
            and self._open_record.may_edit()
            and not self.importing.busy
        ):
            self._left_out, self._boxed = left_out, boxed
            self.importing.start(fields)

    def _on_imported(self, count: int) -> None:
        if count:
            parts = [self.tr("%n region(s) imported.", "", count), self._left_out]
            if self._boxed:
                parts.append(self.tr("%n other shape(s) converted to bounding rectangles.", "", self._boxed))
            self.notice.emit(join_sentences(parts))

    def _on_read_failed(self, error: Exception) -> str:
        if isinstance(error, OSError):
            why = error.strerror or str(error)
            return self.tr("Cannot read the file: {why}").format(why=why)
        if not isinstance(error, ExchangeError):
            return sentence(error)
        return exchange_sentence(error)


def _read_file(path: Path, target: ExportedPicture) -> ImportedRegions:
    if path.stat().st_size > MAX_BYTES:
        raise ExchangeError(Reason.TOO_LARGE)
    return read_regions(path.read_bytes(), path.name, target)


def _fields(
    bodies: Iterable[ItemCreate], model_ids: Collection[str], default: str | None
) -> list[dict[str, Any]]:
    """The fields of the items of `bodies`.

    A model that is not in `model_ids` is replaced by the default one.
    """
    all_fields = []
    for body in bodies:
        fields = body.model_dump(mode="json", exclude_unset=True)
        if fields["model_id"] not in model_ids:
            fields["model_id"] = default
        all_fields.append(fields)
    return all_fields


_ITEMS = TypeAdapter(dict[str, CopiedItem])


def copy_regions(view: CanvasView, link: RegionLink, item_of: Callable[[str], ItemView | None]) -> None:
    """Copy the selected regions and the fields of their items to the clipboard.

    Does nothing if none is selected.
    """
    text = view.editor.selection_text()
    if not text:
        return
    data = json.loads(text)
    items = {region_id: item_of(region_id) for region_id in view.store.selected_ids}
    copies = {key: copy_of(item, link.size) for key, item in items.items() if item is not None}
    copied_items = {key: copy.model_dump(mode="json") for key, copy in copies.items() if copy is not None}
    # As text: QMimeData made here would be deleted by Qt after the interpreter has ended.
    QGuiApplication.clipboard().setText(json.dumps({**data, "items": copied_items}))


def paste_regions(view: CanvasView, link: RegionLink) -> None:
    """Add the regions of the clipboard as copies, if there are any."""
    try:
        data = json.loads(QGuiApplication.clipboard().text())
        link.paste_sources = _ITEMS.validate_python(data.get("items", {}) if isinstance(data, dict) else {})
    except (ValueError, ValidationError):
        link.paste_sources = {}
    view.paste()


_SHOW_AFTER_MS = 500


class BulkImport(QObject):
    """Appends the items of one import to the journal and shows them slice by slice."""

    imported = Signal(int)
    """Emits the number of created items."""

    def __init__(self, open_record: OpenRecord, window: QWidget) -> None:
        super().__init__(window)
        self._open_record, self._window = open_record, window
        self._fields: Sequence[Mapping[str, Any]] = ()
        self._done_count = 0
        self._step = ""
        self._record_id = ""
        self._progress: QProgressDialog | None = None
        self._slices = Slices(open_record.edits.slice_gate, self)

    @property
    def busy(self) -> bool:
        """True while items are being created."""
        return self._slices.is_running

    def start(self, fields: Sequence[Mapping[str, Any]]) -> None:
        """Create an item from each of `fields` in the open record."""
        self._fields, self._done_count, self._step = fields, 0, new_key()
        self._record_id = self._open_record.record_id
        if len(fields) > SLICE_SIZE:
            self._progress = QProgressDialog(
                self.tr("Importing regions…"), self.tr("Stop"), 0, len(fields), self._window
            )
            self._progress.setMinimumDuration(_SHOW_AFTER_MS)
            self._progress.setAutoReset(False)
        self._slices.start(self._import_slice)

    def _import_slice(self) -> bool:
        """True while items are left."""
        open_record, document = self._open_record, self._open_record.document
        stopped = self._progress is not None and self._progress.wasCanceled()
        away = document is None or open_record.record_id != self._record_id
        if (
            document is None
            or away
            or not open_record.editable
            or stopped
            or self._done_count >= len(self._fields)
        ):
            return self._end()
        part = self._fields[self._done_count : self._done_count + SLICE_SIZE]
        edits = (document.make(EditName.IMPORT, each) for each in part)
        has_more = self._done_count + len(part) < len(self._fields)
        if not open_record.edits.do(*edits, step=self._step, has_more=has_more):
            return self._end()
        self._done_count += len(part)
        if self._progress is not None:
            self._progress.setValue(self._done_count)
        return True

    def _end(self) -> bool:
        if self._progress is not None:
            self._progress.close()
            self._progress.deleteLater()
            self._progress = None
        self._fields = ()
        self.imported.emit(self._done_count)
        return False
