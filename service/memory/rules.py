"""Decides which photos belong to a memory, and what of them. Pure."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from service.memory.ports import ItemFacts, PhotoFacts
from shared import findings, results
from shared.codes import Origin, Verdict
from shared.entries import Entry, EntryBox
from shared.geometry import Rect
from shared.wire.common import to_utc
from shared.wire.memory import MemoryKind, MemoryStatus

REQUIRED = 3
"""Passed photos before a memory counts, while a planner says nothing else.

Two must explain each part of a difference, so a third lets the memory lack any one of them: with three photos
false findings fall to a seventh, with one nothing changes (docs/detection.md).
"""


@dataclass(frozen=True, slots=True)
class Member:
    """A photo of an item that belongs to the memory of its region.

    `decided_at` is in UTC. judged: the findings that a person rejected, or confirmed by failing the item, of
    a photo that counts for nothing else; without: those that a person kept; both in px of the photo.
    """

    item: ItemFacts
    photo: PhotoFacts
    kind: MemoryKind
    decided_at: dt.datetime
    decided_by: str | None
    judged: tuple[Rect, ...]
    without: tuple[Rect, ...]

    @property
    def key(self) -> tuple[str, str, str]:
        """Item, file and kind."""
        return self.item.item_id, self.file_id, str(self.kind)

    @property
    def file_id(self) -> str:
        """The file of the photo."""
        return self.photo.question.photo_file_id

    @property
    def sha256(self) -> str:
        """Of the photo's content: its key in the memory."""
        return self.photo.question.photo_sha256

    @property
    def order(self) -> float:
        """Seconds since 1970 of when the photo was added."""
        return to_utc(self.photo.added_at).timestamp()

    def basis(self, version: int) -> str:
        """The SHA-256 of all that a comparison of this version with the photo depends on."""
        facts = [
            version,
            str(self.kind),
            self.order,
            self.photo.question,
            [*map(_numbers, self.judged)],
            [*map(_numbers, self.without)],
        ]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def members(item: ItemFacts) -> list[Member]:
    """What an item adds to the memory of its region: nothing unless a person decided it.

    The photo of a passed item, without the findings that a person kept; the findings that a person rejected;
    and the findings of a failed item as counter-examples. A verdict that only accepted the model's opinion,
    many at once, adds nothing: nobody looked at the photo.
    """
    current = results.current(item.entries)
    verdict = results.verdict(item.entries)
    if current is None or verdict is Verdict.UNDECIDED or results.accepted_version(current) is not None:
        return []
    decision = current["verdict"]
    at = _time(decision.get("at"))
    if at is None:
        return []
    by = next((name for name in (decision.get("by_name"), decision.get("by")) if isinstance(name, str)), None)
    photo = next((candidate for candidate in item.photos if to_utc(candidate.added_at) <= at), None)
    detection = results.finished_detection(item.entries)
    judged = _photo_of(detection, item.photos)
    corrected = detection if detection is not None and results.is_correction(detection) else None
    remaining = tuple(_rects(findings.readable_boxes(corrected)))
    added = []
    if verdict is Verdict.PASSED and photo is not None:
        without = remaining if judged is photo else ()
        added.append(Member(item, photo, MemoryKind.PASSED, at, by, (), without))
    if corrected is not None and judged is not None:
        rejected = tuple(_rects(_rejected(item.entries, corrected)))
        if rejected:
            added.append(Member(item, judged, MemoryKind.REJECTED, at, by, rejected, remaining))
    if verdict is Verdict.FAILED and judged is not None:
        confirmed = tuple(_rects(_confirmed(detection)))
        if confirmed:
            added.append(Member(item, judged, MemoryKind.FAILED, at, by, confirmed, ()))
    return added


def _confirmed(detection: Entry | None) -> list[EntryBox]:
    """The findings of a failed item that are its defects.

    Those that a person accepted or drew; when there are none, all that are left.
    """
    boxes = [*findings.readable_boxes(detection)]
    confirmed = [box for box in boxes if box.get("accepted") is True or box.get("origin") == Origin.PERSON]
    return confirmed or boxes


