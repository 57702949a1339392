"""One detection from files to findings: what the compute process and the command line both run.

No database and no web in here. A `Request` says which files and which model; `run` gives a `Finished` or
raises DetectionFailed.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.detection import memory, pictures
from service.detection.failure import DetectionFailed, of_disk
from service.detection.onnx.detector import Detected, Detectors, calls_together, is_sliced
from service.detection.onnx.fit import scale_of
from service.detection.onnx.settings import DetectorSettings
from service.detection.places import Places, PlacesRequest
from service.detection.reference_difference import AlignmentFailed, Parameters, detect
from service.detection.reference_difference.align import align
from service.detection.reference_difference.parts import Alignment, Pyramid, apply, grey, inverse
from shared.geometry import Rect, point_to_pixels
from shared.wire.detection import ModelKind
from shared.wire.inspection import DetectionSettings

_FINER = 1.5
"""A photo that is scaled down for a model is decoded so much finer at least than the model sees it."""

_AHEAD_PIXELS = 30_000_000
"""A photo that is decoded ahead of its turn has no more px: that bounds the memory."""

_ALIGNMENT_CODES = {"too_small": "too_small", "not_visible": "not_visible"}


@dataclass(frozen=True, slots=True)
class Request:
    """What to detect. Paths are of local files.

    point: x, y, w, h of the region as an item keeps it (fractions, or pixels above 1); None: all of the
    reference. settings: of the model (`DetectorSettings` for ONNX, `Parameters` for reference-difference).
    item: what the item sets in place of them (`DetectionSettings`).
    rendered: where the picture with the boxes goes; None: nowhere.
    """

    kind: str
    photo: str
    reference: str | None = None
    point: tuple[float, float, float, float] | None = None
    mm_per_pixel: float | None = None
    model: str | None = None
    sha256: str | None = None
    labels: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    item: dict[str, Any] = field(default_factory=dict)
    rendered: str | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """What was found: boxes as a result entry keeps them, the opinion, and how it came about."""

    boxes: list[dict[str, Any]]
    passed: bool
    thresholds: dict[str, Any]
    alignment: dict[str, Any] | None
    width: int
    height: int
    seconds: float


def box(label: str, confidence: float, rect: Rect) -> dict[str, Any]:
    """A finding in the form of the contract: corners in upright photo px, half-open."""
    points = {"x1": rect.x, "y1": rect.y, "x2": rect.right, "y2": rect.bottom}
    return {
        "label": label,
        "confidence": round(confidence, 4),
        "points": {key: round(value, 2) for key, value in points.items()},
    }


Photo = tuple[NDArray[np.uint8], float]
"""What `pictures.load` gives."""


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What is decoded for a request that is to come."""

    key: tuple[Any, ...]
    photo: Future[Photo]
    reference: str | None
    known: Future[Photo] | None


