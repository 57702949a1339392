"""Models the list of items and paints its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from operator import attrgetter

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    QStringListModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPixmap
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop.canvas.model.regions import Region, RegionStore
from desktop.record.edit_names import region_flags
from desktop.record.item_rows import ItemRow, RunPhase
from desktop.theme import LABEL_PX, RADIUS, TEXT_PX, text_font, theme_manager
from desktop.widgets import chip_width, escape_tooltip, paint_chip, paint_icon, status_text, status_tone

ROW_PX = 74
COMPACT_ROW_PX = 24
THUMB_PX = 44
_SIDE = 14
_item_id = attrgetter("item_id")
_status = attrgetter("status")
_MARK_PX = 18

Index = QModelIndex | QPersistentModelIndex


class Role(IntEnum):
    """The roles of `data` besides the text."""

    ROW = Qt.ItemDataRole.UserRole + 1
    PICTURE = Qt.ItemDataRole.UserRole + 2
    REGION = Qt.ItemDataRole.UserRole + 3
    CHOSEN = Qt.ItemDataRole.UserRole + 4
    """Whether the inspector shows it."""


class ItemsModel(QStringListModel):
    """The rows that pass the filter, in order.

    It derives from a string list of item ids, because Qt asks for the number of rows once per row when it
    lays out the list, and this answers without calling Python.
    """

    picture_wanted = Signal(str)
    """An item is painted whose picture may be missing or outdated."""

    def __init__(self, store: RegionStore, parent: QObject | None = None) -> None:
        """`store` holds the regions on the canvas, for the marks of locked and hidden ones."""
        super().__init__(parent)
        self._store = store
        self._all_rows: list[ItemRow] = []
        self._rows: list[ItemRow] = []
        self._places: dict[str, int] = {}
        self._filter = "all"
        self._search_text = ""
        self._pictures: dict[str, QPixmap] = {}
        self._photos: dict[str, QPixmap] = {}
        self._asked: set[str] = set()
        """The items whose pictures are made, if there are any."""
        self._running_percents: Mapping[str, int] = {}
        self._current_id = ""
        self._all_hidden = False

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            # Items are dropped between others, not onto one.
            return Qt.ItemFlag.ItemIsDropEnabled
        return Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsDragEnabled

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row(index.row())
        if row is None:
            return None
        match role:
            case Role.ROW:
                return row
            case Role.PICTURE:
                if row.item_id not in self._asked:
                    self._asked.add(row.item_id)
                    self.picture_wanted.emit(row.item_id)
                return self._photos.get(row.item_id, self._pictures.get(row.item_id))
            case Role.CHOSEN:
                return row.item_id == self._current_id
            case Role.REGION:
                return self._region(row.item_id)
            case Qt.ItemDataRole.DisplayRole:
                return row.name
            case Qt.ItemDataRole.AccessibleTextRole:
                parts = [f"{row.number} {row.name}", row.model, status_text(row.status)]
                if row.detected or row.findings:
                    parts.append(self.tr("%n finding(s)", "", row.findings))
                return ", ".join([*parts, *region_flags(self._region(row.item_id))])
            case Qt.ItemDataRole.ToolTipRole:
                return escape_tooltip(row.note) or None
        return None

    def _region(self, item_id: str) -> Region | None:
        """The region of an item, marked as hidden while all regions are hidden."""
        region = self._store.get(item_id)
        return replace(region, hidden=True) if region is not None and self._all_hidden else region

    def hide_regions(self, on: bool) -> None:
        """Mark every region as hidden."""
        self._all_hidden = on
        self._emit_all_changed()

    def row(self, number: int) -> ItemRow | None:
        """The row at an index of the list."""
        return self._rows[number] if 0 <= number < len(self._rows) else None

    def row_of(self, item_id: str) -> int:
        """The index of an item in the list; -1 if the filter hides it."""
        return self._places.get(item_id, -1)

    def ids(self) -> list[str]:
        """The ids of the listed items."""
        return list(map(_item_id, self._rows))

    def mark(self, item_id: str) -> None:
        """Mark the item of the properties panel, which need not be selected."""
        self._current_id = item_id

    @property
    def marked_id(self) -> str:
        """The id of the marked item; empty if none is."""
        return self._current_id

    @property
    def running_items(self) -> Mapping[str, int]:
        """The items with a requested or running detection, with their percent."""
        return self._running_percents

    def show_running(self, percent: Mapping[str, int]) -> None:
        """Set the items with a running detection and their percent."""
        self._running_percents = dict(percent)
        self._emit_all_changed()

    def show(self, rows: Sequence[ItemRow]) -> None:
        """Set the rows. If only their contents differ, selection and scroll position do not change."""
        self._all_rows = list(rows)
        self._refresh()

    def set_filter(self, name: str) -> None:
        """Filter by all, undecided or failed items."""
        self._filter = name
        self._refresh()

    def set_search(self, text: str) -> None:
        """Filter by a number or a part of the name. An empty text shows all items."""
        self._search_text = text.strip().casefold()
        self._refresh()

    def counts(self) -> dict[str, int]:
        """The number of rows that pass each filter."""
        status = Counter(map(_status, self._all_rows))
        undecided = status["undecided"] + status["not_started"]
        return {"all": len(self._all_rows), "undecided": undecided, "failed": status["failed"]}

    def set_picture(self, item_id: str, picture: QPixmap) -> None:
        """Show a crop of the reference image beside an item."""
        self._pictures[item_id] = picture
        self._on_picture_changed(item_id)

    def set_photo(self, item_id: str, picture: QPixmap | None) -> None:
        """Show a crop of the photo in place of the reference image; None shows the reference image again."""
        if picture is None:
            self._photos.pop(item_id, None)
        else:
            self._photos[item_id] = picture
        self._on_picture_changed(item_id)

    def _on_picture_changed(self, item_id: str) -> None:
        row = self.row_of(item_id)
        if row >= 0:
            self.dataChanged.emit(self.index(row), self.index(row))

    def ask_for_pictures(self) -> None:
        """Ask again for the pictures of the items in sight, and of others when they are painted."""
        self._asked.clear()
        self._emit_all_changed()

    def drop_pictures(self) -> None:
        """Forget all crops."""
        self._pictures.clear()
        self._photos.clear()
        self.ask_for_pictures()

    def _refresh(self) -> None:
        rows = self._all_rows
        if self._filter != "all" or self._search_text:
            rows = [
                row for row in rows if _passes(row, self._filter) and _matches_search(row, self._search_text)
            ]
        ids = list(map(_item_id, rows))
        if ids == list(map(_item_id, self._rows)):
            changed = [
                place
                for place, (row, before) in enumerate(zip(rows, self._rows, strict=True))
                if row is not before and row != before
            ]
            self._rows = rows
            if changed:
                # One signal: only rows in sight are repainted, however many lie between.
                self.dataChanged.emit(self.index(changed[0]), self.index(changed[-1]))
            return
        self._rows = rows
        self._places = dict(zip(ids, range(len(ids)), strict=True))
        self.setStringList(ids)

    def _emit_all_changed(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))


def _matches_search(row: ItemRow, wanted: str) -> bool:
    return wanted in row.name.casefold() or wanted == str(row.number)


def _passes(row: ItemRow, name: str) -> bool:
    match name:
        case "undecided":
            return row.status in ("undecided", "not_started")
        case "failed":
            return row.status == "failed"
    return True


class ItemDelegate(QStyledItemDelegate):
    """Paints an item: crop, number, name, model, verdict, findings; on one line if it is `compact`."""

    compact = False

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, COMPACT_ROW_PX if self.compact else ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(Role.ROW)
        if not isinstance(row, ItemRow):
            return
        theme = theme_manager().theme
        box: QRect = option.rect
        state: QStyle.StateFlag = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if selected:
            painter.fillRect(box, QColor(theme.accent_ground))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, QColor(theme.raised))
        if index.data(Role.CHOSEN):
            painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), QColor(theme.accent))
        painter.fillRect(QRect(box.left(), box.bottom(), box.width(), 1), QColor(theme.line))
        dim = theme.dim_text if selected else theme.dim
        if self.compact:
            self._paint_line(painter, box, index, row, dim)
            painter.restore()
            return
        self._paint_picture(painter, QRectF(box.left() + _SIDE, box.top() + 10, THUMB_PX, THUMB_PX), index)
        left = box.left() + _SIDE + THUMB_PX + 11
        width = box.right() - left - 10
        right = self._paint_marks(painter, QRectF(box.right() - 6, box.top() + 10, 14, 14), index, dim)
        name, name_width = f"{row.number}  {row.name}", width + right - (box.right() - 6)
        _text(
            painter,
            text_font(TEXT_PX, bold=True),
            theme.text,
            QRect(left, box.top() + 8, name_width, 20),
            name,
        )
        way = row.model or self.tr("No model")
        _text(painter, text_font(TEXT_PX - 1), dim, QRect(left, box.top() + 27, width, 18), way)
        middle = box.top() + 58
        running = self._running(index)
        if row.item_id in running or row.run.is_running:
            used = paint_chip(painter, left, middle, "accent", self._status_word(row, running))
            text = ""
        else:
            used = paint_chip(painter, left, middle, status_tone(row.status), status_text(row.status))
            text = self._status_text(row)
        colour = theme.word("failed") if row.note else dim
        font = text_font(LABEL_PX)
        _text(painter, font, colour, QRect(left + used + 6, middle - 9, width - used - 6, 18), text)
        painter.restore()

    def _paint_marks(self, painter: QPainter, end: QRectF, index: Index, dim: str) -> int:
        """Paint the marks of an item to the left of `end`. Returns where they begin, in px."""
        row, region = index.data(Role.ROW), index.data(Role.REGION)
        marks = [] if row.saved else [("cloud-wait", theme_manager().theme.undecided)]
        if isinstance(region, Region):
            marks += [("lock", dim)] * region.locked + [("eye-off", dim)] * region.hidden
        for number, (sign, tint) in enumerate(marks, 1):
            paint_icon(painter, sign, tint, end.translated(-_MARK_PX * number, 0))
        return int(end.left()) - _MARK_PX * len(marks)

    def _paint_line(self, painter: QPainter, box: QRect, index: Index, row: ItemRow, dim: str) -> None:
        """Paint number, name, findings and verdict on one line."""
        theme = theme_manager().theme
        right = self._paint_marks(painter, QRectF(box.right() - 6, box.top() + 5, 14, 14), index, dim)
        running = self._running(index)
        is_running = row.item_id in running or row.run.is_running
        tone, word = (
            ("accent", self._status_word(row, running))
            if is_running
            else (
                status_tone(row.status),
                status_text(row.status),
            )
        )
        painter.save()
        right -= chip_width(word) + 4
        paint_chip(painter, right, box.center().y(), tone, word)
        painter.restore()
        if row.findings:
            count, font = str(row.findings), text_font(LABEL_PX)
            right -= QFontMetrics(font).horizontalAdvance(count) + 8
            _text(painter, font, dim, QRect(right, box.top(), box.right() - right, box.height()), count)
        name = f"{row.number}  {row.name}"
        left = box.left() + _SIDE
        font = text_font(TEXT_PX, bold=index.data(Role.CHOSEN) is True)
        _text(painter, font, theme.text, QRect(left, box.top(), right - left - 6, box.height() - 1), name)

    def _running(self, index: Index) -> Mapping[str, int]:
        model = index.model()
        return model.running_items if isinstance(model, ItemsModel) else {}

    def _status_word(self, row: ItemRow, running: Mapping[str, int]) -> str:
        if row.run.run is RunPhase.RUNNING:
            return self.tr("Detecting {percent}%").format(percent=running.get(row.item_id, 0))
        return self.tr("Queued")

    def _status_text(self, row: ItemRow) -> str:
        if row.run.run is RunPhase.CANCELED and not row.findings:
            return self.tr("Detection cancelled")
        if row.note or not (row.detected or row.findings):
            # Without a detection, "0 findings" would say that something was looked at.
            return row.note
        return self.tr("%n finding(s)", "", row.findings)

    def _paint_picture(self, painter: QPainter, rect: QRectF, index: Index) -> None:
        theme = theme_manager().theme
        path = QPainterPath()
        path.addRoundedRect(rect, RADIUS, RADIUS)
        painter.save()
        painter.setClipPath(path)
        picture = index.data(Role.PICTURE)
        if isinstance(picture, QPixmap):
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawPixmap(rect, picture, QRectF(picture.rect()))
        else:
            painter.fillPath(path, QColor(theme.raised))
            paint_icon(painter, "photo", theme.faint, rect.adjusted(13, 13, -13, -13))
        painter.restore()
        painter.setPen(QColor(theme.line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)


def _text(painter: QPainter, font: QFont, colour: str, rect: QRect, text: str) -> None:
    painter.setFont(font)
    painter.setPen(QColor(colour))
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
