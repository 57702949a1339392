"""Reads the memory of a region: its photos as frames, and its state as texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from PySide6.QtCore import QCoreApplication

from desktop.client import Session
from desktop.client.http.errors import NotFound
from desktop.localization.dates import format_minute
from desktop.localization.detection_terms import finding_word, place_text
from desktop.localization.language import join_sentences
from desktop.pages.workbench.photos.photo_files import PhotoRef
from desktop.pages.workbench.trend.contents import (
    REFERENCE,
    Place,
    photo_source,
    reference_frame,
    reference_source,
)
from desktop.pages.workbench.trend.film_strip_model import Frame, Outline
from desktop.pages.workbench.trend.pictures import FrameSource
from desktop.pages.workbench.trend.series import day_of
from shared.record.geometry import Rect
from shared.wire.history import MAX_TREND_ENTRIES, TrendPhoto
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
    if state.proposed_place is not None:
        text = translate("Memory", "“Position in photos: {place}” in the detection settings suits them.")
        parts.append(text.format(place=place_text(state.proposed_place)))
    return join_sentences(parts)


def frame_day(photo: MemoryPhoto) -> str:
    """The day below a photo: when it was taken, or else decided."""
    at = photo.taken_at or photo.decided_at
    return QCoreApplication.translate("Memory", "Day unknown") if at is None else day_of(at)


def frame_note(photo: MemoryPhoto, *, aligned: bool, explains: bool = False, rank: int = 0) -> str:
    """A short reason why a photo is part of the memory, and what it shows.

    `explains` is True if it explains the difference that the user asks about. `rank` is its place among the
    photos that resemble today's most, from 1; 0 if it is none of them.
    """
    translate = QCoreApplication.translate
    if photo.left_out:
        return translate("Memory", "Left out")
    if explains:
        return translate("Memory", "Shows the difference")
    if rank:
        return translate("Memory", "Most similar: {rank}").format(rank=rank)
    if photo.kind is MemoryKind.REJECTED:
        return translate("Memory", "Finding rejected")
    if photo.kind is MemoryKind.FAILED:
        if photo.differences is None:
            return translate("Memory", "Failed · not compared")
        return translate("Memory", "Failed · %n finding(s)", "", photo.differences)
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


_DISAGREES = 0
_HIGHLIGHT = 1
"""Which of the outlines' colours marks a place that newer photos show otherwise, and a difference."""


@dataclass(frozen=True, slots=True)
class MemoryContents:
    """The memory of a region, with the data of its photos in the trend by item id."""

    state: MemoryState
    aligned: Mapping[str, TrendPhoto] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExplainedDifference:
    """A difference that the user asks about: its label, the files that explain it, and its place.

    `where` is in px of the reference image; None without an alignment.
    """

    label: str
    files: Sequence[str]
    where: Rect | None


def read_memory(session: Session, item_id: str) -> MemoryContents:
    """Read the memory of an item's region, with the alignments of its photos. Raises ClientError."""
    state = session.items.memory(item_id)
    photos = _photos_of(session, item_id) if state.photos else {}
    # The trend ends with the item that is asked for: a photo of a later inspection is in a later one's.
    later = next((photo.item_id for photo in state.photos if photo.item_id not in photos), None)
    if later is not None:
        photos = {**_photos_of(session, later), **photos}
    return MemoryContents(state, photos)


def _photos_of(session: Session, item_id: str) -> dict[str, TrendPhoto]:
    try:
        trend = session.items.trend(item_id, MAX_TREND_ENTRIES)
    except NotFound:
        # Who deleted the record since keeps nobody from seeing the other photos.
        return {}
    return {entry.item_id: entry.photo for entry in trend.entries if entry.photo is not None}


def key_of(photo: MemoryPhoto) -> str:
    """The key of a photo's frame.

    One photo may have two frames: as a passed one, and with rejected findings.
    """
    return f"{photo.kind} {photo.item_id} {photo.file_id}"


def similar_first(memory: MemoryContents, similar: Sequence[str]) -> MemoryContents:
    """The memory with the photos of these files, where they passed, before the others and in this order."""
    photos = sorted(memory.state.photos, key=lambda photo: _rank(photo, similar) or len(similar) + 1)
    return replace(memory, state=memory.state.model_copy(update={"photos": photos}))


def _rank(photo: MemoryPhoto, similar: Sequence[str]) -> int:
    known = photo.kind is MemoryKind.PASSED and photo.file_id in similar
    return similar.index(photo.file_id) + 1 if known else 0


def sources_of(memory: MemoryContents, place: Place | None) -> dict[str, FrameSource]:
    """The sources of the frames' pictures by their keys."""
    sources: dict[str, FrameSource] = {}
    if place is not None:
        sources[REFERENCE] = reference_source(place)
    for photo in memory.state.photos:
        aligned = memory.aligned.get(photo.item_id)
        if aligned is not None and aligned.file_id == photo.file_id:
            sources[key_of(photo)] = photo_source(aligned, place)
        else:
            sources[key_of(photo)] = FrameSource(PhotoRef(photo.file_id, None, None), None)
    return sources


def frames_of(
    memory: MemoryContents,
    place: Place | None,
    difference: ExplainedDifference | None = None,
    similar: Sequence[str] = (),
) -> list[Frame]:
    """The frames of the reference image and of the photos in their order, with the difference marked.

    `similar` are the ids of the files of photos that resemble today's most, which say so.
    """
    marked = () if place is None else tuple(_marks(memory.state, place, difference))
    frames = [] if place is None else [reference_frame(place, marked)]
    sources = sources_of(memory, place)
    for photo in memory.state.photos:
        aligned = sources[key_of(photo)].to_photo is not None
        explains = difference is not None and photo.file_id in difference.files
        frames.append(
            Frame(
                key_of(photo),
                frame_day(photo),
                photo.record_name or "",
                note=frame_note(photo, aligned=aligned, explains=explains, rank=_rank(photo, similar)),
                outlines=marked if aligned else (),
                faded=photo.left_out,
            )
        )
    return frames


def _marks(state: MemoryState, place: Place, difference: ExplainedDifference | None) -> Iterator[Outline]:
    """Outlines of places of the reference image, in fractions of the place of the frames."""
    wide, high = place.size
    for x, y, w, h in state.disagreements:
        yield Outline(_within(Rect(x * wide, y * high, w * wide, h * high), place), _DISAGREES, "")
    if difference is not None and difference.where is not None:
        yield Outline(_within(difference.where, place), _HIGHLIGHT, finding_word(difference.label))


def _within(rect: Rect, place: Place) -> Rect:
    at = place.rect
    return Rect((rect.x - at.x) / at.w, (rect.y - at.y) / at.h, rect.w / at.w, rect.h / at.h)