class Computer:
    """Runs requests; keeps opened models warm."""

    def __init__(self) -> None:
        memory.keep()
        self._detectors = Detectors()
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="photo")
        self._ahead: _Ahead | None = None
        self._reference: tuple[str, NDArray[np.uint8], float] | None = None
        self._places = Places(self._load_reference)

    def places(self, request: PlacesRequest) -> list[dict[str, Any] | None]:
        """`Places.find`. Raises DetectionFailed."""
        try:
            return self._places.find(request)
        except MemoryError as error:
            raise DetectionFailed("out_of_memory") from error

    def read_ahead(self, request: Request) -> None:
        """Decode the pictures of a request that is to come, beside the one that runs; from any thread."""
        photo = self._reader.submit(_load, request, _AHEAD_PIXELS)
        reference, known = request.reference, None
        if reference is not None and (self._reference is None or self._reference[0] != reference):
            known = self._reader.submit(pictures.load, Path(reference), pictures.all_of_it, _AHEAD_PIXELS)
        self._ahead = _Ahead(_reading(request), photo, reference, known)

    def _load(self, request: Request) -> Photo:
        ahead, self._ahead = self._ahead, None
        if ahead is None or ahead.key != _reading(request):
            return _load(request)
        known = None if ahead.known is None else _done(ahead.known)
        if known is not None and ahead.reference is not None:
            self._reference = (ahead.reference, *known)
        return _done(ahead.photo) or _load(request)

    def run(
        self,
        request: Request,
        progress: Callable[[int], None] = lambda _percent: None,
        then: Request | None = None,
    ) -> Finished:
        """Detect. `progress` hears percent; `then` is decoded meanwhile. Raises DetectionFailed."""
        begun = time.perf_counter()
        try:
            photo, scale = self._load(request)
            if then is not None:
                self.read_ahead(then)
            progress(25)
            if request.kind == ModelKind.REFERENCE_DIFFERENCE:
                found, passed, thresholds, alignment = self._compare(request, photo, scale)
            else:
                found, passed, thresholds, alignment = self._recognise(request, photo, scale)
            progress(85)
            if request.rendered is not None:
                _write(Path(request.rendered), pictures.render(photo, found))
        except MemoryError as error:
            raise DetectionFailed("out_of_memory") from error
        height, width = photo.shape[:2]
        return Finished(
            [_enlarged(one, scale) for one in found],
            passed,
            thresholds,
            _enlarged_alignment(alignment, scale),
            round(width / scale),
            round(height / scale),
            time.perf_counter() - begun,
        )

    def _compare(
        self, request: Request, photo: NDArray[np.uint8], photo_scale: float
    ) -> tuple[list[dict[str, Any]], bool, dict[str, Any], dict[str, Any] | None]:
        reference, region, scale = self._region(request)
        own = _own(request)
        given = {"sensitivity": own.sensitivity, "smallest": own.smallest}
        settings = {**request.settings, **{key: value for key, value in given.items() if value is not None}}
        wanted = parameters(settings, request.mm_per_pixel, scale)
        areas = _areas(own, reference)
        try:
            wanted = replace(wanted, ignored=(*wanted.ignored, *areas))
            result = detect(reference, region, photo, wanted, _start(own, scale, photo_scale))
        except AlignmentFailed as error:
            raise _unaligned(error) from error
        found = [box(one.label, one.confidence, one.box) for one in result.boxes]
        thresholds = {
            "sensitivity": wanted.sensitivity,
            "min_confidence": wanted.min_confidence,
            "least_confidence": wanted.min_confidence,
        }
        if settings.get("smallest") is not None:
            thresholds["smallest"] = float(settings["smallest"])
        return found, not found, thresholds, _told(result.alignment, scale, own)

    def _region(self, request: Request) -> tuple[NDArray[np.uint8], Rect, float]:
        """The reference image as decoded, the region in px of that, and its scale."""
        if request.reference is None:
            raise DetectionFailed("no_region")
        reference, scale = self._load_reference(request.reference)
        height, width = reference.shape[:2]
        if request.point is None:
            return reference, Rect(0, 0, width, height), scale
        x, y, w, h = request.point
        shrink = 1.0 if max(request.point) <= 1 else scale
        region = point_to_pixels(x * shrink, y * shrink, w * shrink, h * shrink, width, height)
        return reference, region, scale

    def _load_reference(self, path: str) -> tuple[NDArray[np.uint8], float]:
        # A record's items share their reference image: the last one stays decoded.
        if self._reference is None or self._reference[0] != path:
            self._reference = None
            self._reference = (path, *pictures.load(Path(path)))
        return self._reference[1], self._reference[2]

    def _recognise(
        self, request: Request, photo: NDArray[np.uint8], photo_scale: float
    ) -> tuple[list[dict[str, Any]], bool, dict[str, Any], dict[str, Any] | None]:
        if request.model is None:
            raise DetectionFailed("model_unknown")
        settings = DetectorSettings.model_validate(request.settings)
        try:
            height, width = photo.shape[:2]
            calls = calls_together(settings) if is_sliced(width, height, settings) else 1
            detector = self._detectors.get(Path(request.model), request.sha256 or request.model, calls)
            found = detector.detect(photo, ModelKind(request.kind), settings, request.labels)
        except MemoryError:
            raise
        # ONNX Runtime raises classes of its own, all below Exception.
        except Exception as error:
            raise DetectionFailed("model_failed") from error
        alignment = None
        if _own(request).ignored:
            found, alignment = self._outside_of_ignored(request, photo, photo_scale, found)
        found_boxes = [box(one.label, one.confidence, one.box) for one in found]
        passed = not any(settings.fails(one.label, one.confidence) for one in found)
        told = {"confidence", "per_label", "iou", "fail_labels", "fail_confidence"}
        thresholds = {**settings.model_dump(include=told), "least_confidence": settings.least_confidence}
        return found_boxes, passed, thresholds, alignment

    def _outside_of_ignored(
        self, request: Request, photo: NDArray[np.uint8], photo_scale: float, found: Sequence[Detected]
    ) -> tuple[list[Detected], dict[str, Any]]:
        """The findings whose middle lies in no ignored part of the reference image, and how that lies."""
        reference, region, scale = self._region(request)
        try:
            start = _start(_own(request), scale, photo_scale)
            alignment = align(Pyramid(grey(reference)), region, Pyramid(grey(photo)), start)
        except AlignmentFailed as error:
            raise _unaligned(error) from error
        back = inverse(alignment.homography)
        areas = _areas(_own(request), reference)

        def ignored(one: Detected) -> bool:
            middle = np.array([[one.box.x + one.box.w / 2, one.box.y + one.box.h / 2]], np.float64)
            ((x, y),) = apply(back, middle).tolist()
            return any(area.x <= x < area.right and area.y <= y < area.bottom for area in areas)

        return [one for one in found if not ignored(one)], _told(alignment, scale, _own(request))


