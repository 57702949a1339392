"""Shows all commands with their keyboard shortcuts, which the user can change."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QKeySequenceEdit,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop.commands.bindings import Commands
from desktop.commands.registry import COMMANDS, Command
from desktop.widgets import column_of
from desktop.widgets.basic.buttons import Button, ButtonKind, IconButton
from desktop.widgets.basic.labels import label, separator
from desktop.widgets.dialogs import BaseDialog, Dialog, ask
from desktop.widgets.fields import SearchField


class ShortcutSheet(BaseDialog):
    """Lists all commands by section, each with a button that changes its shortcut."""

    def __init__(self, parent: QWidget | None, commands: Commands) -> None:
        super().__init__(parent)
        self._commands = commands
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.resize(720, 640)
        column = column_of(
            label(self.tr("Keyboard shortcuts"), "item"), parent=self, margins=(20, 20, 20, 16), spacing=12
        )
        self._search = SearchField(self.tr("Find command or shortcut"))
        self._search.textChanged.connect(self._filter)
        column.addWidget(self._search)
        area = QScrollArea()
        area.setWidgetResizable(True)
        inner = QWidget()
        inner.setProperty("clear", True)
        self._grid = QGridLayout(inner)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        self._grid.setAlignment(Qt.AlignmentFlag.AlignTop)
        area.setWidget(inner)
        column.addWidget(area, 1)
        row = QHBoxLayout()
        about = label(self.tr("Single-key shortcuts are inactive while you type in a field."), "dim")
        row.addWidget(about, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addStretch(1)
        close = Button(self.tr("Close"))
        close.clicked.connect(self.accept)
        close.setDefault(True)
        row.addWidget(close)
        column.addLayout(row)
        self._rows: list[tuple[Command | None, str, list[QWidget]]] = []
        self._keys: dict[str, QLabel] = {}
        self._fill()
        commands.keys_changed.connect(self._show_keys)
        self._search.setFocus()

    def _fill(self) -> None:
        section = ""
        for command in COMMANDS.values():
            if command.section != section:
                section = command.section
                head = label(self._commands.section(command.id), "label")
                head.setContentsMargins(0, 12 if self._rows else 0, 0, 2)
                self._grid.addWidget(head, len(self._rows), 0, 1, 3)
                self._rows.append((None, section, [head]))
            title = label(self._commands.title(command.id))
            keys = label("", "dim")
            self._keys[command.id] = keys
            edit = IconButton("edit", self.tr("Change shortcut: {title}").format(title=title.text()), side=26)
            edit.clicked.connect(lambda _checked=False, command_id=command.id: self.ask_keys(command_id))
            row_number = len(self._rows)
            for column, widget in enumerate((title, keys, edit)):
                self._grid.addWidget(widget, row_number, column)
            self._rows.append((command, section, [title, keys, edit]))
            self._show_keys(command.id)

    def shown_keys(self, command_id: str) -> str:
        """The shortcut that is shown for a command."""
        return self._keys[command_id].text()

    def ask_keys(self, command_id: str) -> None:
        """Ask for another shortcut of a command."""
        dialog = ShortcutDialog(self, self._commands, command_id)
        try:
            ask(dialog)
        finally:
            dialog.deleteLater()

    def _show_keys(self, command_id: str) -> None:
        native = QKeySequence.SequenceFormat.NativeText
        texts = [QKeySequence(key).toString(native) for key in self._commands.keys(command_id)]
        self._keys[command_id].setText(" · ".join(texts))

    def _filter(self, query: str) -> None:
        needle = query.casefold()
        sections: set[str] = set()
        for command, section, widgets in self._rows:
            if command is None:
                continue
            text = f"{self._commands.title(command.id)} {self.shown_keys(command.id)}".casefold()
            fits = needle in text
            for widget in widgets:
                widget.setVisible(fits)
            if fits:
                sections.add(section)
        for command, section, widgets in self._rows:
            if command is None:
                widgets[0].setVisible(section in sections)


class ShortcutDialog(Dialog):
    """Asks for the new shortcut of a command, and shows which commands already use it."""

    def __init__(self, parent: QWidget | None, commands: Commands, command_id: str) -> None:
        super().__init__(parent)
        self._commands = commands
        self._id = command_id
        self.setWindowTitle(self.tr("Change shortcut"))
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(12)
        column.addWidget(label(commands.title(command_id), "item"))
        column.addWidget(label(self.tr("Press the new shortcut."), "dim"))
        self.editor = QKeySequenceEdit()
        self.editor.setMaximumSequenceLength(1)
        self.editor.setAccessibleName(self.tr("New shortcut"))
        self.editor.setKeySequence(QKeySequence(next(iter(commands.keys(command_id)), "")))
        self.editor.keySequenceChanged.connect(self._show_conflicts)
        column.addWidget(self.editor)
        self.warning = label("", "error", wrap=True)
        self.warning.setMinimumWidth(360)
        column.addWidget(self.warning)
        column.addWidget(separator())
        row = QHBoxLayout()
        default = Button(self.tr("Reset to default"), kind=ButtonKind.GHOST)
        default.clicked.connect(self._reset)
        clear_button = Button(self.tr("Clear"), kind=ButtonKind.GHOST)
        clear_button.clicked.connect(self.editor.clear)
        cancel = Button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        self.assign_button = Button(self.tr("Assign"), kind=ButtonKind.MAIN)
        self.assign_button.clicked.connect(self._assign)
        row.addWidget(default)
        row.addWidget(clear_button)
        row.addStretch(1)
        row.addWidget(cancel)
        row.addWidget(self.assign_button)
        column.addLayout(row)

    def _key(self) -> str:
        return self.editor.keySequence().toString(QKeySequence.SequenceFormat.PortableText)

    def _show_conflicts(self) -> None:
        conflicts = self._commands.conflicts(self._id, self._key()) if self._key() else []
        names = ", ".join(self._commands.title(command.id) for command in conflicts)
        self.warning.setText(
            self.tr("“{names}” uses this shortcut. Reassign?").format(names=names) if conflicts else ""
        )

    def _assign(self) -> None:
        key = self._key()
        self._commands.set_keys(self._id, [key] if key else [])
        self.accept()

    def _reset(self) -> None:
        self._commands.set_keys(self._id, None)
        self.accept()
