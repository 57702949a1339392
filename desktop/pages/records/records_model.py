"""Holds the rows of the records table and paints them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
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

from desktop.localization.dates import format_recent
from desktop.messages.seal_terms import (
    decided_text,
    detected_text,
    edition_events,
    seal_icon,
    seal_word,
)
from desktop.theme import LABEL_PX, TEXT_PX, line_px, text_font, theme_manager
from desktop.widgets import (
    chip_height,
    escape_tooltip,
    paint_chip,
    paint_icon,
    paint_progress,
    status_text,
    status_tone,
)
from shared.wire.inspection import Record
from shared.wire.seal import RecordSeal, Tally

Index = QModelIndex | QPersistentModelIndex

RECORD_ROLE = Qt.ItemDataRole.UserRole
PICTURE_ROLE = Qt.ItemDataRole.UserRole + 1
COUNTERS_ROLE = Qt.ItemDataRole.UserRole + 2
SEAL_ROLE = Qt.ItemDataRole.UserRole + 3

_ROW_PX = 52
_THUMB_W, _THUMB_H = 40, 34
_CELL_MARGIN = 16


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
    RecordColumn.FLIGHT: 170,
    RecordColumn.EXECUTOR: 120,
    RecordColumn.PROGRESS: 190,
    RecordColumn.STATUS: 140,
    RecordColumn.UPDATED: 130,
}
"""The default widths in px; the name takes the remaining space."""
MIN_WIDTHS = {
    RecordColumn.NAME: 180,
    RecordColumn.AIRCRAFT: 140,
    RecordColumn.FLIGHT: 90,
    RecordColumn.EXECUTOR: 75,
    RecordColumn.PROGRESS: 160,
    RecordColumn.STATUS: 135,
    RecordColumn.UPDATED: 110,
}
"""The minimum widths in px, for the smallest window."""


_TEXT_ROLES = {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}


class RecordsModel(QAbstractTableModel):
    """One page of records. Thumbnails are set later, by the ID of the reference image."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._records: list[Record] = []
        self.flights: dict[str, str] = {}
        self._due: dict[str, datetime] = {}
        self._seals: dict[str, RecordSeal] = {}
        self._pictures: dict[str, QPixmap] = {}

    def show(self, records: list[Record], seals: Mapping[str, RecordSeal]) -> None:
        """Replace the records; `seals` are their seals with counters by ID."""
        self.beginResetModel()
        self._records = records
        self._seals = dict(seals)
        self.endResetModel()

    def name_flights(self, numbers: Mapping[str, str], due: Mapping[str, datetime]) -> None:
        """Add the numbers of flights by their IDs, and the times at which they are due."""
        self.flights |= numbers
        self._due |= due
        self._emit_column_changed(RecordColumn.FLIGHT)

    def seal(self, record: Record) -> RecordSeal | None:
        """The seal of a record; None if the record was deleted after the list was read."""
        return self._seals.get(record.inspection_id)

    def counters(self, record: Record) -> Tally | None:
        """The counters of a record; None if the record was deleted after the list was read."""
        seal = self.seal(record)
        return None if seal is None else seal.counters

    def set_picture(self, reference_image_id: str, picture: QPixmap) -> None:
        """Set the thumbnail of a reference image."""
        self._pictures[reference_image_id] = picture
        self._emit_column_changed(RecordColumn.NAME)

    def images_without_picture(self) -> set[str]:
        """The IDs of the listed reference images whose thumbnails are not set."""
        image_ids = {record.reference_image_id for record in self._records if record.reference_image_id}
        return image_ids - self._pictures.keys()

    def record(self, row: int) -> Record | None:
        """The record in `row`."""
        return self._records[row] if 0 <= row < len(self._records) else None

    def find_row(self, inspection_id: str) -> int:
        """The row of a record; -1 if it is not on this page."""
        ids = [record.inspection_id for record in self._records]
        return ids.index(inspection_id) if inspection_id in ids else -1

    def _emit_column_changed(self, column: RecordColumn) -> None:
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
            RecordColumn.EXECUTOR: QCoreApplication.translate("Records", "Inspector"),
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
        if role == COUNTERS_ROLE:
            return self.counters(record)
        if role == SEAL_ROLE:
            return self.seal(record)
        if role == PICTURE_ROLE:
            return self._pictures.get(record.reference_image_id or "")
        if role in _TEXT_ROLES:
            return self._cell_text(record, RecordColumn(index.column()))
        if role == Qt.ItemDataRole.ToolTipRole:
            column = RecordColumn(index.column())
            return escape_tooltip(
                self._status_lines(record)
                if column is RecordColumn.STATUS
                else self._cell_text(record, column)
            )
        return None

    def _cell_text(self, record: Record, column: RecordColumn) -> str:
        match column:
            case RecordColumn.NAME:
                return record.inspection_name or QCoreApplication.translate("Records", "Unnamed")
            case RecordColumn.AIRCRAFT:
                return record.aircraft_name or QCoreApplication.translate("Records", "No aircraft")
            case RecordColumn.FLIGHT:
                number = self.flights.get(record.flight_id or "", record.flight_id or "")
                due = self._due.get(record.flight_id or "")
                return number if due is None else f"{number} · {format_recent(due)}"
            case RecordColumn.EXECUTOR:
                seal = self.seal(record)
                return (seal and seal.executor) or record.executor_name or record.executor_id or "–"
            case RecordColumn.PROGRESS:
                counters = self.counters(record)
                return "" if counters is None else f"{decided_text(counters)} · {detected_text(counters)}"
            case RecordColumn.STATUS:
                seal = self.seal(record)
                parts = () if seal is None else (status_text(seal.record_state), seal_word(seal.state))
                return " · ".join(word for word in parts if word)
            case RecordColumn.UPDATED:
                return format_recent(record.updated_at)

    def _status_lines(self, record: Record) -> str:
        """The status, and the events of the newest edition."""
        seal = self.seal(record)
        newest = None if seal is None else seal.newest
        lines = [
            self._cell_text(record, RecordColumn.STATUS),
            *([] if newest is None else edition_events(newest)),
        ]
        return "\n".join(lines)


