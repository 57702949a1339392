"""Runs one detection from files to findings, for the compute process and the command line.

No database and no web in here. A `Request` says which files and which model; `run` gives a `Finished` or
raises DetectionFailed.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from service.detection.compute import allocator, pictures, region_memories
from service.detection.compute.comparing import (
    Finished,
    SuppressedBox,
    box,
    enlarged_box,
    ignored_areas,
    parameters_of,
    suppressed_boxes,
    thresholds,
)
from service.detection.compute.place_search import Places, PlacesRequest
from service.detection.compute.placing import alignment_json, assigned, enlarged, started, unaligned
from service.detection.compute.request import Request, item_settings
from service.detection.compute.second_opinions import ComparedPhoto, SecondOpinions
from service.detection.failure import DetectionFailed, of_disk
from service.detection.messages import FoundPlace
from service.detection.onnx.detector import Detected, Detectors, calls_together, is_sliced
from service.detection.onnx.fit import scale_of
from service.detection.onnx.remembered import Remembered
from service.detection.onnx.settings import DetectorSettings
from service.detection.reference_difference import (
    AlignmentFailed,
    PhotoVariation,
    RegionMemory,
    detect,
    photo_variation,
)
from service.detection.reference_difference.alignment.align import align
from service.detection.reference_difference.data import (
    Alignment,
    Matrix,
    Pyramid,
    Result,
    apply,
    grey,
    inverse,
)
from service.detection.reference_difference.threads import WorkThreads
from service.detection.reference_difference.variation.serial import from_bytes
from shared.entries import EntryAlignment, EntryBox, EntryMemory, EntryThresholds
from shared.geometry import Rect, is_inside, point_to_pixels
from shared.wire.detection import ModelKind
from shared.wire.memory import MemoryKind

_FINER = 1.5
"""A photo that is scaled down for a model is decoded so much finer at least than the model sees it."""

_AHEAD_PIXELS = 30_000_000
"""A photo that is decoded ahead of its turn has no more px: that bounds the memory."""


_Opinion = tuple[list[EntryBox], bool, EntryThresholds, EntryAlignment | None]
"""Findings in px of the decoded photo, whether it passes, with which settings, and how the reference lies."""


Photo = tuple[NDArray[np.uint8], float]
"""What `pictures.load` gives."""


@dataclass(frozen=True, slots=True)
class _Prefetched:
    """What is decoded ahead for a coming request."""

    key: tuple[object, ...]
    photo: Future[Photo]
    reference: str | None
    decoding: Future[Photo] | None


class Computer:
    """Runs requests; keeps opened models warm.

    Owns the threads that decode ahead and that share a comparison, until `close`: also a context manager.
    """

    def __init__(self) -> None:
        allocator.keep()
        self._detectors = Detectors()
        self._remembered = Remembered()
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="photo")
        self._threads = WorkThreads()
        self._ahead: _Prefetched | None = None
        self._reference: tuple[str, NDArray[np.uint8], float] | None = None
        self._places = Places(self._load_reference)
        self._second_opinions = SecondOpinions(self._detectors)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the threads, after what they do; a picture that waits to be decoded ahead is dropped."""
        self._reader.shutdown(cancel_futures=True)
        self._threads.close()

    def places(self, request: PlacesRequest) -> list[FoundPlace | None]:
        """`Places.find`. Raises DetectionFailed."""
        try:
            with self._threads.shared():
                return self._places.find(request)
        except MemoryError as error:
            raise DetectionFailed("out_of_memory") from error

    def read_ahead(self, request: Request) -> None:
        """Decode the pictures of a request that is to come, beside the one that runs; from any thread."""
        photo = self._reader.submit(_load, request, _AHEAD_PIXELS)
        reference, decoding = request.reference, None
        if reference is not None and (self._reference is None or self._reference[0] != reference):
            decoding = self._reader.submit(pictures.load, Path(reference), pictures.all_of_it, _AHEAD_PIXELS)
        self._ahead = _Prefetched(_reading(request), photo, reference, decoding)

    def _load(self, request: Request) -> Photo:
        ahead, self._ahead = self._ahead, None
        if ahead is None or ahead.key != _reading(request):
            return _load(request)
        decoded = None if ahead.decoding is None else _done(ahead.decoding)
        if decoded is not None and ahead.reference is not None:
            self._reference = (ahead.reference, *decoded)
        return _done(ahead.photo) or _load(request)

    def run(
        self,
        request: Request,
        progress: Callable[[int], None] = lambda _percent: None,
        then: Request | None = None,
        contents: Sequence[bytes] = (),
    ) -> Finished:
        """Detect. `progress` hears percent; `then` is decoded meanwhile. Raises DetectionFailed.

        known: memories of single photos of the region as `memory_of` makes them, in the format of
        `variation.serial`; one of another version is left out.
        """
        started = time.perf_counter()
        if request.kind == ModelKind.BACKBONE:
            raise DetectionFailed("model_finds_nothing")
        try:
            photo, scale = self._load(request)
            if then is not None:
                self.read_ahead(then)
            progress(25)
            with self._threads.shared():
                suppressed: list[SuppressedBox] = []
                used_memory: EntryMemory | None = None
                if request.kind == ModelKind.REFERENCE_DIFFERENCE:
                    opinion, suppressed, used_memory = self._compare(request, photo, scale, contents)
                    findings, passed, used, alignment = opinion
                else:
                    findings, passed, used, alignment = self._recognise(request, photo, scale)
            progress(85)
            if request.rendered is not None:
                _write(Path(request.rendered), pictures.render(photo, findings))
        except MemoryError as error:
            raise DetectionFailed("out_of_memory") from error
        height, width = photo.shape[:2]
        return Finished(
            [enlarged_box(finding, scale) for finding in findings],
            [replace(finding, box=enlarged_box(finding.box, scale)) for finding in suppressed],
            passed,
            used,
            enlarged(alignment, scale),
            round(width / scale),
            round(height / scale),
            time.perf_counter() - started,
            used_memory,
        )

    def memory_of(
        self,
        request: Request,
        key: str,
        order: float,
        kind: MemoryKind = MemoryKind.PASSED,
        judged: Sequence[Rect] = (),
        without: Sequence[Rect] = (),
    ) -> RegionMemory:
        """The memory of a region that has this one photo; key and order as in `PhotoVariation`.

        kind, judged, without: as in `photo_variation`, in px of the photo file. Raises DetectionFailed.
        """
        try:
            photo, photo_scale = self._load(request)
            with self._threads.shared():
                reference, region, scale = self._region(request)
                parameters = parameters_of(request, reference, scale)

                def varied(start: Matrix | None) -> PhotoVariation:
                    return photo_variation(
                        reference,
                        region,
                        photo,
                        key,
                        order,
                        parameters,
                        start,
                        kind,
                        [region_memories.scaled(rect, photo_scale) for rect in judged],
                        [region_memories.scaled(rect, photo_scale) for rect in without],
                    )

                return RegionMemory.of(region, [started(request, scale, photo_scale, varied)])
        except AlignmentFailed as error:
            raise unaligned(error) from error
        except MemoryError as error:
            raise DetectionFailed("out_of_memory") from error

    def disagreements(self, request: Request, contents: Sequence[bytes]) -> list[list[float]]:
        """Where the memory of these photos (as in `run`) disagrees with the reference image of the request.

        x, y, w, h in fractions of the reference image. Raises DetectionFailed.
        """
        try:
            reference, region, _ = self._region(request)
        except MemoryError as error:
            raise DetectionFailed("out_of_memory") from error
        height, width = reference.shape[:2]
        return region_memories.disagreeing(region_memories.together(region, contents), width, height)

    def _compare(
        self, request: Request, photo: NDArray[np.uint8], photo_scale: float, contents: Sequence[bytes]
    ) -> tuple[_Opinion, list[SuppressedBox], EntryMemory | None]:
        reference, region, scale = self._region(request)
        parameters = parameters_of(request, reference, scale)
        if request.memory is None:
            memory = region_memories.together(region, contents)
        else:
            memory = from_bytes(_read(Path(request.memory)))
        try:

            def compared(start: Matrix | None) -> Result:
                return detect(reference, region, photo, parameters, start, memory)

            result = started(request, scale, photo_scale, compared)
        except AlignmentFailed as error:
            raise unaligned(error) from error
        findings = [
            box(difference.label, difference.confidence, difference.box) for difference in result.boxes
        ]
        findings = self._second_opinions.added(
            request, ComparedPhoto(reference, region, scale, photo, result), findings
        )
        alignment = alignment_json(result.alignment, scale, request)
        opinion = (findings, not findings, thresholds(request, parameters), alignment)
        return opinion, suppressed_boxes(result), region_memories.used(memory)

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

    def _recognise(self, request: Request, photo: NDArray[np.uint8], photo_scale: float) -> _Opinion:
        if request.model is None:
            raise DetectionFailed("model_unknown")
        settings = DetectorSettings.model_validate(request.settings)
        try:
            height, width = photo.shape[:2]
            calls = calls_together(settings) if is_sliced(width, height, settings) else 1
            model = request.sha256 or request.model
            detector = self._detectors.get(Path(request.model), model, calls)
            findings = self._remembered.found(
                _network_key(request, photo, model),
                lambda: detector.detect(photo, ModelKind(request.kind), settings, request.labels),
            )
        except MemoryError:
            raise
        # ONNX Runtime raises classes of its own, all below Exception.
        except Exception as error:
            raise DetectionFailed("model_failed") from error
        alignment = assigned(request, photo_scale)
        if request.within is not None:
            quad = [(x * photo_scale, y * photo_scale) for x, y in request.within]
            findings = [finding for finding in findings if is_inside(quad, *finding.box.middle)]
        if item_settings(request).ignored:
            findings, alignment = self._outside_of_ignored(request, photo, photo_scale, findings)
        boxes = [box(finding.label, finding.confidence, finding.box) for finding in findings]
        passed = not any(settings.fails(finding.label, finding.confidence) for finding in findings)
        used: EntryThresholds = {
            "confidence": settings.confidence,
            "per_label": settings.per_label,
            "iou": settings.iou,
            "fail_labels": settings.fail_labels,
            "fail_confidence": settings.fail_confidence,
            "least_confidence": settings.least_confidence,
        }
        return boxes, passed, used, alignment

    def _outside_of_ignored(
        self, request: Request, photo: NDArray[np.uint8], photo_scale: float, findings: Sequence[Detected]
    ) -> tuple[list[Detected], EntryAlignment]:
        """The findings whose middle lies in no ignored part of the reference image, and how that lies."""
        reference, region, scale = self._region(request)
        try:
            reference_pyramid, photo_pyramid = Pyramid(grey(reference)), Pyramid(grey(photo))

            def aligned(start: Matrix | None) -> Alignment:
                return align(reference_pyramid, region, photo_pyramid, start)

            alignment = started(request, scale, photo_scale, aligned)
        except AlignmentFailed as error:
            raise unaligned(error) from error
        back = inverse(alignment.homography)
        areas = ignored_areas(item_settings(request), reference)

        def ignored(finding: Detected) -> bool:
            ((x, y),) = apply(back, np.array([finding.box.middle], np.float64)).tolist()
            return any(area.x <= x < area.right and area.y <= y < area.bottom for area in areas)

        return [finding for finding in findings if not ignored(finding)], alignment_json(
            alignment, scale, request
        )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DetectionFailed("file_lost") from error


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


def _reading(request: Request) -> tuple[object, ...]:
    """What determines how the photo is read."""
    return request.photo, request.kind, request.settings, request.item


def needed(request: Request) -> pictures.Needed:
    """How much of the photo the request needs: all of it to compare or to look at its parts."""
    if request.kind == ModelKind.REFERENCE_DIFFERENCE or item_settings(request).ignored:
        return pictures.all_of_it
    settings = DetectorSettings.model_validate(request.settings)

    def least(width: int, height: int) -> float:
        if is_sliced(width, height, settings):
            return math.inf
        finer = _FINER * max(scale_of(width, height, settings))
        return max(finer * max(width, height), pictures.SHOWN_SIDE)

    return least


def _network_key(request: Request, photo: NDArray[np.uint8], model: str) -> Hashable | None:
    """What the findings of a model depend on; None when the photo's content is not known."""
    if request.photo_sha256 is None:
        return None
    settings = json.dumps(request.settings, sort_keys=True)
    return request.photo_sha256, photo.shape, model, request.kind, settings, request.labels
