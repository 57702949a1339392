"""Finds the regions of reference images that a photo shows, in the compute process."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from service.detection.compute import pictures
from service.detection.compute.placing import same_place
from service.detection.compute.request import PlacesRequest
from service.detection.failure import DetectionFailed
from service.detection.messages import FoundPlace
from service.detection.reference_difference.alignment.cover import (
    RegionPlace,
    find_regions,
)
from service.detection.reference_difference.data import Pyramid, grey
from shared.record.geometry import map_corners, point_to_pixels

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
