"""Defines the content of a report: `collect.py` fills it, `pdf.py` and `html.py` write it.

The template of an organisation gives company, logo and signature lines of its reports. Its file is TOML, with
up to three keys:

    company = "Example Aviation Maintenance"
    logo = "logo.png"
    signatures = ["Inspector", "Certifying staff"]

`logo` is the path of a picture, relative to the file.

What people changed of a model's findings is counted for the entry of an item.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from PySide6.QtGui import QImage

from desktop.imaging import ImageError, open_image
from shared.names import signature
from shared.record import results
from shared.record.codes import Verdict
from shared.record.entries import Entry, EntryAppearance, EntryBox, EntryCoverage, EntryThresholds
from shared.record.findings import Finding, box_corners, match_boxes, readable_boxes
from shared.record.geometry import Rect
from shared.wire.shift import Comment


class SealBrokenError(Exception):
    """The stored content of an edition does not match its seal."""

    def __init__(self, edition: int) -> None:
        super().__init__(edition)
        self.edition = edition


class TemplateError(Exception):
    """The template file cannot be used; `key` is the entry at fault, empty for the file itself."""

    def __init__(self, path: Path, key: str = "") -> None:
        super().__init__(path, key)
        self.path, self.key = path, key


_MAX_SIGNATURES = 6
_MAX_LENGTH = 200


@dataclass(frozen=True, slots=True)
class ReportTemplate:
    """What an organisation adds to its reports; a null logo is none.

    Without `signatures` a report has one line for signature and date.
    """

    company: str = ""
    logo: QImage = field(default_factory=QImage)
    signatures: tuple[str, ...] = ()


def read_template(path: Path) -> ReportTemplate:
    """Read a template file. Raises TemplateError."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TemplateError(path) from error
    signatures = values.get("signatures", [])
    if not isinstance(signatures, list) or len(signatures) > _MAX_SIGNATURES:
        raise TemplateError(path, "signatures")
    logo = _line(path, values, "logo")
    return ReportTemplate(
        company=_line(path, values, "company"),
        logo=_read_logo(path, path.parent / logo) if logo else QImage(),
        signatures=tuple(_line(path, {"signatures": line}, "signatures") for line in signatures),
    )


def _line(path: Path, values: dict[str, Any], key: str) -> str:
    value = values.get(key, "")
    if not isinstance(value, str) or len(value) > _MAX_LENGTH or not value.isprintable():
        raise TemplateError(path, key)
    return value.strip()


def _read_logo(path: Path, logo: Path) -> QImage:
    try:
        source = open_image(logo)
    except (OSError, ImageError) as error:
        raise TemplateError(path, "logo") from error
    return source.preview()


@dataclass(frozen=True, slots=True)
class ReportedCorrection:
    """A correction of findings: who made it, when, and how many findings it changed in which way.

    `by` is the name with the username, empty if unknown. A relabelled finding is not also `graded`, and
    `accepted` counts only those that changed in no other way.
    """

    by: str
    at: datetime | None
    deleted: int = 0
    drawn: int = 0
    relabelled: int = 0
    moved: int = 0
    graded: int = 0
    accepted: int = 0


def read_corrections(
    entries: Sequence[Entry], entry: Entry | None, usernames: Mapping[str, str]
) -> tuple[ReportedCorrection, ...]:
    """The corrections that led to the findings of `entry`, oldest first; empty without a correction.

    `usernames`: by the ids of users.
    """
    by_version = {results.entry_version(other, index): other for index, other in enumerate(entries)}
    found: list[ReportedCorrection] = []
    # A version is corrected by a later one: more steps than entries would be a circle.
    for _ in entries:
        if entry is None or not results.is_correction(entry):
            break
        before = by_version.get(entry["correction"]["of_version"])
        found.append(_read_correction(entry, before, usernames))
        entry = before
    return tuple(reversed(found))


def _read_correction(entry: Entry, before: Entry | None, usernames: Mapping[str, str]) -> ReportedCorrection:
    correction = entry["correction"]
    name = str(correction.get("by_name") or correction.get("by") or "")
    changes: Counter[str] = Counter()
    if before is not None:
        changes = _count_changes(list(readable_boxes(before)), list(readable_boxes(entry)))
    return ReportedCorrection(
        signature(name, usernames.get(str(correction.get("by")))),
        parse_time(correction.get("at")),
        **changes,
    )


def _count_changes(before: Sequence[EntryBox], after: Sequence[EntryBox]) -> Counter[str]:
    """Count the changes by the fields of `ReportedCorrection`."""
    matches = match_boxes(before, after)
    pairs = [(before[place], box) for place, box in zip(matches, after, strict=True) if place is not None]
    changes = Counter({"deleted": len(before) - len(pairs), "drawn": len(after) - len(pairs)})
    for old, new in pairs:
        is_moved = box_corners(old) != box_corners(new)
        changes["moved"] += is_moved
        if old["label"] != new["label"]:
            changes["relabelled"] += 1
        elif new.get("severity") and new.get("severity") != old.get("severity"):
            changes["graded"] += 1
        elif not is_moved:
            # Moving a finding also accepts it.
            changes["accepted"] += new.get("accepted") is True and old.get("accepted") is not True
    return changes


