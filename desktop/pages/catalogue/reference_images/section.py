"""Lists the reference images and uploads new ones.

Each is a card: thumbnail, name, aircraft, size, scale, number of template regions.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QImage,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop.background.workers import run
from desktop.client.api.catalogue import Entries
from desktop.client.session import Session
from desktop.context import Context
from desktop.imaging.decoding.pixels import decode_thumbnail
from desktop.pages.catalogue.forms import ReferenceForm
from desktop.pages.catalogue.reference_images.uploads import Uploads, send_reference
from desktop.pages.catalogue.saving import DeletableSection
from desktop.pages.common.files.file_dialogs import Purpose, dropped_pictures, open_pictures
from desktop.theme import CARD_RADIUS, LABEL_PX, TEXT_PX, text_font, theme_manager
from desktop.widgets import accept_copy, paint_icon
from shared.wire.catalogue import ReferenceImage, ReferenceImageWrite

Index = QModelIndex | QPersistentModelIndex
ENTRY_ROLE = Qt.ItemDataRole.UserRole
PICTURE_ROLE = Qt.ItemDataRole.UserRole + 1

GAP = 8
_MIN_CARD_WIDTH_PX = 224
_PICTURE_HEIGHT_PX = 148
_CARD_HEIGHT_PX = 236
_INSET_PX = 12


def card_texts(entry: ReferenceImage) -> tuple[str, str, str]:
    """The small texts of a card: the aircraft, the image size, and the scale with the number of regions."""
    size = f"{entry.width} × {entry.height} px" if entry.width and entry.height else ""
    if entry.mm_per_pixel is None:
        scale = QCoreApplication.translate("Catalogue", "No scale")
    else:
        scale = f"{entry.mm_per_pixel:.4g} mm/px"
    regions = QCoreApplication.translate("Catalogue", "%n template region(s)", "", len(entry.template))
    no_aircraft = QCoreApplication.translate("Catalogue", "No aircraft")
    return entry.aircraft_name or no_aircraft, size, f"{scale} · {regions}"


class ReferenceCardModel(QAbstractListModel):
    """One page of reference images. Their thumbnails are set later, by file ID."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: list[ReferenceImage] = []
        self._pictures: dict[str, QPixmap] = {}

    def show(self, entries: list[ReferenceImage]) -> None:
        """Replace the entries."""
        self.beginResetModel()
        self._entries = entries
        file_ids = {entry.file_id for entry in entries}
        self._pictures = {key: picture for key, picture in self._pictures.items() if key in file_ids}
        self.endResetModel()

    def entries(self) -> list[ReferenceImage]:
        """The entries that are shown."""
        return self._entries

    def set_picture(self, file_id: str, picture: QPixmap) -> None:
        """Set the thumbnail of a file."""
        self._pictures[file_id] = picture
        for row, entry in enumerate(self._entries):
            if entry.file_id == file_id:
                self.dataChanged.emit(self.index(row), self.index(row))

    def files_without_picture(self) -> list[str]:
        """The IDs of the files whose thumbnails are not set."""
        file_ids = dict.fromkeys(entry.file_id for entry in self._entries)
        return [file_id for file_id in file_ids if file_id not in self._pictures]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = 0) -> Any:
        if not 0 <= index.row() < len(self._entries):
            return None
        entry = self._entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.reference_image_name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (entry.reference_image_name, *card_texts(entry)) if part)
        if role == ENTRY_ROLE:
            return entry
        if role == PICTURE_ROLE:
            return self._pictures.get(entry.file_id)
        return None


