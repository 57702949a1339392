"""Filters the table of records, by the work to be done and by fields."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import date, datetime, timedelta
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.background.workers import Task, run
from desktop.client.api.inspection import RecordFilter
from desktop.context import Context
from desktop.localization.dates import format_recent
from desktop.pages.common.forms import lookup
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.widgets import (
    Button,
    ButtonKind,
    Combo,
    DateRange,
    FilterChips,
    FlowLayout,
    SearchField,
    status_text,
)
from shared.record.codes import Status
from shared.wire.shift import MAX_COUNT, Work, WorkCounts

_ALL = "all"


class WorkBar(FilterChips):
    """One chip for each kind of work with its number of records. A chip lists these records."""

    changed = Signal()
    """The user chose another kind of work."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Work to be done"), parent, wraps=True)
        self.setObjectName("work")
        self._context = context
        self._task: Task | None = None
        self._show(None)
        self.chosen.connect(lambda _: self.changed.emit())

    @property
    def work(self) -> Work | None:
        """The chosen kind of work; None for all records."""
        return None if self.value() in ("", _ALL) else Work(self.value())

    def reset(self) -> None:
        """Choose all records, without a signal."""
        self.set_value(_ALL)

    def refresh(self) -> None:
        """Count the records again."""
        if self._task is not None:
            self._task.cancel()
        self._task = run(
            self._context.session.records.work,
            owner=self,
            done=self._show,
            # The table says why the service does not answer.
            failed=lambda _: None,
        )

    def _show(self, counts: WorkCounts | None) -> None:
        since = counts.since if counts is not None else None
        news = self.tr("New since last login")
        if since is not None:
            news = self.tr("New (since {time})").format(time=format_recent(since))
        texts = {
            Work.MINE: self.tr("Assigned to me"),
            Work.OPEN: self.tr("Open"),
            Work.UNDECIDED: self.tr("To be decided"),
            Work.REVIEW: self.tr("Awaiting review"),
            Work.FAILED: self.tr("Failed, not repaired"),
            Work.NEWS: news,
        }
        values = {} if counts is None else counts.model_dump()
        chips = [(str(work), _with_count(text, values.get(work))) for work, text in texts.items()]
        self.set_choices([(_ALL, self.tr("All records")), *chips])


def _with_count(text: str, count: int | None) -> str:
    if count is None:
        return text
    return f"{text} {count if count < MAX_COUNT else f'{MAX_COUNT - 1}+'}"


class Filters(QWidget):
    """The filters of the list. Users, aircraft and reference images are searched by a part of their names."""

    changed = Signal()
    """A filter was changed by the user."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        session = context.session
        self.search = SearchField(self.tr("Name, aircraft, inspector"))
        self.search.setMaxLength(255)
        self.status = Combo(self.tr("Status"))
        self.executor = SearchCombo(
            self.tr("Inspector"), lookup.people(context), free=True, placeholder=self.tr("All inspectors")
        )
        self.aircraft = SearchCombo(
            self.tr("Aircraft"), lookup.aircraft(session), placeholder=self.tr("All aircraft")
        )
        self.reference = SearchCombo(
            self.tr("Reference image"),
            lookup.references(session),
            placeholder=self.tr("All images"),
            picture=lookup.reference_picture(session),
        )
        self.started = DateRange(self.tr("Start time"), self._range_text)
        self.clear = Button(self.tr("Clear"), kind=ButtonKind.LINK)
        self._chart_filter = RecordFilter()
        self.chart_filter_button = Button("", icon="close")
        self.chart_filter_button.setToolTip(self.tr("Remove this filter"))
        self.chart_filter_button.hide()
        self.work = WorkBar(context)
        self.work.changed.connect(self._on_changed)
        row = FlowLayout(self)
        for widget in (
            self.search,
            self.status,
            self.executor,
            self.aircraft,
            self.reference,
            self.started,
            self.chart_filter_button,
            self.clear,
        ):
            row.addWidget(widget)
        self._choosers = (self.executor, self.aircraft, self.reference)
        self.status.set_choices(
            [(None, self.tr("All statuses")), *((status, status_text(status)) for status in Status)]
        )
        self.search.searched.connect(lambda _: self._on_changed())
        self.status.picked.connect(lambda _: self._on_changed())
        self.started.changed.connect(self._on_changed)
        for chooser in self._choosers:
            chooser.choice_changed.connect(self._on_changed)
        self.chart_filter_button.clicked.connect(lambda _checked=False: self._remove_chart_filter())
        self.clear.clicked.connect(self.reset)
        self._update_widgets()

    def refresh(self) -> None:
        """Fetch the choices again, and count the work."""
        self.work.refresh()
        for chooser in self._choosers:
            chooser.refresh()

    def value(self) -> RecordFilter:
        """The current filter."""
        first, last = self.started.value()
        executor_id, executor_name = self.executor.typed_choice()
        return replace(
            self._chart_filter,
            **_set_fields(
                RecordFilter(
                    work=self.work.work,
                    record_state=self.status.value() or None,  # type: ignore[arg-type]
                    executor_id=executor_id or None,
                    executor_name=None if executor_id else executor_name.strip() or None,
                    aircraft_id=_selected_id(self.aircraft),
                    reference_image_id=_selected_id(self.reference),
                    q=self.search.text().strip() or None,
                    start_time_from=None if first is None else _midnight(first),
                    start_time_to=None
                    if last is None
                    else _midnight(last + timedelta(days=1)) - timedelta.resolution,
                )
            ),
        )

    def show_chart_records(self, record_filter: RecordFilter, name: str) -> None:
        """Filter for the records that a part of a chart counts, under the name `name`, without a signal."""
        self._clear()
        self._chart_filter = record_filter
        self.chart_filter_button.setText(name)
        self.chart_filter_button.show()
        self._update_widgets()

    def _remove_chart_filter(self) -> None:
        self._chart_filter = RecordFilter()
        self.chart_filter_button.hide()
        self._on_changed()

    @property
    def is_active(self) -> bool:
        """Whether any filter is set."""
        return self.value() != RecordFilter()

    def reset(self) -> None:
        """Clear all filters."""
        self._clear()
        self._on_changed()

    def _clear(self) -> None:
        self._chart_filter = RecordFilter()
        self.chart_filter_button.hide()
        self.work.reset()
        self.search.clear()
        self.status.set_value(None)
        self.started.set_range(None, None)
        for chooser in self._choosers:
            chooser.show_choice(None)

    def _range_text(self, first: str, last: str) -> str:
        if first and last:
            return self.tr("Started {first} to {last}").format(first=first, last=last)
        if first:
            return self.tr("Started from {first}").format(first=first)
        if last:
            return self.tr("Started until {last}").format(last=last)
        return self.tr("Any start time")

    def _on_changed(self) -> None:
        self._update_widgets()
        self.changed.emit()

    def _update_widgets(self) -> None:
        """Show filters that are off in the style of placeholders, the others as normal text."""
        self.clear.setVisible(self.is_active)
        for combo, is_off in (
            (self.status, self.status.value() is None),
            (self.started, self.started.value() == (None, None)),
        ):
            combo.setProperty("blank", is_off)
            combo.style().unpolish(combo)
            combo.style().polish(combo)


def _set_fields(record_filter: RecordFilter) -> dict[str, Any]:
    return {name: value for name, value in asdict(record_filter).items() if value is not None}


def _midnight(day: date) -> datetime:
    return datetime.combine(day, datetime.min.time()).astimezone()


def _selected_id(chooser: SearchCombo) -> str | None:
    try:
        return chooser.selected_id()
    except ValueError:
        # An incomplete name does not filter.
        return None
