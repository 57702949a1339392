"""Provides a form field for selecting several of a few choices."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from desktop.widgets import ErrorLine, column_of, label

Choice = TypeVar("Choice")


class CheckBoxesField(QWidget, Generic[Choice]):
    """Check boxes for the choices, each with a description below it."""

    changed = Signal()
    """A box was checked or unchecked."""

    def __init__(
        self,
        title: str,
        choices: Iterable[Choice],
        checked: Collection[Choice],
        to_text: Callable[[Choice], str],
        to_description: Callable[[Choice], str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        column = column_of(label(title, "label"), parent=self, margins=0, spacing=4)
        self.boxes: dict[Choice, QCheckBox] = {}
        for choice in choices:
            box = QCheckBox(to_text(choice))
            box.setChecked(choice in checked)
            box.setAccessibleDescription(to_description(choice))
            box.clicked.connect(self._on_clicked)
            self.boxes[choice] = box
            column.addWidget(box)
            description = label(to_description(choice), "small", wrap=True)
            description.setContentsMargins(24, 0, 0, 4)
            column.addWidget(description)
        self._error = ErrorLine()
        column.addWidget(self._error)

    def value(self) -> list[Choice]:
        """The checked choices."""
        return [choice for choice, box in self.boxes.items() if box.isChecked()]

    def error(self) -> str:
        """The error that is shown; empty if there is none."""
        return self._error.text()

    def set_error(self, sentence: str) -> None:
        """Show an error; an empty sentence removes it."""
        self._error.setText(sentence)

    def _on_clicked(self) -> None:
        self.set_error("")
        self.changed.emit()
