"""Decides which photos and findings belong to a memory. Pure."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from service.memory.facts import ItemFacts, PhotoFacts
from shared.record import findings, results
from shared.record.codes import Origin, Verdict
from shared.record.entries import Entry, EntryBox
from shared.record.geometry import Rect
from shared.wire.common import to_utc
from shared.wire.memory import MemoryKind, MemoryStatus

DEFAULT_REQUIRED_PHOTOS = 3
"""The number of passed photos from which on a memory counts, unless a planner sets another number.

Two photos must explain each part of a difference, so with three photos any one of them may lack it: with
three photos false findings fall to a seventh, with one nothing changes (docs/detection.md).
"""


@dataclass(frozen=True, slots=True)
class Member:
    """A photo of an item that belongs to the memory of its region.

    `decided_at` is in UTC. `judged_findings` are those that a person rejected, or confirmed by failing the
    item; they are empty for a passed photo. `kept_findings` are those that a person kept. Both are in px of
    the photo.
    """

    item: ItemFacts
    photo: PhotoFacts
    kind: MemoryKind
    decided_at: dt.datetime
    decided_by: str | None
    judged_findings: tuple[Rect, ...]
    kept_findings: tuple[Rect, ...]

    @property
    def key(self) -> tuple[str, str, str]:
        """Item, file and kind."""
        return self.item.item_id, self.file_id, str(self.kind)

    @property
    def file_id(self) -> str:
        """The file of the photo."""
        return self.photo.inputs.photo_file_id

    @property
    def sha256(self) -> str:
        """The SHA-256 of the photo's content, which is its key in the memory."""
        return self.photo.inputs.photo_sha256

    @property
    def order(self) -> float:
        """The time when the photo was added, in seconds since 1970."""
        return to_utc(self.photo.added_at).timestamp()

    def basis(self, version: int) -> str:
        """Return the SHA-256 of all inputs of the photo's comparison in this version."""
        facts = [
            version,
            str(self.kind),
            self.order,
            self.photo.inputs,
            [*map(_to_list, self.judged_findings)],
            [*map(_to_list, self.kept_findings)],
        ]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def members(item: ItemFacts) -> list[Member]:
    """Return the members that an item adds to the memory of its region; none unless a person decided it.

    These are the photo of a passed item without the findings that a person kept, the findings that a person
    rejected, and the findings of a failed item as counter-examples. A verdict that adopted the model's
    opinion adds nothing, because nobody looked at the photo. A passed photo that shows too little of the
    region adds nothing either.
    """
    current = results.current_entry(item.entries)
    verdict = results.current_verdict(item.entries)
    if current is None or verdict is Verdict.UNDECIDED or results.accepted_version(current) is not None:
        return []
    decision = current["verdict"]
    decided_at = _parse_time(decision.get("at"))
    if decided_at is None:
        return []
    decided_by = next(
        (name for name in (decision.get("by_name"), decision.get("by")) if isinstance(name, str)), None
    )
    photo = next((candidate for candidate in item.photos if to_utc(candidate.added_at) <= decided_at), None)
    detection = results.finished_detection(item.entries)
    detected_photo = _find_photo(detection, item.photos)
    correction = detection if detection is not None and results.is_correction(detection) else None
    remaining_findings = tuple(_rects(findings.readable_boxes(correction)))
    item_members = []
    # A photo that shows too little of the region says nothing about the rest of it.
    is_incomplete = detected_photo is photo and results.covers_too_little(detection)
    if verdict is Verdict.PASSED and photo is not None and not is_incomplete:
        accepted_findings = remaining_findings if detected_photo is photo else ()
        item_members.append(
            Member(item, photo, MemoryKind.PASSED, decided_at, decided_by, (), accepted_findings)
        )
    if correction is not None and detected_photo is not None:
        rejected_findings = tuple(_rects(_rejected_findings(item.entries, correction)))
        if rejected_findings:
            item_members.append(
                Member(
                    item,
                    detected_photo,
                    MemoryKind.REJECTED,
                    decided_at,
                    decided_by,
                    rejected_findings,
                    remaining_findings,
                )
            )
    if verdict is Verdict.FAILED and detected_photo is not None:
        confirmed_findings = tuple(_rects(_confirmed_findings(detection)))
        if confirmed_findings:
            item_members.append(
                Member(
                    item, detected_photo, MemoryKind.FAILED, decided_at, decided_by, confirmed_findings, ()
                )
            )
    return item_members


