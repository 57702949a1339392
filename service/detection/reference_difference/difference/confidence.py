"""Estimates how likely a finding is real, by a logistic model over its measures."""

from __future__ import annotations

from typing import Final

import numpy as np

from service.detection.reference_difference.data import Floats
from service.detection.reference_difference.difference.boxes import DifferencePart
from service.detection.reference_difference.difference.comparison import Comparison, Examined
from service.detection.reference_difference.difference.sampling import differences
from shared.images.cv import cv2

# Bias and weights of the measures, fitted as `python -m benchmarks.confidence --fit` does, on seed 110000: 25
# pairs of each surface under each disturbance, 30 of each kind of surface and 100 of each bilevel sheet, and
# on 90 of each kind of scan of seed 120000. In scans all is as strong; there it is the thickness that tells.
# A line of another width looks like one that moved, so what a shift leaves says nothing of what is bilevel.
_PHOTO = (-1.07, 2.49, -0.59, -2.2, 2.7, 3.05, -2.06, 0.95)
_SCAN = (-6.1, 0.55, 6.24, -1.8, 0.49, 1.23, 0.43, 0.39)
_BILEVEL = (-6.7, 1.47, 5.8, -2.51, 0.0, 0.64, 0.36, -1.08)
MOST_CONFIDENT: Final = 0.99
"""However strong it is, about one finding of a hundred is a piece of another one or has a wrong box."""
# Of a highlight, which nobody has to mend, and where highlights hide more than a share of the region: then
# it is not inspected.
_HIGHLIGHT, _HIDDEN, _MOST_HIDDEN = 0.2, 0.5, 0.1
# px of a look in which that many parts that are as strong mean what they mean in a small one.
_PEERS_PX = 500_000
# px by which a thing may lie elsewhere because it stands out of the surface, or the light on it does.
_PARALLAX = 4
# px around a part that must fit as well when it is moved, or a thin part could be moved out of sight.
_BESIDE = _PARALLAX + 1
# Grey levels squared per px, added to what is left and to what was there: noise is never explained.
_NOISE = 4.0
_MOST_PIXELS = 250_000
# px from a part at which its surroundings begin, since it may be smeared so far, and end.
_SMEARED, _SURROUNDINGS = 3, 12
# px to which the size of a part is compared.
_MIDDLING_AREA = 200


def measures(part: DifferencePart, view: Comparison, seen: Examined) -> tuple[float, ...]:
    """What the confidence in one part of what was `seen` depends on, each about 0 for a middling finding.

    Logarithms of the strength over the threshold, of the thickness, of the number of parts at least half as
    strong in as much area (where much differs, no single part means much), of the share of the difference
    that is left when the photo is shifted by a few px (an edge or a highlight that moved leaves little), of
    the mean difference over that of the surroundings (light or an alignment that fits badly does so beyond
    the part) and over what is usual in the pair, and of the area.
    """
    # Many equal defects must not hide each other, so more peers than this count no more.
    peers = min(sum(other.peak >= part.peak / 2 for other in seen.found if not other.highlight), 20)
    return (
        float(np.log(np.clip(part.peak / seen.threshold, 0.1, 50))),
        float(np.log(np.clip(part.thickness, 1, 30) / 4)),
        float(np.log(max(peers / max(seen.pixels / _PEERS_PX, 1.0), 1.0) / 5)),
        _left(part, view),
        *_contrasts(part, view),
        float(np.log(part.area / _MIDDLING_AREA)),
    )


def confidence(part: DifferencePart, view: Comparison, seen: Examined) -> float:
    """Probability 0..1 that the part, seen in `view`, is a real change.

    Of a highlight a constant: low, unless all of them hide so much that the region cannot be inspected.
    """
    if part.highlight:
        hidden = sum(other.area for other in seen.looks[0].found if other.highlight)
        return _HIDDEN if hidden > _MOST_HIDDEN * seen.pixels else _HIGHLIGHT
    weights = _SCAN if seen.scanned else _BILEVEL if seen.bilevel else _PHOTO
    value = float(np.dot(weights, (1.0, *measures(part, view, seen))))
    return round(float(MOST_CONFIDENT / (1 + np.exp(-value))), 3)


def _left(part: DifferencePart, view: Comparison) -> float:
    """Logarithm of the share of the squared difference that the best small shift leaves; 0 for all of it."""
    around = _BESIDE + _PARALLAX
    height, width = part.mask.shape
    if (height + 2 * around) * (width + 2 * around) > _MOST_PIXELS:
        return 0.0
    mask = np.zeros((height + 2 * _BESIDE, width + 2 * _BESIDE), np.uint8)
    mask[_BESIDE : _BESIDE + height, _BESIDE : _BESIDE + width] = part.mask
    wide = cv2.dilate(mask, np.ones((2 * _BESIDE + 1, 2 * _BESIDE + 1), np.uint8)).astype(np.float32)
    was, now = _around(view.was, part, _BESIDE), _around(view.now, part, around)
    off = cv2.matchTemplate(now, was, cv2.TM_SQDIFF, None, wide)
    noise = _NOISE * float(wide.sum())
    here, best = max(float(off[_PARALLAX, _PARALLAX]), 0.0), max(float(off.min()), 0.0)
    return float(np.log((best + noise) / (here + noise)))


def _contrasts(part: DifferencePart, view: Comparison) -> tuple[float, float]:
    """Logarithms of the mean difference of the part over that of its surroundings, and over the usual one."""
    height, width = view.was.shape[:2]
    pad = _SURROUNDINGS
    left, top = max(int(part.box.x) - pad, 0), max(int(part.box.y) - pad, 0)
    right, bottom = min(int(part.box.right) + pad, width), min(int(part.box.bottom) + pad, height)
    area = np.s_[top:bottom, left:right]
    mask = np.zeros((bottom - top, right - left), np.uint8)
    y, x = int(part.box.y) - top, int(part.box.x) - left
    mask[y : y + part.mask.shape[0], x : x + part.mask.shape[1]] = part.mask
    off = differences(view.was[area], view.now[area], 1)
    smeared, wide = (
        cv2.dilate(mask, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8))
        for reach in (_SMEARED, _SURROUNDINGS)
    )
    inside, around = (cv2.mean(off, each)[0] for each in (mask, cv2.subtract(wide, smeared)))
    # A grey level more, or what does not differ at all would have infinite contrast.
    return float(np.log((inside + 1) / (around + 1))), float(np.log((inside + 1) / (view.usual + 1)))


def _around(image: Floats, part: DifferencePart, pad: int) -> Floats:
    """The part of the image in grey and `pad` px around it; beyond its edge the edge goes on."""
    height, width = image.shape[:2]
    left, top, right, bottom = (int(v) for v in (part.box.x, part.box.y, part.box.right, part.box.bottom))
    x1, y1, x2, y2 = left - pad, top - pad, right + pad, bottom + pad
    cut = np.ascontiguousarray(image[max(y1, 0) : y2, max(x1, 0) : x2])
    one = cut[..., 0] if cut.shape[2] == 1 else cv2.cvtColor(cut, cv2.COLOR_BGR2GRAY)
    beyond = (max(-y1, 0), max(y2 - height, 0), max(-x1, 0), max(x2 - width, 0))
    return np.asarray(cv2.copyMakeBorder(one, *beyond, cv2.BORDER_REPLICATE), np.float32)