def _rejected(entries: Sequence[Entry], corrected: Entry) -> list[EntryBox]:
    """The findings of the detection that nothing is left of after the corrections."""
    detection = results.model_origin(entries, corrected)
    if detection is None:
        return []
    left = [box for box in findings.readable_boxes(corrected) if box.get("origin") != Origin.PERSON]
    # A box that was moved keeps its confidence, see `service.inspection.entries.authored`; one that a person
    # drew in place of it lies over it.
    confidences = {float(box["confidence"]) for box in left}
    drawn = [*_rects(findings.readable_boxes(corrected))]
    return [
        box
        for box in findings.readable_boxes(detection)
        if float(box["confidence"]) not in confidences
        and not any(_touch(rect, drawn) for rect in _rects([box]))
    ]


def _touch(rect: Rect, others: Iterable[Rect]) -> bool:
    return any(not rect.intersection(other).empty for other in others)


def _rects(boxes: Iterable[EntryBox]) -> Iterable[Rect]:
    for box in boxes:
        x1, y1, x2, y2 = findings.corners(box)
        yield Rect(min(x1, x2), min(y1, y2), abs(x2 - x1), abs(y2 - y1))


def _photo_of(entry: Entry | None, photos: Sequence[PhotoFacts]) -> PhotoFacts | None:
    """The photo of the item that the findings of an entry lie in."""
    image = None if entry is None else entry.get("inputImage")
    file_id = image.get("file_id") if isinstance(image, Mapping) else None
    return next((photo for photo in photos if photo.question.photo_file_id == file_id), None)


def within(
    decided: Iterable[Member], begins_at: dt.datetime | None, frozen_at: dt.datetime | None
) -> list[Member]:
    """Those that were decided after a memory began, and before it was frozen.

    What failed enters a frozen memory as well: freezing keeps what is normal as it is.
    """
    return [
        member
        for member in decided
        if (begins_at is None or member.decided_at > begins_at)
        and (frozen_at is None or member.decided_at < frozen_at or member.kind is MemoryKind.FAILED)
    ]


def chosen(candidates: Collection[Member], oldest: int, newest: int) -> list[Member]:
    """Those that a memory keeps: of each kind the oldest and the newest, one of photos with one content."""
    selected: list[Member] = []
    for kind in MemoryKind:
        unique = {member.sha256: member for member in sorted(candidates, key=_by_age) if member.kind is kind}
        ordered = sorted(unique.values(), key=_by_age)
        selected += ordered if len(ordered) <= oldest + newest else [*ordered[:oldest], *ordered[-newest:]]
    return selected


def _by_age(member: Member) -> tuple[float, str, str]:
    return member.order, member.sha256, member.item.item_id


def passed_photos(candidates: Iterable[Member]) -> int:
    """How many passed photos these are; those of the same content count once."""
    return len({member.sha256 for member in candidates if member.kind is MemoryKind.PASSED})


def state(shown: Collection[Member], ready: Iterable[Member], required: int, frozen: bool) -> MemoryStatus:
    """Whether a memory counts that has these photos, of which some are compared and not left out."""
    if not shown:
        return MemoryStatus.EMPTY
    if passed_photos(ready) < required:
        return MemoryStatus.TOO_FEW
    return MemoryStatus.FROZEN if frozen else MemoryStatus.COUNTS


def together(bases: Iterable[str]) -> str:
    """What stands for photos with these bases, in whatever order."""
    return hashlib.sha256("".join(sorted(bases)).encode()).hexdigest()


def _numbers(rect: Rect) -> list[float]:
    return [rect.x, rect.y, rect.w, rect.h]


def _time(value: object) -> dt.datetime | None:
    if not isinstance(value, str):
        return None
    try:
        return to_utc(dt.datetime.fromisoformat(value))
    except ValueError:
        return None
