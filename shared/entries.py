"""Defines the form of the result entries of an item, as JSON values.

An item's `result` is a list of `Entry`. Clients write entries too: every key may be missing, and keys that
are not named here are kept. What entries mean is in `shared.results`, what a box says in `shared.findings`.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict, cast

from shared.wire.inspection import Item


class EntryCorners(TypedDict):
    """Two corners in px of the upright photo, half-open."""

    x1: float
    y1: float
    x2: float
    y2: float


class BoxAuthors(TypedDict, total=False):
    """Who found a finding: `origin` is of `shared.codes.Origin`.

    The service alone writes who drew it (`by`, `by_name`), and who changed it (`corrected_by`,
    `corrected_by_name`).
    """

    origin: str
    by: str | None
    by_name: str | None
    corrected_by: str | None
    corrected_by_name: str | None


class EntryOpinion(TypedDict):
    """How unusual a finding is by a backbone, 0 to 1: from 0.5 on it is unusual.

    `photos`: the number of passed photos that it was compared with beside the reference image.
    """

    value: float
    photos: int
    model_id: str
    model_name: str
    model_version: int
    model_sha256: str


class BoxOpinion(TypedDict, total=False):
    """The second opinion on a finding; there only where a backbone gave one. The service alone writes it."""

    second_opinion: EntryOpinion


class BoxMemory(TypedDict, total=False):
    """Why a finding is reported although the memory of its region explains some of it.

    `memory_reason` is of `shared.wire.memory.MemoryReason`. The service alone writes it.
    """

    memory_reason: str


class EntryBox(BoxAuthors, BoxOpinion, BoxMemory):
    """A finding. `accepted`: a person confirmed it. `severity`: how severe its label was at that time."""

    label: str
    confidence: float
    points: EntryCorners
    accepted: NotRequired[bool]
    severity: NotRequired[str | None]


class EntryFile(TypedDict, total=False):
    """A stored image as an entry names it; `width` and `height` are those of the upright image in px."""

    file_id: str
    download_url: str | None
    filename: str | None
    ipfs_cid: str | None
    mime_type: str | None
    size: float | None
    width: int | None
    height: int | None


class RenderedImage(TypedDict, total=False):
    """The picture with the boxes drawn on it."""

    fileInfo: EntryFile | None


class EntryImage(TypedDict, total=False):
    """The findings, and the rendered picture."""

    boxes: list[EntryBox]
    resultImage: RenderedImage | None


class EntryAlignment(TypedDict):
    """Where the reference image lies in the photo: 3 x 3, reference px -> photo px, and who said so.

    `set_by` is model or person. What is missing was not measured.
    """

    homography: list[list[float]]
    set_by: NotRequired[str]
    inliers: NotRequired[int]
    error_px: NotRequired[float]
    score: NotRequired[float]
    visible: NotRequired[float]


class EntryThresholds(TypedDict, total=False):
    """With which settings of the model a detection ran."""

    confidence: float
    per_label: dict[str, float]
    iou: float
    fail_labels: list[str] | None
    fail_confidence: float
    sensitivity: float
    min_confidence: float
    least_confidence: float
    smallest: float


class Provenance(TypedDict, total=False):
    """How a detection came about.

    Times are ISO 8601 with Z. `settings` are the item's, as a client wrote them.
    """

    model_id: str
    model_name: str | None
    model_version: int | str | None
    model_sha256: str | None
    program_version: str
    settings: object
    queued_at: str
    started_at: str
    finished_at: str
    attempt: int
    thresholds: EntryThresholds
    alignment: EntryAlignment | None


class EntryVerdict(TypedDict, total=False):
    """What a person decided; `accepted_opinion_of_version` where that takes over the model's opinion."""

    value: str
    reason: str | None
    by: str | None
    by_name: str | None
    at: str | None
    accepted_opinion_of_version: int


class EntryCorrection(TypedDict):
    """Which version a person corrected, and when; `at` is None while the service does not have it."""

    of_version: int
    by: str | None
    by_name: str | None
    at: str | None


class EntryMemory(TypedDict):
    """The memory that a comparison used: from how many photos, and the SHA-256 of its bytes."""

    photos: int
    sha256: str


class EntrySuppressed(TypedDict):
    """A finding that the memory of the region explains.

    `score_alone` is the confidence that it would have been reported with, `score` the one in what is left
    beside the explanation. `photos`: the ids of the files that explain it.
    """

    box: EntryBox
    score: float
    score_alone: float
    photos: list[str]


class EntryError(TypedDict, total=False):
    """Why a detection gave no result: a stable word and a sentence."""

    code: str
    message: str


class Entry(TypedDict, total=False):
    """One version of an item's result: of a detection, a correction, a verdict or another client.

    `memory` and `suppressed` are there only where a detection used the memory of the region.
    """

    inputImage: EntryFile | None
    resultImage: EntryImage | None
    isPassed: bool | None
    progress: str | None
    version: int
    job_id: str
    error: EntryError
    provenance: Provenance
    memory: EntryMemory
    suppressed: list[EntrySuppressed]
    correction: EntryCorrection
    verdict: EntryVerdict


def entries_of(item: Item) -> list[Entry]:
    """The result entries of an item as JSON values, just the keys that were sent."""
    return [cast(Entry, entry.model_dump(mode="json", exclude_unset=True)) for entry in item.result]