def _load(request: Request, most: int = pictures.MOST_PIXELS) -> Photo:
    return pictures.load(Path(request.photo), needed(request), most)


def _done(read: Future[Photo]) -> Photo | None:
    """What was decoded ahead; None where it failed: it may have been too large to be held beside another."""
    try:
        return read.result()
    except DetectionFailed:
        return None


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise DetectionFailed(of_disk(error)) from error


def _reading(request: Request) -> tuple[Any, ...]:
    """What it depends on how the photo is read."""
    return request.photo, request.kind, request.settings, request.item


def needed(request: Request) -> pictures.Needed:
    """How much of the photo the request needs: all of it to compare or to look at its parts."""
    if request.kind == ModelKind.REFERENCE_DIFFERENCE or _own(request).ignored:
        return pictures.all_of_it
    settings = DetectorSettings.model_validate(request.settings)

    def least(width: int, height: int) -> float:
        if is_sliced(width, height, settings):
            return math.inf
        finer = _FINER * max(scale_of(width, height, settings))
        return max(finer * max(width, height), pictures.SHOWN_SIDE)

    return least


def _own(request: Request) -> DetectionSettings:
    return DetectionSettings.model_validate(request.item)


def _areas(own: DetectionSettings, reference: NDArray[np.uint8]) -> tuple[Rect, ...]:
    """The ignored parts in px of the reference image as decoded."""
    height, width = reference.shape[:2]
    return tuple(Rect(one.x * width, one.y * height, one.w * width, one.h * height) for one in own.ignored)


def _unaligned(error: AlignmentFailed) -> DetectionFailed:
    return DetectionFailed(_ALIGNMENT_CODES.get(error.reason, "alignment_failed"))


def _start(own: DetectionSettings, scale: float, photo_scale: float) -> NDArray[np.float64] | None:
    """The alignment that a person set, between the decoded pictures, whose scales are given."""
    if own.alignment is None:
        return None
    matrix = np.asarray(own.alignment.homography, np.float64)
    return np.asarray(
        np.diag([photo_scale, photo_scale, 1.0]) @ matrix @ np.diag([1 / scale, 1 / scale, 1.0])
    )


def _told(alignment: Alignment, scale: float, own: DetectionSettings) -> dict[str, Any]:
    """An alignment as a result entry keeps it; `scale` is that of the decoded reference image."""
    to_photo = alignment.homography @ np.diag([scale, scale, 1.0])
    return {
        "homography": (to_photo / to_photo[2, 2]).tolist(),
        "inliers": alignment.inliers,
        "error_px": round(alignment.error_px, 3),
        "score": round(alignment.score, 3),
        "visible": round(alignment.visible, 3),
        "set_by": "model" if own.alignment is None else "person",
    }


def parameters(settings: dict[str, Any], mm_per_pixel: float | None, scale: float = 1.0) -> Parameters:
    """`Parameters` from a model's or an item's settings; unknown keys are ignored.

    `ignored` are x, y, w, h in px of the reference image; scale is that of the decoded reference.
    """
    ignored = tuple(
        Rect(*(float(one[key]) * scale for key in ("x", "y", "w", "h")))
        for one in settings.get("ignored", [])
    )
    known = {item.name for item in dataclasses.fields(Parameters)} - {"ignored", "mm_per_pixel"}
    given = {key: float(value) for key, value in settings.items() if key in known and value is not None}
    per_pixel = None if mm_per_pixel is None else mm_per_pixel / scale
    if per_pixel is None and "smallest" in given:
        given["smallest"] *= scale
    return Parameters(**given, ignored=ignored, mm_per_pixel=per_pixel)


def _enlarged(found: dict[str, Any], scale: float) -> dict[str, Any]:
    if scale == 1.0:
        return found
    return {**found, "points": {key: round(value / scale, 2) for key, value in found["points"].items()}}


def _enlarged_alignment(alignment: dict[str, Any] | None, scale: float) -> dict[str, Any] | None:
    if alignment is None or scale == 1.0:
        return alignment
    matrix = np.diag([1 / scale, 1 / scale, 1.0]) @ np.asarray(alignment["homography"])
    return {**alignment, "homography": matrix.tolist(), "error_px": round(alignment["error_px"] / scale, 3)}


def to_request(words: dict[str, Any]) -> Request:
    """A `Request` from its JSON form."""
    point: Sequence[float] | None = words.get("point")
    return Request(
        **{
            **words,
            "point": None if point is None else (point[0], point[1], point[2], point[3]),
            "labels": tuple(words.get("labels", ())),
        }
    )
