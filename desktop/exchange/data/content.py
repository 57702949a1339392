"""Defines an inspection as plain data for export."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shared.record import findings, results
from shared.record.codes import Verdict
from shared.record.entries import item_entries
from shared.record.findings import Finding
from shared.record.geometry import Rect, point_to_pixels
from shared.wire.detection import Severity
from shared.wire.files import CameraData
from shared.wire.inspection import Item, Record, TakenMark
from shared.wire.seal import RecordSeal


@dataclass(frozen=True, slots=True)
class ExportedPicture:
    """A picture: its file name, its upright size in px and, if known, its content ID.

    `url` is the address of its content in the service, empty if unknown. `mm_per_pixel` is its scale, None if
    unknown. `camera` is the camera data of a photo; `taken_mark` says whether its time is implausible.
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
    """The result of an item. `number` counts from 1.

    - `reference`: the picture that the region is marked on.
    - `region`: px of that picture, upright; None without a region or if the picture's size is unknown.
    - `findings`, `version`: those of the newest finished detection.
    - `photo`: the photo of that detection; None if its size is unknown.
    - `passed`: the verdict of a person, None while undecided. `opinion`: the model's opinion.
    - `inspected_share`: the share of the region that the detection inspected, 0..1; None if unknown.
    - `accepted_version`: the version whose opinion the verdict accepts; None if it accepts no opinion.
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
    inspected_share: float | None


@dataclass(frozen=True, slots=True)
class Inspection:
    """A record with its items, as the service returns them.

    `reference` is its reference image. `photos` are the photos of the newest finished detections, by item ID.
    Pictures of unknown size are left out. `item_references` are the reference files of the items that use
    another file than the reference image, by item ID; None for a file of unknown size. `seal` is the seal
    status of the record, None if unknown.
    """

    record: Record
    items: tuple[Item, ...]
    reference: ExportedPicture | None
    photos: Mapping[str, ExportedPicture]
    item_references: Mapping[str, ExportedPicture | None] = field(default_factory=dict)
    severities: Mapping[str, Severity] = field(default_factory=dict, compare=False)
    """The current severity by label, for findings that have none because they are older than the setting."""
    seal: RecordSeal | None = None

    def facts(self) -> list[ItemFacts]:
        """The result of each item, in their order."""
        return [self._facts(number, item) for number, item in enumerate(self.items, 1)]

    def _facts(self, number: int, item: Item) -> ItemFacts:
        entries = item_entries(item)
        detection = results.shown_result(entries)
        current = results.current_entry(entries)
        verdict = current["verdict"] if current is not None and results.is_verdict(current) else {}
        coverage = results.entry_coverage(detection)
        reference = self.item_references.get(item.item_id, self.reference)
        return ItemFacts(
            number=number,
            item=item,
            reference=reference,
            region=pixel_region(item, reference),
            photo=self.photos.get(item.item_id),
            findings=tuple(
                findings.read_findings(
                    detection, self.severities, None if reference is None else reference.mm_per_pixel
                )
            ),
            version=None if detection is None else results.entry_version(detection),
            passed=_passed_from_verdict(results.current_verdict(entries)),
            opinion=results.model_opinion(entries),
            verdict=results.current_verdict(entries),
            reason=str(verdict.get("reason") or ""),
            decided_by=str(verdict.get("by_name") or verdict.get("by") or ""),
            decided_at=str(verdict.get("at") or ""),
            accepted_version=results.accepted_version(current),
            inspected_share=None if coverage is None else coverage["inspected"],
        )


def _passed_from_verdict(verdict: Verdict) -> bool | None:
    return None if verdict is Verdict.UNDECIDED else verdict is Verdict.PASSED


def pixel_region(item: Item, reference: ExportedPicture | None) -> Rect | None:
    """The region of an item in px of its reference image; None without a region inside the image."""
    if reference is None or item.item_point is None or item.item_point.point is None:
        return None
    point = item.item_point.point
    try:
        x, y, w, h = (float(value) for value in (point.x, point.y, point.w, point.h))
    except OverflowError:
        return None
    rect = point_to_pixels(x, y, w, h, reference.width, reference.height)
    return None if rect.is_empty else rect