def row_px() -> int:
    """The height of a row in px: a name with a smaller line below it."""
    return max(_ROW_PX, line_px(TEXT_PX, bold=True) + line_px(LABEL_PX) + 12)


def progress_width(text: str, room: float) -> float:
    """The width in px of the progress bar in a cell `room` px wide, beside its text."""
    text_width = QFontMetricsF(text_font(TEXT_PX)).horizontalAdvance(text)
    return min(60.0, max(12.0, room - text_width - 10))


class RecordDelegate(QStyledItemDelegate):
    """Paints a cell: the name with its thumbnail, the progress as a bar, the status as a chip, else text."""

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
        inner = box.adjusted(_CELL_MARGIN, 0, -8, -1)
        match RecordColumn(index.column()):
            case RecordColumn.NAME:
                self._paint_name(painter, inner, record, text, index.data(PICTURE_ROLE))
            case RecordColumn.PROGRESS:
                self._paint_progress(painter, inner, index.data(COUNTERS_ROLE))
            case RecordColumn.STATUS:
                self._paint_status(painter, inner, index.data(SEAL_ROLE))
            case RecordColumn.AIRCRAFT | RecordColumn.EXECUTOR:
                # The text for a record without an aircraft is dimmed.
                is_dimmed = RecordColumn(index.column()) is RecordColumn.AIRCRAFT and not record.aircraft_id
                self._paint_text(painter, inner, text, theme.dim_text if is_dimmed else theme.text)
            case _:
                self._paint_text(painter, inner, text, theme.dim_text)
        painter.restore()

    def _paint_status(self, painter: QPainter, box: QRectF, seal: RecordSeal | None) -> None:
        """Paint the status as a chip, and below it the seal state with its icon."""
        if seal is None:
            return
        theme, middle, status = theme_manager().theme, box.center().y(), seal.record_state
        word = seal_word(seal.state)
        if not word:
            paint_chip(painter, box.x(), middle, status_tone(status), status_text(status))
            return
        upper, lower = chip_height(), line_px(LABEL_PX)
        first = middle - (upper + 2 + lower) / 2
        paint_chip(painter, box.x(), first + upper / 2, status_tone(status), status_text(status))
        line = QRectF(box.x(), first + upper + 2, box.width(), lower)
        icon_box = QRectF(line.x(), line.center().y() - 6, 12, 12)
        paint_icon(painter, seal_icon(seal.state), theme.dim_text, icon_box)
        self._paint_text(painter, line.adjusted(16, 0, 0, 0), word, theme.dim_text, LABEL_PX)

    def _paint_progress(self, painter: QPainter, box: QRectF, counters: Tally | None) -> None:
        """Paint a bar with the number of decided items, and below it the number of detected items."""
        if counters is None:
            return
        theme, middle = theme_manager().theme, box.center().y()
        share = 100 * counters.judged // counters.items if counters.items else 0
        text = decided_text(counters)
        bar = progress_width(text, box.width())
        paint_progress(painter, QRectF(box.x(), middle - 10, bar, 5), share)
        text_x = bar + 8
        decided_box = QRectF(box.x() + text_x, middle - 18, box.width() - text_x, 19)
        self._paint_text(painter, decided_box, text, theme.dim_text)
        paint_icon(painter, "finding", theme.dim_text, QRectF(box.x(), middle + 2, 12, 12))
        lower_box = QRectF(box.x() + 18, middle, box.width() - 18, 16)
        self._paint_text(painter, lower_box, detected_text(counters), theme.dim_text, LABEL_PX)

    def _paint_name(
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
        lower_text = record.reference_image_name or QCoreApplication.translate(
            "Records", "No reference image"
        )
        upper, lower = line_px(TEXT_PX, bold=True), line_px(LABEL_PX)
        first = box.center().y() - (upper + lower) / 2
        top = QRectF(text_box.x(), first, text_box.width(), upper)
        self._paint_text(painter, top, text, theme.text, bold=True)
        lower_box = QRectF(text_box.x(), first + upper, text_box.width(), lower)
        self._paint_text(painter, lower_box, lower_text, theme.dim_text, LABEL_PX)

    def _paint_text(
        self,
        painter: QPainter,
        box: QRectF,
        text: str,
        colour: str,
        size: int = TEXT_PX,
        bold: bool = False,
    ) -> None:
        painter.setFont(text_font(size, bold=bold))
        painter.setPen(QColor(colour))
        short = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter.value), short)
