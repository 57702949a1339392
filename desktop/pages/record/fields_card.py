"""Shows and edits the fields of a record and compares them with the service's.

State, outcome and end follow from the verdicts and are shown only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from desktop.context import Context
from desktop.localization.dates import example, minute, typed_minute
from desktop.pages.common.forms import lookup
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.pages.common.lists.list_section import NOTHING
from desktop.pages.common.messages.seal_terms import counters_sentence, outcome_word
from desktop.pages.record.record_data import RecordData
from desktop.widgets import (
    Button,
    ButtonKind,
    Card,
    ElidedLabel,
    Field,
    IconButton,
    MomentField,
    label,
    rule,
    status_word,
    tip,
)
from shared.codes import SEALED_STATES, Permission
from shared.results import Counters
from shared.wire.inspection import Record

CHOSEN = ("task_id", "executor_id", "reference_image_id")
TIMES = ("start_time",)
_MOST_LETTERS = 255


class FieldsCard(Card):
    """The fields that a person may change, and below them what follows from these."""

    changed = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._record_data: RecordData | None = None
        session = context.session
        self.names = {
            "inspection_name": self.tr("Name"),
            "task_id": self.tr("Task or external task ID"),
            "executor_id": self.tr("Executor"),
            "reference_image_id": self.tr("Reference image"),
            "start_time": self.tr("Start time"),
        }
        self.choosers = {
            "task_id": SearchCombo(self.names["task_id"], lookup.tasks(session), free=True),
            "executor_id": SearchCombo(self.names["executor_id"], lookup.people(context), free=True),
            "reference_image_id": SearchCombo(
                self.names["reference_image_id"],
                lookup.references(session),
                picture=lookup.reference_picture(session),
            ),
        }
        self.fields: dict[str, Field] = {
            "inspection_name": Field(self.names["inspection_name"]),
            **{name: Field(self.names[name], chooser) for name, chooser in self.choosers.items()},
            **{name: MomentField(self.names[name], placeholder=self.tr("YYYY-MM-DD")) for name in TIMES},
        }
        name_line = self.fields["inspection_name"].editor
        assert isinstance(name_line, QLineEdit)
        name_line.setMaxLength(_MOST_LETTERS)
        self._titles: dict[str, QLabel] = {}
        self._facts: dict[str, QLabel] = {}
        self.copy_id = IconButton("copy", self.tr("Copy ID"))
        self.save = Button(
            self.tr("Save"),
            kind=ButtonKind.PLAIN,
            keys=context.commands.keys_text("details.save"),
            icon="check",
        )
        self.undo = Button(self.tr("Discard changes"), kind=ButtonKind.GHOST)
        self._build()
        for field in self.fields.values():
            field.changed.connect(self._on_edited)
        for name, chooser in self.choosers.items():
            chooser.editTextChanged.connect(lambda _, it=self.fields[name]: it.set_error(""))
            chooser.editTextChanged.connect(lambda _: self._on_edited())
        self.undo.clicked.connect(self.discard)
        self.copy_id.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._id.text()))

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        column.addWidget(label(self.tr("Record"), "item"))
        for name in ("inspection_name", *CHOSEN, *TIMES):
            column.addWidget(self.fields[name])
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.undo)
        row.addWidget(self.save)
        column.addLayout(row)
        column.addWidget(rule())
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        facts = (
            ("state", self.tr("Status")),
            ("api_status", self.tr("API status")),
            ("judged", self.tr("Verdicts")),
            ("outcome", self.tr("Outcome")),
            ("ended", self.tr("End time")),
            ("aircraft", self.tr("Aircraft")),
            ("flight", self.tr("Flight")),
            ("created", self.tr("Created")),
            ("updated", self.tr("Modified")),
        )
        for index, (name, title) in enumerate(facts):
            fact = label("", wrap=True)
            fact.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            # A name without a blank does not make the card wider than its column.
            policy = fact.sizePolicy()
            policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)
            fact.setSizePolicy(policy)
            self._facts[name] = fact
            self._titles[name] = label(title, "dim")
            grid.addWidget(self._titles[name], index, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(fact, index, 1)
        # An ID is one long word that no line can break: it is shortened to the room there is.
        self._id = ElidedLabel()
        row = QHBoxLayout()
        row.addWidget(self._id, 1)
        row.addWidget(self.copy_id)
        grid.addWidget(label(self.tr("ID"), "dim"), len(facts), 0)
        grid.addLayout(row, len(facts), 1)
        column.addLayout(grid)

    # -- showing

    def show_record_data(self, record_data: RecordData, keep: Iterable[str] = ()) -> None:
        """Show a record; what is typed in the fields `keep` stays."""
        typed = {name: value for name, value in self.typed().items() if name in set(keep)}
        self._record_data = record_data
        record = record_data.record
        self.fields["inspection_name"].set_text(record.inspection_name or "")
        for name in TIMES:
            self.fields[name].set_text(minute(getattr(record, name)))
        for name, chooser in self.choosers.items():
            value = getattr(record, name)
            chooser.show_choice((value, self.shown(record_data, name)) if value else None)
        self._facts["state"].setText(status_word(record_data.seal.record_state))
        # What a detection came to, or a client of the service wrote: no person finished the record with it.
        differs = record.inspection_status is not record_data.seal.record_state
        text = self.tr(
            "The status that other programs see. It is derived from all results, including those of "
            "a model, and other programs can set it."
        )
        for shown in (self._titles["api_status"], self._facts["api_status"]):
            shown.setVisible(differs)
            shown.setToolTip(tip(text))
        self._facts["api_status"].setText(status_word(record.inspection_status))
        self._facts["judged"].setText(counters_sentence(Counters(**record_data.seal.counters.model_dump())))
        self._facts["outcome"].setText(outcome_word(record_data.seal.outcome))
        self._facts["ended"].setText(minute(record.end_time) or NOTHING)
        self._facts["aircraft"].setText(record.aircraft_name or "")
        self._facts["flight"].setText(record_data.flight_number or record.flight_id or "")
        for name in ("aircraft", "flight"):
            # Any other part has neither.
            for shown in (self._titles[name], self._facts[name]):
                shown.setVisible(bool(self._facts[name].text()))
        self._facts["created"].setText(minute(record.created_at))
        self._facts["updated"].setText(minute(record.updated_at))
        self._id.setText(record.inspection_id)
        for field in self.fields.values():
            field.set_error("")
        allowed = self._may_edit
        for field in self.fields.values():
            field.editor.setEnabled(allowed)
        for button in (self.save, self.undo):
            button.setVisible(allowed)
        self.restore(typed)

    def shown(self, record_data: RecordData, name: str) -> str:
        """The text of a field for the record in `record_data`."""
        record = record_data.record
        value = getattr(record, name)
        if value is None:
            return ""
        match name:
            case "task_id":
                return record_data.task_name or str(value)
            case "executor_id":
                return record.executor_name or str(value)
            case "reference_image_id":
                return record.reference_image_name or str(value)
        return minute(value) if isinstance(value, datetime) else str(value)

    def field_text(self, name: str) -> str:
        """The present text of a field."""
        return self.fields[name].text().strip()

    def typed(self) -> dict[str, Any]:
        """What is typed, to be put back by `restore`."""
        texts = {name: field.text() for name, field in self.fields.items() if name not in self.choosers}
        chosen = {name: list(chooser.typed_choice()) for name, chooser in self.choosers.items()}
        return {**texts, **chosen}

    def restore(self, typed: Mapping[str, Any]) -> None:
        """Put back what was typed before."""
        for name, value in typed.items():
            if name in self.choosers:
                self.choosers[name].restore_choice((value[0], value[1]))
            elif name in self.fields:
                self.fields[name].set_text(str(value))
        self._on_edited()

    def discard(self) -> None:
        """Show again what the service has."""
        if self._record_data is not None:
            self.show_record_data(self._record_data)

    def forget(self) -> None:
        """Forget the record; nothing of it is unsaved."""
        self._record_data = None
        self._on_edited()

    # -- what differs

    @property
    def unsaved(self) -> bool:
        """True when something is typed that the service does not have."""
        return self._may_edit and bool(self.changed_fields())

    @property
    def _may_edit(self) -> bool:
        sealed = self._record_data is None or self._record_data.seal.state in SEALED_STATES
        return not sealed and self._context.may(Permission.INSPECTION_UPDATE)

    def changed_fields(self) -> list[str]:
        """The names of the fields whose text differs from the service's value."""
        record_data = self._record_data
        if record_data is None:
            return []
        return [name for name in self.fields if self.field_text(name) != self.shown(record_data, name)]

    def changes(self) -> dict[str, Any]:
        """The fields that differ from what the service has.

        Raises ValueError, after saying so beside the field, when one is wrong.
        """
        return {name: self._value(name) for name in self.changed_fields()}

    def show_field_error(self, name: str, error: str) -> None:
        """Show `error` beside a field and give it the focus."""
        self.fields[name].set_error(error)
        self.fields[name].setFocus()

    def _value(self, name: str) -> Any:
        text = self.field_text(name)
        if name in self.choosers:
            return self._chosen(name)
        if name in TIMES:
            return self._time(name, text)
        return text or None

    def _chosen(self, name: str) -> str | None:
        try:
            value = self.choosers[name].selected_id()
        except ValueError:
            self.show_field_error(
                name, self.tr("No entry with this name. Select one from the list, or leave the field empty.")
            )
            raise
        if value is None and name == "task_id":
            self.show_field_error(name, self.tr("Select a task for this record."))
            raise ValueError(name)
        return value

    def _time(self, name: str, text: str) -> datetime | None:
        try:
            return typed_minute(text)
        except ValueError:
            self.show_field_error(
                name, self.tr("Enter date and time as {example}.").format(example=example())
            )
            raise

    def _on_edited(self) -> None:
        for button in (self.save, self.undo):
            button.setEnabled(self.unsaved)
        self.changed.emit()


def conflicting_fields(newest: Record, base: Record, changes: Mapping[str, Any]) -> list[str]:
    """The fields of `changes` that another user changed too, from `base` to `newest`, to another value."""
    return [
        name
        for name, value in changes.items()
        if getattr(newest, name) != getattr(base, name) and not _is_same_value(getattr(newest, name), value)
    ]


def _is_same_value(stored: Any, typed: Any) -> bool:
    if isinstance(stored, datetime) and isinstance(typed, datetime):
        return minute(stored) == minute(typed)
    return bool(stored == typed)
