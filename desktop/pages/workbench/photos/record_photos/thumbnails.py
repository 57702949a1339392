"""Lists photos of the record as thumbnails that can be dragged onto items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial

from PySide6.QtCore import (
    QByteArray,
    QItemSelectionModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetrics,
    QImage,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop.background.workers import run
from desktop.pages.workbench.photos.photo_files import thumbnail
from desktop.record.open_record import OpenRecord
from desktop.record.photo_list import PhotoList
from desktop.record.photo_terms import photo_details, photo_name, photo_reason, photo_state
from desktop.theme import LABEL_PX, RADIUS, line_px, text_font, theme_manager
from desktop.widgets import escape_tooltip, paint_icon
from shared.wire.photos import RecordPhoto

MIME = "application/x-walkaround-photos"
"""Photo ids, one on each line, while they are dragged."""

_PICTURE = QSize(92, 62)
_PAD = 5


class _Role(IntEnum):
    PHOTO = Qt.ItemDataRole.UserRole + 1
    IMAGE = Qt.ItemDataRole.UserRole + 2
    STATE = Qt.ItemDataRole.UserRole + 3
    TONE = Qt.ItemDataRole.UserRole + 4


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A photo in the list: its id, the name of its file, its state in a few words, all of it as a sentence.

    `tone` is the colour of the state: a name of the theme. `image` is None until it is there.
    """

    photo_id: str
    name: str
    state: str
    reason: str
    tone: str
    image: QImage | None = field(compare=False)
    pictured: bool
    """Whether the image is loaded."""


def thumbnail_size() -> QSize:
    """The size of an entry in px, with two lines of text below the picture."""
    return QSize(_PICTURE.width() + 2 * _PAD, _PICTURE.height() + 2 * _PAD + 2 + 2 * line_px(LABEL_PX))