def _confirmed_findings(detection: Entry | None) -> list[EntryBox]:
    """Return the findings of a failed item that a person accepted or drew, or all if there are none."""
    boxes = [*findings.readable_boxes(detection)]
    confirmed_boxes = [
        box for box in boxes if box.get("accepted") is True or box.get("origin") == Origin.PERSON
    ]
    return confirmed_boxes or boxes


def _rejected_findings(entries: Sequence[Entry], correction: Entry) -> list[EntryBox]:
    """Return the findings of the detection that the correction removed."""
    detection = results.original_detection(entries, correction)
    if detection is None:
        return []
    remaining = [box for box in findings.readable_boxes(correction) if box.get("origin") != Origin.PERSON]
    # A moved box keeps its confidence (`service.inspection.rules.add_authorship`), and a box that a person
    # drew instead of it overlaps it.
    confidences = {float(box["confidence"]) for box in remaining}
    correction_rects = [*_rects(findings.readable_boxes(correction))]
    return [
        box
        for box in findings.readable_boxes(detection)
        if float(box["confidence"]) not in confidences
        and not any(_overlaps_any(rect, correction_rects) for rect in _rects([box]))
    ]


def _overlaps_any(rect: Rect, other_rects: Iterable[Rect]) -> bool:
    return any(not rect.intersection(other_rect).is_empty for other_rect in other_rects)


def _rects(boxes: Iterable[EntryBox]) -> Iterable[Rect]:
    for box in boxes:
        x1, y1, x2, y2 = findings.box_corners(box)
        yield Rect(min(x1, x2), min(y1, y2), abs(x2 - x1), abs(y2 - y1))


def _find_photo(entry: Entry | None, photos: Sequence[PhotoFacts]) -> PhotoFacts | None:
    """Return the photo of the item that an entry's findings are in."""
    image = None if entry is None else entry.get("inputImage")
    file_id = image.get("file_id") if isinstance(image, Mapping) else None
    return next((photo for photo in photos if photo.inputs.photo_file_id == file_id), None)


def decided_between(
    candidates: Iterable[Member], begins_at: dt.datetime | None, frozen_at: dt.datetime | None
) -> list[Member]:
    """Return the members that were decided after a memory began and before it was frozen.

    Failed items also enter a frozen memory, since freezing only fixes what is normal.
    """
    return [
        member
        for member in candidates
        if (begins_at is None or member.decided_at > begins_at)
        and (frozen_at is None or member.decided_at < frozen_at or member.kind is MemoryKind.FAILED)
    ]


def select_kept(candidates: Collection[Member], oldest: int, newest: int) -> list[Member]:
    """Return the members that a memory keeps: the oldest and newest of each kind, each content once."""
    selection: list[Member] = []
    for kind in MemoryKind:
        unique = {member.sha256: member for member in sorted(candidates, key=_age_key) if member.kind is kind}
        by_age = sorted(unique.values(), key=_age_key)
        selection += by_age if len(by_age) <= oldest + newest else [*by_age[:oldest], *by_age[-newest:]]
    return selection


def _age_key(member: Member) -> tuple[float, str, str]:
    return member.order, member.sha256, member.item.item_id


def count_passed(candidates: Iterable[Member]) -> int:
    """Return the number of passed photos; photos with the same content count once."""
    return len({member.sha256 for member in candidates if member.kind is MemoryKind.PASSED})


def state(
    members: Collection[Member], compared_members: Iterable[Member], required_photos: int, is_frozen: bool
) -> MemoryStatus:
    """Return the status of a memory from its members, those compared and not left out, and its settings."""
    if not members:
        return MemoryStatus.EMPTY
    if count_passed(compared_members) < required_photos:
        return MemoryStatus.TOO_FEW
    return MemoryStatus.FROZEN if is_frozen else MemoryStatus.COUNTS


def combine_bases(bases: Iterable[str]) -> str:
    """Return a hash of these bases that does not depend on their order."""
    return hashlib.sha256("".join(sorted(bases)).encode()).hexdigest()


def _to_list(rect: Rect) -> list[float]:
    return [rect.x, rect.y, rect.w, rect.h]


def _parse_time(value: object) -> dt.datetime | None:
    if not isinstance(value, str):
        return None
    try:
        return to_utc(dt.datetime.fromisoformat(value))
    except ValueError:
        return None
