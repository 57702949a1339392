"""Compares photos by their appearance; keeps the backbone open and the memories of the last regions."""

from __future__ import annotations

import base64
import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from service.detection.appearance.backbone import SIDE, AddedBackbone, Backbone, BuiltInBackbone, Features
from service.detection.appearance.comparing import MOST_UNUSUAL, AppearanceMemory, Distances
from service.detection.compute import pictures
from service.detection.compute.comparing import entry_box
from service.detection.failure import DetectionFailed
from service.detection.messages import Request
from service.detection.onnx.settings import DetectorSettings
from service.detection.reference_difference import RegionMemory, Result
from service.detection.reference_difference.data import (
    Matrix,
    Pyramid,
    apply,
    corners,
    inverse,
    shift_scale,
)
from service.detection.reference_difference.variation.memory import SUPPORT
from shared.images.cv import cv2
from shared.record.content import sha256
from shared.record.entries import EntryAppearance, EntryBox
from shared.record.geometry import Rect, rect_from_corners
from shared.wire.inspection import Place
from shared.wire.memory import MemoryKind, MemoryReason

Look = NDArray[np.int8]
"""Patch features of a picture in `_STEPS`, (rows, columns, channels)."""

_KEPT: Final = 8
"""The memories of the last regions that stay computed, at most 4.5 MB each."""
_NEAREST: Final = 8
"""The passed photos that an entry names: more are no help beside today's."""
_STEPS: Final = 127
"""Steps of a feature in a look. Rounding adds less than 0.001 to a distance."""


def is_enough(looks: Sequence[Look]) -> bool:
    """Whether these photos that passed say how much photos differ; one says nothing about that."""
    return len(looks) >= SUPPORT


class Appearances:
    """Compares photos with the looks of photos that passed."""

    def __init__(self) -> None:
        self._backbone: Backbone | None = None
        self._added: tuple[str, Mapping[str, Any]] | None = None
        self._memories: OrderedDict[tuple[str, Place | None], AppearanceMemory] = OrderedDict()
        self._files: OrderedDict[tuple[str, Rect], Look] = OrderedDict()

    def use(self, request: Request) -> None:
        """Use the backbone of this request from now on."""
        added = None if request.backbone is None else (request.backbone, request.backbone_settings)
        if added != self._added:
            self._added, self._backbone = added, None
            self._memories.clear()
            self._files.clear()

    def look(self, photo: NDArray[np.uint8], section: Rect) -> Look:
        """The look of a section of a photo (BGR uint8), in fractions of it. Raises DetectionFailed."""
        return self._look(cut_out(photo, section))

    def aligned_look(self, photo: Pyramid, region: Rect, homography: Matrix) -> Look:
        """The look of `region` (px of the reference image) in a photo. Raises DetectionFailed.

        homography: reference px -> photo px.
        """
        to_reference = inverse(shift_scale(region.x, region.y, SIDE / region.w, SIDE / region.h))
        return self._look(photo.warped(homography @ to_reference, (SIDE, SIDE)))

    def looks_of_files(self, paths: Sequence[str], section: Rect) -> dict[str, Look]:
        """The looks of photos that passed, by their paths. Raises DetectionFailed."""
        looks = {}
        for path in paths:
            look = self._files.pop((path, section), None)
            if look is None:
                look = self.look(pictures.load(Path(path), _needed_side(section))[0], section)
            self._files[path, section] = look
            looks[path] = look
        while len(self._files) > max(_MAX_FILES, len(paths)):
            self._files.popitem(last=False)
        return looks

    def judge(
        self,
        photo: NDArray[np.uint8],
        section: Rect,
        looks: Mapping[str, Look],
        place: Place,
        ignored: Sequence[Rect] = (),
    ) -> tuple[list[EntryBox], EntryAppearance] | None:
        """The unusual parts of `photo` (BGR uint8) in its px, none if it passes, and how unusual it is.

        section: the part of every picture that is compared, in fractions of it. looks: of the passed photos
        by their keys, at least one. place: with `ALIGN`, the passed photos choose. ignored: in fractions of
        the section. None if the photo shows something else. Raises DetectionFailed.
        """
        memory = self._memory(list(looks.values()), None if place is Place.ALIGN else place)
        appearance = memory.judge(_floats(self.look(photo, section)), ignored)
        if float(np.mean(appearance.heat > 1)) > MOST_UNUSUAL:
            return None
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
        return boxes, {
            "distance": round(appearance.distance, 4),
            "limit": round(memory.limit, 4),
            "share": None if appearance.share is None else round(appearance.share, 4),
            "photos": len(memory.patches),
            "nearest": [list(looks)[index] for index in appearance.order[:_NEAREST]],
            "place": memory.place.value,
            "heat": _heat_picture(appearance.heat),
            "section": [round(value, 6) for value in (section.x, section.y, section.w, section.h)],
        }

    def usual_place(self, looks: Sequence[Look]) -> Place:
        """Where the object lies in photos that passed, at least one: `FIXED` or `ANYWHERE`."""
        return self._memory(looks, None).place

    def weigh(self, memory: RegionMemory | None, photo: NDArray[np.uint8], result: Result) -> Result:
        """`result` as it is once the appearance has a say. Raises DetectionFailed.

        A finding that the memory explains is reported where the photo looks unlike all passed ones, unless a
        person rejected it. One that a single photo explains is suppressed only where the photo looks usual.
        """
        if memory is None or not result.suppressed:
            return result
        looks = memory.looks()
        if not is_enough(looks):
            return result
        homography = result.alignment.homography
        back = inverse(homography)
        today = _floats(self.aligned_look(Pyramid(photo), memory.region, homography))
        appearance = self._memory(looks, Place.FIXED).judge(today)
        rejected = {photo.key for photo in memory.photos if photo.kind is MemoryKind.REJECTED}

        def is_unusual(at: Rect) -> bool:
            return appearance.most_heat(_within(at, memory.region)) > 1

        reported, suppressed = list(result.boxes), []
        for finding in result.suppressed:
            at = _map_box(finding.difference.box, back)
            if not (rejected.isdisjoint(finding.photos) and is_unusual(at)):
                suppressed.append(replace(finding, instead=None))
            else:
                unusual = replace(finding.difference, reason=MemoryReason.UNUSUAL)
                reported.append(finding.instead or unusual)
        reported.sort(key=lambda difference: -difference.confidence)
        return replace(result, boxes=tuple(reported), suppressed=tuple(suppressed))

    def _look(self, image: NDArray[np.uint8]) -> Look:
        try:
            self._backbone = self._backbone or self._open()
            features = self._backbone.features(image)
        except FileNotFoundError as error:
            raise DetectionFailed("model_lost") from error
        except MemoryError:
            raise
        # Other weights, or an added backbone: ONNX Runtime raises classes of its own, all below Exception.
        except Exception as error:
            raise DetectionFailed("model_failed") from error
        return np.asarray(np.rint(features * np.float32(_STEPS)), np.int8)

    def _open(self) -> Backbone:
        if self._added is None:
            return BuiltInBackbone()
        path, settings = self._added
        return AddedBackbone(Path(path), DetectorSettings.model_validate(settings))

    def _memory(self, looks: Sequence[Look], place: Place | None) -> AppearanceMemory:
        key = sha256(b"".join(look.tobytes() for look in looks)), place
        memory = self._memories.pop(key, None)
        memory = memory or AppearanceMemory.of([_floats(look) for look in looks], place)
        self._memories[key] = memory
        if len(self._memories) > _KEPT:
            self._memories.popitem(last=False)
        return memory


