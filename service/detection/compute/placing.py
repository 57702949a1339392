"""Chooses the start of an alignment, and converts alignments to the form of a result entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from service.detection.compute.request import Request, item_settings
from service.detection.failure import DetectionFailed
from service.detection.reference_difference import AlignmentFailed
from service.detection.reference_difference.data import Alignment, Matrix
from shared.record.entries import EntryAlignment

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
