"""Shows progress, filters and the list of items, in the left panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.canvas.model.regions import RegionStore, StoreEvent
from desktop.commands.bindings import Commands
from desktop.pages.workbench.items.items_list import ItemsList
from desktop.pages.workbench.items.items_model import ItemsModel
from desktop.record.item_rows import ItemRow
from desktop.record.open_record import OpenRecord
from desktop.widgets import (
    Button,
    ButtonKind,
    FilterChips,
    FlowLayout,
    IconButton,
    IconLabel,
    Panel,
    ProgressBar,
    SearchField,
    key_hint,
    label,
    row_of,
    separator,
)

_SEARCH_FROM = 12
"""The search appears from this number of items on."""
_MAX_ROW_REPAINTS = 20
"""If more rows change, the whole list is repainted."""


class ItemsPanel(Panel):
    """Lists the items. List and canvas share one selection."""

    selected = Signal(tuple, str)
    """The ids of the selected items, and the id of the chosen one."""
    activated = Signal(str)
    """The id of an item to be brought to the middle of the canvas."""
    template_wanted = Signal()
    """Start with the regions that are kept with the reference image."""
    last_wanted = Signal()
    """Start with the items of the last inspection."""

    def __init__(self, commands: Commands, store: RegionStore, parent: QWidget | None = None) -> None:
        super().__init__("panel", "right", parent)
        self.setObjectName("items-panel")
        self.setMinimumWidth(200)
        self.model = ItemsModel(store, self)
        self.list = ItemsList(self.model)
        self.compact = IconButton(
            "list", self.tr("Compact list"), keys=commands.keys_text("view.compact"), checkable=True, side=24
        )
        self.compact.clicked.connect(lambda _checked=False: commands.run("view.compact"))
        self.filters = FilterChips(self.tr("Filter items"), wraps=True)
        self.filters.setObjectName("items-filter")
        self.search = SearchField(self.tr("Name or number"))
        self.search.setObjectName("items-search")
        self.search.hide()
        self._count = label("", "dim")
        self._progress = ProgressBar(self.tr("Decided items"))
        self._detected_label = label("", "dim")
        self._detected_label.setObjectName("items-detected")
        self._sign = IconLabel("finding", "dim", 14)
        self._hidden_notice = self._make_hidden_notice(commands)
        self._empty = self._make_empty_page(commands)
        self._can_add = self._has_image = self._has_template = False
        self._current = ""
        self._selection: tuple[str, ...] = ()
        self._build(commands)
        self.filters.chosen.connect(self._set_filter)
        self.search.searched.connect(self._set_search)
        self.search.returnPressed.connect(self._choose_first)
        self.list.selectionModel().selectionChanged.connect(lambda *_: self._on_selection_changed())
        self.list.activated.connect(self._on_activated)
        self.model.modelReset.connect(self._restore_selection)

    def _build(self, commands: Commands) -> None:
        head = row_of(label(self.tr("Items"), "strong"), 1, self._count, self.compact)
        row = row_of(self._sign, (self._detected_label, 1), spacing=6)
        top = QVBoxLayout()
        top.setContentsMargins(12, 12, 12, 8)
        top.setSpacing(8)
        top.addLayout(head)
        top.addWidget(self._progress)
        top.addLayout(row)
        top.addWidget(self._hidden_notice)
        top.addWidget(self.filters)
        top.addWidget(self.search)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 1, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(separator())
        column.addWidget(self._empty)
        column.addWidget(self.list, 1)
        column.addWidget(separator())
        foot = FlowLayout()
        foot.setContentsMargins(12, 8, 12, 8)
        self._drawing_hint = label("", "dim")
        self._drawing = QWidget()
        for hint, command, button in (
            (self._drawing, "tool.rectangle", self._drawing_hint),
            (QWidget(), "finding.next", label(self.tr("Next finding"), "dim")),
        ):
            row_of(
                key_hint(commands.keys_text(command)), button, parent=hint, margins=(0, 0, 4, 0), spacing=8
            )
            foot.addWidget(hint)
        self.name_drawing(findings=False)
        column.addLayout(foot)

    def set_editable(self, on: bool) -> None:
        """Show or hide the hint about drawing, and let items be dragged."""
        self._drawing.setVisible(on)
        self.list.set_movable(on)

    def set_compact(self, on: bool) -> None:
        """Show each item on one line, or with its picture."""
        self.compact.setChecked(on)
        self.list.set_compact(on)

    def move_current(self, offset: int) -> None:
        """Ask for the chosen item to be moved by `offset` rows."""
        ids = self.model.ids()
        if self._current in ids:
            row = ids.index(self._current) + offset + (offset > 0)
            if 0 <= row <= len(ids):
                self.list.moved.emit((self._current,), ids[row] if row < len(ids) else "")

    def name_drawing(self, findings: bool) -> None:
        """Set whether the front picture is for drawing findings or regions."""
        self._drawing_hint.setText(self.tr("Draw finding") if findings else self.tr("Draw region"))

    def _make_empty_page(self, commands: Commands) -> QWidget:
        panel = QWidget()
        column = QVBoxLayout(panel)
        column.setContentsMargins(12, 16, 12, 16)
        column.setSpacing(10)
        self._empty_text = label("", "dim", wrap=True)
        self.template = Button(self.tr("Apply template"), icon="rectangle")
        self.last = Button(self.tr("Copy from last record"), icon="history")
        self.template.clicked.connect(lambda _checked=False: self.template_wanted.emit())
        self.last.clicked.connect(lambda _checked=False: self.last_wanted.emit())
        self._show_all_button = Button(self.tr("Show all items"), kind=ButtonKind.LINK)
        self._show_all_button.clicked.connect(lambda _checked=False: self.show_all())
        self.draw = Button(
            self.tr("Draw region"), icon="rectangle", keys=commands.keys_text("tool.rectangle")
        )
        self.draw.clicked.connect(lambda _checked=False: commands.run("tool.rectangle"))
        for widget in (self._empty_text, self.draw, self.template, self.last, self._show_all_button):
            column.addWidget(widget)
        return panel

    def _make_hidden_notice(self, commands: Commands) -> QWidget:
        panel = QWidget()
        row = QHBoxLayout(panel)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(IconLabel("eye-off", "dim", 14))
        row.addWidget(label(self.tr("Regions are hidden on the image"), "dim", wrap=True), 1)
        self.show_regions = Button(
            self.tr("Show"), kind=ButtonKind.LINK, keys=commands.keys_text("view.regions")
        )
        self.show_regions.setObjectName("items-show-regions")
        self.show_regions.clicked.connect(lambda _checked=False: commands.run("view.regions"))
        row.addWidget(self.show_regions)
        panel.hide()
        return panel

    def show_regions_hidden(self, on: bool) -> None:
        """Show that the regions are hidden on the picture, and mark every row."""
        self._hidden_notice.setVisible(on)
        self.model.hide_regions(on)

    @property
    def current(self) -> str:
        """The id of the chosen item, or an empty string."""
        return self._current

    def show_rows(
        self, rows: Sequence[ItemRow], *, can_add: bool, has_image: bool, has_template: bool
    ) -> None:
        """List the items. A record with none offers to begin with a template or the last inspection, if the
        user `can_add` items and there is a reference image.
        """
        self._can_add, self._has_image, self._has_template = can_add, has_image, has_template
        self.model.show(rows)
        self.search.setVisible(len(rows) > _SEARCH_FROM or bool(self.search.text()))
        counts = self.model.counts()
        judged = counts["all"] - counts["undecided"]
        # `attrgetter` is faster than a generator, which matters for ten thousand rows.
        detected = sum(map(attrgetter("detected"), rows))
        text = self.tr("Decided {n} of {all}").format(n=judged, all=len(rows))
        self._count.setText(text)
        self._progress.setValue(100 * judged // len(rows) if rows else 0)
        self._progress.setAccessibleDescription(text)
        self._detected_label.setText(self.tr("Detected {n} of {all}").format(n=detected, all=len(rows)))
        for widget in (self._sign, self._detected_label):
            widget.setVisible(bool(rows))
        self.filters.set_choices(
            [
                ("all", self.tr("All {n}").format(n=counts["all"])),
                ("undecided", self.tr("Undecided {n}").format(n=counts["undecided"])),
                ("failed", self.tr("Failed {n}").format(n=counts["failed"])),
            ]
        )
        self._show_empty()

    def _show_empty(self) -> None:
        nothing, no_items = self.model.rowCount() == 0, not self.model.counts()["all"]
        self._empty.setVisible(nothing)
        if not no_items:
            text = self.tr("No matching items.")
        elif not self._can_add:
            text = self.tr("No items yet. A user with edit permission can add them.")
        elif self._has_image:
            text = self.tr("No items yet. Draw a region on the image.")
        else:
            text = self.tr("No items yet. Choose a reference image first.")
        self._empty_text.setText(text)
        can_start = no_items and self._can_add and self._has_image
        self.draw.setVisible(can_start)
        self.template.setVisible(can_start and self._has_template)
        self.last.setVisible(can_start)
        self._show_all_button.setVisible(nothing and not no_items)

    def show_all(self) -> None:
        """Reset filter and search."""
        self.end_search()
        self.filters.set_value("all")
        self._set_filter("all")

    def select(self, item_ids: tuple[str, ...], current: str) -> None:
        """Select these items, with `current` as the chosen one, without a signal.

        An empty id chooses none.
        """
        if (item_ids, current) != (self._selection, self._current):
            self._selection, self._current = item_ids, current
            self._restore_selection()

    def _restore_selection(self) -> None:
        flags = QItemSelectionModel.SelectionFlag
        row = self.model.row_of(self._current)
        before = self._highlighted_rows()
        selection = self.list.selectionModel()
        selection.blockSignals(True)
        if row < 0:
            selection.clearCurrentIndex()
        else:
            selection.setCurrentIndex(self.model.index(row), flags.NoUpdate)
            self.list.scrollTo(self.model.index(row))
        selection.select(self._ranges(), flags.ClearAndSelect)
        selection.blockSignals(False)
        self.model.mark(self._current)
        self._repaint_rows(before ^ self._highlighted_rows())

    def _highlighted_rows(self) -> set[tuple[int, bool]]:
        """The selected rows, and the marked row as (row, True)."""
        rows = {(row, False) for row in self._selected_rows()}
        return rows | {(self.model.row_of(self.model.marked_id), True)}

    def _selected_rows(self) -> list[int]:
        ranges = self.list.selectionModel().selection()
        parts = [ranges.at(at) for at in range(ranges.size())]
        return [row for part in parts for row in range(part.top(), part.bottom() + 1)]

    def _repaint_rows(self, rows: set[tuple[int, bool]]) -> None:
        """Repaint `rows` alone, because painting the whole list takes several ms."""
        if len(rows) > _MAX_ROW_REPAINTS:
            self.list.viewport().update()
            return
        for row, _ in rows:
            self.list.update(self.model.index(row))

    def _ranges(self) -> QItemSelection:
        """The selected rows as ranges of consecutive rows."""
        ranges = QItemSelection()
        rows = sorted(row for row in map(self.model.row_of, self._selection) if row >= 0)
        begin = 0
        for at in range(1, len(rows) + 1):
            if at == len(rows) or rows[at] != rows[at - 1] + 1:
                ranges.select(self.model.index(rows[begin]), self.model.index(rows[at - 1]))
                begin = at
        return ranges

    def _set_filter(self, name: str) -> None:
        self.model.set_filter(name)
        self._show_empty()

    def end_search(self) -> None:
        """Clear the search."""
        self.search.clear()
        self.model.set_search("")

    def _set_search(self, text: str) -> None:
        self.model.set_search(text)
        self._show_empty()

    def _choose_first(self) -> None:
        """Choose the first item that was found, and leave the search field."""
        if self.model.rowCount():
            if self.model.row_of(self._current) < 0:
                self.list.selectionModel().setCurrentIndex(
                    self.model.index(0), QItemSelectionModel.SelectionFlag.ClearAndSelect
                )
            self.list.setFocus()

    def _on_selection_changed(self) -> None:
        rows = self._selected_rows()
        index = self.list.selectionModel().currentIndex()
        current = index.row() if index.row() in rows else rows[-1] if rows else -1
        ids = self.model.ids()
        self._selection = tuple(ids[row] for row in rows)
        self._current = ids[current] if current >= 0 else self._current
        self.model.mark(self._current)
        self.selected.emit(self._selection, self._current)

    def _on_activated(self, index: QModelIndex) -> None:
        row = self.model.row(index.row())
        if row is not None:
            self.activated.emit(row.item_id)


class SelectionController(QObject):
    """Passes the selection of canvas or list to the open record, and from there to the other one.

    `commit` commits text typed about the chosen item before another one is chosen.
    """

    chosen = Signal(str)
    """The id of the item that was chosen in the list."""

    def __init__(
        self, open_record: OpenRecord, items: ItemsPanel, commit: Callable[[], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._open_record, self._items, self._commit = open_record, items, commit
        self._store = open_record.link.store
        self._is_showing = False
        open_record.selection_changed.connect(self.show)
        open_record.current_changed.connect(self.show)
        items.selected.connect(self._on_list_selected)
        self._store.subscribe(self._on_canvas_selected)

    def show(self) -> None:
        """Show the selection of the open record in list and canvas."""
        open_record = self._open_record
        self._is_showing = True
        self._items.select(open_record.selection, open_record.current)
        self._store.select(open_record.selection)
        self._is_showing = False

    def _on_list_selected(self, item_ids: tuple[str, ...], current: str) -> None:
        self._commit()
        self._open_record.select(item_ids, current)
        self.chosen.emit(current)

    def _on_canvas_selected(self, event: StoreEvent) -> None:
        # A region that is taken off the canvas, with its picture for example, stays selected in the list.
        if not event.selection or event.removed or self._is_showing:
            return
        ids = self._store.selected_ids
        if ids and self._open_record.current not in ids:
            self._commit()
        self._open_record.select(ids)
