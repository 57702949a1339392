"""Shows the photos of an item as a row of thumbnails."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QMenu, QWidget

from desktop.localization.camera_terms import camera_lines, used_sentence
from desktop.localization.dates import format_minute
from desktop.theme import theme_manager
from desktop.widgets import Button, ButtonKind, escape_tooltip, paint_icon, remove_widget
from shared.wire.inspection import Photo

THUMB_PX = 34
_COLUMNS = 4


class _Thumb(QAbstractButton):
    remove_wanted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.photo_id = ""
        self.image: QImage | None = None
        self._newest = self._removable = False
        self.setCheckable(True)
        self.setFixedSize(THUMB_PX, THUMB_PX)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_photo(self, photo: Photo, newest: bool, image: QImage | None, removable: bool) -> None:
        """Show this photo."""
        if photo.photo_id != self.photo_id:
            for menu in self.findChildren(QMenu):
                menu.close()
        self.photo_id, self.image = photo.photo_id, image
        self._newest, self._removable = newest, removable
        text = self.tr("Photo of {time}").format(time=format_minute(photo.created_at))
        if photo.added_by_name:
            text += f", {photo.added_by_name}"
        if photo.by_phone:
            text += ", " + self.tr("by phone")
        if newest:
            text += ", " + self.tr("used for detection")
        used = filter(None, [used_sentence(photo.used_in)])
        text = "\n".join([text, *used, *camera_lines(photo.camera, photo.taken_mark)])
        self.setAccessibleName(text)
        self.setToolTip(escape_tooltip(text))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(THUMB_PX, THUMB_PX)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self._removable:
            menu = QMenu(self)
            menu.addAction(self.tr("Remove photo")).triggered.connect(
                lambda _checked=False, it=self.photo_id: self.remove_wanted.emit(it)
            )
            menu.aboutToHide.connect(menu.deleteLater)
            menu.popup(event.globalPos())

    def remove(self) -> None:
        if self._removable:
            self.remove_wanted.emit(self.photo_id)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        inside = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        painter.fillRect(inside, QColor(theme.raised))
        if self.image is not None and not self.image.isNull():
            side = min(self.image.width(), self.image.height())
            part = QRectF((self.image.width() - side) / 2, (self.image.height() - side) / 2, side, side)
            painter.drawImage(inside, self.image, part)
        else:
            paint_icon(painter, "photo", theme.faint, inside.adjusted(10, 10, -10, -10))
        strong = self.isChecked() or self.hasFocus()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent if strong else theme.line), 2 if strong else 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)
        if self._newest:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent))
            painter.drawEllipse(QRectF(self.width() - 11, 4, 7, 7))
        painter.end()


class PhotoStrip(QWidget):
    """Shows photos, newest first, in one row or all of them. It is hidden while there are none."""

    chosen = Signal(str)
    """Emits the ID of the photo to show."""
    remove_wanted = Signal(str)
    """Emits the ID of a photo to remove from the item."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("photo-strip")
        self.setAccessibleName(self.tr("Item photos"))
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(4)
        self._all = False
        self.more = Button("", kind=ButtonKind.QUIET, parent=self)
        self.more.setObjectName("photo-more")
        self.more.setFixedSize(THUMB_PX, THUMB_PX)
        self.more.clicked.connect(lambda _checked=False: self._unfold(not self._all))
        self._thumbs: dict[str, _Thumb] = {}
        self._arranged: object = None
        self._images: dict[str, QImage] = {}
        self.setMinimumHeight(THUMB_PX)
        self.hide()

    def show_photos(self, photos: Sequence[Photo], current: str, removable: bool) -> list[Photo]:
        """Show these photos, oldest first. Returns the photos whose thumbnails are missing."""
        # The thumbnails of the photos before are used again: a new widget takes milliseconds.
        spare = list(reversed(self._thumbs.values()))
        self._thumbs = {}
        for index, photo in enumerate(reversed(photos)):
            thumb = spare.pop() if spare else self._new_thumb()
            thumb.show_photo(photo, index == 0, self._images.get(photo.file_id), removable)
            thumb.setChecked(photo.photo_id == current)
            self._thumbs[photo.photo_id] = thumb
        for thumb in spare:
            remove_widget(thumb, self._grid)
        self._lay_out()
        self.setVisible(bool(photos))
        return [photo for photo in reversed(photos) if photo.file_id not in self._images]

    def _new_thumb(self) -> _Thumb:
        thumb = _Thumb(self)
        thumb.clicked.connect(lambda _checked=False: self.chosen.emit(thumb.photo_id))
        thumb.remove_wanted.connect(self.remove_wanted)
        return thumb

    def remove_focused(self) -> None:
        """Ask to remove the photo with the focus from the item, if that is allowed."""
        thumb = next((thumb for thumb in self._thumbs.values() if thumb.hasFocus()), None)
        if thumb is not None:
            thumb.remove()

    def _unfold(self, on: bool) -> None:
        self._all = on
        self._lay_out()

    def _lay_out(self) -> None:
        """Lay out one row with the chosen photo and a button with the number of the others, or all photos."""
        thumbs = list(self._thumbs.values())
        too_many = len(thumbs) > _COLUMNS
        visible = thumbs
        if too_many and not self._all:
            chosen = [thumb for thumb in thumbs[_COLUMNS - 1 :] if thumb.isChecked()]
            visible = [*thumbs[: _COLUMNS - 1 - len(chosen)], *chosen]
        if self._arranged == (thumbs, visible, self._all):
            return
        self._arranged = thumbs, visible, self._all
        while self._grid.takeAt(0) is not None:
            pass
        for thumb in thumbs:
            thumb.setVisible(thumb in visible)
        for index, thumb in enumerate(visible):
            self._grid.addWidget(thumb, index // _COLUMNS, index % _COLUMNS)
        self._grid.addWidget(self.more, len(visible) // _COLUMNS, len(visible) % _COLUMNS)
        self.more.setVisible(too_many)
        self.more.setText("−" if self._all else f"+{len(thumbs) - len(visible)}")
        text = self.tr("Show fewer photos") if self._all else self.tr("Show all %n photo(s)", "", len(thumbs))
        self.more.setAccessibleName(text)
        self.more.setToolTip(text)

    def clear(self) -> None:
        """Forget all thumbnails."""
        self._images.clear()

    def set_image(self, photo: Photo, image: QImage) -> None:
        """Set the thumbnail of a photo."""
        self._images[photo.file_id] = image
        thumb = self._thumbs.get(photo.photo_id)
        if thumb is not None:
            thumb.image = image
            thumb.update()

    @property
    def ids(self) -> list[str]:
        """The photos that are shown, newest first."""
        return list(self._thumbs)
