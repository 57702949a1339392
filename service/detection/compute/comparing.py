"""Turns what a request sets into what a comparison is to find, and what it found into boxes of an entry."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.detection.compute.request import Request, item_settings
from service.detection.messages import Done
from service.detection.reference_difference import Parameters, Result
from shared.entries import EntryAlignment, EntryBox, EntryMemory, EntrySuppressed, EntryThresholds
from shared.geometry import Rect
from shared.wire.inspection import DetectionSettings

MOST_SUPPRESSED = 50
"""So many suppressed findings, the most confident, are reported."""


@dataclass(frozen=True, slots=True)
class SuppressedBox:
    """A finding that is not reported, with the confidence in what its explanation leaves.

    photos: the keys of the photos that explain it, see `PhotoVariation`.
    """

    box: EntryBox
    left: float
    photos: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """What was found: boxes as a result entry keeps them, the opinion, and how it came about.

    memory: the memory of the region that was used, None without one; suppressed: what it explains.
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

    def answer(self) -> Done:
        """The same as the compute process answers it."""
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
        return answer


def suppressed_entries(suppressed: Sequence[SuppressedBox]) -> list[EntrySuppressed]:
    """What a result entry says of suppressed findings; the photos by their keys."""
    return [
        {
            "box": finding.box,
            "score": round(finding.left, 4),
            "score_alone": finding.box["confidence"],
            "photos": list(finding.photos),
        }
        for finding in suppressed[:MOST_SUPPRESSED]
    ]


def box(label: str, confidence: float, rect: Rect) -> EntryBox:
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
    """What a comparison suppressed, in px of the decoded photo."""
    return [
        SuppressedBox(
            box(finding.difference.label, finding.difference.confidence, finding.difference.box),
            finding.left,
            finding.photos,
        )
        for finding in result.suppressed
    ]


def thresholds(request: Request, parameters: Parameters) -> EntryThresholds:
    """With which settings a comparison ran."""
    values: EntryThresholds = {
        "sensitivity": parameters.sensitivity,
        "min_confidence": parameters.min_confidence,
        "least_confidence": parameters.min_confidence,
    }
    smallest = _settings(request).get("smallest")
    if smallest is not None:
        values["smallest"] = float(smallest)
    return values


def _settings(request: Request) -> dict[str, Any]:
    """The model's settings with the item's above them."""
    settings = item_settings(request)
    overrides = {"sensitivity": settings.sensitivity, "smallest": settings.smallest}
    return {**request.settings, **{key: value for key, value in overrides.items() if value is not None}}


def parameters_of(request: Request, reference: NDArray[np.uint8], scale: float) -> Parameters:
    """What a comparison is to find, in px of the reference image as decoded at `scale`."""
    parameters = _parameters(_settings(request), request.mm_per_pixel, scale)
    return replace(
        parameters, ignored=(*parameters.ignored, *ignored_areas(item_settings(request), reference))
    )


def ignored_areas(settings: DetectionSettings, reference: NDArray[np.uint8]) -> tuple[Rect, ...]:
    """The ignored parts in px of the reference image as decoded."""
    height, width = reference.shape[:2]
    return tuple(
        Rect(area.x * width, area.y * height, area.w * width, area.h * height) for area in settings.ignored
    )


def _parameters(settings: Mapping[str, Any], mm_per_pixel: float | None, scale: float = 1.0) -> Parameters:
    """`Parameters` from a model's or an item's settings; unknown keys are ignored.

    `ignored` are x, y, w, h in px of the reference image; scale is that of the decoded reference.
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


def enlarged_box(finding: EntryBox, scale: float) -> EntryBox:
    """A finding in the decoded photo, of this scale, as one in the photo itself."""
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
