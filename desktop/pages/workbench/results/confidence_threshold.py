"""Sets the confidence threshold of shown findings, remembered for each model."""

from __future__ import annotations

import math

from PySide6.QtCore import QObject, QTimer

from desktop.pages.workbench.results.findings import FIRST_SHOWN, FindingsBox
from desktop.preferences import Preferences
from desktop.record.open_record import OpenRecord
from shared.record import results
from shared.record.entries import Entry

_SAVE_MS = 400


def least_confidence(entry: Entry | None, entries: tuple[Entry, ...]) -> float | None:
    """The threshold of confidence (0..1) that the findings of an entry reached; None if it is not stored.

    For a model with thresholds by label, it is the lowest one, so that no reported finding is hidden. For a
    correction, it is that of the corrected result.
    """
    by_version = {results.entry_version(each, at): each for at, each in enumerate(entries)}
    visited: set[int] = set()
    while entry is not None and results.is_correction(entry):
        of_version = entry["correction"].get("of_version")
        if of_version in visited:
            return None
        visited.add(of_version)
        entry = by_version.get(of_version)
    thresholds = ((entry or {}).get("provenance") or {}).get("thresholds") or {}
    per_label = thresholds.get("per_label") or {}
    values = [thresholds.get("confidence", thresholds.get("min_confidence")), *per_label.values()]
    numbers = [
        float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    return min(max(min(numbers), 0.0), 1.0) if numbers else None


class ThresholdController(QObject):
    """Sets the slider for the displayed result, and stores its value for each model."""

    def __init__(
        self, open_record: OpenRecord, box: FindingsBox, preferences: Preferences, owner: QObject
    ) -> None:
        """Create it before the parts that show the findings of the chosen item."""
        super().__init__(owner)
        self._open_record, self._box, self._preferences = open_record, box, preferences
        self._moved: dict[str, float] = {}
        self._later = QTimer(self, singleShot=True, interval=_SAVE_MS)
        self._later.timeout.connect(self._save)
        open_record.current_changed.connect(self._on_item_changed)
        box.threshold_changed.connect(self._on_threshold_changed)
        open_record.context.closing.connect(self._save)

    def _on_item_changed(self) -> None:
        item = self._open_record.item
        if item is None:
            return
        model, entry = self._model(), self._open_record.stored_entry
        least = least_confidence(entry, item.result)
        first = FIRST_SHOWN if least is None else math.floor(least * 100 + 1e-9) / 100
        liked = {**self._preferences.values.confidence, **self._moved}
        self._box.begin_at(liked.get(model, first))

    def _on_threshold_changed(self, threshold: float) -> None:
        model = self._model()
        if model:
            self._moved[model] = threshold
            self._later.start()

    def _save(self) -> None:
        self._later.stop()
        if self._moved:
            stored = self._preferences.values.confidence
            self._preferences.change(confidence={**stored, **self._moved})
            self._moved = {}

    def _model(self) -> str:
        """The id of the model of the displayed findings; empty if there is none."""
        item, entry = self._open_record.item, self._open_record.stored_entry
        if item is None:
            return ""
        model_id = ((entry or {}).get("provenance") or {}).get("model_id")
        return str(model_id or item.model_id or "")
