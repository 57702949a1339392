"""Differences with a stain and a line, and pictures of the same line, for tests of dark lines."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np

from service.detection.reference_difference.data import Floats
from service.detection.reference_difference.difference.comparison import Comparison
from service.detection.reference_difference.variation.memory import Appearance
from shared.images.cv import cv2
from shared.record.geometry import Rect

PLACE = Rect(100, 40, 80, 60)


def draw_stain(level: float = -40) -> Floats:
    stain = np.zeros((60, 80), np.float32)
    cv2.ellipse(stain, (40, 30), (30, 20), 0, 0, 360, level, -1)
    return np.repeat(cv2.GaussianBlur(stain, (0, 0), 4)[..., None], 3, axis=2)


def draw_line(*ends: int, level: float = -60, thick: int = 1, on: Floats | None = None) -> Appearance:
    image = draw_stain() if on is None else on
    line = np.zeros((60, 80), np.float32)
    cv2.line(line, ends[:2], ends[2:], level, thick, cv2.LINE_AA)
    return Appearance.of(PLACE, np.asarray(image + line[..., None], np.float32))


def plate(*ends: int, level: float = 60) -> Floats:
    """A grey picture of 240 x 140 px with one dark line, or without any."""
    image = np.full((140, 240), 160, np.float32)
    if ends:
        cv2.line(image, ends[:2], ends[2:], level, 1, cv2.LINE_AA)
    return image[..., None]


def make_comparison(now: Floats, was: Floats) -> Comparison:
    return cast(Comparison, SimpleNamespace(frame=SimpleNamespace(to_reference=np.eye(3)), now=now, was=was))
