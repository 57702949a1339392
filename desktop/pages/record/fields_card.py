"""Shows and edits the fields of a record and compares them with the stored values.

Status, outcome and end time follow from the verdicts and cannot be edited.

Loads a record for its page. Calls the service: must not run on the GUI thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QSizePolicy, QWidget

from desktop.client import Session, Versioned
from desktop.client.http.errors import ClientError
from desktop.context import Context
from desktop.localization.dates import example_minute, format_minute, parse_minute
from desktop.messages.seal_terms import counters_sentence, outcome_word
from desktop.pages.common.forms import lookup
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.pages.common.forms.form import conflict_sentence
from desktop.pages.common.forms.lookup import task_name
from desktop.pages.common.lists.list_section import NOTHING
from desktop.record.loading import photos_of_failed
from desktop.widgets import (
    Button,
    ButtonKind,
    Card,
    ElidedLabel,
    Field,
    IconButton,
    MomentField,
    column_of,
    escape_tooltip,
    label,
    row_of,
    separator,
    status_text,
)
from shared.record import results
from shared.record.codes import SEALED_STATES, Permission
from shared.record.entries import item_entries
from shared.record.results import Counters
from shared.wire.inspection import Item, Record
from shared.wire.seal import RecordSeal


@dataclass(frozen=True, slots=True)
class RecordData:
    """A record with its items, oldest first, its seal, and the names of its task and flight if known.

    `photos`: the file ids of an item's photos, oldest first, if its newest detection gave no result.
    """

    record: Record
    etag: str | None
    items: Sequence[Item]
    task_name: str | None
    flight_number: str | None
    seal: RecordSeal
    photos: Mapping[str, Sequence[str]] = field(default_factory=dict)


def load_record(session: Session, record_id: str) -> RecordData:
    """Load a record. Raises ClientError."""
    return load_related(session, session.records.get(record_id))


def load_related(session: Session, versioned: Versioned[Record]) -> RecordData:
    """Load the items, the seal and the names of a record. Raises ClientError."""
    record = versioned.value
    items = session.items.all(record.inspection_id)
    return RecordData(
        record,
        versioned.etag,
        items,
        _task(session, record.task_id),
        _flight(session, record.flight_id),
        session.records.seal(record.inspection_id),
        photos_of_failed(session, items),
    )


def _task(session: Session, task_id: str) -> str | None:
    try:
        return task_name(session.catalogue.tasks.get(task_id))
    except ClientError:
        # The task may be in another system. Its ID is shown then.
        return None


def _flight(session: Session, flight_id: str | None) -> str | None:
    if flight_id is None:
        return None
    try:
        return session.catalogue.flights.get(flight_id).flight_number
    except ClientError:
        return None


CHOICE_FIELDS = ("task_id", "executor_id", "reference_image_id")
TIME_FIELDS = ("start_time",)
_MAX_NAME_LENGTH = 255


class FieldsCard(Card):
    """The editable fields, and below them the facts that follow from the record."""

    changed = Signal()
    """A field was edited, or another record is shown."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._record_data: RecordData | None = None
        session = context.session
        self.names = {
            "inspection_name": self.tr("Name"),
            "task_id": self.tr("Task or external task ID"),
            "executor_id": self.tr("Inspector"),
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
            **{name: MomentField(self.names[name], placeholder=example_minute()) for name in TIME_FIELDS},
        }
        name_line = self.fields["inspection_name"].editor
        assert isinstance(name_line, QLineEdit)
        name_line.setMaxLength(_MAX_NAME_LENGTH)
        self._fact_titles: dict[str, QLabel] = {}
        self._fact_labels: dict[str, QLabel] = {}
        self.copy_id = IconButton("copy", self.tr("Copy ID"))
        self.save = Button(
            self.tr("Save"),
            kind=ButtonKind.PLAIN,
            keys=context.commands.keys_text("details.save"),
            icon="check",
        )
        self.undo = Button(self.tr("Discard changes"), kind=ButtonKind.GHOST)
        self._build()
        for each in self.fields.values():
            each.changed.connect(self._update_buttons)
        for name, chooser in self.choosers.items():
            chooser.editTextChanged.connect(lambda _, field=self.fields[name]: field.set_error(""))
            chooser.editTextChanged.connect(lambda _: self._update_buttons())
        self.undo.clicked.connect(self.discard)
        self.copy_id.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._id.text()))

    def _build(self) -> None:
        column = column_of(
            label(self.tr("Record"), "item"), parent=self, margins=(24, 20, 24, 20), spacing=12
        )
        for name in ("inspection_name", *CHOICE_FIELDS, *TIME_FIELDS):
            column.addWidget(self.fields[name])
        row = row_of(1, self.undo, self.save)
        column.addLayout(row)
        column.addWidget(separator())
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        facts = (
            ("state", self.tr("Status")),
            ("api_status", self.tr("Status in other systems")),
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
            # A long name without spaces must not make the card wider than its column.
            policy = fact.sizePolicy()
            policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)
            fact.setSizePolicy(policy)
            self._fact_labels[name] = fact
            self._fact_titles[name] = label(title, "dim")
            grid.addWidget(self._fact_titles[name], index, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(fact, index, 1)
        # An ID cannot be wrapped, so it is elided.
        self._id = ElidedLabel()
        row = row_of((self._id, 1), self.copy_id)
        grid.addWidget(label(self.tr("ID"), "dim"), len(facts), 0)
        grid.addLayout(row, len(facts), 1)
        column.addLayout(grid)

    # -- showing

    def show_record_data(self, record_data: RecordData, keep: Iterable[str] = ()) -> None:
        """Show a record. The typed values of the fields `keep` and their errors are kept."""
        typed_values = {name: value for name, value in self.typed_values().items() if name in set(keep)}
        errors = {name: self.fields[name].error() for name in typed_values}
        self._record_data = record_data
        record = record_data.record
        self.fields["inspection_name"].set_text(record.inspection_name or "")
        for name in TIME_FIELDS:
            self.fields[name].set_text(format_minute(getattr(record, name)))
        for name, chooser in self.choosers.items():
            value = getattr(record, name)
            chooser.show_choice((value, self.stored_text(record_data, name)) if value else None)
        self._fact_labels["state"].setText(status_text(record_data.seal.record_state))
        is_set_by_client = results.is_set_by_client(
            record.inspection_status,
            record_data.seal.record_state,
            [item_entries(item) for item in record_data.items],
        )
        text = self.tr("Another program set this status. It is not a decision of a user of this program.")
        for widget in (self._fact_titles["api_status"], self._fact_labels["api_status"]):
            widget.setVisible(is_set_by_client)
            widget.setToolTip(escape_tooltip(text))
        self._fact_labels["api_status"].setText(status_text(record.inspection_status))
        self._fact_labels["judged"].setText(
            counters_sentence(Counters(**record_data.seal.counters.model_dump()))
        )
        self._fact_labels["outcome"].setText(outcome_word(record_data.seal.outcome))
        self._fact_labels["ended"].setText(format_minute(record.end_time) or NOTHING)
        self._fact_labels["aircraft"].setText(record.aircraft_name or "")
        self._fact_labels["flight"].setText(record_data.flight_number or record.flight_id or "")
        for name in ("aircraft", "flight"):
            # A record of another object than an aircraft has neither.
            for widget in (self._fact_titles[name], self._fact_labels[name]):
                widget.setVisible(bool(self._fact_labels[name].text()))
        self._fact_labels["created"].setText(format_minute(record.created_at))
        self._fact_labels["updated"].setText(format_minute(record.updated_at))
        self._id.setText(record.inspection_id)
        may_edit = self._may_edit
        for each in self.fields.values():
            each.editor.setEnabled(may_edit)
        for button in (self.save, self.undo):
            button.setVisible(may_edit)
        self.restore(typed_values)
        for name, each in self.fields.items():
            each.set_error(errors.get(name, ""))

    def show_conflicts(self, base: Record) -> set[str]:
        """Show the stored value beside each changed field that another user has changed since `base`.

        Returns the names of these fields.
        """
        newest = self._record_data
        if newest is None:
            return set()
        conflicts = {
            name for name in self.changed_fields() if getattr(newest.record, name) != getattr(base, name)
        }
        for name in conflicts:
            self.fields[name].set_error(conflict_sentence(self.stored_text(newest, name)))
        return conflicts

    def stored_text(self, record_data: RecordData, name: str) -> str:
        """The text of a field for the stored value in `record_data`."""
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
        return format_minute(value) if isinstance(value, datetime) else str(value)

    def field_text(self, name: str) -> str:
        """The current text of a field."""
        return self.fields[name].text().strip()

    def typed_values(self) -> dict[str, Any]:
        """The typed values, for `restore`."""
        texts = {name: field.text() for name, field in self.fields.items() if name not in self.choosers}
        choices = {name: list(chooser.typed_choice()) for name, chooser in self.choosers.items()}
        return {**texts, **choices}

    def restore(self, values: Mapping[str, Any]) -> None:
        """Restore the result of `typed_values`."""
        for name, value in values.items():
            if name in self.choosers:
                self.choosers[name].restore_choice((value[0], value[1]))
            elif name in self.fields:
                self.fields[name].set_text(str(value))
        self._update_buttons()

    def discard(self) -> None:
        """Show the stored values again."""
        if self._record_data is not None:
            self.show_record_data(self._record_data)

    def clear_record(self) -> None:
        """Remove the record, without unsaved changes."""
        self._record_data = None
        self._update_buttons()

    # -- changes

    @property
    def has_changes(self) -> bool:
        """Whether a typed value differs from the stored one."""
        return self._may_edit and bool(self.changed_fields())

    @property
    def _may_edit(self) -> bool:
        is_sealed = self._record_data is None or self._record_data.seal.state in SEALED_STATES
        return not is_sealed and self._context.may(Permission.INSPECTION_UPDATE)

    def changed_fields(self) -> list[str]:
        """The names of the fields whose text differs from the stored value."""
        record_data = self._record_data
        if record_data is None:
            return []
        return [name for name in self.fields if self.field_text(name) != self.stored_text(record_data, name)]

    def changes(self) -> dict[str, Any]:
        """The values that differ from the stored ones.

        Shows an error beside the field and raises ValueError if a value is invalid.
        """
        return {name: self._value(name) for name in self.changed_fields()}

    def show_field_error(self, name: str, error: str) -> None:
        """Show `error` beside a field, and focus it."""
        self.fields[name].set_error(error)
        self.fields[name].setFocus()

    def _value(self, name: str) -> Any:
        text = self.field_text(name)
        if name in self.choosers:
            return self._selected_id(name)
        if name in TIME_FIELDS:
            return self._parse_time(name, text)
        return text or None

    def _selected_id(self, name: str) -> str | None:
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

    def _parse_time(self, name: str, text: str) -> datetime:
        try:
            time = parse_minute(text)
            if time is None:
                # A record always has a start.
                raise ValueError(name)
            return time
        except ValueError:
            self.show_field_error(
                name, self.tr("Enter date and time as {example}.").format(example=example_minute())
            )
            raise

    def _update_buttons(self) -> None:
        for button in (self.save, self.undo):
            button.setEnabled(self.has_changes)
        self.changed.emit()
