"""Defines the types of the result entries of an item, as JSON values.

An item's `result` is a list of `Entry`. Clients write entries too, so every key can be missing, and keys that
are not defined here are kept. `results` interprets entries and `findings` their boxes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NotRequired, TypedDict, cast

from shared.wire.inspection import Item


class EntryCorners(TypedDict):
    """Two corners in px of the upright photo, half-open."""

    x1: float
    y1: float
    x2: float
    y2: float


class BoxAuthors(TypedDict, total=False):
    """Who found a finding: `origin` is a value of `shared.record.codes.Origin`.

    Only the service writes the user who drew it (`by`, `by_name`) and the user who changed it
    (`corrected_by`, `corrected_by_name`).
    """

    origin: str
    by: str | None
    by_name: str | None
    corrected_by: str | None
    corrected_by_name: str | None


class BoxMemory(TypedDict, total=False):
    """Why a finding is reported although the memory of its region explains some of it.

    `memory_reason` is of `shared.wire.memory.MemoryReason`. The service alone writes it.
    """

    memory_reason: str


class EntryBox(BoxAuthors, BoxMemory):
    """A finding. `accepted`: a person confirmed it. `severity`: the severity of its label at that time."""

    label: str
    confidence: float
    points: EntryCorners
    accepted: NotRequired[bool]
    severity: NotRequired[str | None]


class EntryFile(TypedDict, total=False):
    """A stored image as an entry names it. `width` and `height` are px of the upright image."""

    file_id: str
    download_url: str | None
    filename: str | None
    ipfs_cid: str | None
    mime_type: str | None
    size: float | None
    width: int | None
    height: int | None


class EntryImage(TypedDict, total=False):
    """The findings, and the photo with the boxes drawn on it; read the latter with `rendered_file`."""

    boxes: list[EntryBox]
    resultImage: EntryFile | None


class EntryAlignment(TypedDict):
    """The place of the reference image in the photo: 3 x 3, reference px -> photo px, and who set it.

    `set_by` is model or person. `other_light` is true if the light comes from another side than in the
    reference image, or the camera moved, so that no finding is surer than 0.5. Another missing key was not
    measured.
    """

    homography: list[list[float]]
    set_by: NotRequired[str]
    inliers: NotRequired[int]
    error_px: NotRequired[float]
    score: NotRequired[float]
    visible: NotRequired[float]
    other_light: NotRequired[bool]


class EntryThresholds(TypedDict, total=False):
    """The settings of the model that a detection ran with."""

    confidence: float
    per_label: dict[str, float]
    iou: float
    fail_labels: list[str] | None
    fail_confidence: float
    sensitivity: float
    min_confidence: float
    least_confidence: float
    smallest: float


class EntryCoverage(TypedDict):
    """How much of the region a detection inspected, as shares from 0 to 1.

    `inspected`: the share inside the photo, of the region without its ignored areas. `ignored`: the share of
    the region in ignored areas. `required`: the least `inspected` with which a model's pass counts.
    """

    inspected: float
    ignored: float
    required: float


class EntryRegion(TypedDict):
    """The region that a detection inspected: where the item had it, and the content id of its file."""

    x: float
    y: float
    w: float
    h: float
    ipfs_cid: str | None


class Provenance(TypedDict, total=False):
    """The model, settings and times of a detection.

    Times are ISO 8601 with Z. `settings` are the item's, as a client wrote them; `region` is the item's at
    the start, None for an item without one.
    """

    model_id: str
    model_name: str | None
    model_version: int | str | None
    model_sha256: str | None
    program_version: str
    settings: object
    region: EntryRegion | None
    queued_at: str
    started_at: str
    finished_at: str
    attempt: int
    thresholds: EntryThresholds
    alignment: EntryAlignment | None
    coverage: EntryCoverage


class EntryVerdict(TypedDict, total=False):
    """What a person decided; `accepted_opinion_of_version` if the verdict adopts the model's opinion."""

    value: str
    reason: str | None
    by: str | None
    by_name: str | None
    at: str | None
    accepted_opinion_of_version: int


class EntryCorrection(TypedDict):
    """The version that a person corrected, and when; `at` is None until the service has stored it."""

    of_version: int
    by: str | None
    by_name: str | None
    at: str | None


class EntryMemory(TypedDict):
    """The memory that a comparison used: the number of its photos, and the SHA-256 of its bytes."""

    photos: int
    sha256: str


class EntrySuppressed(TypedDict):
    """A finding that the memory of the region explains.

    `score_alone` is its confidence without the memory, `score` the confidence in the part that the memory
    does not explain. `photos`: the file ids of the photos that explain it.
    """

    box: EntryBox
    score: float
    score_alone: float
    photos: list[str]


class EntryAppearance(TypedDict):
    """How unusual a photo looks beside photos that passed, when it was compared by its appearance alone.

    `distance`: to the passed photos, cosine, 0 to 2; it passes up to `limit`. `share`: the expected share of
    passed photos that are as unusual, 0 to 1; None if there was one. `photos`: how many passed. `nearest`:
    the file ids of the eight that differ least from this one, or of fewer, the nearest first. `place`: where
    parts were searched, `fixed` or `anywhere`. `heat`: a grey PNG in Base64 over `section` (x, y, width and
    height in fractions of the photo); a level of 128 is the limit of a passed photo. `nearest`, `heat` and
    `section` are missing in entries of earlier versions.
    """

    distance: float
    limit: float
    share: float | None
    photos: int
    place: str
    nearest: NotRequired[list[str]]
    heat: NotRequired[str]
    section: NotRequired[list[float]]


class EntryError(TypedDict, total=False):
    """Why a detection gave no result: a stable code and a sentence."""

    code: str
    message: str


class Entry(TypedDict, total=False):
    """One version of an item's result: a detection, a correction, a verdict or an entry of another client.

    `memory` and `suppressed` exist only if a detection used the memory of the region, and `appearance` only
    if it compared the photo by its appearance.
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
    appearance: EntryAppearance
    correction: EntryCorrection
    verdict: EntryVerdict


def entry_pictures(
    photo: EntryFile | None = None, boxes: Iterable[EntryBox] = (), rendered: EntryFile | None = None
) -> Entry:
    """Return `inputImage` and `resultImage` of an entry that the service writes; `{}` for no picture.

    They are always objects and an array of boxes, as the contract describes them.
    """
    return {
        "inputImage": photo or {},
        "resultImage": {"boxes": list(boxes), "resultImage": rendered or {}},
    }


def rendered_file(entry: Entry) -> Mapping[str, object] | None:
    """Return the file of the photo with the boxes drawn on it; None if the entry has none.

    Earlier versions of the service wrote it as ``{"fileInfo": file}``.
    """
    image = entry.get("resultImage")
    rendered: object = image.get("resultImage") if isinstance(image, Mapping) else None
    if isinstance(rendered, Mapping) and "fileInfo" in rendered:
        rendered = rendered["fileInfo"]
    return rendered if isinstance(rendered, Mapping) and rendered else None


def item_entries(item: Item) -> list[Entry]:
    """Return the result entries of an item as JSON values, with only the keys that were sent."""
    return [cast(Entry, entry.model_dump(mode="json", exclude_unset=True)) for entry in item.result]
