"""Shows rows in columns, which are defined as data and painted in the colours of the theme.

Shows the current page of a table and lets the user change it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Literal, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
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
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from desktop.theme import LABEL_PX, TEXT_PX, line_px, text_font, text_px, theme_manager
from desktop.widgets.basic.buttons import Button, ButtonKind, IconButton
from desktop.widgets.basic.chips import paint_chip
from desktop.widgets.basic.labels import Panel, escape_tooltip, label
from desktop.widgets.basic.layouts import clear_layout, row_of
from desktop.widgets.fields import Combo
from shared.wire.common import Pagination

T = TypeVar("T")
Index = QModelIndex | QPersistentModelIndex

ROW_PX = 44
_CELL_MARGIN = 16
_SHRINK_FACTOR = 0.7
_STRETCHED_WIDTH = 300
"""Width (px) of a stretching column up to which the other columns do not grow."""


@dataclass(frozen=True)
class Column(Generic[T]):
    """One column of a table of `T`.

    `text` returns the text of a cell and `second_line` a smaller text below it. If `tone` returns a tone, the
    cell is a chip (see `paint_chip`). `width` is in px; the column with `stretch` takes the remaining width.
    `min_width` (px) is the width that the texts need.
    """

    title: str
    text: Callable[[T], str]
    width: int = 140
    stretch: bool = False
    kind: Literal["strong", "text", "dim"] = "text"
    tone: Callable[[T], str] | None = None
    second_line: Callable[[T], str] | None = None
    min_width: int = 0


class TableModel(QAbstractTableModel):
    """The rows that a table shows."""

    def __init__(self, columns: Sequence[Column[Any]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = list(columns)
        self._rows: list[Any] = []

    def set_rows(self, rows: Sequence[Any]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def rows(self) -> list[Any]:
        """Return the displayed rows."""
        return self._rows

    def refresh_cells(self) -> None:
        """Repaint the cells, because their texts changed; the rows are the same."""
        if self._rows:
            last = self.index(len(self._rows) - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section].title
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        if not 0 <= index.row() < len(self._rows):
            return None
        row, column = self._rows[index.row()], self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return escape_tooltip(column.text(row))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            second_line = column.second_line(row) if column.second_line is not None else ""
            return f"{column.text(row)} {second_line}".strip()
        if role == Qt.ItemDataRole.UserRole:
            return row
        return None


class _CellDelegate(QStyledItemDelegate):
    """Paints the cells of a table by their columns."""

    def __init__(self, model: TableModel, row_px: int, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._row_px = row_px

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self._model.columns[index.column()].width, self._row_px)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = theme_manager().theme
        box = QRectF(option.rect)
        column = self._model.columns[index.column()]
        row = index.data(Qt.ItemDataRole.UserRole)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(theme.accent_ground))
            if index.column() == 0 and option.widget.hasFocus():
                painter.fillRect(QRectF(box.x(), box.y(), 3, box.height()), QColor(theme.accent))
        painter.fillRect(QRectF(box.x(), box.bottom() - 1, box.width(), 1), QColor(theme.line))
        inner = box.adjusted(_CELL_MARGIN, 0, -8, -1)
        text = column.text(row)
        second_line = column.second_line(row) if column.second_line is not None else ""
        tone = column.tone(row) if column.tone is not None else ""
        if tone:
            paint_chip(painter, inner.x(), inner.center().y(), tone, text)
        else:
            colour = theme.dim_text if column.kind == "dim" else theme.text
            top = inner.adjusted(0, 5, 0, -inner.height() / 2 + 2) if second_line else inner
            _draw_text(painter, top, text, colour, TEXT_PX, column.kind == "strong")
            if second_line:
                below = inner.adjusted(0, inner.height() / 2 + 1, 0, -4)
                _draw_text(painter, below, second_line, theme.dim_text, LABEL_PX, False)
        painter.restore()


def _draw_text(painter: QPainter, box: QRectF, text: str, colour: str, size: int, bold: bool) -> None:
    painter.setFont(text_font(size, bold=bold))
    painter.setPen(QColor(colour))
    line = text.replace("\n", " ")
    short = painter.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, int(box.width()))
    painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter.value), short)


def title_width(title: str) -> int:
    """Return the width (px) of a column with room for its complete title."""
    return round(text_px(title, LABEL_PX, bold=True)) + _CELL_MARGIN + 8


class ColumnSizer(QObject):
    """Sets the widths of the columns of `table` whenever its width changes.

    `widths` (px) apply if the table has the width of their sum. In a wider table all columns grow in
    proportion, so that texts stay close to each other on a large screen. In a narrower one they shrink
    together, down to `min_widths`. The column `stretch` takes the remaining width.
    """

    def __init__(
        self, table: QTableView, widths: Sequence[int], min_widths: Sequence[int], stretch: int
    ) -> None:
        super().__init__(table)
        self._table = table
        self._widths = list(widths)
        self._min_widths = list(min_widths)
        self._stretch = stretch
        table.horizontalHeader().setSectionResizeMode(stretch, QHeaderView.ResizeMode.Stretch)
        table.viewport().installEventFilter(self)
        self._resize_columns(sum(self._widths))

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._resize_columns(self._table.viewport().width())
        return False

    def _resize_columns(self, available: int) -> None:
        full_width, min_total = sum(self._widths), sum(self._min_widths)
        growth = max(1.0, available / full_width)
        share = min(max((available - min_total) / max(full_width - min_total, 1), 0.0), 1.0)
        for section, (width, min_width) in enumerate(zip(self._widths, self._min_widths, strict=True)):
            if section != self._stretch:
                section_width = round((min_width + (width - min_width) * share) * growth)
                self._table.setColumnWidth(section, max(section_width, self._title_px(section)))

    def _title_px(self, section: int) -> int:
        return title_width(str(self._table.model().headerData(section, Qt.Orientation.Horizontal)))


def set_up_rows(table: QTableView, row_px: int) -> None:
    """Make a table a list of rows: one row is selected at a time; no editing, grid or frame."""
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.setFrameShape(QTableView.Shape.NoFrame)
    table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(row_px)
    head = table.horizontalHeader()
    head.setHighlightSections(False)
    head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class Table(QTableView, Generic[T]):
    """A table of `T`. One row is selected at a time; Enter or a double click picks it."""

    picked = Signal(object)
    """The object of the row that the user picked."""
    selection_changed = Signal()
    """Another row or no row is selected."""
    menu_requested = Signal(QPoint)
    """The user requests a menu for the selected row, at this point of the screen."""

    def __init__(
        self,
        name: str,
        columns: Sequence[Column[T]],
        *,
        row_px: int = ROW_PX,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        second_line_px = line_px(LABEL_PX) if any(column.second_line for column in columns) else 0
        row_px = max(row_px, line_px(TEXT_PX) + second_line_px + 9)
        self.rows_model = TableModel(columns, self)
        self.setAccessibleName(name)
        self.setModel(self.rows_model)
        self.setItemDelegate(_CellDelegate(self.rows_model, row_px, self))
        set_up_rows(self, row_px)
        head = self.horizontalHeader()
        head.setMinimumSectionSize(60)
        stretch = next((column_index for column_index, column in enumerate(columns) if column.stretch), -1)
        widths = [
            max(column.width, _STRETCHED_WIDTH) if column.stretch else column.width for column in columns
        ]
        if stretch >= 0:
            min_widths = [
                # A chip is not shortened.
                width if column.tone is not None else max(column.min_width, round(width * _SHRINK_FACTOR))
                for column, width in zip(columns, widths, strict=True)
            ]
            ColumnSizer(self, widths, min_widths, stretch)
        else:
            for section, width in enumerate(widths):
                self.setColumnWidth(section, width)
        self.doubleClicked.connect(lambda index: self._pick(index.row()))
        self.customContextMenuRequested.connect(
            lambda at: self.menu_requested.emit(self.viewport().mapToGlobal(at))
        )
        self.selectionModel().currentRowChanged.connect(lambda *_: self.selection_changed.emit())
        self.rows_model.modelReset.connect(self.selection_changed)

    def show_rows(self, rows: Sequence[T], keep: Callable[[T], bool] | None = None) -> None:
        """Set the rows and select the first one for which `keep` returns True, or else the first."""
        self.rows_model.set_rows(rows)
        kept_rows = [index for index, row in enumerate(rows) if keep is not None and keep(row)]
        if rows:
            self.select_row(kept_rows[0] if kept_rows else 0)

    @property
    def selected_row(self) -> T | None:
        """The object of the selected row."""
        row = self.currentIndex().row()
        rows: list[T] = self.rows_model.rows()
        return rows[row] if 0 <= row < len(rows) else None

    def select_row(self, row: int) -> None:
        """Select a row."""
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().setCurrentIndex(self.rows_model.index(row, 0), flags)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self._pick(self.currentIndex().row())
            return
        super().keyPressEvent(event)

    def _pick(self, row: int) -> None:
        if 0 <= row < self.rows_model.rowCount():
            self.picked.emit(self.rows_model.rows()[row])


SIZES = (25, 50, 100, 200)
_NEIGHBOURS = 2


class Pager(Panel):
    """Shows a `Pagination` and emits signals when the user selects another page or page size."""

    page_requested = Signal(int)
    """The number of the page to show."""
    page_size_changed = Signal(int)
    """The new number of rows per page."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("panel", "top", parent)
        self._page = 1
        self._pages = 1
        self._position = label("", "dim")
        self.per_page = Combo(self.tr("Rows per page"))
        self.per_page.set_choices([(size, self.tr("{n} per page").format(n=size)) for size in SIZES])
        self.previous = IconButton("chevron-left", self.tr("Previous page"))
        self.next = IconButton("chevron-right", self.tr("Next page"))
        row = row_of(
            self._position, 1, self.per_page, self.previous, parent=self, margins=(16, 6, 10, 6), spacing=6
        )
        self._numbers = QHBoxLayout()
        self._numbers.setSpacing(2)
        row.addLayout(self._numbers)
        row.addWidget(self.next)
        self.previous.clicked.connect(lambda: self.page_requested.emit(self._page - 1))
        self.next.clicked.connect(lambda: self.page_requested.emit(self._page + 1))
        self.per_page.picked.connect(lambda size: self.page_size_changed.emit(size))

    @property
    def page_size(self) -> int:
        """The number of entries of a page."""
        size = self.per_page.value()
        return size if isinstance(size, int) else SIZES[0]

    def show_pagination(self, pagination: Pagination) -> None:
        """Show the position of this page."""
        self._page, self._pages = pagination.current_page, max(pagination.total_pages, 1)
        total = self.tr("%n total", "", pagination.total)
        position = self.tr("Page {page} of {pages}").format(page=self._page, pages=self._pages)
        self._position.setText(f"{position} · {total}")
        self.previous.setEnabled(self._page > 1)
        self.next.setEnabled(self._page < self._pages)
        self._show_numbers()

    def _show_numbers(self) -> None:
        clear_layout(self._numbers)
        previous = 0
        for number in page_numbers(self._page, self._pages):
            if number > previous + 1:
                self._numbers.addWidget(label("…", "dim"))
            previous = number
            button = Button(str(number), kind=ButtonKind.TOOL)
            button.setAccessibleName(self.tr("Page {page}").format(page=number))
            button.setCheckable(True)
            button.setChecked(number == self._page)
            button.clicked.connect(partial(self._on_number_clicked, button, number))
            self._numbers.addWidget(button)

    def _on_number_clicked(self, button: Button, number: int) -> None:
        # The current page stays marked until the other one is loaded.
        button.setChecked(number == self._page)
        self.page_requested.emit(number)


def page_numbers(page: int, pages: int) -> list[int]:
    """Return the numbers of the pages with buttons: the first, the last, and the neighbours of `page`."""
    neighbours = range(page - _NEIGHBOURS, page + _NEIGHBOURS + 1)
    return sorted({1, pages, *(number for number in neighbours if 1 <= number <= pages)})