class _CardDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        view = self.parent()
        assert isinstance(view, ReferenceCards)
        return QSize(view.card_width(), _CARD_HEIGHT_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = theme_manager().theme
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        entry: ReferenceImage = index.data(ENTRY_ROLE)
        card = QRectF(option.rect).adjusted(GAP / 2, GAP / 2, -GAP / 2, -GAP / 2).adjusted(1, 1, -1, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setPen(QPen(QColor(theme.accent if is_selected else theme.line), 2 if is_selected else 1))
        painter.setBrush(QColor(theme.accent_ground if is_selected else theme.panel))
        painter.drawRoundedRect(card, CARD_RADIUS, CARD_RADIUS)
        self._paint_picture(painter, card, index.data(PICTURE_ROLE))
        left, width = card.x() + _INSET_PX, card.width() - 2 * _INSET_PX
        top = card.y() + _PICTURE_HEIGHT_PX + 8
        aircraft, size, scale = card_texts(entry)
        name = QRectF(left, top, width, 20)
        _paint_line(painter, name, entry.reference_image_name, theme.text, TEXT_PX, bold=True)
        # A long name of an aircraft is elided, the size is not.
        size_width = _paint_line(
            painter, QRectF(left, top + 22, width, 16), size, theme.dim_text, LABEL_PX, right=True
        )
        aircraft_box = QRectF(left, top + 22, width - size_width - _INSET_PX, 16)
        _paint_line(painter, aircraft_box, aircraft, theme.dim_text, LABEL_PX)
        _paint_line(painter, QRectF(left, top + 40, width, 16), scale, theme.dim_text, LABEL_PX)
        painter.restore()

    def _paint_picture(self, painter: QPainter, card: QRectF, picture: QPixmap | None) -> None:
        theme = theme_manager().theme
        frame = QRectF(card.x() + 6, card.y() + 6, card.width() - 12, _PICTURE_HEIGHT_PX - 6)
        shape = QPainterPath()
        shape.addRoundedRect(frame, 6, 6)
        painter.fillPath(shape, QColor(theme.canvas))
        if picture is None or picture.isNull():
            middle = frame.center()
            paint_icon(painter, "photo", theme.dim, QRectF(middle.x() - 12, middle.y() - 12, 24, 24))
            return
        painter.save()
        painter.setClipPath(shape)
        scale = max(frame.width() / picture.width(), frame.height() / picture.height())
        target = QRectF(0, 0, picture.width() * scale, picture.height() * scale)
        target.moveCenter(frame.center())
        painter.drawPixmap(target, picture, QRectF(picture.rect()))
        painter.restore()


def _paint_line(
    painter: QPainter,
    box: QRectF,
    text: str,
    colour: str,
    size: int,
    bold: bool = False,
    right: bool = False,
) -> int:
    """Paint one line of text, elided if necessary. Returns its width in px."""
    painter.setFont(text_font(size, bold=bold))
    painter.setPen(QColor(colour))
    short = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    painter.drawText(box, int((side | Qt.AlignmentFlag.AlignVCenter).value), short)
    return painter.fontMetrics().horizontalAdvance(short)


class ReferenceCards(QListView):
    """A grid of cards that fills its width. One card is selected; Enter or a double click activates it."""

    card_activated = Signal(object)
    selection_changed = Signal()
    menu_requested = Signal(QPoint)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards = ReferenceCardModel(self)
        self.setAccessibleName(name)
        self.setModel(self.cards)
        self.setItemDelegate(_CardDelegate(self))
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setWordWrap(False)
        self.setSpacing(0)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setViewportMargins(4, 4, 4, 4)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        # IconMode enables drops, but the section accepts the dropped files.
        self.setAcceptDrops(False)
        self.viewport().setAcceptDrops(False)
        self.doubleClicked.connect(lambda index: self._pick(index.row()))
        self.customContextMenuRequested.connect(
            lambda position: self.menu_requested.emit(self.viewport().mapToGlobal(position))
        )
        self.selectionModel().currentChanged.connect(lambda *_: self.selection_changed.emit())
        self.cards.modelReset.connect(self.selection_changed)

    @property
    def selected_card(self) -> ReferenceImage | None:
        """The reference image of the selected card."""
        row = self.currentIndex().row()
        entries = self.cards.entries()
        return entries[row] if 0 <= row < len(entries) else None

    def select_card(self, row: int) -> None:
        """Select a card."""
        self.selectionModel().setCurrentIndex(
            self.cards.index(row), QItemSelectionModel.SelectionFlag.ClearAndSelect
        )

    def card_width(self) -> int:
        """The width of a card with its gap in px, so that the cards fill the row."""
        # The list always reserves space for a scroll bar.
        bar = self.verticalScrollBar().sizeHint().width()
        row_width = max(self.viewport().width() - bar - 2, _MIN_CARD_WIDTH_PX)
        return row_width // max(1, row_width // _MIN_CARD_WIDTH_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self._pick(self.currentIndex().row())
            return
        super().keyPressEvent(event)

    def _pick(self, row: int) -> None:
        if 0 <= row < len(self.cards.entries()):
            self.card_activated.emit(self.cards.entries()[row])


_THUMB_PX = 512


class ReferenceSection(DeletableSection[ReferenceImage]):
    """The reference images, as cards."""

    empty_icon: ClassVar[str] = "photo"

    def __init__(self, context: Context) -> None:
        translate = QCoreApplication.translate
        self._opens_form = False
        super().__init__(context, translate("Catalogue", "Add images…"), translate("Catalogue", "Name"))
        self.uploads = Uploads(context, partial(send_reference, context.session))
        self.uploads.uploaded.connect(self._on_uploaded)
        self.card_column.insertWidget(0, self.uploads)
        self.setAcceptDrops(True)

    def make_view(self) -> ReferenceCards:
        self.cards = ReferenceCards(self.tr("Reference images"))
        self.cards.card_activated.connect(lambda _: self.edit_selected())
        self.cards.selection_changed.connect(self.update_buttons)
        self.cards.menu_requested.connect(self.show_menu)
        return self.cards

    def empty_text(self) -> str:
        return self.tr(
            "No reference images yet. Add images that show the correct condition, or drop them here."
        )

    def key(self, entry: ReferenceImage) -> str:
        return entry.reference_image_id

    def name(self, entry: ReferenceImage) -> str:
        return entry.reference_image_name

    def selected_entry(self) -> ReferenceImage | None:
        return self.cards.selected_card

    def show_entries(self, entries: list[ReferenceImage], keep: str) -> None:
        self.cards.cards.show(entries)
        rows = [row for row, entry in enumerate(entries) if entry.reference_image_id == keep]
        if entries:
            self.cards.select_card(rows[0] if rows else 0)
        for file_id in self.cards.cards.files_without_picture():
            run(
                _read_thumbnail,
                self._context.session,
                file_id,
                owner=self,
                done=partial(self._show_thumbnail, file_id),
                failed=lambda _: None,
                priority=-1,
            )

    def form(self, entry: ReferenceImage | None) -> QDialog | None:
        return None if entry is None else ReferenceForm(self._context, entry, self)

    def entries(self) -> Entries[ReferenceImage, ReferenceImageWrite]:
        return self._context.session.catalogue.reference_images

    def _show_thumbnail(self, file_id: str, image: QImage) -> None:
        self.cards.cards.set_picture(file_id, QPixmap.fromImage(image))

    # -- uploads

    def open_new_form(self) -> None:
        """Ask for pictures and upload them."""
        if not self.may_edit:
            return
        self.send(open_pictures(self, self.tr("Add reference images"), Purpose.REFERENCES))

    def send(self, paths: list[Path]) -> None:
        """Upload pictures. Each becomes a reference image with the name of its file."""
        if not paths:
            return
        self._opens_form = len(paths) == 1
        self.stack.show_content()
        for path in paths:
            self.uploads.add(path)

    def _on_uploaded(self, entry: ReferenceImage) -> None:
        self.search.clear()
        # The newest images are on the first page.
        self._page_number = 1
        self.reload(entry.reference_image_id)
        if self._opens_form:
            self._opens_form = False
            self._open_form(self.form(entry))
        else:
            self.toast.emit(self.tr("{name} added.").format(name=entry.reference_image_name))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.may_edit and dropped_pictures(event.mimeData()):
            accept_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        accept_copy(event)
        self.send(dropped_pictures(event.mimeData()))


def _read_thumbnail(session: Session, file_id: str) -> QImage:
    return decode_thumbnail(session.files.thumbnail(file_id, _THUMB_PX))