class ThumbnailList(QListWidget):
    """Several can be chosen. In a row, or one below the other."""

    opened = Signal(str)
    """Emits the ID of a photo to show."""
    chosen_changed = Signal()
    """The selection changed."""
    menu_wanted = Signal(object)
    """Emits the place on the screen for the menu of the chosen photos."""

    def __init__(self, name: str, *, in_row: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._shown: list[Thumbnail] = []
        self.setItemDelegate(_Delegate(self))
        self.setFrameShape(QListWidget.Shape.NoFrame)
        self.setSpacing(2)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        if in_row:
            self.setFlow(QListWidget.Flow.LeftToRight)
            self.setWrapping(False)
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
            self.setFixedHeight(thumbnail_size().height() + 20)
        else:
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
            self.setFixedWidth(thumbnail_size().width() + 24)
        self.itemActivated.connect(lambda item: self.opened.emit(item.data(_Role.PHOTO)))
        self.itemSelectionChanged.connect(self.chosen_changed)

    def show_thumbnails(self, thumbs: Sequence[Thumbnail]) -> None:
        """List these photos. The selection does not change."""
        if list(thumbs) == self._shown:
            return
        before = {thumb.photo_id: thumb for thumb in self._shown}
        chosen = self.chosen_ids
        self._shown = list(thumbs)
        self.blockSignals(True)
        self._arrange([thumb.photo_id for thumb in thumbs], set(chosen))
        self.blockSignals(False)
        if self.chosen_ids != chosen:
            self.chosen_changed.emit()
        for row, thumb in enumerate(thumbs):
            # Usually one photo of a thousand changed.
            if before.get(thumb.photo_id) == thumb:
                continue
            item = self.item(row)
            item.setText(thumb.name)
            item.setToolTip(escape_tooltip(f"{thumb.name}\n{thumb.reason}"))
            item.setData(_Role.STATE, thumb.state)
            item.setData(_Role.TONE, thumb.tone)
            item.setData(_Role.IMAGE, thumb.image)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{thumb.name}, {thumb.state}")

    def _arrange(self, wanted: Sequence[str], chosen: set[str]) -> None:
        """Sort the rows. Rows that are in order are not moved."""
        order = [str(self.item(row).data(_Role.PHOTO)) for row in range(self.count())]
        if order == list(wanted):
            return
        current, items = self.current, {}
        staying = set(wanted)
        for row in reversed(range(self.count())):
            if order[row] not in staying:
                self.takeItem(row)
                del order[row]
        for row, photo_id in enumerate(wanted):
            if row < len(order) and order[row] == photo_id:
                continue
            if photo_id in staying and photo_id in order[row:]:
                old = order.index(photo_id, row)
                item = self.takeItem(old)
                del order[old]
            else:
                item = QListWidgetItem()
                item.setData(_Role.PHOTO, photo_id)
            self.insertItem(row, item)
            order.insert(row, photo_id)
            item.setSelected(photo_id in chosen)
            items[photo_id] = item
        if current in items:
            self.setCurrentItem(items[current], QItemSelectionModel.SelectionFlag.NoUpdate)
        elif current not in staying:
            self.setCurrentRow(-1, QItemSelectionModel.SelectionFlag.NoUpdate)

    @property
    def ids(self) -> list[str]:
        """The ids of the photos that are listed."""
        return [thumb.photo_id for thumb in self._shown]

    @property
    def chosen_ids(self) -> list[str]:
        """The ids of the photos that are chosen."""
        return [item.data(_Role.PHOTO) for item in self.selectedItems()]

    @property
    def current(self) -> str:
        """The id of the current photo; empty if there is none."""
        item = self.currentItem()
        return "" if item is None else str(item.data(_Role.PHOTO))

    def choose(self, photo_id: str) -> None:
        """Choose one photo and make it visible. A photo that is not listed is ignored."""
        if photo_id in self.ids:
            self.setCurrentRow(self.ids.index(photo_id))
            self.scrollToItem(self.currentItem())

    def mimeData(self, items: Sequence[QListWidgetItem]) -> QMimeData:
        """The ids of the photos that are being dragged."""
        data = QMimeData()
        data.setData(MIME, QByteArray("\n".join(item.data(_Role.PHOTO) for item in items).encode()))
        return data

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the selection."""
        if self.chosen_ids:
            self.menu_wanted.emit(event.globalPos())

    def drag(self, on: bool) -> None:
        """Let photos be dragged onto items, or not."""
        mode = QAbstractItemView.DragDropMode
        self.setDragEnabled(on)
        self.setDragDropMode(mode.DragOnly if on else mode.NoDragDrop)


class _Delegate(QStyledItemDelegate):
    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return thumbnail_size()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        theme = theme_manager().theme
        flags = option.state
        # In a row the entries are as high as the list.
        box = QRectF(QRect(option.rect.topLeft(), thumbnail_size()))
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        if flags & QStyle.StateFlag.State_Selected or flags & QStyle.StateFlag.State_MouseOver:
            chosen = bool(flags & QStyle.StateFlag.State_Selected)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent_ground if chosen else theme.raised))
            painter.drawRoundedRect(box, RADIUS, RADIUS)
        picture = QRectF(box.x() + _PAD, box.y() + _PAD, _PICTURE.width(), _PICTURE.height())
        painter.fillRect(picture, QColor(theme.canvas))
        image = index.data(_Role.IMAGE)
        if isinstance(image, QImage) and not image.isNull():
            size = image.size().scaled(_PICTURE, Qt.AspectRatioMode.KeepAspectRatio)
            where = QRectF(0, 0, size.width(), size.height())
            where.moveCenter(picture.center())
            painter.drawImage(where, image)
        else:
            middle = picture.center()
            paint_icon(painter, "photo", theme.dim, QRectF(middle.x() - 12, middle.y() - 12, 24, 24))
        if flags & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.accent), 2))
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), RADIUS, RADIUS)
        font = text_font(LABEL_PX)
        painter.setFont(font)
        line = line_px(LABEL_PX)
        text = QRectF(picture.x(), picture.bottom() + 2, picture.width(), line)
        elide = Qt.TextElideMode
        for line_text, colour, mode in (
            (index.data(), theme.text, elide.ElideMiddle),
            (index.data(_Role.STATE), theme.word(str(index.data(_Role.TONE))), elide.ElideRight),
        ):
            elided = QFontMetrics(font).elidedText(str(line_text), mode, int(text.width()))
            painter.setPen(QColor(colour))
            painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)
            text.translate(0, line)
        painter.restore()


class RecordThumbnails(QObject):
    """Makes the thumbnails of the photos of a record, again when a photo changes."""

    changed = Signal()
    """The picture of a photo was read."""

    def __init__(self, open_record: OpenRecord, photo_list: PhotoList, parent: QObject) -> None:
        super().__init__(parent)
        self._open_record, self._photo_list = open_record, photo_list
        self._images: dict[str, QImage | None] = {}
        self._made: dict[str, tuple[RecordPhoto, tuple[int, bool, bool], Thumbnail]] = {}

    def clear(self) -> None:
        """Drop all of them when another record is opened."""
        self._images.clear()
        self._made.clear()

    def get(self, photo: RecordPhoto) -> Thumbnail:
        """The thumbnail of a photo, without a picture until that is read."""
        offered = len(self._photo_list.offers.get(photo.photo_id, ()))
        any_items, image = bool(self._open_record.rows), self._image(photo)
        state_of = (offered, any_items, image is not None)
        made = self._made.get(photo.photo_id)
        if made is not None and made[0] is photo and made[1] == state_of:
            return made[2]
        state = photo_state(photo, offered, any_items)
        reason = photo_details(photo, photo_reason(photo, offered, any_items))
        tone = "accent" if offered else "dim"
        thumb = Thumbnail(photo.photo_id, photo_name(photo), state, reason, tone, image, image is not None)
        self._made[photo.photo_id] = (photo, state_of, thumb)
        return thumb

    def _image(self, photo: RecordPhoto) -> QImage | None:
        if photo.file_id not in self._images:
            self._images[photo.file_id] = None
            run(
                thumbnail,
                self._open_record.context.session,
                photo.file_id,
                owner=self,
                done=partial(self._on_read, photo.file_id),
                failed=lambda _: None,
                priority=-1,
            )
        return self._images[photo.file_id]

    def _on_read(self, file_id: str, image: QImage) -> None:
        if file_id in self._images:
            self._images[file_id] = image
            self.changed.emit()
