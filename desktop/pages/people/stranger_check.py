"""Compares a folder of photos of people who are not enrolled with the enrolled faces, in batches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from desktop.background.workers import ProgressReport
from desktop.client.session import Session
from shared.images.cv import cv2
from shared.images.formats import is_picture_name
from shared.wire.face import StrangerScores

_BATCH_SIZE = 8
# Sufficient for a face, and a batch stays well below the limit of a request.
_MAX_SIDE_PX = 1280
_QUALITY = 92


@dataclass(frozen=True, slots=True)
class StrangerTotals:
    """The sums of the `StrangerScores` of the `done` photos; the folder contains `total` photos."""

    total: int
    done: int = 0
    faces: int = 0
    comparisons: int = 0
    false_matches: int = 0
    largest: float | None = None

    def plus(self, photos: int, scores: StrangerScores | None) -> StrangerTotals:
        """Add a batch of `photos` photos, whose readable photos have these scores."""
        if scores is None:
            return replace(self, done=self.done + photos)
        largest = [score for score in (self.largest, scores.largest) if score is not None]
        return StrangerTotals(
            self.total,
            self.done + photos,
            self.faces + scores.faces,
            self.comparisons + scores.comparisons,
            self.false_matches + scores.false_matches,
            max(largest, default=None),
        )


def compare_folder(report: ProgressReport, session: Session, folder: Path) -> StrangerTotals:
    """Compare every picture in `folder` and its subfolders. Reports the `StrangerTotals` before each batch.

    Raises OSError, and the errors of `Faces.compare_strangers`.
    """
    paths = sorted(path for path in folder.rglob("*") if is_picture_name(path.name))
    totals = StrangerTotals(len(paths))
    for start in range(0, len(paths), _BATCH_SIZE):
        report(totals)
        batch = paths[start : start + _BATCH_SIZE]
        images = [image for path in batch if (image := _read_reduced(path)) is not None]
        totals = totals.plus(len(batch), session.faces.compare_strangers(images) if images else None)
    return totals


def _read_reduced(path: Path) -> bytes | None:
    """Read a picture as a JPEG of at most `_MAX_SIDE_PX`; None if the file is not a picture."""
    try:
        data = np.frombuffer(path.read_bytes(), dtype=np.uint8)
        # OpenCV rotates it upright; the new file has no EXIF orientation.
        image = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    except (OSError, cv2.error):
        return None
    if image is None:
        return None
    scale = _MAX_SIDE_PX / max(image.shape[:2])
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    is_encoded, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return bytes(jpeg) if is_encoded else None
