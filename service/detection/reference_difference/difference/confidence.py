"""Estimates how likely a finding is real, by a logistic model over its measures."""

from __future__ import annotations

import numpy as np

from service.detection.reference_difference.data import Floats
from service.detection.reference_difference.difference.boxes import DifferencePart
from service.detection.reference_difference.difference.comparison import Comparison, Examined
from shared.images.cv import cv2

# Bias and weights, fitted as `python -m benchmarks.reference_difference --calibrate` does, on its seeds
# 310000 and 320000, other generators, and drawn scenes with shadows and highlights. Those of photos are the
# mean of that fit and of one on 736 parts of the seeds 43000 of `benchmarks.disturbances` and 45000 of that
# benchmark, which alone gave a lone scratch too little. In scans all is as strong; there it is the thickness
# that tells.
_PHOTO = (-1.0, 1.3, 1.3, -2.8, 2.7)
_SCAN = (-1.17, 0.73, 4.46, -1.02, 0.49)
# Of photos of what is black and white, fitted likewise by `benchmarks.bilevel`, on 690 parts of seed 41000.
# A line of another width looks like one that moved, so what a shift leaves says nothing there.
_BILEVEL = (-1.54, 2.19, 3.46, -3.38, 0.0)
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


def measures(part: DifferencePart, view: Comparison, seen: Examined) -> tuple[float, ...]:
    """What the confidence in one part of what was `seen` depends on, each about 0 for a middling finding.

    Logarithms of the strength over the threshold, of the thickness, of the number of parts at least half as
    strong in as much area (where much differs, no single part means much), and of the share of the difference
    that is left when the photo is shifted by a few px: an edge or a highlight that moved leaves little.
    """
    # Many equal defects must not hide each other, so more peers than this count no more.
    peers = min(sum(other.peak >= part.peak / 2 for other in seen.found if not other.highlight), 20)
    return (
        float(np.log(np.clip(part.peak / seen.threshold, 0.1, 50))),
        float(np.log(np.clip(part.thickness, 1, 30) / 4)),
        float(np.log(max(peers / max(seen.pixels / _PEERS_PX, 1.0), 1.0) / 5)),
        _left(part, view),
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
    return round(float(1 / (1 + np.exp(-value))), 3)


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


def _around(image: Floats, part: DifferencePart, pad: int) -> Floats:
    """The part of the image in grey and `pad` px around it; beyond its edge the edge goes on."""
    height, width = image.shape[:2]
    left, top, right, bottom = (int(v) for v in (part.box.x, part.box.y, part.box.right, part.box.bottom))
    x1, y1, x2, y2 = left - pad, top - pad, right + pad, bottom + pad
    cut = np.ascontiguousarray(image[max(y1, 0) : y2, max(x1, 0) : x2])
    one = cut[..., 0] if cut.shape[2] == 1 else cv2.cvtColor(cut, cv2.COLOR_BGR2GRAY)
    beyond = (max(-y1, 0), max(y2 - height, 0), max(-x1, 0), max(x2 - width, 0))
    return np.asarray(cv2.copyMakeBorder(one, *beyond, cv2.BORDER_REPLICATE), np.float32)
