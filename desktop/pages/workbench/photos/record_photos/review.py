"""Reviews the photos of the record one by one: the regions found in each, and the items to assign it to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QListView, QVBoxLayout, QWidget

from desktop.canvas.layers.colours import theme_colours
from desktop.client import Session
from desktop.pages.workbench.photos.record_photos.regions_preview import Outline, RegionsPreview
from desktop.pages.workbench.photos.record_photos.thumbnails import Thumbnail, ThumbnailList
from desktop.record.photo_list import PhotoList
from desktop.record.photo_terms import photo_details, photo_name, photo_reason
from desktop.theme import theme_manager
from desktop.widgets import (
    BaseDialog,
    Button,
    ButtonKind,
    ElidedLabel,
    SearchField,
    column_of,
    confirm,
    escape_tooltip,
    label,
    row_of,
)
from shared.wire.photos import RecordPhoto

_ITEMS_PX = 250
_WIDTH, _HEIGHT = 0.9, 0.78
"""The share of the window's size for the dialog."""

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Choice:
    """An item that photos can be assigned to: its id in the journal, and its name with the number."""

    item_id: str
    name: str


class ChoiceModel(QAbstractListModel):
    """The items, with a mark at those of the shown photo. The items that it shows come first."""

    toggled = Signal(str)
    """The id of the item whose mark was changed."""

    def __init__(self, choices: Sequence[Choice], parent: QWidget) -> None:
        super().__init__(parent)
        self._choices = choices
        self._text = ""
        self._first: Sequence[str] = ()
        self._on: frozenset[str] = frozenset()
        self._editable = True
        self.rows: list[Choice] = list(choices)
        """The items that match the search, in the order of the list."""

    def show_choices(self, first: Sequence[str], on: frozenset[str], editable: bool) -> None:
        """Mark the items `on`, and list those of `first` at the top."""
        if (list(first), editable) != (list(self._first), self._editable):
            self._first, self._editable = first, editable
            self._arrange()
        if on != self._on:
            self._on = on
            self.dataChanged.emit(
                self.index(0), self.index(len(self.rows) - 1), [Qt.ItemDataRole.CheckStateRole]
            )

    def search(self, text: str) -> None:
        """List only the items whose name has this text."""
        self._text = text.casefold().strip()
        self._arrange()

    def _arrange(self) -> None:
        order = {item_id: number for number, item_id in enumerate(self._first)}
        matching = [choice for choice in self._choices if self._text in choice.name.casefold()]
        self.beginResetModel()
        self.rows = sorted(matching, key=lambda choice: order.get(choice.item_id, len(order)))
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, _index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsUserCheckable if self._editable else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        choice = self.rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return choice.name
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if choice.item_id in self._on else Qt.CheckState.Unchecked
        return None

    def setData(self, index: Index, _value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        self.toggled.emit(self.rows[index.row()].item_id)
        return True


class ReviewDialog(BaseDialog):
    """Nothing is assigned before the user accepts it."""

    accepted_items = Signal(object)
    """Emits the assignments: a mapping from the IDs of photos to the IDs of all their items."""
    align_wanted = Signal(str, str)
    """Emits the IDs of a photo and of an item, to be aligned by three points."""
    remove_wanted = Signal(str)
    """Emits the ID of a photo to remove from the record."""

    def __init__(
        self,
        session: Session,
        photos: PhotoList,
        choices: Sequence[Choice],
        local_id: Callable[[str], str],
        editable: bool,
        parent: QWidget,
    ) -> None:
        """Create the dialog. `local_id` returns the journal's id of an item of the service."""
        super().__init__(parent)
        self.setObjectName("photo-review")
        self.setWindowTitle(self.tr("Photos of the record"))
        self.setModal(True)
        self.setMinimumSize(820, 520)
        window_size = parent.window().size()
        self.resize(round(_WIDTH * window_size.width()), round(_HEIGHT * window_size.height()))
        self._photos, self._local, self._editable = photos, local_id, editable
        self._names = {choice.item_id: choice.name for choice in choices}
        self._edited: dict[str, frozenset[str]] = {}
        self._any_items = bool(choices)
        self.thumbnails = ThumbnailList(self.tr("Photos of the record"), in_row=False)
        self.thumbnails.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view = RegionsPreview(session)
        self.view.setAccessibleName(self.tr("Photo with matched regions"))
        self._title = ElidedLabel("", "item")
        self._reason = label("", "dim", wrap=True)
        self.items = ChoiceModel(choices, self)
        self.list = QListView()
        self.list.setObjectName("photo-review-items")
        self.list.setAccessibleName(self.tr("Items of the photo"))
        self.list.setModel(self.items)
        self.list.setUniformItemSizes(True)
        self.list.setSpacing(2)
        self.search = SearchField(self.tr("Search items"))
        self.remove = Button(self.tr("Remove from record…"), icon="trash")
        self.align = Button(self.tr("Align with three points…"), icon="edit")
        self.close_button = Button(self.tr("Close"))
        self.accept_button = Button("", kind=ButtonKind.MAIN, icon="check")
        self.accept_button.setObjectName("photo-review-accept")
        self._build()
        self._connect()
        self._update_colours()

    def _build(self) -> None:
        middle = column_of(self._title, self._reason, (self.view, 1), spacing=6)
        right = QVBoxLayout()
        right.setSpacing(6)
        right.addWidget(label(self.tr("Photo of these items"), "label"))
        right.addWidget(self.search)
        right.addWidget(self.list, 1)
        right.addWidget(self.align)
        side = QWidget()
        side.setFixedWidth(_ITEMS_PX)
        right.setContentsMargins(0, 0, 0, 0)
        side.setLayout(right)
        content = row_of(self.thumbnails, (middle, 1), side, spacing=12)
        below = row_of(self.remove, 1, self.close_button, self.accept_button, spacing=8)
        column_of((content, 1), below, parent=self, margins=(20, 16, 20, 16), spacing=12)

    def _connect(self) -> None:
        self.thumbnails.chosen_changed.connect(self._show_photo)
        self.thumbnails.currentItemChanged.connect(lambda *_: self._show_photo())
        self.items.toggled.connect(self.toggle)
        self.view.toggled.connect(self.toggle)
        self.search.searched.connect(self.items.search)
        self.list.selectionModel().currentChanged.connect(lambda *_: self._show_photo())
        self.remove.clicked.connect(lambda _checked=False: self.remove_wanted.emit(self.current))
        self.align.clicked.connect(lambda _checked=False: self._align())
        self.close_button.clicked.connect(self.reject)
        self.accept_button.clicked.connect(self.accept)
        self.finished.connect(self._on_finished)
        self._photos.changed.connect(self._show_photo)
        theme_manager().theme_changed.connect(self._update_colours)

    # -- showing

    def show_thumbnails(self, thumbs: Sequence[Thumbnail], any_items: bool) -> None:
        """List the photos. `any_items` says whether the record has items."""
        self._any_items = any_items
        self.thumbnails.show_thumbnails(thumbs)
        if not self.current and self.thumbnails.count():
            self.thumbnails.setCurrentRow(0)
        self._show_photo()

    @property
    def current(self) -> str:
        """The id of the shown photo; empty if there is none."""
        return self.thumbnails.current

    @property
    def is_edited(self) -> bool:
        """True when the user changed an assignment that is not accepted yet."""
        return any(items != self._assigned_items(photo_id) for photo_id, items in self._edited.items())

    def items_to_assign(self, photo_id: str) -> frozenset[str]:
        """The items to assign a photo to: as marked by the user, as assigned, or as offered."""
        if photo_id in self._edited:
            return self._edited[photo_id]
        assigned = self._assigned_items(photo_id)
        return assigned or frozenset(map(self._local, self._photos.offers.get(photo_id, ())))

    def _assigned_items(self, photo_id: str) -> frozenset[str]:
        photo = self._photos.get(photo_id)
        return frozenset() if photo is None else frozenset(self._local(item.item_id) for item in photo.items)

    @property
    def changed_assignments(self) -> Mapping[str, frozenset[str]]:
        """The photos that accepting would assign to other items, with these items."""
        ids = [photo.photo_id for photo in self._photos.photos]
        return {
            photo_id: self.items_to_assign(photo_id)
            for photo_id in ids
            if self.items_to_assign(photo_id) != self._assigned_items(photo_id)
        }

    def toggle(self, item_id: str) -> None:
        """Assign an item to the shown photo, or remove it."""
        if self._editable and self.current:
            self._edited[self.current] = self.items_to_assign(self.current) ^ {item_id}
            self._show_photo()

    def _show_photo(self) -> None:
        photo = self._photos.get(self.current)
        self.view.show_photo(photo)
        count = len(self.changed_assignments)
        self.accept_button.setText(self.tr("Accept for %n photo(s)", "", count))
        self.accept_button.setEnabled(count > 0)
        self.accept_button.setVisible(self._editable)
        self.remove.setVisible(photo is not None and self._editable)
        if photo is None:
            self._title.setText("")
            self._reason.setText("")
            self.view.show_outlines((), "")
            self.items.show_choices((), frozenset(), False)
            return
        wanted = self.items_to_assign(photo.photo_id)
        offered = len(self._photos.offers.get(photo.photo_id, ()))
        self._title.setText(photo_name(photo))
        reason = photo_reason(photo, offered, self._any_items)
        self._reason.setText(photo_details(photo, reason))
        outlines = self._outlines(photo, wanted)
        first = [outline.item_id for outline in outlines]
        assigned = self._assigned_items(photo.photo_id)
        first += [item_id for item_id in self._names if item_id in assigned and item_id not in first]
        self.items.show_choices(first, wanted, self._editable)
        chosen = self._chosen_item
        self.view.show_outlines(outlines, chosen)
        self.align.setVisible(self._editable)
        self.align.setEnabled(chosen in assigned)
        self.align.setToolTip(
            "" if chosen in assigned else escape_tooltip(self.tr("Accept the photo for an item first."))
        )

    def _outlines(self, photo: RecordPhoto, wanted: frozenset[str]) -> list[Outline]:
        """The places of regions by assignment, or else by matching."""
        places = {self._local(match.item_id): match.corners for match in photo.matches or () if match.covered}
        for item in photo.items:
            if item.corners is not None:
                places[self._local(item.item_id)] = item.corners
        return [
            Outline(item_id, self._names[item_id], corners, item_id in wanted)
            for item_id, corners in places.items()
            if item_id in self._names
        ]

    @property
    def _chosen_item(self) -> str:
        index = self.list.currentIndex()
        return self.items.rows[index.row()].item_id if index.isValid() else ""

    def _update_colours(self) -> None:
        self.view.set_colours(theme_colours(theme_manager().theme.dark))

    # -- ending

    def accept(self) -> None:
        """Assign the marked items."""
        self.accepted_items.emit(self.changed_assignments)
        super().accept()

    def _align(self) -> None:
        photo_id, item_id = self.current, self._chosen_item
        if self._may_close():
            super().reject()
            self.align_wanted.emit(photo_id, item_id)

    def reject(self) -> None:
        """Close without assigning. Asks first if the user changed something."""
        if self._may_close():
            super().reject()

    def _may_close(self) -> bool:
        return not self.is_edited or confirm(
            self,
            self.tr("Discard changes?"),
            self.tr("The items that you selected manually are not assigned yet."),
            self.tr("Discard"),
        )

    def _on_finished(self) -> None:
        self.view.close_photo()
        self.view.close_picture()
        self.deleteLater()
