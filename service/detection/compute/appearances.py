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
from shared.entries import EntryBox
from shared.geometry import Rect

_KEPT: Final = 8
"""The memories of the last regions that stay computed, at most 4.5 MB each."""


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
        try:
            memory = self._memory(section, passed, place)
            appearance = memory.judge(self._opened().features(cut_out(photo, section)))
        except FileNotFoundError as error:
            raise DetectionFailed("model_lost") from error
        except NotWeightsError as error:
            raise DetectionFailed("model_failed") from error
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

    def _memory(self, section: Rect, passed: tuple[str, ...], place: Place) -> AppearanceMemory:
        key = (section, passed, place)
        memory = self._memories.pop(key, None)
        if memory is None:
            photos = [pictures.load(Path(path), needed_side(section))[0] for path in passed]
            features = [self._opened().features(cut_out(photo, section)) for photo in photos]
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
