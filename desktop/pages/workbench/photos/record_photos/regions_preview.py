"""Shows a photo of the record with the regions found in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QApplication, QWidget

from desktop.canvas.layers.chips import CHIP_HEIGHT, chip_font, chip_text, draw_chip
from desktop.client import Session
from desktop.pages.workbench.photos.fetched_photo import FetchedPhotoView
from shared.wire.photos import RecordPhoto


@dataclass(frozen=True, slots=True)
class Outline:
    """The region of an item in the photo (px). `on` says whether the photo is to be assigned to the item."""

    item_id: str
    name: str
    corners: Sequence[Sequence[float]]
    on: bool


class RegionsPreview(FetchedPhotoView):
    """Shows a photo with regions. A click on a region assigns its item or leaves it out."""

    toggled = Signal(str)
    """The id of the item whose region was clicked."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._pressed: QPointF | None = None
        self.outlines: Sequence[Outline] = ()
        self.marked = ""
        """The item whose outline is highlighted."""

    def show_photo(self, photo: RecordPhoto | None) -> None:
        """Show this photo, which is fetched if it differs from the shown one; None shows no photo."""
        if photo is None:
            self.close_photo()
        else:
            self.fetch(photo.file.ipfs_cid, photo.file_id)

    def show_outlines(self, outlines: Sequence[Outline], marked: str) -> None:
        """Paint these over the photo."""
        self.outlines, self.marked = tuple(outlines), marked
        self.setAccessibleDescription("; ".join(outline.name for outline in outlines if outline.on))
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember where the left button went down."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed = event.position()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click on a region."""
        pressed, self._pressed = self._pressed, None
        if event.button() is Qt.MouseButton.LeftButton and pressed is not None:
            moved = (event.position() - pressed).manhattanLength()
            hit = self._region_at(event.position()) if moved < QApplication.startDragDistance() else ""
            if hit:
                self.toggled.emit(hit)
        super().mouseReleaseEvent(event)

    def _region_at(self, place: QPointF) -> str:
        """The item of the smallest region at a position of the view; empty if there is none."""
        hits = [
            (shape.boundingRect().width() * shape.boundingRect().height(), outline.item_id)
            for outline in self.outlines
            if (shape := self._shape(outline)).containsPoint(place, Qt.FillRule.OddEvenFill)
        ]
        return min(hits)[1] if hits else ""

    def _shape(self, outline: Outline) -> QPolygonF:
        return QPolygonF([QPointF(*self.viewport.to_view(x, y)) for x, y in outline.corners])

    def _paint_overlay(self, painter: QPainter) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = chip_font(self.font())
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        for outline in sorted(
            self.outlines, key=lambda outline: (outline.on, outline.item_id == self.marked)
        ):
            shape = self._shape(outline)
            colour = QColor(self._colours.accent if outline.on else self._colours.dim)
            width = 3 if outline.item_id == self.marked else 2
            style = Qt.PenStyle.SolidLine if outline.on else Qt.PenStyle.DashLine
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._colours.canvas), width + 2))
            painter.drawPolygon(shape)
            painter.setPen(QPen(colour, width, style))
            painter.drawPolygon(shape)
            text = chip_text(metrics, outline.name)
            top = min(
                (shape.at(index) for index in range(shape.size())),
                key=lambda corner: (corner.y(), corner.x()),
            )
            x = min(max(top.x(), 0.0), max(self.width() - metrics.horizontalAdvance(text) - 14, 0.0))
            y = min(max(top.y() - CHIP_HEIGHT, 0.0), max(self.height() - CHIP_HEIGHT, 0.0))
            chip = QRectF(x, y, metrics.horizontalAdvance(text) + 14, CHIP_HEIGHT)
            if self.viewport.scale and shape.boundingRect().intersects(QRectF(self.rect())):
                draw_chip(painter, chip, text, colour)
        painter.restore()
