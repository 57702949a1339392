"""Converts the settings of a request to parameters of a comparison, and its findings to boxes of an entry."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.detection.messages import Done, Request, item_settings
from service.detection.reference_difference import DetectedDifference, Parameters, Result
from shared.record.entries import (
    EntryAlignment,
    EntryAppearance,
    EntryBox,
    EntryMemory,
    EntrySuppressed,
    EntryThresholds,
)
from shared.record.geometry import Rect
from shared.wire.inspection import DetectionSettings

MAX_SUPPRESSED = 50
"""The number of suppressed findings that are reported, the most confident first."""


@dataclass(frozen=True, slots=True)
class SuppressedBox:
    """A finding that is not reported.

    left: the confidence in the part of it that the memory does not explain. photos: the keys of the photos
    that explain it, see `PhotoVariation`.
    """

    box: EntryBox
    left: float
    photos: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """Findings in px of the decoded photo, whether it passes, the settings, and the alignment.

    suppressed, memory, appearance: as in `DetectionOutcome`.
    """

    findings: list[EntryBox]
    passed: bool
    used: EntryThresholds
    alignment: EntryAlignment | None
    suppressed: Sequence[SuppressedBox] = ()
    memory: EntryMemory | None = None
    appearance: EntryAppearance | None = None


@dataclass(frozen=True, slots=True)
class DetectionOutcome:
    """The result of a detection: boxes in the form of a result entry, the opinion, settings and alignment.

    memory: the memory of the region that was used, None without one. suppressed: the findings that it
    explains. appearance: if the photo was compared by its appearance.
    """

    boxes: list[EntryBox]
    suppressed: list[SuppressedBox]
    passed: bool
    thresholds: EntryThresholds
    alignment: EntryAlignment | None
    width: int
    height: int
    seconds: float
    memory: EntryMemory | None = None
    appearance: EntryAppearance | None = None

    def answer(self) -> Done:
        """The answer of the compute process."""
        answer: Done = {
            "event": "done",
            "boxes": self.boxes,
            "passed": self.passed,
            "thresholds": self.thresholds,
            "alignment": self.alignment,
            "width": self.width,
            "height": self.height,
            "seconds": self.seconds,
        }
        if self.memory is not None:
            answer["memory"] = self.memory
            answer["suppressed"] = suppressed_entries(self.suppressed)
        if self.appearance is not None:
            answer["appearance"] = self.appearance
        return answer


def suppressed_entries(suppressed: Sequence[SuppressedBox]) -> list[EntrySuppressed]:
    """The suppressed findings in the form of a result entry; photos are named by their keys."""
    return [
        {
            "box": finding.box,
            "score": round(finding.left, 4),
            "score_alone": finding.box["confidence"],
            "photos": list(finding.photos),
        }
        for finding in suppressed[:MAX_SUPPRESSED]
    ]


def difference_box(difference: DetectedDifference) -> EntryBox:
    """A difference in the form of the contract, with the reason why it is reported in spite of a memory."""
    box = entry_box(difference.label, difference.confidence, difference.box)
    return box if difference.reason is None else {**box, "memory_reason": difference.reason.value}


def entry_box(label: str, confidence: float, rect: Rect) -> EntryBox:
    """A finding in the form of the contract: corners in upright photo px, half-open."""
    return {
        "label": label,
        "confidence": round(confidence, 4),
        "points": {
            "x1": round(rect.x, 2),
            "y1": round(rect.y, 2),
            "x2": round(rect.right, 2),
            "y2": round(rect.bottom, 2),
        },
    }


def suppressed_boxes(result: Result) -> list[SuppressedBox]:
    """The findings that a comparison suppressed, in px of the decoded photo."""
    return [
        SuppressedBox(
            difference_box(finding.difference),
            finding.left,
            finding.photos,
        )
        for finding in result.suppressed
    ]


def entry_thresholds(request: Request, parameters: Parameters) -> EntryThresholds:
    """The settings of a comparison in the form of a result entry."""
    values: EntryThresholds = {
        "sensitivity": parameters.sensitivity,
        "min_confidence": parameters.min_confidence,
        "least_confidence": parameters.min_confidence,
    }
    smallest = _merged_settings(request).get("smallest")
    if smallest is not None:
        values["smallest"] = float(smallest)
    return values


def _merged_settings(request: Request) -> dict[str, Any]:
    """The model's settings, replaced by those of the item where it has any."""
    settings = item_settings(request)
    overrides = {"sensitivity": settings.sensitivity, "smallest": settings.smallest}
    return {**request.settings, **{key: value for key, value in overrides.items() if value is not None}}


def comparison_parameters(request: Request, reference: NDArray[np.uint8], scale: float) -> Parameters:
    """The parameters of a comparison, in px of the reference image as decoded at `scale`."""
    parameters = _to_parameters(_merged_settings(request), request.mm_per_pixel, scale)
    return replace(
        parameters, ignored=(*parameters.ignored, *ignored_areas(item_settings(request), reference))
    )


def ignored_areas(settings: DetectionSettings, reference: NDArray[np.uint8]) -> tuple[Rect, ...]:
    """The ignored parts in px of the reference image as decoded."""
    height, width = reference.shape[:2]
    return tuple(
        Rect(area.x * width, area.y * height, area.w * width, area.h * height) for area in settings.ignored
    )


def _to_parameters(settings: Mapping[str, Any], mm_per_pixel: float | None, scale: float = 1.0) -> Parameters:
    """`Parameters` from a model's or an item's settings; unknown keys are ignored.

    `ignored` has x, y, w, h in px of the reference image. scale: the scale of the decoded reference image.
    """
    ignored = tuple(
        Rect(*(float(area[key]) * scale for key in ("x", "y", "w", "h")))
        for area in settings.get("ignored", [])
    )
    names = {item.name for item in dataclasses.fields(Parameters)} - {"ignored", "mm_per_pixel"}
    values = {key: float(value) for key, value in settings.items() if key in names and value is not None}
    per_pixel = None if mm_per_pixel is None else mm_per_pixel / scale
    if per_pixel is None and "smallest" in values:
        values["smallest"] *= scale
    return Parameters(**values, ignored=ignored, mm_per_pixel=per_pixel)


def enlarge_box(finding: EntryBox, scale: float) -> EntryBox:
    """Convert a finding from px of the photo as decoded at `scale` to px of the photo file."""
    if scale == 1.0:
        return finding
    at = finding["points"]
    return {
        **finding,
        "points": {
            "x1": round(at["x1"] / scale, 2),
            "y1": round(at["y1"] / scale, 2),
            "x2": round(at["x2"] / scale, 2),
            "y2": round(at["y2"] / scale, 2),
        },
    }
