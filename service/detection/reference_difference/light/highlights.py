"""Recognises highlights that clip: reflections of a lamp in the photo that are not in the reference.

A highlight adds light to the surface. In its middle the photo clips and the surface is hidden. Around it the
light fades out over many px, in one colour, and the structure of the surface is visible. Paint, tape or a
sheet of paper covers the surface and has an edge, which is as sharp as the photo. So a clipped place counts
as a highlight only if nearly all of its edge is soft. Only the light around it in closed rings that grow
weaker outwards is explained. A stain within that light, darker or brighter, breaks the rings and stays a
difference.

Light adds up in linear values; 2.2 is about the exponent of sRGB.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Bytes, Floats
from shared.images.cv import cv2

_TONE: Final = 2.2
# Longest side of the frames that are measured, px.
_SIDE: Final = 800
# Grey levels from which a channel of a noisy photo counts as clipped, and as nearly clipped in the full
# frame.
_CLIPPED, _NEARLY = 247, 238
# Grey levels by which the least channel is brighter at a new highlight.
_NEW: Final = 6.0
# The least px of a clipped place, and the number of places that are examined, the largest first.
_MIN_AREA, _MAX_PLACES = 40, 24
# px from a clipped place at which the edge of an object has ended, and at which a highlight has faded.
_EDGE_ENDS, _FURTHER = (4.0, 7.0), (10.0, 14.0)
# px around a clipped place that are examined: up to where a highlight has faded, and the smoothing's reach.
_AROUND: Final = 24
# Grey levels below white from which the share of the room to white that the light fills can be measured.
_ROOM: Final = 12.0
# The share of the room to white that is filled at a soft edge, the share of the edge that must be soft, and
# the share at which it can be measured.
_FILLED, _SOFT_SHARE, _SEEN_SHARE = 0.12, 0.85, 0.3
# The weakest and strongest ring in parts of full scale, linear; each is so many times as strong as the next.
_WEAKEST, _STRONGEST, _RINGS = 0.001, 0.8, 22
# px; thinner parts do not belong to a ring, which is smooth.
_SMOOTH: Final = 7
# The factor by which the light of a ring may be off: it is smoothed, and the tone curve is not known.
_OFF: Final = 1.25
# The contrast in the other light is that of cells to others at both sides: cells along the longer side, the
# distance in cells, the least number of cells, and the share of them with most contrast.
_CELLS: Final = 160
_BESIDE: Final = 5
_MIN_CELLS: Final = 200
_STRONG_SHARE = 0.2
# px from a clipped place at which its edge is.
_EDGE: Final = (1.0, 4.0)


@dataclass(frozen=True, slots=True)
class Glare:
    """The highlights of a photo.

    added: light in linear parts of full scale, float32 (rows, columns) over the frame. clipped: 1 where the
    surface is hidden, else 0, float32, same shape. colour: of the light per channel, with a mean of 1.
    """

    added: Floats
    clipped: Floats
    colour: Floats

    def hidden(self, valid: Bytes) -> Bytes:
        """A mask of the shape of `valid`: 255 where the surface is hidden, else 0."""
        whole = cv2.resize(self.clipped, valid.shape[::-1], interpolation=cv2.INTER_LINEAR)
        return np.asarray(cv2.compare(whole, 0.5, cv2.CMP_GT), np.uint8)

    def remove(self, now: Floats) -> Floats:
        """`now` (height, width, channels) without the highlights, in grey levels. Clipped px stay clipped."""
        light = self._light(now)
        without = _to_stored(_to_linear(now) - light)
        return np.where((now >= _CLIPPED) | (light > 0.9), np.float32(255), without)

    def add(self, was: Floats) -> Floats:
        """`was` (height, width, channels) with the highlights, in grey levels."""
        return _to_stored(_to_linear(was) + self._light(was))

    def _light(self, image: Floats) -> Floats:
        added = cv2.resize(self.added, image.shape[1::-1], interpolation=cv2.INTER_LINEAR)
        return np.asarray(added[..., None] * self.colour, np.float32)

    def apply(self, was: Floats, now: Floats, x: Floats, y: Floats) -> Floats:
        """`was` with the highlights of `now`, both (height, width, channels) in grey levels.

        x, y: the place of each px in `added`. Where the photo clips, the result is `now`.
        """
        added = cv2.remap(self.added, x, y, cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE)
        rows, columns = np.flatnonzero(added.any(axis=1)), np.flatnonzero(added.any(axis=0))
        if not rows.size:
            return was
        part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        light = added[part][..., None] * self.colour
        base = _to_linear(was[part])
        least, most = _to_stored(base + light / np.float32(_OFF)), _to_stored(base + light * np.float32(_OFF))
        lit = np.where(light > 0, np.clip(now[part], least, most), was[part])
        clipped = cv2.remap(self.clipped, x, y, cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE)[part]
        hidden = (cv2.dilate(clipped, np.ones((9, 9), np.uint8)) > 0) & (now[part].min(axis=2) >= _NEARLY)
        lit = np.where((hidden | (clipped > 0.5))[..., None], now[part], lit)
        whole = was.copy()
        whole[part] = lit
        return whole


def find_before_light(was: Floats, now: Floats, valid: Bytes) -> Glare | None:
    """Do the same as `find` before `was` has the light of `now`.

    Added light does not change the contrast in linear values, which shows how bright the other light is.
    """
    if not _may_have_highlights(was, now):
        return None
    lit = _match_contrast(was, now, valid)
    return None if lit is None else find(lit, now, valid)


def find(was: Floats, now: Floats, valid: Bytes, known: Glare | None = None) -> Glare | None:
    """The highlights of `now` that are not in `was`, float32 (height, width, channels) in grey levels.

    valid: 255 where the photo shows the frame. known: those of this frame that are certain, because the light
    of `was` may follow their edge, which then looks hard. None without highlights.
    """
    if known is None and not _may_have_highlights(was, now):
        return None
    height, width = valid.shape
    scale = min(_SIDE / max(height, width), 1.0)
    if scale < 1:
        size = (max(round(width * scale), 2), max(round(height * scale), 2))
        channels = was.shape[2]
        was, now = (
            np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.float32).reshape(
                *size[::-1], channels
            )
            for image in (was, now)
        )
        valid = np.asarray(cv2.resize(valid, size, interpolation=cv2.INTER_NEAREST), np.uint8)
    least, least_before = _least_channel(now), _least_channel(was)
    seen = valid > 0
    clipped = ((least >= _CLIPPED) & seen).astype(np.uint8)
    clipped = cv2.morphologyEx(clipped, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    clipped = cv2.morphologyEx(clipped, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    cores = _soft_places(least_before, least, np.asarray(clipped, np.uint8), seen)
    if known is not None:
        cores.append(known.clipped > 0)
    if not cores:
        return None
    every = np.logical_or.reduce(cores)
    off = _to_linear(now) - _to_linear(was)
    usable = (seen & ~every).astype(np.float32)
    rim = seen & (_distance(every) < 2 * _FURTHER[1]) & (off.mean(axis=2) > 0.02)
    rim &= (now < _CLIPPED).all(axis=2)
    colour = np.median(off[rim], axis=0) if np.count_nonzero(rim) > 50 else np.ones(off.shape[2])
    colour = np.clip(colour / max(float(colour.mean()), 1e-6), 0.5, 1.6)
    # A clipped channel shows less light than there is.
    shown = np.where(now < _CLIPPED, np.float32(1), np.float32(1e-3))
    strength = _smooth_visible((off / colour * shown).sum(axis=2) / shown.sum(axis=2), usable)
    return Glare(_rings(every, strength), every.astype(np.float32), colour.astype(np.float32))


def _may_have_highlights(was: Floats, now: Floats) -> bool:
    """Whether enough of `now` is white that is darker in `was`."""
    channels = now.shape[2]
    clipped = cv2.inRange(now, (_CLIPPED,) * channels, (np.inf,) * channels) > 0
    if np.count_nonzero(clipped) < _MIN_AREA:
        return False
    # Surfaces that are white in the reference too hide nothing.
    new = now[clipped].min(axis=1) - was[clipped].min(axis=1) > _NEW
    return int(np.count_nonzero(new)) >= _MIN_AREA


def _match_contrast(was: Floats, now: Floats, valid: Bytes) -> Floats | None:
    """`was` with the contrast of `now` in each channel, in linear values; None if too few px show it."""
    height, width = valid.shape
    scale = min(_CELLS / max(height, width), 1.0)
    size = (max(round(width * scale), 2), max(round(height * scale), 2))
    channels = now.shape[2]
    # 255 where no channel clips.
    shown = cv2.inRange(cv2.max(was, now), (-np.inf,) * channels, (_CLIPPED - 1,) * channels)
    usable = cv2.resize(cv2.copyTo(shown, valid), size, interpolation=cv2.INTER_AREA) == 255
    contrasts = []
    table = _to_linear(np.arange(256, dtype=np.float32))
    for image in (was, now):
        linear = cv2.LUT(cv2.convertScaleAbs(image), table)
        cells = cv2.resize(linear, size, interpolation=cv2.INTER_AREA).reshape(*size[::-1], -1)
        turned = cells.swapaxes(0, 1)
        contrasts.append(np.concatenate([_contrast(cells, usable), _contrast(turned, usable.T)]))
    before, after = contrasts
    if len(before) < _MIN_CELLS:
        return None
    # Cells are chosen by both, because those with most contrast in one alone have less in the other.
    strong = before + after >= np.quantile(before + after, 1 - _STRONG_SHARE, axis=0)
    factors = [
        np.median(other[chosen]) / max(float(np.median(one[chosen])), 1e-4)
        for one, other, chosen in zip(before.T, after.T, strong.T, strict=True)
    ]
    return np.asarray(np.clip(was * np.power(factors, 1 / _TONE), 0, 255), np.float32)


def _contrast(cells: Floats, usable: NDArray[np.bool_]) -> Floats:
    """The difference of cells (rows, columns, channels) to the mean of those at both sides, (n, channels).

    A slope of added light has none. Only cells count that are usable like both others.
    """
    left, middle, right = (np.s_[:, : -2 * _BESIDE], np.s_[:, _BESIDE:-_BESIDE], np.s_[:, 2 * _BESIDE :])
    off = cells[middle] - (cells[left] + cells[right]) / 2
    return np.asarray(np.abs(off)[usable[left] & usable[middle] & usable[right]], np.float32)


def _soft_places(
    before: Floats, after: Floats, clipped: Bytes, seen: NDArray[np.bool_]
) -> list[NDArray[np.bool_]]:
    """The masks of the clipped places that fade out all around.

    before, after: the least channel of the reference and of the photo, float32 (height, width).
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStats(clipped, connectivity=8)
    visible = seen & (clipped == 0)
    found = []
    for index in sorted(range(1, count), key=lambda each: -int(stats[each, cv2.CC_STAT_AREA]))[:_MAX_PLACES]:
        if stats[index, cv2.CC_STAT_AREA] < _MIN_AREA:
            break
        left, top, width, height = stats[index, :4].tolist()
        window = np.s_[
            max(top - _AROUND, 0) : top + height + _AROUND, max(left - _AROUND, 0) : left + width + _AROUND
        ]
        if _is_soft(labels[window] == index, before[window], after[window], visible[window]):
            found.append(labels == index)
    return found


