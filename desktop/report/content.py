"""Defines the content of a report: `collect.py` fills it, `pdf.py` and `html.py` write it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from PySide6.QtGui import QImage

from desktop.report.corrections import ReportedCorrection
from desktop.report.template import ReportTemplate
from shared.record.codes import Verdict
from shared.record.entries import EntryAppearance, EntryCoverage, EntryThresholds
from shared.record.findings import Finding
from shared.record.geometry import Rect
from shared.wire.shift import Comment


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
