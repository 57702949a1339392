"""Defines an inspection as plain data for export, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shared import findings, results
from shared.codes import Verdict
from shared.entries import entries_of
from shared.findings import Finding
from shared.geometry import Rect, point_to_pixels
from shared.wire.detection import Severity
from shared.wire.files import CameraData
from shared.wire.inspection import Item, Record, TakenMark
from shared.wire.seal import RecordSeal


@dataclass(frozen=True, slots=True)
class ExportedPicture:
    """A picture by its file name, its upright size in px and its content id, where that is known.

    `url` is where the service has its bytes, `mm_per_pixel` its scale; empty and None where not known.
    `camera` is what the camera wrote into a photo, `taken_mark` what is odd about its time.
    """

    name: str
    width: int
    height: int
    content_id: str | None = None
    url: str = field(default="", compare=False)
    mm_per_pixel: float | None = field(default=None, compare=False)
    camera: CameraData | None = field(default=None, compare=False)
    taken_mark: TakenMark | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """What an item comes to. `number` counts from 1.

    `reference` is the picture that the region is marked on; `region` is in px of it, upright, and None
    without one or when the picture's size is unknown.
    `findings` and `version` are those of the newest detection that finished; `photo` is the picture it looked
    at, None when its size is unknown. `passed` is the verdict of a person (None: undecided), `opinion` what
    the model said, and `accepted_version` the version whose opinion the verdict accepts, None for a verdict
    of the person's own.
    """

    number: int
    item: Item
    reference: ExportedPicture | None
    region: Rect | None
    photo: ExportedPicture | None
    findings: tuple[Finding, ...]
    version: int | None
    passed: bool | None
    opinion: bool | None
    verdict: Verdict
    reason: str
    decided_by: str
    decided_at: str
    accepted_version: int | None


@dataclass(frozen=True, slots=True)
class Inspection:
    """A record with its items, as the service answers them.

    `reference` is its reference image; `photos` are the pictures that the newest finished detections looked
    at, by item id. Pictures of unknown size are left out. `own` are the reference files of the items that
    name another than the reference image, by item id; None for one of unknown size. `seal` is where the
    record stands, None where that is not known.
    """

    record: Record
    items: tuple[Item, ...]
    reference: ExportedPicture | None
    photos: Mapping[str, ExportedPicture]
    own_references: Mapping[str, ExportedPicture | None] = field(default_factory=dict)
    severities: Mapping[str, Severity] = field(default_factory=dict, compare=False)
    """How severe findings with a label are now, for those that were found before it was set."""
    seal: RecordSeal | None = None

    def facts(self) -> list[ItemFacts]:
        """What each item comes to, in their order."""
        return [self._facts(number, item) for number, item in enumerate(self.items, 1)]

    def _facts(self, number: int, item: Item) -> ItemFacts:
        entries = entries_of(item)
        detection = results.finished_detection(entries)
        current = results.current(entries)
        verdict = current["verdict"] if current is not None and results.is_verdict(current) else {}
        reference = self.own_references.get(item.item_id, self.reference)
        return ItemFacts(
            number=number,
            item=item,
            reference=reference,
            region=region_of(item, reference),
            photo=self.photos.get(item.item_id),
            findings=tuple(
                findings.read_findings(
                    detection, self.severities, None if reference is None else reference.mm_per_pixel
                )
            ),
            version=None if detection is None else results.version(detection),
            passed=_to_passed(results.verdict(entries)),
            opinion=results.model_opinion(entries),
            verdict=results.verdict(entries),
            reason=str(verdict.get("reason") or ""),
            decided_by=str(verdict.get("by_name") or verdict.get("by") or ""),
            decided_at=str(verdict.get("at") or ""),
            accepted_version=results.accepted_version(current),
        )


def _to_passed(verdict: Verdict) -> bool | None:
    return None if verdict is Verdict.UNDECIDED else verdict is Verdict.PASSED


def region_of(item: Item, reference: ExportedPicture | None) -> Rect | None:
    """The region of an item in px of its reference image; None without one, or when nothing is inside."""
    if reference is None or item.item_point is None or item.item_point.point is None:
        return None
    point = item.item_point.point
    try:
        x, y, w, h = (float(value) for value in (point.x, point.y, point.w, point.h))
    except OverflowError:
        return None
    rect = point_to_pixels(x, y, w, h, reference.width, reference.height)
    return None if rect.empty else rect
