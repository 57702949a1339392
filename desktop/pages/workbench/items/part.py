"""The part of the workbench with the list of items and the fields of the chosen one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QWidget

from desktop.pages.workbench.items.crops import ItemCrops
from desktop.pages.workbench.items.filling import ItemFillController, TemplateController
from desktop.pages.workbench.items.item_fields import ItemFields
from desktop.pages.workbench.items.items_panel import ItemsPanel, SelectionController
from desktop.pages.workbench.items.region_files import RegionFilesController
from desktop.pages.workbench.part import Needs, WorkbenchPart
from desktop.record.changes import Change
from desktop.record.open_record import OpenRecord


class ItemsPart(WorkbenchPart):
    """Lists, chooses, fills, imports, moves and renames items."""

    chosen = Signal(str)
    """The id of an item that was chosen away from the canvas."""

    def __init__(
        self,
        open_record: OpenRecord,
        panel: ItemsPanel,
        fields: ItemFields,
        commit: Callable[[], None],
        page: QWidget,
    ) -> None:
        """`commit` commits text typed about the chosen item before another one is chosen."""
        super().__init__(open_record, page)
        self.panel, self.fields, self._commit = panel, fields, commit
        self.selecting = SelectionController(open_record, panel, commit, self)
        self.filling = ItemFillController(open_record, self)
        self.region_files = RegionFilesController(open_record, page)
        self._template = TemplateController(open_record, page)
        self.crops = ItemCrops(open_record, panel, self)
        panel.set_compact(self._context.preferences.values.compact_items)
        self._show_notices_of(self.filling, self.region_files, self._template)
        self._connect()
        self._bind_commands()

    def _connect(self) -> None:
        panel, fields, changes, record = self.panel, self.fields, self.changes, self._open_record
        record.rows_changed.connect(self._show_rows)
        record.current_edited.connect(self._show_edited)
        self.selecting.chosen.connect(self.chosen)
        panel.template_wanted.connect(self.filling.from_template)
        panel.last_wanted.connect(self.filling.from_last)
        panel.list.moved.connect(changes.move)
        fields.renamed.connect(changes.rename)
        fields.described.connect(changes.describe)
        fields.model_picked.connect(changes.set_model)

    def _bind_commands(self) -> None:
        panel = self.panel
        self._bind(
            ("view.compact", self._toggle_compact, Needs.RECORD),
            ("item.next", lambda: self._step(1), Needs.RECORD),
            ("item.previous", lambda: self._step(-1), Needs.RECORD),
            ("item.undecided", self.next_undecided, Needs.RECORD),
            ("record.template", self._template.save, Needs.RECORD),
            ("item.earlier", lambda: panel.move_current(-1), Needs.EDIT_ITEM),
            ("item.later", lambda: panel.move_current(1), Needs.EDIT_ITEM),
            ("inspection.export", self.region_files.export, Needs.ITEMS),
            ("regions.import", self.region_files.ask, Needs.EDIT),
        )
        self._commands.bind("search", panel.search.setFocus, owner=panel.search)

    def close(self) -> None:
        """Release what belongs to the record, which is left."""
        self.crops.clear()
        self.panel.show_all()

    def set_editable(self, on: bool) -> None:
        """Enable or disable what edits items."""
        self.panel.set_editable(on)
        self.fields.set_editable(on)

    def go_to(self, item_id: str) -> None:
        """Choose an item and make it visible. An empty id is ignored."""
        if item_id:
            self._commit()
            self._open_record.choose(item_id)
            self.chosen.emit(item_id)

    def next_undecided(self) -> None:
        """Go to the next undecided item, or show that there is none."""
        item_id = self._open_record.next_undecided()
        if item_id:
            self.panel.show_all()
            self.go_to(item_id)
        else:
            text = QCoreApplication.translate("WorkbenchPage", "All other items are decided.")
            self.notice.emit(text)

    def _step(self, offset: int) -> None:
        """Go to the item `offset` places after the chosen one in the list, wrapping around."""
        item_ids, current = self.panel.model.ids(), self._open_record.current
        if item_ids:
            index = item_ids.index(current) if current in item_ids else -1 if offset > 0 else 0
            self.go_to(item_ids[(index + offset) % len(item_ids)])

    def _toggle_compact(self) -> None:
        preferences = self._context.preferences
        preferences.change(compact_items=not preferences.values.compact_items)
        self.panel.set_compact(preferences.values.compact_items)

    def _show_rows(self) -> None:
        record, reference = self._open_record, self._open_record.reference
        self.panel.show_rows(
            record.rows,
            can_add=record.editable,
            has_image=record.source is not None,
            has_template=bool(reference is not None and reference.template),
        )
        self.selecting.show()

    def _show_edited(self, change: Change) -> None:
        item = self._open_record.item
        if item is not None and change & Change.FIELDS:
            self.fields.show_item(item, self._open_record.number)
