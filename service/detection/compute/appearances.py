"""Compares a photo by its appearance: reads the passed photos and keeps the backbone open."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.appearance.backbone import SIDE, BuiltInBackbone
from service.detection.appearance.comparing import AppearanceMemory, Place
from service.detection.appearance.torch_weights import NotWeightsError
from service.detection.compute import pictures
from service.detection.compute.comparing import JudgedAppearance, entry_box
from service.detection.failure import DetectionFailed
from service.detection.onnx.backbone import Features
from service.detection.reference_difference import RegionMemory, Result, SuppressedDifference
from service.detection.reference_difference.data import (
    Matrix,
    Pyramid,
    apply,
    corners,
    inverse,
    shift_scale,
)
from service.detection.second_opinion.windows import touched_cells
from shared.record.entries import EntryBox
from shared.record.geometry import Rect, rect_from_corners
from shared.wire.memory import MemoryKind

_KEPT: Final = 8
"""The memories of the last regions that stay computed, at most 4.5 MB each."""


_STEPS: Final = 127
"""Steps of a feature in a look. Rounding adds less than 0.001 to a distance."""


class Appearances:
    """Compares photos by appearance, and keeps the memories of the last regions."""

    def __init__(self) -> None:
        self._backbone: BuiltInBackbone | None = None
        self._memories: OrderedDict[tuple[object, ...], AppearanceMemory] = OrderedDict()

    def judge(
        self, photo: NDArray[np.uint8], section: Rect, passed: tuple[str, ...], place: Place
    ) -> tuple[list[EntryBox], JudgedAppearance]:
        """The unusual parts of `photo` (BGR uint8) in its px, none if it passes, and how unusual it is.

        section: the part of every picture that is compared, in fractions of it. passed: paths of photos that
        passed, at least one. Raises DetectionFailed.
        """
        memory = self._memory(section, passed, place)
        appearance = memory.judge(self._features(cut_out(photo, section)))
        height, width = photo.shape[:2]
        boxes = [
            entry_box(
                "difference",
                part.ratio**2 / (part.ratio**2 + 1),
                Rect(
                    (section.x + part.box.x * section.w) * width,
                    (section.y + part.box.y * section.h) * height,
                    part.box.w * section.w * width,
                    part.box.h * section.h * height,
                ),
            )
            for part in appearance.parts
        ]
        share = None if appearance.share is None else round(appearance.share, 4)
        judged = JudgedAppearance(
            round(appearance.distance, 4), round(memory.limit, 4), share, len(memory.patches)
        )
        return boxes, judged

    def describe(self, photo: Pyramid, region: Rect, homography: Matrix) -> NDArray[np.int8]:
        """The look of `region` (px of the reference image) in a photo, for `PhotoVariation`.

        homography: reference px -> photo px. Raises DetectionFailed.
        """
        to_reference = inverse(shift_scale(region.x, region.y, SIDE / region.w, SIDE / region.h))
        image = photo.warped(homography @ to_reference, (SIDE, SIDE))
        return np.asarray(np.rint(self._features(image) * np.float32(_STEPS)), np.int8)

    def unusual(
        self, memory: RegionMemory | None, photo: NDArray[np.uint8], result: Result
    ) -> list[SuppressedDifference]:
        """The suppressed findings of `result` in places that look unlike all photos of `memory`.

        There must be at least two photos that passed: with one nothing says how much photos differ. What a
        person rejected stays suppressed. Raises DetectionFailed.
        """
        if memory is None or not result.suppressed:
            return []
        looks = [variation.look for variation in memory.passed if variation.look is not None]
        if len(looks) < 2:
            return []
        homography = result.alignment.homography
        today = _floats(self.describe(Pyramid(photo), memory.region, homography))
        heat = AppearanceMemory.of([_floats(look) for look in looks], Place.SAME).judge(today).heat
        back = inverse(homography)
        rejected = {photo.key for photo in memory.photos if photo.kind is MemoryKind.REJECTED}
        return [
            finding
            for finding in result.suppressed
            if rejected.isdisjoint(finding.photos)
            and _heat_at(heat, _map_box(finding.difference.box, back), memory.region) > 1
        ]

    def _features(self, image: NDArray[np.uint8]) -> Features:
        try:
            return self._opened().features(image)
        except FileNotFoundError as error:
            raise DetectionFailed("model_lost") from error
        except NotWeightsError as error:
            raise DetectionFailed("model_failed") from error

    def _memory(self, section: Rect, passed: tuple[str, ...], place: Place) -> AppearanceMemory:
        key = (section, passed, place)
        memory = self._memories.pop(key, None)
        if memory is None:
            photos = [pictures.load(Path(path), needed_side(section))[0] for path in passed]
            features = [self._features(cut_out(photo, section)) for photo in photos]
            memory = AppearanceMemory.of(features, place)
        self._memories[key] = memory
        if len(self._memories) > _KEPT:
            self._memories.popitem(last=False)
        return memory

    def _opened(self) -> BuiltInBackbone:
        if self._backbone is None:
            self._backbone = BuiltInBackbone()
        return self._backbone


def needed_side(section: Rect) -> pictures.NeededSide:
    """The px that a comparison of this section needs: twice the input of the backbone."""

    def least(width: int, height: int) -> float:
        shorter = min(section.w * width, section.h * height)
        return 2 * SIDE * max(width, height) / shorter

    return least


def cut_out(image: NDArray[np.uint8], section: Rect) -> NDArray[np.uint8]:
    """The section of `image`, at least one px."""
    height, width = image.shape[:2]
    left, top = int(section.x * width), int(section.y * height)
    right, bottom = round(section.right * width), round(section.bottom * height)
    return image[top : max(bottom, top + 1), left : max(right, left + 1)]


def _floats(look: NDArray[np.int8]) -> Features:
    """The features of a look, each of length 1 again."""
    values = look.astype(np.float32)
    lengths = np.linalg.norm(values, axis=2, keepdims=True)
    return np.asarray(values / np.maximum(lengths, 1), np.float16)


def _map_box(box: Rect, homography: Matrix) -> Rect:
    points = apply(homography, corners(box))
    return rect_from_corners(*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def _heat_at(heat: NDArray[np.float32], box: Rect, region: Rect) -> float:
    """The most heat of the patches of `region` that `box` touches; both are px of the reference image."""
    rows, columns = heat.shape
    cells = touched_cells(box, region, rows, columns)
    return float(heat[cells.top : cells.bottom, cells.left : cells.right].max())
