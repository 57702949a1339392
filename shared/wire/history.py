"""Bodies of the history of a region: what earlier inspections of the same place found."""

from enum import StrEnum

from shared.record.codes import Status, Verdict
from shared.wire.common import ItemTime, WireModel


class FindingChange(StrEnum):
    """How an earlier finding relates to the current findings of the item."""

    NEW = "new"
    GROWN = "grown"
    UNCHANGED = "unchanged"
    GONE = "gone"


class Corners(WireModel):
    """Two corners in px, half-open: x1 <= x < x2, y1 <= y < y2."""

    x1: float
    y1: float
    x2: float
    y2: float


class PastFinding(WireModel):
    """A finding, compared with those of another inspection.

    `points` are px of the upright photo it was found in; `reference` is the upright rectangle around it in px
    of the upright reference image, null if the photo is not aligned. `change` is null if the
    two inspections cannot be compared. `growth` is the present area over the earlier one in
    reference px, null unless both were found.
    """

    label: str
    confidence: float
    points: Corners
    reference: Corners | None
    change: FindingChange | None
    growth: float | None


class HistoryEntry(WireModel):
    """An earlier item at the same place on the same reference image.

    The times are those of the record. `overlap` is the intersection over union of the two regions. `opinion`
    is the model's opinion, `passed` the result that counted, `verdict` a person's decision; `decided_by` (a
    name) and `decided_at` say who and when. `findings` are those of that time: unchanged, grown since or gone
    today; `found_by` is the name of the model, or of the person who corrected them, `found_at` when that was.
    `appeared` are the present item's findings that were not there then; their `points` are px of the present
    photo. Of each inspection, the 200 findings with the highest confidence count.
    """

    item_id: str
    item_name: str
    inspection_id: str
    inspection_name: str | None
    inspection_status: Status
    start_time: ItemTime | None
    created_at: ItemTime
    executor_id: str | None
    executor_name: str | None
    overlap: float
    passed: bool | None
    verdict: Verdict
    reason: str | None
    decided_by: str | None
    decided_at: ItemTime | None
    opinion: bool | None
    found_by: str | None
    found_at: ItemTime | None
    findings: list[PastFinding]
    appeared: list[PastFinding]


MAX_TREND_ENTRIES = 200
"""Inspections of a trend. The newest are shown."""


class TrendFinding(WireModel):
    """A finding of one inspection.

    `points` and `reference` are as in `PastFinding`. `chain` is a number that the same finding has in every
    inspection of the answer: findings that overlap on the reference image are the same. Null where the place
    on the reference image is not known. It is valid in this answer only.
    """

    label: str
    confidence: float
    points: Corners
    reference: Corners | None
    chain: int | None


class TrendPhoto(WireModel):
    """The photo of an inspection: the one its findings were found in, else the item's newest.

    `homography`: 3 x 3, px of the upright reference image -> px of the upright photo; null where the photo is
    not aligned.
    """

    file_id: str | None
    download_url: str | None
    ipfs_cid: str | None
    homography: list[list[float]] | None


class TrendEntry(WireModel):
    """One inspection of a place.

    `at` is when the record began, else when its findings were found, else when the record was created.
    `detected`: the photo was looked at, so that no findings means that none were found. `found_by`,
    `decided_by` and `reason` are as in `HistoryEntry`; `findings` are the 200 with the highest confidence.
    """

    item_id: str
    item_name: str
    inspection_id: str
    inspection_name: str | None
    inspection_status: Status
    at: ItemTime
    passed: bool | None
    verdict: Verdict
    reason: str | None
    decided_by: str | None
    found_by: str | None
    detected: bool
    photo: TrendPhoto | None
    findings: list[TrendFinding]


class Trend(WireModel):
    """The inspections of a place up to one item, oldest first; the item asked for is the last.

    `earlier`: there are older ones than the first.
    """

    entries: list[TrendEntry]
    earlier: bool
