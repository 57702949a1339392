"""Handles files dropped onto the workbench: photos, folders, regions, a reference image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFontMetricsF,
    QImage,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from desktop.background.workers import run
from desktop.canvas.views.canvas_view import CanvasView
from desktop.exchange.registry import READABLE_PATTERNS
from desktop.imaging.conversion import PICTURE_SUFFIXES
from desktop.localization.language import join_words
from desktop.messages.error_messages import sentence
from desktop.pages.workbench.items.items_panel import ItemsPanel
from desktop.pages.workbench.photos.adding import PhotoUploadController
from desktop.pages.workbench.photos.record_photos import RecordPhotosController
from desktop.pages.workbench.photos.record_photos.thumbnails import MIME
from desktop.pages.workbench.photos.reference_choice import ReferenceChoice
from desktop.record.open_record import OpenRecord
from desktop.theme import CARD_RADIUS, TEXT_PX, text_font, theme_manager
from desktop.widgets import accept_copy, confirm
from shared.images.films import FILM_SUFFIXES
from shared.images.formats import is_picture_name

_REGIONS = tuple(pattern.removeprefix("*") for pattern in READABLE_PATTERNS)
_MANY = 20
"""Number of photos for one item above which the user is asked."""


@dataclass(frozen=True, slots=True)
class DroppedFiles:
    """Dropped files by their use. `others` cannot be used. One film can be opened at a time."""

    pictures: tuple[Path, ...] = ()
    regions: tuple[Path, ...] = ()
    others: tuple[Path, ...] = ()
    films: tuple[Path, ...] = ()


def sort_files(paths: Sequence[Path]) -> DroppedFiles:
    """Sort files and folders by use.

    A folder stands for the pictures directly in it. Reads the disk. Raises OSError.
    """
    pictures: list[Path] = []
    regions: list[Path] = []
    films: list[Path] = []
    others: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(
                child
                for child in path.iterdir()
                if is_picture_name(child.name, PICTURE_SUFFIXES) and child.is_file()
            )
            pictures += inside
            others += [] if inside else [path]
        elif is_picture_name(path.name, PICTURE_SUFFIXES):
            pictures.append(path)
        elif is_picture_name(path.name, FILM_SUFFIXES):
            films.append(path)
        else:
            (regions if path.suffix.lower() in _REGIONS else others).append(path)
    return DroppedFiles(tuple(pictures), tuple(regions), (*films[1:], *others), tuple(films[:1]))


class DropController(QObject):
    """Handles drops on the page, and shows their effect beforehand."""

    regions_wanted = Signal(object)
    """The path of a file whose regions are to be imported."""
    notice = Signal(str)
    """The reason why dropped files were refused."""

    def __init__(
        self,
        open_record: OpenRecord,
        adding: PhotoUploadController,
        record_photos: RecordPhotosController,
        reference: ReferenceChoice,
        box: QWidget,
        page: QWidget,
    ) -> None:
        """Files dropped onto `box`, the photos of the chosen item, are added to that item alone."""
        super().__init__(page)
        self._open_record, self._adding, self._reference, self._page = open_record, adding, reference, page
        self._record_photos, self._box = record_photos, box
        self.hint = _Hint(page)
        page.setAcceptDrops(True)
        page.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragMoveEvent):
            entering = isinstance(event, QDragEnterEvent)
            if self._takes(event.mimeData()) if entering else self.hint.isVisible():
                self.hint.show_text(self._promise(self._is_over_item(event)))
                accept_copy(event)
            return True
        if event.type() == QEvent.Type.DragLeave:
            self.hint.hide()
        elif isinstance(event, QDropEvent) and event.type() == QEvent.Type.Drop:
            self.hint.hide()
            accept_copy(event)
            self._drop_files(event.mimeData(), self._is_over_item(event))
            return True
        return False

    def _takes(self, data: QMimeData) -> bool:
        droppable = self._open_record.document is not None and (data.hasUrls() or data.hasImage())
        return droppable and self._open_record.may_edit()

    def _is_over_item(self, event: QDropEvent) -> bool:
        """Whether it is held over the photos of the chosen item."""
        position = self._box.mapFrom(self._page, event.position().toPoint())
        return (
            self._open_record.item is not None
            and self._box.isVisible()
            and self._box.rect().contains(position)
        )

    def _promise(self, to_item: bool) -> str:
        if self._reference.isVisible():
            return self.tr("Drop to use as reference image")
        item = self._open_record.item
        if item is None or not to_item:
            return self.tr("Drop to add photos to the record or import regions")
        text = self.tr("Drop to add photos to item {n}, {name}")
        return text.format(n=self._open_record.number, name=item.item_name)

    def _drop_files(self, data: QMimeData, to_item: bool) -> None:
        paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        if paths:
            run(
                sort_files,
                paths,
                owner=self,
                done=partial(self._on_sorted, to_item),
                failed=self._on_unreadable,
            )
            return
        image = data.imageData() if data.hasImage() else None
        if isinstance(image, QImage):
            (self._adding if to_item else self._record_photos).add_image(image)
        else:
            self.notice.emit(self.tr("Cannot add a link. Save the image as a file, then drop the file."))

    def _on_unreadable(self, error: Exception) -> None:
        why = error.strerror or str(error) if isinstance(error, OSError) else sentence(error)
        self.notice.emit(self.tr("Cannot read the files: {why}").format(why=why))

    def _on_sorted(self, to_item: bool, dropped: DroppedFiles) -> None:
        if not self._open_record.may_edit():
            return
        if dropped.pictures:
            self._add_pictures(dropped.pictures, to_item)
        elif len(dropped.regions) == 1:
            self.regions_wanted.emit(dropped.regions[0])
        elif dropped.regions:
            self.notice.emit(self.tr("Cannot import several region files at once. Drop them one by one."))
        if dropped.films:
            self._record_photos.films.show(dropped.films[0])
        left = (*(dropped.regions if dropped.pictures else ()), *dropped.others)
        if left:
            names = join_words(path.name for path in left[:3])
            text = self.tr("Not added, neither images nor region files: {names}")
            if dropped.pictures and dropped.regions:
                text = self.tr("Not added, drop separately: {names}")
            self.notice.emit(text.format(names=names + ("…" if len(left) > 3 else "")))

    def _add_pictures(self, pictures: Sequence[Path], to_item: bool) -> None:
        item = self._open_record.item
        if self._reference.isVisible():
            if len(pictures) == 1 and self._reference.upload.isVisible():
                self._reference.add(pictures[0])
            else:
                self.notice.emit(self.tr("Drop one image only. A record has one reference image."))
        elif item is None or not to_item:
            self._record_photos.add(pictures)
        elif len(pictures) <= _MANY or confirm(
            self._page,
            self.tr("Add %n photo(s)?", "", len(pictures)),
            self.tr("All of them will be added to item {n}, {name}.").format(
                n=self._open_record.number, name=item.item_name
            ),
            self.tr("Add"),
            danger=False,
        ):
            self._adding.add(pictures)


class _Hint(QWidget):
    """A frame around the page with a sentence, while something is held over it."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.text = ""
        self.hide()

    def show_text(self, text: str) -> None:
        """Show it over all of the page."""
        self.text = text
        self.setGeometry(self._page.rect())
        self.raise_()
        self.show()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.accent), 3))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(3, 3, -3, -3), CARD_RADIUS, CARD_RADIUS)
        font = text_font(TEXT_PX, bold=True)
        width = min(QFontMetricsF(font).horizontalAdvance(self.text) + 48, self.width() - 40)
        box = QRectF((self.width() - width) / 2, self.height() - 120, width, 44)
        painter.setPen(QPen(QColor(theme.accent)))
        painter.setBrush(QColor(theme.accent_ground))
        painter.drawRoundedRect(box, CARD_RADIUS, CARD_RADIUS)
        painter.setFont(font)
        painter.setPen(QColor(theme.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.text)
        painter.end()


class ThumbnailDropFilter(QObject):
    """Lets photos be dropped onto an item in the list, or onto its region."""

    dropped = Signal(object, str)
    """The ids of the photos, and the id of the item."""

    def __init__(self, page: QWidget, items: ItemsPanel, view: CanvasView) -> None:
        super().__init__(page)
        self._page, self._items, self._view = page, items, view
        page.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Handle drags of photos, and pass on other events."""
        if not isinstance(event, QDropEvent) or not event.mimeData().hasFormat(MIME):
            return False
        # Qt's drag events are drop events as well: the type tells them apart.
        item_id = self._item_at(event.position().toPoint())
        if isinstance(event, QDragEnterEvent):
            accept_copy(event)
        elif not item_id:
            event.ignore()
        elif isinstance(event, QDragMoveEvent):
            accept_copy(event)
        else:
            accept_copy(event)
            ids = bytes(event.mimeData().data(MIME).data()).decode().split("\n")
            self.dropped.emit(ids, item_id)
        return True

    def _item_at(self, place: QPoint) -> str:
        """The id of the item at a position of the page; empty if there is none."""
        listed, view = self._items.list, self._view
        in_list = listed.viewport().mapFrom(self._page, place)
        if listed.isVisible() and listed.viewport().rect().contains(in_list):
            index = listed.indexAt(in_list)
            return self._items.model.ids()[index.row()] if index.isValid() else ""
        on_canvas = view.mapFrom(self._page, place)
        if not view.isVisible() or view.source is None or not view.rect().contains(on_canvas):
            return ""
        regions = view.store.hits(*view.viewport.to_image(on_canvas.x(), on_canvas.y()))
        return regions[0].id if regions else ""