def _heat_picture(heat: Distances) -> str:
    """The heat as an `EntryAppearance` has it."""
    levels = np.clip(np.rint(heat * _LIMIT_LEVEL), 0, 255).astype(np.uint8)
    return base64.b64encode(bytes(cv2.imencode(".png", levels)[1])).decode("ascii")


_LIMIT_LEVEL: Final = 128
"""The grey level of the limit in a picture of the heat."""
_MAX_FILES: Final = 100
"""Looks of files that stay computed, 0.1 MB each."""


def _needed_side(section: Rect) -> pictures.NeededSide:
    """The px that a comparison of this section needs: twice the input of the backbone."""

    def least(width: int, height: int) -> float:
        shorter = min(section.w * width, section.h * height)
        return math.inf if shorter <= 0 else 2 * SIDE * max(width, height) / shorter

    return least


def cut_out(image: NDArray[np.uint8], section: Rect) -> NDArray[np.uint8]:
    """The section of `image`, at least one px."""
    height, width = image.shape[:2]
    left, top = int(section.x * width), int(section.y * height)
    right, bottom = round(section.right * width), round(section.bottom * height)
    return image[top : max(bottom, top + 1), left : max(right, left + 1)]


def _floats(look: Look) -> Features:
    """The features of a look, each of length 1 again."""
    values = look.astype(np.float32)
    lengths = np.linalg.norm(values, axis=2, keepdims=True)
    return np.asarray(values / np.maximum(lengths, 1), np.float16)


def _map_box(box: Rect, homography: Matrix) -> Rect:
    points = apply(homography, corners(box))
    return rect_from_corners(*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def _within(at: Rect, region: Rect) -> Rect:
    """A box in fractions of `region`."""
    return Rect((at.x - region.x) / region.w, (at.y - region.y) / region.h, at.w / region.w, at.h / region.h)
