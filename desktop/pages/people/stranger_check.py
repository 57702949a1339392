"""Compares a folder of photos of unenrolled people with the enrolled faces, some at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from desktop.background.workers import ProgressReport
from desktop.client.session import Session
from shared.images.cv import cv2
from shared.wire.face import StrangerScores

_PICTURES = {".jpg", ".jpeg", ".png", ".webp", ".bmp"}
_AT_ONCE = 8
# A face needs no more, and some pictures together stay far below what the service takes.
_LONGEST = 1280
_QUALITY = 92


@dataclass(frozen=True, slots=True)
class StrangerTotals:
    """What the photos so far say: the sums of their `StrangerScores`, of `total` photos in the folder."""

    total: int
    done: int = 0
    faces: int = 0
    comparisons: int = 0
    false_matches: int = 0
    largest: float | None = None

    def plus(self, photos: int, scores: StrangerScores | None) -> StrangerTotals:
        """With `photos` more, of which the readable ones have these scores."""
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


def compare(report: ProgressReport, session: Session, folder: Path) -> StrangerTotals:
    """Compare every picture in `folder` and below it; reports the `StrangerTotals` after each step.

    Raises what `Faces.compare_strangers` raises, OSError.
    """
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _PICTURES)
    tally = StrangerTotals(len(paths))
    for start in range(0, len(paths), _AT_ONCE):
        report(tally)
        some = paths[start : start + _AT_ONCE]
        images = [image for path in some if (image := _reduced(path)) is not None]
        tally = tally.plus(len(some), session.faces.compare_strangers(images) if images else None)
    return tally


def _reduced(path: Path) -> bytes | None:
    """The picture as a JPEG of at most `_LONGEST` px; None when it is not a picture."""
    try:
        data = np.frombuffer(path.read_bytes(), dtype=np.uint8)
        # Turned upright by its EXIF orientation, which the new file does not carry.
        image = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    except (OSError, cv2.error):
        return None
    if image is None:
        return None
    scale = _LONGEST / max(image.shape[:2])
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    good, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return bytes(jpeg) if good else None
