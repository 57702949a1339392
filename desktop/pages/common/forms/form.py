"""Implements the dialog that creates or edits one object.

Errors are shown beside the fields, and the typed texts are kept after an error.

Provides a form field for selecting several of a few choices.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.client.http.errors import Conflict, Invalid
from desktop.context import Context
from desktop.messages.error_messages import field_sentence, sentence
from desktop.pages.common.forms.passwords import run_guarded
from desktop.widgets import (
    Banner,
    Button,
    ButtonKind,
    Dialog,
    ErrorLine,
    Field,
    column_of,
    confirm,
    label,
    row_of,
)

_MAX_LENGTH = 255
"""The longest name that the service accepts."""


def conflict_sentence(value: str) -> str:
    """The error beside a field that another user has changed to `value`."""
    translate = QCoreApplication.translate
    text = translate("Form", "Changed by another user to: {theirs}")
    return text.format(theirs=value or translate("Form", "(empty)"))


class Form(Dialog):
    """A dialog for one object. A subclass adds fields and implements `work`.

    Fields have the names that the service uses, so that its errors can be shown beside them.
    """

    saved = Signal(object)
    """The response of the service."""

    def __init__(self, context: Context, title: str, verb: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setMinimumWidth(460)
        self._context = context
        self._save_text = verb
        self._has_changes = False
        self.fields: dict[str, Field] = {}
        self.banner = Banner()
        self.save = Button(verb, kind=ButtonKind.MAIN)
        self.cancel = Button(self.tr("Cancel"))
        column = column_of(
            label(title, "item"), self.banner, parent=self, margins=(24, 20, 24, 20), spacing=14
        )
        self.body = QVBoxLayout()
        self.body.setSpacing(14)
        column.addLayout(self.body)
        column.addSpacing(4)
        row = row_of(1, self.cancel, self.save, spacing=8)
        column.addLayout(row)
        self.save.setDefault(True)
        self.save.clicked.connect(self.submit)
        self.cancel.clicked.connect(self.reject)

    def add(self, name: str, field: Field, beside: Field | None = None, beside_name: str = "") -> None:
        """Add a field below the others, with `beside` on its right if given."""
        for key, part in ((name, field), (beside_name, beside)):
            if part is not None:
                self.fields[key] = part
                part.changed.connect(self.mark_changed)
                if isinstance(part.editor, QLineEdit):
                    part.editor.setMaxLength(_MAX_LENGTH)
        if beside is None:
            self.body.addWidget(field)
            return
        row = QHBoxLayout()
        row.setSpacing(16)
        for part in (field, beside):
            if field.action is not None or beside.action is not None:
                part.reserve_action()
            row.addWidget(part, 1, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(row)

    def mark_changed(self) -> None:
        """Remember that the user changed something, so that closing without saving asks first."""
        self._has_changes = True

    def text(self, name: str) -> str | None:
        """The text of a field; None if it is empty."""
        return self.fields[name].text().strip() or None

    def show_field_error(self, name: str, error: str) -> None:
        """Show `error` beside a field, and focus it."""
        self.fields[name].set_error(error)
        self.fields[name].setFocus()

    def work(self) -> Callable[[], Any] | None:
        """The function that saves the typed values, to run in a worker thread.

        If a field is invalid, shows an error beside it and returns None.
        """
        return None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        first = next(iter(self.fields.values()), None)
        if first is not None:
            first.setFocus()

    def submit(self) -> None:
        """Save the typed values."""
        if not self.save.isEnabled():
            return
        for field in self.fields.values():
            field.set_error("")
        work = self.work()
        if work is None:
            return
        self.banner.hide()
        self.save.setEnabled(False)
        self.save.setText(self.tr("Saving…"))
        run_guarded(self._context, work, owner=self, done=self._done, failed=self._on_failed)

    def reject(self) -> None:
        """Close; ask first if something was changed."""
        if self._has_changes and not confirm(
            self,
            self.tr("Discard changes?"),
            self.tr("The changes in this form are not saved."),
            self.tr("Discard"),
        ):
            return
        super().reject()

    def _done(self, answer: Any) -> None:
        self._enable_saving()
        self._has_changes = False
        self.accept()
        self.saved.emit(answer)

    def _on_failed(self, error: Exception) -> None:
        self._enable_saving()
        if isinstance(error, Invalid):
            messages = {name: field_sentence(error, name) for name in self.fields}
            wrong_fields = [name for name, message in messages.items() if message]
            for name in reversed(wrong_fields):
                self.show_field_error(name, messages[name])
            if wrong_fields:
                return
        if isinstance(error, Conflict) and error.details.get("field") in self.fields:
            self.show_field_error(str(error.details["field"]), sentence(error))
            return
        self.banner.show_message(sentence(error), "error")

    def _enable_saving(self) -> None:
        self.save.setEnabled(True)
        self.save.setText(self._save_text)


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
