"""Defines the content of a report: `collect.py` fills it, `pdf.py` and `html.py` write it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from PySide6.QtGui import QImage

from shared.codes import Verdict
from shared.findings import Finding
from shared.geometry import Rect


@dataclass(frozen=True, slots=True)
class Evidence:
    """A file that the report rests on: its name, SHA-256 (or content id) and what it was used for."""

    use: str
    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class ReportSeal:
    """The sealed edition that a report shows: its number, its SHA-256 in hexadecimal, who finished it when.

    `awaits_release`: a second person has to release it, so it does not stand yet. `superseded_by`: the newest
    edition where this is an older one. `reopened`: the record was reopened after this edition.
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
    """One item with its pictures; a null picture means there is none.

    `region` is in px of the upright picture that it is marked on and None for an item without one;
    `region_mm` is its width and height in mm where the picture has a scale; `on_overview` tells that the
    picture is the record's reference image. `passed` is the verdict of a person (None: undecided),
    `accepted` tells that it accepts the model's opinion, and `opinion` what the model said; without a verdict
    `decided_by` is empty and `decided_at` None. `note` says why a detection gave no result. `camera`: when
    and by which camera the photo was taken, and what is odd about that. `explained` is how many differences
    the memory of the region explains, `memory_photos` of how many photos that memory is.
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


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report. `fields` are label and value of the record in the order to show them.

    `overview` is the reference image made smaller, `overview_scale` its px per px of the upright original.
    `record` is the record as the service answers it, for machine-readable copies. `status` and `status_name`
    are the outcome of a sealed record and the state of a draft. `seal` is None for a draft.
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

    @property
    def counts(self) -> dict[str, int]:
        """How many items passed, failed and are undecided."""
        return {
            "passed": sum(item.passed is True for item in self.items),
            "failed": sum(item.passed is False for item in self.items),
            "undecided": sum(item.passed is None for item in self.items),
        }