def parse_time(text: object) -> datetime | None:
    """A time as an entry has it; None for anything else."""
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A file that the report is based on: its use, its name, and its SHA-256 or content ID."""

    use: str
    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class FailedFinding:
    """A finding of a failed item with its surroundings.

    `reference`, `photo` and `difference` show the same place, at most `failed_pages.FULL_PX` wide. Without an
    alignment only `photo` has a picture.
    """

    number: int
    name: str
    finding: Finding
    reference: QImage
    photo: QImage
    difference: QImage


@dataclass(frozen=True, slots=True)
class ReportSeal:
    """The sealed edition that a report shows; `seal` is its SHA-256 in hexadecimal.

    `awaits_release`: a second person must still release the edition. `superseded_by`: the number of the
    newest edition if this is an older one. `reopened`: the record was reopened after this edition.
    """

    record_id: str
    edition: int
    seal: str
    finished_by: str
    finished_at: datetime
    released_by: str = ""
    released_at: datetime | None = None
    awaits_release: bool = False
    superseded_by: int | None = None
    reopened: bool = False


@dataclass(frozen=True, slots=True)
class ReportedItem:
    """One item with its pictures; a null picture means that there is none.

    - `region`: px of the upright picture that it is marked on; None for an item without a region.
    - `region_mm`: its width and height in mm; None if the picture has no scale.
    - `on_overview`: whether that picture is the record's reference image.
    - `passed`: the verdict of a person, None while undecided; `accepted`: whether it accepts the model's
      opinion.
    - `opinion`: the model's opinion. Without a verdict, `decided_by` is empty and `decided_at` None.
    - `is_detected`: whether a detection of the service has finished.
    - `coverage`: how much of the region it inspected, None if unknown; `is_incomplete`: it found nothing, but
      inspected too little.
    - `appearance`: how unusual the photo looks, if it was compared by its appearance; else None.
    - `used_in`: the name of another record that had the photo before; empty if there is none.
    - `note`: why a detection gave no result.
    - `camera`: when and by which camera the photo was taken, and whether that is implausible.
    - `settings`: those that the detection ran with, the item's own before the model's; `ignored_areas`: how
      many there were. `comments`: oldest first.
    - `corrections`: those that led from the model's findings to these, oldest first.
    - `explained`: how many differences the memory of the region explains; `memory_photos`: of how many photos
      that memory consists.
    """

    number: int
    name: str
    description: str
    model: str
    region: Rect | None
    region_mm: tuple[float, float] | None
    on_overview: bool
    reference_crop: QImage
    photo_crop: QImage
    findings: tuple[Finding, ...]
    passed: bool | None
    opinion: bool | None
    verdict: Verdict
    reason: str
    decided_by: str
    decided_at: datetime | None
    version: int | None
    note: str
    accepted: bool = False
    camera: str = ""
    explained: int = 0
    memory_photos: int = 0
    is_detected: bool = True
    coverage: EntryCoverage | None = None
    appearance: EntryAppearance | None = None
    is_incomplete: bool = False
    used_in: str = ""
    settings: EntryThresholds = field(default_factory=EntryThresholds)
    ignored_areas: int = 0
    corrections: tuple[ReportedCorrection, ...] = ()
    comments: tuple[Comment, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report. `fields` are the labels and values of the record in the order to show them.

    `overview` is the reference image scaled down, `overview_scale` its px per px of the upright original.
    `record` is the record as the service returns it, for machine-readable copies. `status` and `status_name`
    are the outcome of a sealed record and the status of a draft. `seal` is None for a draft. `failed`: the
    findings that have a page of their own.
    """

    title: str
    subtitle: str
    status: str
    status_name: str
    fields: tuple[tuple[str, str], ...]
    overview: QImage
    overview_scale: float
    items: tuple[ReportedItem, ...]
    evidence: tuple[Evidence, ...]
    made_at: datetime
    made_by: str
    program: str
    record: Mapping[str, Any]
    seal: ReportSeal | None = None
    failed: tuple[FailedFinding, ...] = ()
    template: ReportTemplate = field(default_factory=ReportTemplate)

    @property
    def counts(self) -> dict[str, int]:
        """The number of items that passed, failed and are undecided."""
        return {
            "passed": sum(item.passed is True for item in self.items),
            "failed": sum(item.passed is False for item in self.items),
            "undecided": sum(item.passed is None for item in self.items),
        }