def _is_soft(core: NDArray[np.bool_], before: Floats, after: Floats, seen: NDArray[np.bool_]) -> bool:
    """Whether light continues beyond the edge of `core`, and is weaker further out.

    All are windows that reach `_AROUND` px beyond the place, (height, width).
    """
    distance = _distance(core)
    near = (distance >= _EDGE_ENDS[0]) & (distance < _EDGE_ENDS[1]) & seen
    far = (distance >= _FURTHER[0]) & (distance < _FURTHER[1]) & seen
    room = 255 - before
    with_room = near & (room > _ROOM)
    if np.count_nonzero(with_room) < max(_SEEN_SHARE * np.count_nonzero(near), 20):
        return False
    usable = seen.astype(np.float32)
    filled = _smooth_visible(after - before, usable) / np.maximum(_smooth_visible(room, usable), 1.0)
    # The room that a light fills depends on the surface, but the light itself does not.
    light = _smooth_visible(_to_linear(after) - _to_linear(before), usable)
    beyond = light[far & (room > _ROOM)]
    fades = not beyond.size or float(np.median(beyond)) < float(np.median(light[with_room]))
    return fades and float(np.mean(filled[with_room] > _FILLED)) >= _SOFT_SHARE


def _rings(core: NDArray[np.bool_], strength: Floats) -> Floats:
    """The light around the clipped places `core` that grows weaker outwards.

    It is at most `strength` and at least that of the next ring.
    """
    added = np.zeros(strength.shape, np.float32)
    smooth = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (_SMOOTH, _SMOOTH))
    levels = np.geomspace(_WEAKEST, _STRONGEST, _RINGS)
    step = float(levels[1] / levels[0])
    distance = _distance(core)
    edge = float(np.median(strength[(distance > _EDGE[0]) & (distance < _EDGE[1])]))
    for level in levels.tolist():
        above = cv2.morphologyEx(((strength > level) | core).astype(np.uint8), cv2.MORPH_OPEN, smooth)
        count, labels = cv2.connectedComponents(
            np.asarray(above, np.uint8) | core.astype(np.uint8), connectivity=4
        )
        touching = np.zeros(count, np.uint8)
        touching[labels[core]] = 1
        ring = touching[labels]
        # In holes of the core the light is at least as strong as at the edge of the core.
        if level < edge:
            edges, _ = cv2.findContours(ring, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
            cv2.drawContours(ring, edges, -1, 1, -1)
        inside = ring > 0
        added[inside] = np.clip(strength[inside], level, level * step)
    added[core] = 1.0
    return added


def _smooth_visible(image: Floats, usable: Floats) -> Floats:
    weight = cv2.GaussianBlur(usable, (0, 0), 1.5)
    return np.asarray(cv2.GaussianBlur(image * usable, (0, 0), 1.5) / np.maximum(weight, 1e-3), np.float32)


def _distance(mask: NDArray[np.bool_]) -> Floats:
    return np.asarray(cv2.distanceTransform((~mask).astype(np.uint8), cv2.DIST_L2, 5), np.float32)


def _least_channel(image: Floats) -> Floats:
    return np.asarray(reduce(cv2.min, cv2.split(image)), np.float32)


def _to_linear(image: Floats) -> Floats:
    return np.asarray((np.clip(image, 0, 255) / np.float32(255)) ** np.float32(_TONE), np.float32)


def _to_stored(light: Floats) -> Floats:
    return np.asarray(np.clip(light, 0, 1) ** np.float32(1 / _TONE) * np.float32(255), np.float32)
