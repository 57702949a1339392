"""Runs one detection from files to findings, for the compute process and the command line.

No database and no web in here. A `Request` says which files and which model; `run` gives a `DetectionOutcome`
or raises DetectionFailed.
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

from service.detection.compute import allocator, pictures, region_comparer
from service.detection.compute.comparing import (
    DetectionOutcome,
    Judged,
    enlarge_box,
    entry_box,
    ignored_areas,
)
from service.detection.compute.placing import (
    PlaceSearch,
    alignment_failure,
    assigned_alignment,
    enlarge_alignment,
    entry_alignment,
    with_start,
)
from service.detection.compute.region_comparer import MarkedRegion, RegionComparer
from service.detection.failure import DetectionFailed, disk_error_code
from service.detection.messages import FoundPlace, PlacesRequest, Request, item_settings
from service.detection.onnx.detector import (
    DetectedObject,
    Detectors,
    FindingsCache,
    is_sliced,
    parallel_calls,
    scale_of,
)
from service.detection.onnx.settings import DetectorSettings
from service.detection.reference_difference import (
    AlignmentFailed,
    RegionMemory,
)
from service.detection.reference_difference.alignment.align import align
from service.detection.reference_difference.data import (
    Alignment,
    Matrix,
    Pyramid,
    apply,
    grey,
    inverse,
)
from service.detection.reference_difference.threads import WorkThreads
from shared.record.entries import EntryAlignment, EntryThresholds
from shared.record.geometry import Rect, is_inside_quad, point_to_pixels
from shared.wire.detection import ModelKind
from shared.wire.inspection import Place
from shared.wire.memory import MemoryKind

_DECODING_MARGIN = 1.5
"""The decoded photo is at least this many times as fine as the input of the model that scales it down."""

_PREFETCH_PIXELS = 30_000_000
"""The most px of a photo that is decoded before its turn, which bounds the memory."""


Photo = tuple[NDArray[np.uint8], float]
"""The result of `pictures.load`."""


@dataclass(frozen=True, slots=True)
class _PrefetchedPictures:
    """Pictures that are decoded before the request for them starts."""

    key: tuple[object, ...]
    photo: Future[Photo]
    reference: str | None
    decoding: Future[Photo] | None


class Computer:
    """Runs requests and keeps models open.

    Owns the threads that decode pictures in advance and that share the work of a comparison, until `close`.
    It is also a context manager.
    """

    def __init__(self) -> None:
        allocator.keep_freed_memory()
        self._detectors = Detectors()
        self._findings_cache = FindingsCache()
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="photo")
        self._threads = WorkThreads()
        self._ahead: _PrefetchedPictures | None = None
        self._reference: pictures.Reference | None = None
        self._comparer = RegionComparer()
        self._places = PlaceSearch(self._load_reference, self._comparer.distance)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the threads after their present work; pictures that wait to be decoded are dropped."""
        self._reader.shutdown(cancel_futures=True)
        self._threads.close()

    def places(self, request: PlacesRequest) -> list[FoundPlace | None]:
        """`PlaceSearch.find`. Raises DetectionFailed."""
        try:
            with self._threads.shared():
                return self._places.find(request)
        except MemoryError as error:
            raise DetectionFailed("out_of_memory") from error

    def read_ahead(self, request: Request) -> None:
        """Decode the pictures of the next request while another one runs. Any thread may call it."""
        photo = self._reader.submit(_load, request, _PREFETCH_PIXELS)
        reference, decoding, present = request.reference, None, self._reference
        if reference is not None and (present is None or present.path != reference):
            decoding = self._reader.submit(
                pictures.load, Path(reference), pictures.full_resolution, _PREFETCH_PIXELS
            )
        self._ahead = _PrefetchedPictures(_reading_key(request), photo, reference, decoding)

    def forget_pictures(self) -> None:
        """Drop the reference image that is kept for the next request."""
        self._reference = None

    def _load(self, request: Request) -> Photo:
        ahead, self._ahead = self._ahead, None
        if ahead is None or ahead.key != _reading_key(request):
            return _load(request)
        decoded = None if ahead.decoding is None else _take_prefetched(ahead.decoding)
        if decoded is not None and ahead.reference is not None:
            self._reference = pictures.Reference(ahead.reference, *decoded)
        return _take_prefetched(ahead.photo) or _load(request)

    def run(
        self,
        request: Request,
        progress: Callable[[int], None] = lambda _percent: None,
        then: Request | None = None,
        contents: Sequence[bytes] = (),
    ) -> DetectionOutcome:
        """Run a detection. Raises DetectionFailed.

        progress: receives percents. then: the next request, whose photo is decoded during this one. contents:
        memories of single photos of the region as from `photo_memory`, in the format of `variation.serial`; a
        memory of another version is ignored.
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
                if request.kind == ModelKind.REFERENCE_DIFFERENCE:
                    marked = self._region(request)
                    judged = self._comparer.compare(request, marked, (photo, scale), contents)
                else:
                    judged = self._run_detector(request, photo, scale)
            progress(85)
            if request.rendered is not None:
                _write(Path(request.rendered), pictures.render(photo, judged.findings))
        except MemoryError as error:
            raise DetectionFailed("out_of_memory") from error
        height, width = photo.shape[:2]
        return DetectionOutcome(
            [enlarge_box(finding, scale) for finding in judged.findings],
            [replace(finding, box=enlarge_box(finding.box, scale)) for finding in judged.suppressed],
            judged.passed,
            judged.used,
            enlarge_alignment(judged.alignment, scale),
            round(width / scale),
            round(height / scale),
            time.perf_counter() - started,
            judged.memory,
            judged.appearance,
        )

    def photo_memory(
        self,
        request: Request,
        key: str,
        order: float,
        kind: MemoryKind = MemoryKind.PASSED,
        judged: Sequence[Rect] = (),
        without: Sequence[Rect] = (),
    ) -> RegionMemory:
        """The memory of a region with this one photo. Raises DetectionFailed.

        key, order: as in `PhotoVariation`. kind, judged, without: as in `photo_variation`, in px of the photo
        file.
        """
        try:
            photo = self._load(request)
            with self._threads.shared():
                return self._comparer.photo_memory(
                    request, self._region(request), photo, key, order, kind, judged, without
                )
        except MemoryError as error:
            raise DetectionFailed("out_of_memory") from error

    def learn(self, request: Request, contents: Sequence[bytes]) -> tuple[list[list[float]], Place | None]:
        """What the memory of these photos says of its region.

        contents: as in `run`. Gives the places where they disagree with the reference image of the request,
        x, y, w, h in fractions of it, and how photos are best compared, None without photos. Raises
        DetectionFailed.
        """
        try:
            marked = self._region(request)
        except MemoryError as error:
            raise DetectionFailed("out_of_memory") from error
        height, width = marked.reference.shape[:2]
        memory = region_comparer.merge_memories(marked.region, contents)
        place = None if memory is None else self._comparer.propose_place(memory)
        return region_comparer.disagreement_places(memory, width, height), place

    def _region(self, request: Request) -> MarkedRegion:
        if request.reference is None:
            raise DetectionFailed("no_region")
        reference = self._load_reference(request.reference)
        width, height = reference.levels.size
        region = Rect(0, 0, width, height)
        if request.point is not None:
            x, y, w, h = request.point
            shrink = 1.0 if max(request.point) <= 1 else reference.scale
            region = point_to_pixels(x * shrink, y * shrink, w * shrink, h * shrink, width, height)
        return MarkedRegion(reference.image, reference.levels, region, reference.scale)

    def _load_reference(self, path: str) -> pictures.Reference:
        if self._reference is None or self._reference.path != path:
            self._reference = None
            self._reference = pictures.Reference(path, *pictures.load(Path(path)))
        return self._reference

    def _run_detector(self, request: Request, photo: NDArray[np.uint8], photo_scale: float) -> Judged:
        if request.model is None:
            raise DetectionFailed("model_unknown")
        settings = DetectorSettings.model_validate(request.settings)
        try:
            height, width = photo.shape[:2]
            calls = parallel_calls(settings) if is_sliced(width, height, settings) else 1
            model = request.sha256 or request.model
            detector = self._detectors.get(Path(request.model), model, calls)
            findings = self._findings_cache.get_or_detect(
                _network_key(request, photo, model),
                lambda: detector.detect(photo, ModelKind(request.kind), settings, request.labels),
            )
        except MemoryError:
            raise
        # ONNX Runtime raises classes of its own, all below Exception.
        except Exception as error:
            raise DetectionFailed("model_failed") from error
        alignment = assigned_alignment(request, photo_scale)
        if request.within is not None:
            quad = [(x * photo_scale, y * photo_scale) for x, y in request.within]
            findings = [finding for finding in findings if is_inside_quad(quad, *finding.box.centre)]
        if item_settings(request).ignored:
            findings, alignment = self._drop_ignored(request, photo, photo_scale, findings)
        boxes = [entry_box(finding.label, finding.confidence, finding.box) for finding in findings]
        passed = not any(settings.fails(finding.label, finding.confidence) for finding in findings)
        used: EntryThresholds = {
            "confidence": settings.confidence,
            "per_label": settings.per_label,
            "iou": settings.iou,
            "fail_labels": settings.fail_labels,
            "fail_confidence": settings.fail_confidence,
            "least_confidence": settings.least_confidence,
        }
        return Judged(boxes, passed, used, alignment)

    def _drop_ignored(
        self,
        request: Request,
        photo: NDArray[np.uint8],
        photo_scale: float,
        findings: Sequence[DetectedObject],
    ) -> tuple[list[DetectedObject], EntryAlignment]:
        """The findings whose middle is outside the ignored parts of the reference, and the alignment."""
        marked = self._region(request)
        try:
            photo_levels = Pyramid(grey(photo))

            def align_from(start: Matrix | None) -> Alignment:
                return align(marked.levels, marked.region, photo_levels, start)

            alignment = with_start(request, marked.scale, photo_scale, align_from)
        except AlignmentFailed as error:
            raise alignment_failure(error) from error
        back = inverse(alignment.homography)
        areas = ignored_areas(item_settings(request), marked.reference)

        def is_ignored(finding: DetectedObject) -> bool:
            ((x, y),) = apply(back, np.array([finding.box.centre], np.float64)).tolist()
            return any(area.x <= x < area.right and area.y <= y < area.bottom for area in areas)

        return [finding for finding in findings if not is_ignored(finding)], entry_alignment(
            alignment, marked.scale, request
        )


def _load(request: Request, most: int = pictures.MAX_PIXELS) -> Photo:
    return pictures.load(Path(request.photo), needed_side(request), most)


def _take_prefetched(read: Future[Photo]) -> Photo | None:
    """The picture that was decoded in advance; None if it failed, as a picture too large to decode early."""
    try:
        return read.result()
    except DetectionFailed:
        return None


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise DetectionFailed(disk_error_code(error)) from error


def _reading_key(request: Request) -> tuple[object, ...]:
    """The fields of a request that determine how its photo is decoded."""
    return request.photo, request.kind, request.settings, request.item


def needed_side(request: Request) -> pictures.NeededSide:
    """The px that the request needs: all of them to compare a photo or to detect in parts of it."""
    if request.kind == ModelKind.REFERENCE_DIFFERENCE or item_settings(request).ignored:
        return pictures.full_resolution
    settings = DetectorSettings.model_validate(request.settings)

    def least(width: int, height: int) -> float:
        if is_sliced(width, height, settings):
            return math.inf
        finer = _DECODING_MARGIN * max(scale_of(width, height, settings))
        return max(finer * max(width, height), pictures.SHOWN_SIDE)

    return least


def _network_key(request: Request, photo: NDArray[np.uint8], model: str) -> Hashable | None:
    """The key of a model's findings: all that they depend on. None if the photo's hash is not known."""
    if request.photo_sha256 is None:
        return None
    settings = json.dumps(request.settings, sort_keys=True)
    return request.photo_sha256, photo.shape, model, request.kind, settings, request.labels
