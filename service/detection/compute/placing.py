"""Chooses the start of an alignment, and converts alignments to the form of a result entry.

Finds the regions of reference images that a photo shows, in the compute process.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from service.detection.compute import pictures
from service.detection.failure import DetectionFailed
from service.detection.messages import FoundPlace, PlacesRequest, Request, item_settings
from service.detection.reference_difference import AlignmentFailed
from service.detection.reference_difference.alignment.cover import (
    RegionPlace,
    find_regions,
)
from service.detection.reference_difference.data import Alignment, Matrix, Pyramid, grey
from shared.record.entries import EntryAlignment
from shared.record.geometry import map_corners, point_to_pixels

T = TypeVar("T")

_ALIGNMENT_CODES = {code: code for code in ("too_small", "not_visible", "overexposed")}
NOT_ALIGNED = "alignment_failed"


def alignment_failure(error: AlignmentFailed) -> DetectionFailed:
    """The failure of a detection whose alignment failed."""
    return DetectionFailed(_ALIGNMENT_CODES.get(error.reason, NOT_ALIGNED))


def with_start(request: Request, scale: float, photo_scale: float, work: Callable[[Matrix | None], T]) -> T:
    """Run `work` with the alignment that a user set as its start, or without a start if there is none.

    If that fails, the place that photo matching found is the start. The scales are the scales of the decoded
    reference image and photo. Raises AlignmentFailed.
    """

    def between_decoded(homography: Sequence[Sequence[float]]) -> Matrix:
        enlarge, shrink = np.diag([photo_scale, photo_scale, 1.0]), np.diag([1 / scale, 1 / scale, 1.0])
        return np.asarray(enlarge @ np.asarray(homography, np.float64) @ shrink)

    set_by_person = _set_by_person(request)
    if set_by_person is not None:
        return work(between_decoded(set_by_person))
    try:
        return work(None)
    except AlignmentFailed:
        if request.place is None:
            raise
        return work(between_decoded(request.place))


def _set_by_person(request: Request) -> Sequence[Sequence[float]] | None:
    """The alignment that a user set for the item or when assigning the photo; None without one."""
    alignment = item_settings(request).alignment
    if alignment is not None:
        return alignment.homography
    return request.place if request.place_by_person else None


def assigned_alignment(request: Request, photo_scale: float) -> EntryAlignment | None:
    """The alignment of a photo that is not compared, from its assignment; None without one.

    As in `entry_alignment`, the homography leads to px of the decoded photo.
    """
    by_person = _set_by_person(request)
    homography = request.place if by_person is None else by_person
    if request.place is None or homography is None:
        return None
    to_photo = np.diag([photo_scale, photo_scale, 1.0]) @ np.asarray(homography, np.float64)
    return {"homography": to_photo.tolist(), "set_by": "model" if by_person is None else "person"}


def entry_alignment(
    alignment: Alignment, scale: float, request: Request, aside: bool = False
) -> EntryAlignment:
    """Convert an alignment to the form of a result entry. scale: the scale of the decoded reference image.

    aside: as in `Result`.
    """
    to_photo = alignment.homography @ np.diag([scale, scale, 1.0])
    entry: EntryAlignment = {
        "homography": (to_photo / to_photo[2, 2]).tolist(),
        "inliers": alignment.inliers,
        "error_px": round(alignment.error_px, 3),
        "score": round(alignment.score, 3),
        "visible": round(alignment.visible, 3),
        "set_by": "model" if _set_by_person(request) is None else "person",
    }
    return {**entry, "other_light": True} if aside else entry


def same_place(reference: NDArray[np.uint8], photo: NDArray[np.uint8]) -> Matrix:
    """The homography of a photo by a fixed camera, reference px -> photo px: fractions of both are equal."""
    (height, width), (photo_height, photo_width) = reference.shape[:2], photo.shape[:2]
    return np.diag([photo_width / width, photo_height / height, 1.0])


def fixed_alignment(reference: NDArray[np.uint8], scale: float, photo: NDArray[np.uint8]) -> EntryAlignment:
    """The alignment of a photo by a fixed camera, in the form of a result entry.

    reference, photo: as decoded (BGR uint8), the former at `scale`.
    """
    to_photo = same_place(reference, photo) @ np.diag([scale, scale, 1.0])
    return {"homography": to_photo.tolist(), "set_by": "model"}


def enlarge_alignment(alignment: EntryAlignment | None, scale: float) -> EntryAlignment | None:
    """Convert an alignment from px of the photo as decoded at `scale` to px of the photo file."""
    if alignment is None or scale == 1.0:
        return alignment
    matrix = np.diag([1 / scale, 1 / scale, 1.0]) @ np.asarray(alignment["homography"])
    larger: EntryAlignment = {**alignment, "homography": (matrix / matrix[2, 2]).tolist()}
    if "error_px" in alignment:
        larger["error_px"] = round(alignment["error_px"] / scale, 3)
    return larger


MAX_REFERENCES = 8
"""The most reference files whose regions are searched, since each one takes a comparison."""
_SECONDS = 6.0
"""Processor time for trying regions one by one if the whole photo cannot be located. It finds the same places
on a busy computer."""


_SAME_SHAPE = 0.02
"""The proportions of a photo of a fixed camera and of its reference image differ by less than this share."""


LoadReference = Callable[[str], pictures.Reference]
"""Takes the path of a reference image. Raises DetectionFailed."""

Point = tuple[float, float, float, float]
"""x, y, w, h of a region as an item stores them."""


class PlaceSearch:
    """Searches regions in photos.

    distance: of a photo of a fixed camera to a reference image (BGR uint8), None if it shows something else.
    """

    def __init__(
        self,
        load_reference: LoadReference,
        distance: Callable[[NDArray[np.uint8], NDArray[np.uint8]], float | None],
    ) -> None:
        self._load_reference, self._distance = load_reference, distance

    def find(self, request: PlacesRequest) -> list[FoundPlace | None]:
        """The place of each region in the photo; None for a region that is not found.

        Raises DetectionFailed if the photo cannot be read.
        """
        image, photo_scale = pictures.load(Path(request.photo))
        places: list[FoundPlace | None] = [None] * len(request.regions)
        nearest = self._nearest([request.regions[number][0] for number in request.fixed], image)
        for number in request.fixed:
            path, point = request.regions[number]
            if nearest is not None and path == nearest[0].path:
                places[number] = _found_place(point, nearest[1], nearest[0], photo_scale)
        aligned = [number for number in range(len(places)) if number not in request.fixed]
        if not aligned:
            return places
        photo = Pyramid(grey(image))
        del image
        until = time.process_time() + _SECONDS
        for path in list(dict.fromkeys(request.regions[number][0] for number in aligned))[:MAX_REFERENCES]:
            numbers = [number for number in aligned if request.regions[number][0] == path]
            points = [request.regions[number][1] for number in numbers]
            found = self._find_on_reference(path, points, photo, photo_scale, until)
            for number, place in zip(numbers, found, strict=True):
                places[number] = place
        return places

    def _nearest(
        self, paths: Sequence[str], photo: NDArray[np.uint8]
    ) -> tuple[pictures.Reference, RegionPlace] | None:
        """The reference image that a photo of a fixed camera looks most like, and its place in the photo."""
        (height, width), best, nearest = photo.shape[:2], math.inf, None
        for path in list(dict.fromkeys(paths))[:MAX_REFERENCES]:
            with contextlib.suppress(DetectionFailed):
                reference = self._load_reference(path)
                known_width, known_height = reference.levels.size
                if abs(width * known_height / (height * known_width) - 1) >= _SAME_SHAPE:
                    continue
                distance = self._distance(reference.image, photo)
                if distance is not None and distance < best:
                    place, best = same_place(reference.image, photo), distance
                    nearest = reference, RegionPlace(place, max(1 - distance, 0.0), 1.0, True)
        return nearest

    def _find_on_reference(
        self, path: str, points: Sequence[Point], photo: Pyramid, photo_scale: float, until: float
    ) -> list[FoundPlace | None]:
        try:
            reference = self._load_reference(path)
        except DetectionFailed:
            # The regions on other reference files can still be found.
            return [None] * len(points)
        regions = []
        for point in points:
            shrink = 1.0 if max(point) <= 1 else reference.scale
            x, y, w, h = (value * shrink for value in point)
            regions.append(point_to_pixels(x, y, w, h, *reference.levels.size))
        places = find_regions(reference.levels, regions, photo, max(until - time.process_time(), 0.0))
        return [
            None if place is None else _found_place(point, place, reference, photo_scale)
            for point, place in zip(points, places, strict=True)
        ]


def _found_place(
    point: Point, place: RegionPlace, reference: pictures.Reference, photo_scale: float
) -> FoundPlace | None:
    """`place` in px of the files; None if a corner of the region is at infinity."""
    scale, (width, height) = reference.scale, reference.levels.size
    enlarge, shrink_back = np.diag([1 / photo_scale, 1 / photo_scale, 1.0]), np.diag([scale, scale, 1.0])
    matrix = enlarge @ place.homography @ shrink_back
    homography = (matrix / matrix[2, 2]).tolist()
    corners = map_corners(point_to_pixels(*point, round(width / scale), round(height / scale)), homography)
    if corners is None:
        return None
    return {
        "homography": homography,
        "corners": [[round(x, 2), round(y, 2)] for x, y in corners],
        "score": round(place.score, 3),
        "visible": round(place.visible, 3),
        "covered": place.covered,
    }
