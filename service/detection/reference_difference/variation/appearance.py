"""Cuts a differing part out of a comparison, in the px and in the light of the reference image."""

from __future__ import annotations

import numpy as np

from service.detection.reference_difference.data import Bytes, Floats, apply, corners
from service.detection.reference_difference.difference.boxes import DifferencePart
from service.detection.reference_difference.difference.comparison import Comparison
from service.detection.reference_difference.light.light import Light
from shared.images.cv import cv2
from shared.record.geometry import Rect, rect_from_corners

# px around a part that belong to its appearance: its edge, which the tolerance has removed.
PAD = 2
# The limits of the photo's light in parts of the reference's light.
_DARKEST, _BRIGHTEST = 0.4, 2.5


def difference_of(part: DifferencePart, view: Comparison) -> tuple[Rect, Floats, Bytes]:
    """The place of the part in the reference image (px), its difference, and its mask.

    The difference is float32 (height, width, 3), signed, in grey levels of the reference's light, 0 beside
    the part. The mask is uint8, 0 or 1.
    """
    height, width = view.now.shape[:2]
    x1, y1 = max(int(part.box.x) - PAD, 0), max(int(part.box.y) - PAD, 0)
    x2, y2 = min(int(part.box.right) + PAD, width), min(int(part.box.bottom) + PAD, height)
    mask = np.zeros((y2 - y1, x2 - x1), np.uint8)
    left, top = int(part.box.x) - x1, int(part.box.y) - y1
    mask[top : top + part.mask.shape[0], left : left + part.mask.shape[1]] = part.mask
    mask = np.asarray(cv2.dilate(mask, np.ones((2 * PAD + 1, 2 * PAD + 1), np.uint8)), np.uint8)
    change = (view.now[y1:y2, x1:x2] - view.was[y1:y2, x1:x2]) / _gain(view.light)
    if change.shape[2] == 1:
        change = np.repeat(change, 3, axis=2)
    reference_corners = apply(view.frame.to_reference, corners(Rect(x1, y1, x2 - x1, y2 - y1)))
    box = rect_from_corners(*reference_corners[0].tolist(), *reference_corners[2].tolist())
    return box, np.asarray(change * mask[..., None], np.float32), mask


def _gain(light: Light) -> Floats:
    """The brightness of the photo relative to the reference in the middle of the frame, per channel."""
    grey = light.apply(np.full((1, 1, light.channels), 128, np.float32))[0, 0] / np.float32(128)
    return np.asarray(np.clip(grey, _DARKEST, _BRIGHTEST), np.float32)
