"""The row of filters above the table of records."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.client.inspection import RecordFilter
from desktop.client.session import Session
from desktop.pages import find
from desktop.pages.chooser import Chooser
from desktop.widgets import Button, Combo, Kind, SearchField, status_word
from shared.codes import Status

_DAYS = (1, 7, 30, 365)


class Filters(QWidget):
    """What to look for; aircraft and reference images are found by a part of their names."""

    changed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = SearchField(self.tr("Name, aircraft, executor"))
        self.search.setMaxLength(255)
        self.status = Combo(self.tr("State"))
        self.aircraft = Chooser(
            self.tr("Aircraft"), find.aircraft(session), placeholder=self.tr("Any aircraft")
        )
        self.reference = Chooser(
            self.tr("Reference image"), find.references(session), placeholder=self.tr("Any image")
        )
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
        self.period.set_choices(
            [
                (None, self.tr("Started any time")),
                *((days, self.tr("Started in the last %n day(s)", "", days)) for days in _DAYS),
            ]
        )
        self.search.searched.connect(lambda _: self._changed())
        for combo in (self.status, self.period):
            combo.picked.connect(lambda _: self._changed())
        for chooser in (self.aircraft, self.reference):
            chooser.settled.connect(self._changed)
        self.clear.clicked.connect(self.reset)
        self._show_clear()

    def refresh(self) -> None:
        """Fetch anew what there is to choose from."""
        for chooser in (self.aircraft, self.reference):
            chooser.refresh()

    def value(self) -> RecordFilter:
        """The filter that the row says."""
        chosen = RecordFilter(
            inspection_status=self.status.value() or None,  # type: ignore[arg-type]
            aircraft_id=_chosen(self.aircraft),
            reference_image_id=_chosen(self.reference),
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
        for combo in (self.status, self.period):
            combo.set_value(None)
        for chooser in (self.aircraft, self.reference):
            chooser.begin(None)
        self._changed()

    def _changed(self) -> None:
        self._show_clear()
        self.changed.emit()

    def _show_clear(self) -> None:
        self.clear.setVisible(self.active)


def _chosen(chooser: Chooser) -> str | None:
    try:
        return chooser.chosen()
    except ValueError:
        # A name that is half typed filters by nothing.
        return None
