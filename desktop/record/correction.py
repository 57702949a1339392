"""Applies a user's corrections to findings, step by step, without Qt.

A box is the JSON of a `CorrectedBox`. `place` is the index among the readable boxes of an entry.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from desktop.journal import DraftHistory, DraftStep
from desktop.journal.state import MERGE_WITHIN
from shared.record import results
from shared.record.codes import Origin, Progress
from shared.record.entries import Entry, EntryBox, EntryCorners, entry_pictures
from shared.record.findings import Finding, box_corners, readable_boxes, rect_to_corners
from shared.record.geometry import Rect

Boxes = tuple[EntryBox, ...]


def boxes_of(entry: Entry | None) -> Boxes:
    """The boxes of a result entry with which a correction begins. Invalid boxes are left out."""
    boxes: list[EntryBox] = []
    for box in readable_boxes(entry):
        x1, y1, x2, y2 = box_corners(box)
        origin = Origin.PERSON if box.get("origin") == Origin.PERSON else Origin.MODEL
        boxes.append(
            {
                **box,
                "label": str(box["label"]),
                "confidence": float(box["confidence"]),
                "points": {"x1": x1, "y1": y1, "x2": x2, "y2": y2},
                "origin": origin.value,
                "accepted": box.get("accepted") is True,
            }
        )
    return tuple(boxes)


def same_boxes(first: Sequence[EntryBox], second: Sequence[EntryBox]) -> bool:
    """Whether both have the same findings at the same places with the same acceptance and severity."""
    return [_core(box) for box in first] == [_core(box) for box in second]


def only_confirms(first: Sequence[EntryBox], second: Sequence[EntryBox]) -> bool:
    """Whether `second` has the findings of `first`, some of them accepted or graded since."""
    return [_core(box)[:3] for box in first] == [_core(box)[:3] for box in second] and not any(
        before.get("accepted") is True and after.get("accepted") is not True
        for before, after in zip(first, second, strict=True)
    )


def _core(box: EntryBox) -> tuple[object, ...]:
    accepted = box.get("accepted") is True
    return str(box["label"]), float(box["confidence"]), box_corners(box), accepted, box.get("severity")


def stored_version(entry: Entry) -> int:
    """The version of an entry at the service; for an unsent correction, that of the corrected entry."""
    if is_unsent(entry):
        return int(entry["correction"]["of_version"])
    return results.entry_version(entry)


def is_unsent(entry: Entry) -> bool:
    """Whether the entry is a correction that the service does not have yet."""
    return results.is_correction(entry) and entry["correction"].get("at") is None


def with_correction(
    entries: Sequence[Entry], of_version: int, boxes: Sequence[EntryBox]
) -> tuple[Entry, ...]:
    """Add an unsent correction as the newest entry, in place of an earlier unsent one."""
    stored = tuple(entry for entry in entries if not is_unsent(entry))
    candidates = (entry for at, entry in enumerate(stored) if results.entry_version(entry, at) == of_version)
    base = next(candidates, Entry())
    return (*stored, unsent_entry(base, of_version, results.next_version(stored), boxes))


def unsent_entry(base: Entry, of_version: int, version: int, boxes: Sequence[EntryBox]) -> Entry:
    """The result entry that a correction of `base` will become."""
    return {
        **entry_pictures(base.get("inputImage"), boxes),
        "isPassed": not boxes,
        "progress": Progress.DONE.value,
        "version": version,
        "provenance": {"alignment": (base.get("provenance") or {}).get("alignment")},
        "correction": {"of_version": of_version, "by": None, "by_name": None, "at": None},
    }


class _BoxChange(TypedDict, total=False):
    """What a step changes of a box."""

    label: str
    severity: str | None
    points: EntryCorners
    accepted: bool


StepCallback = Callable[[DraftStep, Any], None]
"""Called with each step of a draft, and with the boxes of a new one."""


def _ignore_step(_step: DraftStep, _value: object) -> None:
    """Default callback: ignores the step."""


@dataclass(slots=True)
class CorrectionDraft:
    """An unfinished correction of one item's findings.

    `base` is the corrected entry, `newest` the current findings when it began. `on_step` is called with each
    step, so that it is stored.
    """

    item_id: str
    base: Entry
    newest: Entry | None
    history: DraftHistory
    on_step: StepCallback = _ignore_step
    _last_step: tuple[str, float] = ("", 0.0)
    """The merge key of the newest step, and its time (s of the monotonic clock)."""

    @classmethod
    def begin(cls, item_id: str, base: Entry, newest: Entry | None) -> CorrectionDraft:
        """Begin a draft of the findings of `base`, without a step."""
        context = {
            "of": results.entry_version(base),
            "newest": None if newest is None else results.entry_version(newest),
        }
        return cls(item_id, base, newest, DraftHistory(context, list(boxes_of(base))))

    @classmethod
    def from_history(
        cls, item_id: str, entries: Sequence[Entry], history: DraftHistory
    ) -> CorrectionDraft | None:
        """Restore a draft from the journal's `history`; None if its base is missing in `entries`."""
        by_version = {
            results.entry_version(entry, at): entry
            for at, entry in enumerate(entries)
            if not results.is_verdict(entry)
        }
        base = by_version.get(history.context["of"])
        return (
            None if base is None else cls(item_id, base, by_version.get(history.context["newest"]), history)
        )

    @property
    def boxes(self) -> Boxes:
        """The findings so far."""
        return tuple(self.history.value)

    @property
    def steps(self) -> int:
        """The number of changes."""
        return len(self.history.undo_values)

    @property
    def entry(self) -> Entry:
        """The draft as a result entry."""
        return unsent_entry(
            self.base, stored_version(self.base), results.entry_version(self.base), self.boxes
        )

    def undo(self) -> bool:
        """Undo the last change. Returns False if there is none."""
        done = self.history.undo()
        if done:
            self._last_step = ("", 0.0)
            self.on_step(DraftStep.UNDO, None)
        return done

    def redo(self) -> bool:
        """Redo the last undone change. Returns False if there is none."""
        done = self.history.redo()
        if done:
            self._last_step = ("", 0.0)
            self.on_step(DraftStep.REDO, None)
        return done

    def accept(self, place: int) -> None:
        """Accept a finding, or withdraw the acceptance."""
        self._change_box(place, {"accepted": not self.boxes[place]["accepted"]})

    def relabel(self, place: int, label: str, severity: str | None = None) -> None:
        """Set label and severity of a finding, and accept it."""
        if label and label != self.boxes[place]["label"]:
            self._change_box(place, {"label": label, "severity": severity, "accepted": True})

    def grade(self, place: int, severity: str) -> None:
        """Set the severity of a finding and accept it. Its present severity is withdrawn."""
        present = self.boxes[place].get("severity")
        if severity == present:
            self._change_box(place, {"severity": None})
        else:
            self._change_box(place, {"severity": severity, "accepted": True})

    def reshape(self, rects: Mapping[int, Rect], merge_key: str = "") -> None:
        """Set the rectangles of findings (px of the photo) by their places, and accept them.

        A step with the merge key of the newest one joins it if that was made within `MERGE_WITHIN`.
        """
        moved: dict[int, _BoxChange] = {
            place: {"points": rect_to_corners(rect), "accepted": True} for place, rect in rects.items()
        }
        boxes: Boxes = tuple({**box, **moved.get(place, {})} for place, box in enumerate(self.boxes))
        now = time.monotonic()
        key, at = self._last_step
        if merge_key and key == merge_key and now - at <= MERGE_WITHIN:
            self.undo()
        self._add_step(boxes)
        self._last_step = (merge_key, now)

    def remove(self, places: Collection[int]) -> None:
        """Delete the findings at these places."""
        self._add_step(tuple(box for place, box in enumerate(self.boxes) if place not in places))

    def add(self, findings: Sequence[tuple[Rect, str]]) -> None:
        """Add findings drawn by the user: rectangle in px of the photo, and label."""
        drawn = (
            Finding(label, confidence=1.0, box=rect, is_drawn=True, accepted=True).to_box()
            for rect, label in findings
        )
        self._add_step((*self.boxes, *drawn))

    def _change_box(self, place: int, changes: _BoxChange) -> None:
        self._add_step((*self.boxes[:place], {**self.boxes[place], **changes}, *self.boxes[place + 1 :]))

    def _add_step(self, boxes: Boxes) -> None:
        self._last_step = ("", 0.0)
        self.history.set_value(list(boxes))
        self.on_step(DraftStep.TAKE, list(boxes))
