"""Defines the forms of the catalogue: aircraft, flight, task, reference image."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pydantic import ValidationError
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QWidget

from desktop.context import Context
from desktop.localization.dates import example_minute, format_minute, parse_minute
from desktop.pages.catalogue.in_place import add_creation_button
from desktop.pages.catalogue.saving import EntryConflictError, save
from desktop.pages.catalogue.scale_dialog import ScaleDialog
from desktop.pages.common.forms import lookup
from desktop.pages.common.forms.chooser import FindPage, SearchCombo
from desktop.pages.common.forms.form import Form, conflict_sentence
from desktop.widgets import Button, Field, MomentField, TextArea, label
from shared.wire.catalogue import (
    Aircraft,
    AircraftWrite,
    Flight,
    FlightWrite,
    ReferenceImage,
    ReferenceImageWrite,
    Task,
    TaskWrite,
)

_MAX_MM_PER_PIXEL = 1000.0


class EntryForm(Form):
    """A form for an entry. It sends the fields that differ, and required fields."""

    def __init__(self, context: Context, title: str, parent: QWidget | None) -> None:
        super().__init__(context, title, QCoreApplication.translate("Form", "Save"), parent)

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, EntryConflictError):
            super()._on_failed(error)
            return
        self._enable_saving()
        # The user sees the current values now, so saving again may overwrite them.
        self._entry = error.current
        conflicts = [name for name in error.fields if name in self.fields]
        for name in conflicts:
            value = getattr(error.current, name.removesuffix("_id") + "_name", None) or getattr(
                error.current, name
            )
            self.fields[name].set_error(conflict_sentence("" if value is None else str(value)))
        self.banner.show_message(
            self.tr("Another user modified this. Save again to keep your changes, or cancel."), "warn"
        )

    def fill_texts(self, entry: Any, *names: str) -> None:
        """Fill the fields with the texts of the entry."""
        for name in names:
            self.fields[name].set_text((getattr(entry, name) or "") if entry is not None else "")

    def chooser(self, name: str, title: str, find_page: FindPage, current: tuple[str, str] | None) -> Field:
        """Make a field that selects another entry of the catalogue, with a button that creates one."""
        chooser = SearchCombo(title, find_page, placeholder=self.tr("Not set"))
        chooser.show_choice(current)
        chooser.editTextChanged.connect(lambda _: self.fields[name].set_error(""))
        field = Field(title, chooser)
        if name == "aircraft_id":
            add_aircraft_button(self._context, field, self)
        elif name == "flight_id":
            add_flight_button(self._context, field, self)
        return field

    def selected_id(self, name: str) -> str | None:
        """The ID selected in a field. Shows an error and raises ValueError for an unknown name."""
        editor = self.fields[name].editor
        assert isinstance(editor, SearchCombo)
        try:
            return editor.selected_id()
        except ValueError:
            self.show_field_error(
                name, self.tr("No entry with this name. Select one from the list, or leave the field empty.")
            )
            raise

    def required_text(self, name: str, error: str) -> str:
        """The text of a required field. Shows `error` and raises ValueError if it is empty."""
        text = self.text(name)
        if text is None:
            self.show_field_error(name, error)
            raise ValueError(name)
        return text

    def work(self) -> Callable[[], Any] | None:
        """The function that saves the typed values; None if a field is invalid."""
        try:
            return self.write()
        except ValidationError:
            # Only a description can be too long: the line edits limit their texts to the service's lengths.
            self.banner.show_message(
                self.tr("The description is too long. Enter at most 20,000 characters."), "error"
            )
        except ValueError:
            pass
        return None

    def write(self) -> Callable[[], Any]:
        """The request to send. Shows an error and raises ValueError if a field is invalid."""
        raise NotImplementedError


class AircraftForm(EntryForm):
    """Creates or edits an aircraft."""

    def __init__(self, context: Context, entry: Aircraft | None, parent: QWidget | None = None) -> None:
        self._entry = entry
        translate = QCoreApplication.translate
        title = translate("Catalogue", "Aircraft") if entry else translate("Catalogue", "New aircraft")
        super().__init__(context, title, parent)
        self.add("aircraft_name", Field(self.tr("Name"), placeholder="B-1234 · Boeing 787"))
        self.add(
            "registration",
            Field(self.tr("Registration"), placeholder="B-1234"),
            Field(self.tr("Type"), placeholder="Boeing 787-9"),
            "aircraft_type",
        )
        self.fill_texts(entry, "aircraft_name", "registration", "aircraft_type")

    def write(self) -> Callable[[], Any]:
        body = AircraftWrite(
            aircraft_name=self.required_text("aircraft_name", self.tr("Enter a name for the aircraft.")),
            registration=self.text("registration"),
            aircraft_type=self.text("aircraft_type"),
        )
        entry_id = self._entry.aircraft_id if self._entry else None
        return partial(save, self._context.session.catalogue.aircraft, entry_id, self._entry, body)


class FlightForm(EntryForm):
    """Creates or edits a flight."""

    def __init__(self, context: Context, entry: Flight | None, parent: QWidget | None = None) -> None:
        self._entry = entry
        translate = QCoreApplication.translate
        title = translate("Catalogue", "Flight") if entry else translate("Catalogue", "New flight")
        super().__init__(context, title, parent)
        current = (entry.aircraft_id, entry.aircraft_name or entry.aircraft_id) if entry else None
        self.add("flight_number", Field(self.tr("Flight number"), placeholder="CA1831"))
        self.add(
            "aircraft_id",
            self.chooser(
                "aircraft_id", self.tr("Aircraft"), lookup.aircraft(context.session), _known_choice(current)
            ),
        )
        self.add(
            "departure",
            Field(self.tr("Departure"), placeholder="PEK"),
            Field(self.tr("Arrival"), placeholder="SHA"),
            "arrival",
        )
        self.add(
            "scheduled_at",
            MomentField(self.tr("Scheduled (local time)"), placeholder=example_minute()),
        )
        self.fill_texts(entry, "flight_number", "departure", "arrival")
        self.fields["scheduled_at"].set_text(format_minute(entry.scheduled_at) if entry else "")

    def write(self) -> Callable[[], Any]:
        number = self.required_text("flight_number", self.tr("Enter a flight number."))
        scheduled_text = self.fields["scheduled_at"].text()
        try:
            scheduled_at = parse_minute(scheduled_text)
        except ValueError:
            text = self.tr("Enter date and time as {example}.").format(example=example_minute())
            self.show_field_error("scheduled_at", text)
            raise
        if self._entry and scheduled_text.strip() == format_minute(self._entry.scheduled_at):
            scheduled_at = self._entry.scheduled_at
        body = FlightWrite(
            flight_number=number,
            aircraft_id=self.selected_id("aircraft_id"),
            departure=self.text("departure"),
            arrival=self.text("arrival"),
            scheduled_at=scheduled_at,
        )
        entry_id = self._entry.flight_id if self._entry else None
        return partial(save, self._context.session.catalogue.flights, entry_id, self._entry, body)


class TaskForm(EntryForm):
    """Creates or edits a task."""

    def __init__(self, context: Context, entry: Task | None, parent: QWidget | None = None) -> None:
        self._entry = entry
        translate = QCoreApplication.translate
        title = translate("Catalogue", "Task") if entry else translate("Catalogue", "New task")
        super().__init__(context, title, parent)
        flight = (entry.flight_id, entry.flight_number or entry.flight_id) if entry else None
        aircraft = (entry.aircraft_id, entry.aircraft_name or entry.aircraft_id) if entry else None
        session = context.session
        self.add("task_name", Field(self.tr("Name"), placeholder=self.tr("After-flight walkaround")))
        self.add(
            "flight_id",
            self.chooser("flight_id", self.tr("Flight"), lookup.flights(session), _known_choice(flight)),
            self.chooser(
                "aircraft_id", self.tr("Aircraft"), lookup.aircraft(session), _known_choice(aircraft)
            ),
            "aircraft_id",
        )
        hint = self.tr("Aircraft defaults to the flight's aircraft.")
        self.body.addWidget(label(hint, "small", wrap=True))
        self.add("description", Field(self.tr("Description"), TextArea(4)))
        self.fill_texts(entry, "task_name", "description")

    def write(self) -> Callable[[], Any]:
        body = TaskWrite(
            task_name=self.required_text("task_name", self.tr("Enter a name for the task.")),
            flight_id=self.selected_id("flight_id"),
            aircraft_id=self.selected_id("aircraft_id"),
            description=self.text("description"),
        )
        entry_id = self._entry.task_id if self._entry else None
        return partial(save, self._context.session.catalogue.tasks, entry_id, self._entry, body)


class ReferenceForm(EntryForm):
    """Edits the name, the aircraft and the scale of a reference image."""

    def __init__(self, context: Context, entry: ReferenceImage, parent: QWidget | None = None) -> None:
        self._entry = entry
        super().__init__(context, QCoreApplication.translate("Catalogue", "Reference image"), parent)
        aircraft = (entry.aircraft_id, entry.aircraft_name or entry.aircraft_id)
        self.add("reference_image_name", Field(self.tr("Name")))
        self.add(
            "aircraft_id",
            self.chooser(
                "aircraft_id", self.tr("Aircraft"), lookup.aircraft(context.session), _known_choice(aircraft)
            ),
            Field(self.tr("Millimetres per pixel"), placeholder="0.42"),
            "mm_per_pixel",
        )
        self.measure = Button(self.tr("Measure on image…"), icon="ruler")
        self.measure.clicked.connect(lambda _checked=False: self.ask_scale())
        self.body.addWidget(self.measure, 0, Qt.AlignmentFlag.AlignRight)
        hint = self.tr(
            "Used by the workbench to measure in mm. Divide the length of a known part in mm by its "
            "length in this image in pixels."
        )
        self.body.addWidget(label(hint, "small", wrap=True))
        self.fill_texts(entry, "reference_image_name")
        self.fields["mm_per_pixel"].set_text(
            "" if entry.mm_per_pixel is None else f"{entry.mm_per_pixel:.6g}"
        )

    def write(self) -> Callable[[], Any]:
        entry = self._entry
        name = self.required_text("reference_image_name", self.tr("Enter a name for the reference image."))
        body = ReferenceImageWrite(
            reference_image_name=name,
            file_id=entry.file_id,
            aircraft_id=self.selected_id("aircraft_id"),
            mm_per_pixel=self._parse_scale(),
        )
        images = self._context.session.catalogue.reference_images
        return partial(save, images, entry.reference_image_id, entry, body)

    def ask_scale(self) -> None:
        """Let the user measure a known length on the image."""
        dialog = ScaleDialog(self._context, self._entry, self)
        dialog.scale_measured.connect(self._use_scale)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _use_scale(self, scale: float) -> None:
        self.fields["mm_per_pixel"].set_text(f"{scale:.6g}")
        self.fields["mm_per_pixel"].set_error("")
        self.mark_changed()

    def _parse_scale(self) -> float | None:
        text = self.text("mm_per_pixel")
        if text is None:
            return None
        try:
            scale = float(text.replace(",", "."))
            if not 0 < scale <= _MAX_MM_PER_PIXEL:
                raise ValueError("out of range")
        except ValueError:
            self.show_field_error(
                "mm_per_pixel", self.tr("Enter a number above 0 and up to 1000, for example 0.42.")
            )
            raise
        current = self._entry.mm_per_pixel
        # The field shows six digits; an unchanged value keeps its full precision.
        return current if current is not None and text == f"{current:.6g}" else scale


def add_aircraft_button(context: Context, field: Field, parent: QWidget) -> None:
    """Add a button to a field that creates an aircraft; its name begins with the typed text."""
    text = QCoreApplication.translate("Catalogue", "New aircraft…")
    add_creation_button(
        context, field, text, partial(AircraftForm, context, None, parent), "aircraft_name", "aircraft_id"
    )


def add_flight_button(context: Context, field: Field, parent: QWidget) -> None:
    """Add a button to a field that creates a flight; its number begins with the typed text."""
    text = QCoreApplication.translate("Catalogue", "New flight…")
    add_creation_button(
        context, field, text, partial(FlightForm, context, None, parent), "flight_number", "flight_id"
    )


def add_task_button(context: Context, field: Field, parent: QWidget) -> None:
    """Add a button to a field that creates a task; its name begins with the typed text."""
    text = QCoreApplication.translate("Catalogue", "New task…")
    add_creation_button(
        context, field, text, partial(TaskForm, context, None, parent), "task_name", "task_id"
    )


def _known_choice(choice: tuple[str | None, str | None] | None) -> tuple[str, str] | None:
    if choice is None or choice[0] is None:
        return None
    return choice[0], choice[1] or choice[0]
