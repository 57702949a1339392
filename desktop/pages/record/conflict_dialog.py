"""Asks which value of each field to keep when two users changed the same record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from desktop.pages.common.lists.list_section import NOTHING
from desktop.widgets import Button, ButtonKind, Dialog, label, row_of, wrap_button_text

_VALUE_PX = 220
"""The width in px at which a value wraps."""


@dataclass(frozen=True, slots=True)
class FieldConflict:
    """A field that two users changed: its name in the service and on the page, and both values as text."""

    field: str
    name: str
    local: str
    stored: str


class FieldConflictDialog(Dialog):
    """Asks for each field which value to keep. The current user's value is preselected."""

    def __init__(self, conflicts: Sequence[FieldConflict], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Record modified by another user"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setMinimumWidth(640)
        self._groups: dict[str, QButtonGroup] = {}
        self.choices: dict[str, tuple[QRadioButton, QRadioButton]] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(14)
        column.addWidget(label(self.tr("Record modified by another user"), "item"))
        text = self.tr(
            "You and another user both changed these fields. Select the value to keep for each. All "
            "other changes are kept."
        )
        column.addWidget(label(text, "dim", wrap=True))
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(10)
        grid.addWidget(label(self.tr("Mine"), "label"), 0, 1)
        grid.addWidget(label(self.tr("Theirs"), "label"), 0, 2)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        for row, conflict in enumerate(conflicts, 1):
            values = [value or NOTHING for value in (conflict.local, conflict.stored)]
            local, stored = (
                QRadioButton(wrap_button_text(value, self.fontMetrics(), _VALUE_PX)) for value in values
            )
            local.setChecked(True)
            group = QButtonGroup(self)
            column_titles = (self.tr("Mine"), self.tr("Theirs"))
            for column_number, button in enumerate((local, stored), 1):
                button.setAccessibleName(
                    f"{conflict.name}, {column_titles[column_number - 1]}: {values[column_number - 1]}"
                )
                group.addButton(button)
                grid.addWidget(button, row, column_number)
            grid.addWidget(label(conflict.name, "dim"), row, 0)
            self._groups[conflict.field] = group
            self.choices[conflict.field] = (local, stored)
        column.addLayout(grid)
        button_row = row_of(1)
        cancel = Button(self.tr("Cancel"))
        self.save = Button(self.tr("Save"), kind=ButtonKind.MAIN)
        cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self.accept)
        self.save.setDefault(True)
        button_row.addWidget(cancel)
        button_row.addWidget(self.save)
        column.addSpacing(4)
        column.addLayout(button_row)

    def stored_fields(self) -> set[str]:
        """The fields that get the other user's value."""
        return {field for field, (_, stored) in self.choices.items() if stored.isChecked()}
