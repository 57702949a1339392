"""Finds the regions of reference images that a photo shows, in the compute process."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from service.detection.compute import pictures
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


LoadReference = Callable[[str], tuple[Pyramid, float]]
"""Takes the path of a reference image; gives its grey levels and the scale at which it was decoded."""


class PlaceSearch:
    """Searches regions in photos."""

    def __init__(self, load_reference: LoadReference) -> None:
        self._load_reference = load_reference

    def find(self, request: PlacesRequest) -> list[FoundPlace | None]:
        """The place of each region in the photo; None for a region that is not found.

        Raises DetectionFailed if the photo cannot be read.
        """
        image, photo_scale = pictures.load(Path(request.photo))
        photo = Pyramid(grey(image))
        del image
        places: list[FoundPlace | None] = [None] * len(request.regions)
        until = time.process_time() + _SECONDS
        for path in list(dict.fromkeys(path for path, _ in request.regions))[:MAX_REFERENCES]:
            numbers = [number for number, (file, _) in enumerate(request.regions) if file == path]
            points = [request.regions[number][1] for number in numbers]
            for number, place in zip(
                numbers, self._find_on_reference(path, points, photo, photo_scale, until), strict=True
            ):
                places[number] = place
        return places

    def _find_on_reference(
        self,
        path: str,
        points: Sequence[tuple[float, float, float, float]],
        photo: Pyramid,
        photo_scale: float,
        until: float,
    ) -> list[FoundPlace | None]:
        try:
            reference, scale = self._load_reference(path)
        except DetectionFailed:
            # The regions on other reference files can still be found.
            return [None] * len(points)
        width, height = reference.size
        regions = []
        for point in points:
            shrink = 1.0 if max(point) <= 1 else scale
            x, y, w, h = (value * shrink for value in point)
            regions.append(point_to_pixels(x, y, w, h, width, height))
        enlarge, shrink_back = np.diag([1 / photo_scale, 1 / photo_scale, 1.0]), np.diag([scale, scale, 1.0])

        def to_found_place(place: RegionPlace | None, number: int) -> FoundPlace | None:
            if place is None:
                return None
            matrix = enlarge @ place.homography @ shrink_back
            homography = (matrix / matrix[2, 2]).tolist()
            whole = point_to_pixels(*points[number], round(width / scale), round(height / scale))
            corners = map_corners(whole, homography)
            if corners is None:
                return None
            return {
                "homography": homography,
                "corners": [[round(x, 2), round(y, 2)] for x, y in corners],
                "score": round(place.score, 3),
                "visible": round(place.visible, 3),
                "covered": place.covered,
            }

        covered = find_regions(reference, regions, photo, max(until - time.process_time(), 0.0))
        return [to_found_place(place, number) for number, place in enumerate(covered)]
