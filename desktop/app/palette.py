"""Shows the command palette (Ctrl+K): type a few letters, Enter runs the command."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop.app.menus import SETTINGS_MENU
from desktop.commands.bindings import Commands
from desktop.commands.registry import COMMANDS
from desktop.theme import LABEL_PX, TEXT_PX, text_font, theme_manager
from desktop.widgets import column_of
from desktop.widgets.basic.icons import paint_icon
from desktop.widgets.basic.labels import separator

_ROW_PX = 36
_WIDTH = 560
_MAX_ROWS = 9
_ID = Qt.ItemDataRole.UserRole
_MATCHED = Qt.ItemDataRole.UserRole + 1
"""The text that was found where it is not the title: the section, the English title or the menu."""


def score(query: str, text: str) -> int | None:
    """Rate how well `text` contains the letters of `query` in order, ignoring case; None if it does not.

    Letters that begin a word and consecutive letters score higher, long texts score lower.
    """
    query, lower = query.casefold().replace(" ", ""), text.casefold()
    total, position, consecutive = 0, -1, 0
    for letter in query:
        index = lower.find(letter, position + 1)
        if index < 0:
            return None
        consecutive = consecutive + 1 if index == position + 1 else 0
        starts_word = index == 0 or not lower[index - 1].isalnum()
        total += 1 + 3 * consecutive + (6 if starts_word else 0)
        position = index
    return total * 100 - len(text)


class _RowDelegate(QStyledItemDelegate):
    def sizeHint(self, _option: QStyleOptionViewItem, _index: object) -> QSize:
        return QSize(0, _ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: object) -> None:
        theme = theme_manager().theme
        _, icon, title, section, keys = index.data(_ID)  # type: ignore[attr-defined]
        matched = index.data(_MATCHED)  # type: ignore[attr-defined]
        rect: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent_ground))
            painter.drawRoundedRect(rect.adjusted(6, 1, -6, -1), 6, 6)
        if icon:
            paint_icon(
                painter, icon, theme.dim, QRect(rect.left() + 16, rect.center().y() - 8, 18, 18).toRectF()
            )
        is_enabled = bool(option.state & QStyle.StateFlag.State_Enabled)
        painter.setPen(QColor(theme.text if is_enabled else theme.dim_text))
        painter.setFont(text_font(TEXT_PX))
        middle = Qt.AlignmentFlag.AlignVCenter
        text_box = rect.adjusted(44, 0, -160, 0)
        painter.drawText(text_box, middle, title)
        if matched:
            painter.setPen(QColor(theme.dim_text))
            text_box.setLeft(text_box.left() + painter.fontMetrics().horizontalAdvance(f"{title}  "))
            elided = painter.fontMetrics().elidedText(
                matched, Qt.TextElideMode.ElideRight, max(text_box.width(), 0)
            )
            painter.drawText(text_box, middle, elided)
        painter.setPen(QColor(theme.dim_text))
        painter.setFont(text_font(LABEL_PX))
        painter.drawText(rect.adjusted(44, 0, -18, 0), middle | Qt.AlignmentFlag.AlignRight, keys or section)
        painter.restore()


class Palette(QFrame):
    """A list of the available commands over the window, which closes when it loses the focus."""

    def __init__(self, window: QWidget, commands: Commands) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self._commands = commands
        self.setProperty("card", True)
        self.setAccessibleName(self.tr("Find a command"))
        self.search_field = QLineEdit()
        self.search_field.setProperty("bare", True)
        self.search_field.setPlaceholderText(self.tr("Search commands"))
        self.search_field.setAccessibleName(self.tr("Find a command"))
        self.search_field.installEventFilter(self)
        self.search_field.textChanged.connect(self._show_matches)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Commands"))
        self.list.setItemDelegate(_RowDelegate(self))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.itemClicked.connect(lambda _item: self._run_selected())
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 8, 1, 6)
        column.setSpacing(6)
        head = column_of(self.search_field, margins=(16, 2, 16, 2))
        column.addLayout(head)
        column.addWidget(separator())
        column.addWidget(self.list)
        self._entries = [
            (
                command.id,
                command.icon,
                commands.title(command.id),
                commands.section(command.id),
                commands.keys_text(command.id),
            )
            for command in commands.possible_commands()
            if command.id != "palette"
        ]
        self._show_matches("")

    def open(self) -> None:
        """Show the palette at the top of the window, ready to type."""
        window = self.parentWidget()
        self.resize(_WIDTH, 58 + _ROW_PX * min(_MAX_ROWS, max(1, len(self._entries))))
        if window is not None:
            corner = window.mapToGlobal(QPoint((window.width() - _WIDTH) // 2, 80))
            self.move(corner)
        self.show()
        self.search_field.setFocus(Qt.FocusReason.PopupFocusReason)

    def command_ids(self) -> list[str]:
        """The IDs of the listed commands, best match first."""
        rows = [self.list.item(row) for row in range(self.list.count())]
        return [row.data(_ID)[0] for row in rows if row.flags() & Qt.ItemFlag.ItemIsEnabled]

    def _show_matches(self, query: str) -> None:
        # Only the beginning of a menu's name counts: its letters are in many searches.
        menus, start = (self.tr("Settings"), "Settings"), query.strip().casefold()
        matches = []
        for index, entry in enumerate(self._entries):
            points, matched = score(query, entry[2]), ""
            if points is None and query:
                # Also match the section, and the English title, because Chinese is slower to type.
                alternatives = [(f"{entry[3]} {entry[2]}", entry[3]), (COMMANDS[entry[0]].title,) * 2]
                if entry[0] in SETTINGS_MENU:
                    alternatives += [(menu, menu) for menu in menus if menu.casefold().startswith(start)]
                scores = [(score(query, text), shown) for text, shown in alternatives]
                found = [(value - 10_000, shown) for value, shown in scores if value is not None]
                points, matched = max(found, default=(None, ""))
            if points is not None:
                matches.append((-points if query else 0, index, entry, matched))
        self.list.clear()
        for _, _, entry, matched in sorted(matches, key=lambda row: row[:2]):
            item = QListWidgetItem(entry[2])
            item.setData(_ID, entry)
            item.setData(_MATCHED, matched)
            self.list.addItem(item)
        if not matches:
            item = QListWidgetItem(self.tr("No command found"))
            item.setData(_ID, ("", "", item.text(), "", ""))
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _run_selected(self) -> None:
        item = self.list.currentItem()
        if item is not None and item.flags() & Qt.ItemFlag.ItemIsEnabled:
            self.close()
            self._commands.run(item.data(_ID)[0])

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = event.key()
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run_selected()
                return True
            steps = {
                Qt.Key.Key_Down: 1,
                Qt.Key.Key_Up: -1,
                Qt.Key.Key_PageDown: _MAX_ROWS,
                Qt.Key.Key_PageUp: -_MAX_ROWS,
            }
            if key in steps and self.list.count():
                row = self.list.currentRow() + steps[Qt.Key(key)]
                self.list.setCurrentRow(max(0, min(self.list.count() - 1, row)))
                return True
        return False
