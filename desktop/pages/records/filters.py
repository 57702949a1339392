"""The row of filters above the table of records."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.client.inspection import RecordFilter
from desktop.widgets import Button, Combo, Kind, SearchField, status_word
from shared.codes import Status

_DAYS = (1, 7, 30, 365)


class Filters(QWidget):
    """What to look for. The choices of aircraft and reference images are offered when they are known."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = SearchField(self.tr("Name, aircraft, executor"))
        self.search.setMaxLength(255)
        self.status = Combo(self.tr("State"))
        self.aircraft = Combo(self.tr("Aircraft"))
        self.reference = Combo(self.tr("Reference image"))
        self.period = Combo(self.tr("Start time"))
        self.clear = Button(self.tr("Clear"), kind=Kind.GHOST)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (self.search, self.status, self.aircraft, self.reference, self.period, self.clear):
            row.addWidget(widget)
        row.addStretch(1)
        self.status.set_choices(
            [(None, self.tr("Any state")), *((status, status_word(status)) for status in Status)]
        )
        self.offer_aircraft([])
        self.offer_references([])
        self.period.set_choices(
            [
                (None, self.tr("Started any time")),
                *((days, self.tr("Started in the last %n day(s)", "", days)) for days in _DAYS),
            ]
        )
        self.search.searched.connect(lambda _: self._changed())
        for combo in (self.status, self.aircraft, self.reference, self.period):
            combo.picked.connect(lambda _: self._changed())
        self.clear.clicked.connect(self.reset)
        self._show_clear()

    def offer_aircraft(self, choices: list[tuple[str, str]]) -> None:
        """(id, name) of the aircraft to choose from."""
        self.aircraft.set_choices([(None, self.tr("Any aircraft")), *choices])

    def offer_references(self, choices: list[tuple[str, str]]) -> None:
        """(id, name) of the reference images to choose from."""
        self.reference.set_choices([(None, self.tr("Any reference image")), *choices])

    def value(self) -> RecordFilter:
        """The filter that the row says."""
        chosen = RecordFilter(
            inspection_status=self.status.value() or None,  # type: ignore[arg-type]
            aircraft_id=self.aircraft.value() or None,  # type: ignore[arg-type]
            reference_image_id=self.reference.value() or None,  # type: ignore[arg-type]
            q=self.search.text().strip() or None,
        )
        days = self.period.value()
        if isinstance(days, int):
            chosen = replace(chosen, start_time_from=datetime.now().astimezone() - timedelta(days=days))
        return chosen

    @property
    def active(self) -> bool:
        """True when the row filters at all."""
        return self.value() != RecordFilter()

    def reset(self) -> None:
        """Look for everything."""
        self.search.clear()
        for combo in (self.status, self.aircraft, self.reference, self.period):
            combo.set_value(None)
        self._changed()

    def _changed(self) -> None:
        self._show_clear()
        self.changed.emit()

    def _show_clear(self) -> None:
        self.clear.setVisible(self.active)
