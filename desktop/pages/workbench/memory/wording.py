"""Formats the state of a memory and the data of its photos as texts."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QCoreApplication

from desktop.localization.dates import format_minute
from desktop.pages.workbench.trend.wording import day_of
from shared.wire.memory import MemoryKind, MemoryPhoto, MemoryState, MemoryStatus


def state_text(state: MemoryState) -> str:
    """Whether detection uses the memory, and the reason if not, in sentences."""
    translate = QCoreApplication.translate
    used = [photo for photo in state.photos if not photo.left_out and photo.differences is not None]
    match state.state:
        case MemoryStatus.EMPTY:
            parts = [translate("Memory", "No known variations: detection reports every difference.")]
        case MemoryStatus.TOO_FEW:
            text = translate(
                "Memory",
                "{count} of {required} required photos are passed and compared: detection reports every "
                "difference until then.",
            )
            passed = {photo.file_id for photo in used if photo.kind is MemoryKind.PASSED}
            parts = [text.format(count=len(passed), required=state.required)]
        case _:
            parts = [translate("Memory", "Detection uses what %n photo(s) showed.", "", len(used))]
    if state.frozen_at is not None:
        text = translate("Memory", "Frozen on {day} by {person}: newer photos are not added.")
        parts.append(text.format(day=_day(state.frozen_at), person=state.frozen_by or "–"))
    if state.begins_at is not None:
        text = translate("Memory", "Cleared on {day}.")
        parts.append(text.format(day=_day(state.begins_at)))
    return " ".join(parts)


def frame_day(photo: MemoryPhoto) -> str:
    """The day below a photo: when it was taken, or else decided."""
    at = photo.taken_at or photo.decided_at
    return QCoreApplication.translate("Memory", "Day unknown") if at is None else day_of(at)


def frame_note(photo: MemoryPhoto, *, aligned: bool, explains: bool = False) -> str:
    """A short reason why a photo is part of the memory, and what it shows.

    `explains` is True if it explains the difference that the user asks about.
    """
    translate = QCoreApplication.translate
    if photo.left_out:
        return translate("Memory", "Left out")
    if explains:
        return translate("Memory", "Shows the difference")
    if photo.kind is MemoryKind.REJECTED:
        return translate("Memory", "Finding rejected")
    if photo.kind is MemoryKind.FAILED:
        return translate("Memory", "Failed · %n finding(s)", "", photo.differences or 0)
    if photo.differences is not None:
        return translate("Memory", "Passed · %n difference(s)", "", photo.differences)
    if not aligned:
        return translate("Memory", "Passed · not aligned")
    return translate("Memory", "Passed · not compared")


def differences_text(photo: MemoryPhoto) -> str:
    """The number of places in which a photo differs from the reference image, as text."""
    if photo.differences is None:
        return QCoreApplication.translate("Memory", "Not compared yet")
    return QCoreApplication.translate("Memory", "%n difference(s)", "", photo.differences)


def details(photo: MemoryPhoto, *, aligned: bool) -> list[tuple[str, str]]:
    """The data of a photo as pairs of label and value, in order. No value is empty.

    `aligned` says whether the picture is aligned to the reference image.
    """
    translate = QCoreApplication.translate
    rows = [
        (translate("Memory", "Record"), photo.record_name or ""),
        (translate("Memory", "Taken"), format_minute(photo.taken_at)),
        (_decision(photo.kind), _who_and_when(photo.decided_by, photo.decided_at)),
        (translate("Memory", "Compared"), differences_text(photo)),
    ]
    if photo.kind is MemoryKind.FAILED:
        rows.append(
            (
                translate("Memory", "Effect"),
                translate("Memory", "Detection reports similar differences until the part is repaired"),
            )
        )
    if not aligned:
        rows.append((translate("Memory", "Shown"), translate("Memory", "Original photo, not aligned")))
    if photo.left_out:
        rows.append((translate("Memory", "Left out by"), _who_and_when(photo.left_out_by, photo.left_out_at)))
    return [(name, value or "–") for name, value in rows]


def _decision(kind: MemoryKind) -> str:
    if kind is MemoryKind.PASSED:
        return QCoreApplication.translate("Memory", "Passed by")
    if kind is MemoryKind.FAILED:
        return QCoreApplication.translate("Memory", "Failed by")
    return QCoreApplication.translate("Memory", "Finding rejected by")


def _who_and_when(person: str | None, at: datetime | None) -> str:
    return " · ".join(part for part in (person or "", format_minute(at)) if part)


def _day(at: datetime | None) -> str:
    return "–" if at is None else day_of(at)
