"""Frames of a camera that looks at a panel, as a source that a test moves."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from desktop.camera import target_rect
from desktop.camera.sources import Frame
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import draw_panel

REGION = Rect(500, 400, 400, 300)
"""On the panel, px."""
AROUND = Rect(300, 200, 800, 700)
"""The part of the panel that a guide gets."""


@cache
def surface() -> Frame:
    return draw_panel(1600, 1200, 1).image


def reference() -> tuple[Frame, Rect]:
    """What a guide looks for: a part of the panel, and the region in it."""
    x, y, w, h = (int(value) for value in (AROUND.x, AROUND.y, AROUND.w, AROUND.h))
    return surface()[y : y + h, x : x + w], Rect(REGION.x - x, REGION.y - y, REGION.w, REGION.h)


@dataclass(frozen=True)
class Pose:
    """How the region is seen: its size by the wanted one, its turn (degrees, clockwise), and how far its
    middle is from the frame's, in parts of the frame."""

    scale: float = 1.0
    turn: float = 0.0
    x: float = 0.0
    y: float = 0.0
    blur: float = 0.0
    gain: float = 1.0


def frame(pose: Pose, width: int = 960, height: int = 540) -> Frame:
    size = target_rect(REGION.w, REGION.h, width, height).w / REGION.w * pose.scale
    cos, sin = (
        value * size for value in (math.cos(math.radians(pose.turn)), math.sin(math.radians(pose.turn)))
    )
    middle_x, middle_y = REGION.x + REGION.w / 2, REGION.y + REGION.h / 2
    to_x, to_y = width * (0.5 + pose.x), height * (0.5 + pose.y)
    matrix = np.array(
        [
            [cos, -sin, to_x - cos * middle_x + sin * middle_y],
            [sin, cos, to_y - sin * middle_x - cos * middle_y],
        ]
    )
    warped = cv2.warpAffine(surface(), matrix, (width, height), borderMode=cv2.BORDER_REFLECT_101)
    if pose.blur:
        warped = cv2.GaussianBlur(warped, (0, 0), pose.blur)
    frame: Frame = np.clip(warped * pose.gain, 0, 255).astype(np.uint8)
    return frame


@dataclass
class MovedCamera:
    """A camera that a test moves while it films."""

    pose: Pose
    name: str = "moved"
    is_open: bool = False
    _shown: dict[Pose, Frame] = field(default_factory=dict)

    def open(self) -> None:
        self.is_open = True

    def read(self) -> Frame | None:
        pose = self.pose
        if pose not in self._shown:
            self._shown[pose] = frame(pose)
        return self._shown[pose].copy()

    def close(self) -> None:
        self.is_open = False
