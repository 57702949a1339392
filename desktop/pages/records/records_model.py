"""Holds the rows of the records table and paints them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPixmap
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop.localization.dates import nearby
from desktop.pages.common.messages.seal_terms import (
    decided_text,
    detected_text,
    edition_events,
    seal_icon,
    seal_word,
)
from desktop.theme import LABEL_PX, TEXT_PX, line_px, sized, theme_manager
from desktop.widgets import chip_height, paint_chip, paint_icon, paint_progress, status_tone, status_word, tip
from shared.wire.inspection import Record
from shared.wire.seal import RecordSeal, Tally

Index = QModelIndex | QPersistentModelIndex

RECORD_ROLE = Qt.ItemDataRole.UserRole
PICTURE_ROLE = Qt.ItemDataRole.UserRole + 1
TALLY_ROLE = Qt.ItemDataRole.UserRole + 2
SEAL_ROLE = Qt.ItemDataRole.UserRole + 3

_ROW_PX = 52
_THUMB_W, _THUMB_H = 40, 34
_SIDE = 16


class RecordColumn(IntEnum):
    """The columns, in order."""

    NAME = 0
    AIRCRAFT = 1
    FLIGHT = 2
    EXECUTOR = 3
    PROGRESS = 4
    STATUS = 5
    UPDATED = 6


WIDTHS = {
    RecordColumn.NAME: 315,
    RecordColumn.AIRCRAFT: 215,
    RecordColumn.FLIGHT: 120,
    RecordColumn.EXECUTOR: 120,
    RecordColumn.PROGRESS: 190,
    RecordColumn.STATUS: 140,
    RecordColumn.UPDATED: 130,
}
"""Widths in px at which the table is laid out; the name takes what is left."""
LEAST = {
    RecordColumn.NAME: 180,
    RecordColumn.AIRCRAFT: 140,
    RecordColumn.FLIGHT: 90,
    RecordColumn.EXECUTOR: 75,
    RecordColumn.PROGRESS: 160,
    RecordColumn.STATUS: 135,
    RecordColumn.UPDATED: 110,
}
"""Widths in px in the smallest window."""


_TEXT_ROLES = {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}


class RecordsModel(QAbstractTableModel):
    """One page of records. Thumbnails arrive later, by the id of the reference image."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._records: list[Record] = []
        self.flights: dict[str, str] = {}
        self._seals: dict[str, RecordSeal] = {}
        self._pictures: dict[str, QPixmap] = {}

    def show(self, records: list[Record], seals: Mapping[str, RecordSeal]) -> None:
        """Show these instead; `seals` are their seals and progress by ID."""
        self.beginResetModel()
        self._records = records
        self._seals = dict(seals)
        self.endResetModel()

    def name_flights(self, names: dict[str, str]) -> None:
        """The numbers of flights, by their ids."""
        self.flights = names
        self._on_changed(RecordColumn.FLIGHT)

    def seal(self, record: Record) -> RecordSeal | None:
        """The seal of a record; None for one that was deleted meanwhile."""
        return self._seals.get(record.inspection_id)

    def tally(self, record: Record) -> Tally | None:
        """The progress of a record; None for one that was deleted meanwhile."""
        seal = self.seal(record)
        return None if seal is None else seal.counters

    def set_picture(self, reference_image_id: str, picture: QPixmap) -> None:
        """The thumbnail of a reference image is here."""
        self._pictures[reference_image_id] = picture
        self._on_changed(RecordColumn.NAME)

    def without_picture(self) -> set[str]:
        """Ids of the reference images shown whose thumbnails are not here."""
        shown = {record.reference_image_id for record in self._records if record.reference_image_id}
        return shown - self._pictures.keys()

    def record(self, row: int) -> Record | None:
        """The record in `row`."""
        return self._records[row] if 0 <= row < len(self._records) else None

    def row_of(self, inspection_id: str) -> int:
        """The row of a record; -1 when it is not on this page."""
        ids = [record.inspection_id for record in self._records]
        return ids.index(inspection_id) if inspection_id in ids else -1

    def _on_changed(self, column: RecordColumn) -> None:
        if self._records:
            self.dataChanged.emit(self.index(0, column), self.index(len(self._records) - 1, column))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._records)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(RecordColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return {
            RecordColumn.NAME: QCoreApplication.translate("Records", "Name"),
            RecordColumn.AIRCRAFT: QCoreApplication.translate("Records", "Aircraft"),
            RecordColumn.FLIGHT: QCoreApplication.translate("Records", "Flight"),
            RecordColumn.EXECUTOR: QCoreApplication.translate("Records", "Executor"),
            RecordColumn.PROGRESS: QCoreApplication.translate("Records", "Decided"),
            RecordColumn.STATUS: QCoreApplication.translate("Records", "Status"),
            RecordColumn.UPDATED: QCoreApplication.translate("Records", "Modified"),
        }[RecordColumn(section)]

    def data(self, index: Index, role: int = 0) -> Any:
        record = self.record(index.row())
        if record is None:
            return None
        if role == RECORD_ROLE:
            return record
        if role == TALLY_ROLE:
            return self.tally(record)
        if role == SEAL_ROLE:
            return self.seal(record)
        if role == PICTURE_ROLE:
            return self._pictures.get(record.reference_image_id or "")
        if role in _TEXT_ROLES:
            return self._text(record, RecordColumn(index.column()))
        if role == Qt.ItemDataRole.ToolTipRole:
            column = RecordColumn(index.column())
            return tip(
                self._status_lines(record) if column is RecordColumn.STATUS else self._text(record, column)
            )
        return None

    def _text(self, record: Record, column: RecordColumn) -> str:
        match column:
            case RecordColumn.NAME:
                return record.inspection_name or QCoreApplication.translate("Records", "Unnamed")
            case RecordColumn.AIRCRAFT:
                return record.aircraft_name or QCoreApplication.translate("Records", "No aircraft")
            case RecordColumn.FLIGHT:
                return self.flights.get(record.flight_id or "", record.flight_id or "")
            case RecordColumn.EXECUTOR:
                return record.executor_name or record.executor_id or "–"
            case RecordColumn.PROGRESS:
                tally = self.tally(record)
                return "" if tally is None else f"{decided_text(tally)} · {detected_text(tally)}"
            case RecordColumn.STATUS:
                seal = self.seal(record)
                parts = () if seal is None else (status_word(seal.record_state), seal_word(seal.state))
                return " · ".join(word for word in parts if word)
            case RecordColumn.UPDATED:
                return nearby(record.updated_at)

    def _status_lines(self, record: Record) -> str:
        """The state, and what happened to the newest edition."""
        seal = self.seal(record)
        newest = None if seal is None else seal.newest
        lines = [self._text(record, RecordColumn.STATUS), *([] if newest is None else edition_events(newest))]
        return "\n".join(lines)


def row_px() -> int:
    """The height of a row: a name with a smaller line below it."""
    return max(_ROW_PX, line_px(TEXT_PX, bold=True) + line_px(LABEL_PX) + 12)


def progress_width(text: str, room: float) -> float:
    """The width in px of the bar in a cell `room` px wide, with space left for the text beside it."""
    text_width = QFontMetricsF(sized(TEXT_PX)).horizontalAdvance(text)
    return min(60.0, max(12.0, room - text_width - 10))


class RecordDelegate(QStyledItemDelegate):
    """Paints a cell: the name with its thumbnail, the progress as a bar, the state as a pill, else a text."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(WIDTHS[RecordColumn(index.column())], row_px())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = theme_manager().theme
        box = QRectF(option.rect)
        state = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(theme.accent_ground))
            if index.column() == 0 and option.widget.hasFocus():
                painter.fillRect(QRectF(box.x(), box.y(), 3, box.height()), QColor(theme.accent))
        painter.fillRect(QRectF(box.x(), box.bottom() - 1, box.width(), 1), QColor(theme.line))
        record: Record = index.data(RECORD_ROLE)
        text = index.data(Qt.ItemDataRole.DisplayRole)
        inner = box.adjusted(_SIDE, 0, -8, -1)
        match RecordColumn(index.column()):
            case RecordColumn.NAME:
                self._name(painter, inner, record, text, index.data(PICTURE_ROLE))
            case RecordColumn.PROGRESS:
                self._progress(painter, inner, index.data(TALLY_ROLE))
            case RecordColumn.STATUS:
                self._status(painter, inner, index.data(SEAL_ROLE))
            case RecordColumn.AIRCRAFT | RecordColumn.EXECUTOR:
                # A record of another part has no aircraft: the text is dimmed.
                quiet = RecordColumn(index.column()) is RecordColumn.AIRCRAFT and not record.aircraft_id
                self._paint_text(painter, inner, text, theme.dim_text if quiet else theme.text)
            case _:
                self._paint_text(painter, inner, text, theme.dim_text)
        painter.restore()

    def _status(self, painter: QPainter, box: QRectF, seal: RecordSeal | None) -> None:
        """The state as a pill; sealed, awaiting release or reopened below it, with its own sign."""
        if seal is None:
            return
        theme, middle, status = theme_manager().theme, box.center().y(), seal.record_state
        word = seal_word(seal.state)
        if not word:
            paint_chip(painter, box.x(), middle, status_tone(status), status_word(status))
            return
        upper, lower = chip_height(), line_px(LABEL_PX)
        first = middle - (upper + 2 + lower) / 2
        paint_chip(painter, box.x(), first + upper / 2, status_tone(status), status_word(status))
        line = QRectF(box.x(), first + upper + 2, box.width(), lower)
        sign = QRectF(line.x(), line.center().y() - 6, 12, 12)
        paint_icon(painter, seal_icon(seal.state), theme.dim_text, sign)
        self._paint_text(painter, line.adjusted(16, 0, 0, 0), word, theme.dim_text, LABEL_PX)

    def _progress(self, painter: QPainter, box: QRectF, tally: Tally | None) -> None:
        """How many items are judged as a bar; how many are detected below it, with its own sign."""
        if tally is None:
            return
        theme, middle = theme_manager().theme, box.center().y()
        share = 100 * tally.judged // tally.items if tally.items else 0
        text = decided_text(tally)
        bar = progress_width(text, box.width())
        paint_progress(painter, QRectF(box.x(), middle - 10, bar, 5), share)
        beside = bar + 8
        above = QRectF(box.x() + beside, middle - 18, box.width() - beside, 19)
        self._paint_text(painter, above, text, theme.dim_text)
        paint_icon(painter, "finding", theme.dim_text, QRectF(box.x(), middle + 2, 12, 12))
        below = QRectF(box.x() + 18, middle, box.width() - 18, 16)
        self._paint_text(painter, below, detected_text(tally), theme.dim_text, LABEL_PX)

    def _name(
        self, painter: QPainter, box: QRectF, record: Record, text: str, picture: QPixmap | None
    ) -> None:
        theme = theme_manager().theme
        frame = QRectF(box.x(), box.center().y() - _THUMB_H / 2, _THUMB_W, _THUMB_H)
        shape = QPainterPath()
        shape.addRoundedRect(frame, 4, 4)
        painter.fillPath(shape, QColor(theme.raised))
        if picture is not None and not picture.isNull():
            painter.save()
            painter.setClipPath(shape)
            scale = max(frame.width() / picture.width(), frame.height() / picture.height())
            target = QRectF(0, 0, picture.width() * scale, picture.height() * scale)
            target.moveCenter(frame.center())
            painter.drawPixmap(target, picture, QRectF(picture.rect()))
            painter.restore()
        text_box = box.adjusted(_THUMB_W + 12, 0, 0, 0)
        under = record.reference_image_name or QCoreApplication.translate("Records", "No reference image")
        upper, lower = line_px(TEXT_PX, bold=True), line_px(LABEL_PX)
        first = box.center().y() - (upper + lower) / 2
        top = QRectF(text_box.x(), first, text_box.width(), upper)
        self._paint_text(painter, top, text, theme.text, bold=True)
        below = QRectF(text_box.x(), first + upper, text_box.width(), lower)
        self._paint_text(painter, below, under, theme.dim_text, LABEL_PX)

    def _paint_text(
        self,
        painter: QPainter,
        box: QRectF,
        text: str,
        colour: str,
        size: int = TEXT_PX,
        bold: bool = False,
    ) -> None:
        painter.setFont(sized(size, bold=bold))
        painter.setPen(QColor(colour))
        short = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter.value), short)
