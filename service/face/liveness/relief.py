"""Measures how far the nose stands out of the face, by its parallax while the head turns.

A flat picture, however it is tilted, moves every point by one homography, and a picture bent around an axis
by a smooth function of the distance from it. Both are polynomials of low degree over the face. A nose is a
narrow ridge: what its points move beyond such a polynomial is its height times the sine of the turn. That one
number is estimated by least squares with robust weights, and with it how uncertain it is.

Noses differ, and lie beside the middle of the eyes in the first frame when the head is turned a little at the
start. So the ridge is chosen from `NOSES`: the one that explains most of the motion in all frames together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.noses import NOSES, ridge

Values = NDArray[np.float64]


# Most heads look straight ahead at first, and noses that lean far fit errors of the tracking: what a nose
# explains counts less by the square of its lean over this.
_USUAL_LEAN = 0.25
# Eyes move by themselves, blink, and look through the holes of a mask.
_EYE_RADIUS = 0.48
# The mouth speaks and smiles, in an ellipse around this height.
_MOUTH = 1.1
_MOUTH_SIZE = (0.6, 0.2)
_HIGHEST, _LOWEST = -0.75, 1.75
FEWEST_POINTS = 45
_ROUNDS = 4
# Neighbours share their windows: about a third of them say something of their own.
_INDEPENDENT = 1 / 3


def is_face(points: Values) -> NDArray[np.bool_]:
    """Whether each of `points` (n, 2) is on the face (n,)."""
    x, y = points.T
    return np.asarray((np.abs(x) < 1.0) & (y > _HIGHEST) & (y < _LOWEST))


def is_skin(points: Values) -> NDArray[np.bool_]:
    """Whether each of `points` (n, 2) is on the face and beside the eyes and the mouth (n,)."""
    x, y = points.T
    eyes = np.minimum(np.hypot(x - 0.5, y), np.hypot(x + 0.5, y))
    mouth = np.hypot(x / _MOUTH_SIZE[0], (y - _MOUTH) / _MOUTH_SIZE[1])
    return np.asarray(is_face(points) & (eyes > _EYE_RADIUS) & (mouth > 1))


def smooth_terms(points: Values) -> Values:
    """The terms (n, 11) of the polynomial that the motion of a surface follows at `points` (n, 2)."""
    x, y = points.T
    return np.stack(
        [np.ones_like(x), x, y, x * x, x * y, y * y, x**3, y**3, x * x * y, x * y * y, x**4], axis=1
    )


def nose_heights(points: Values) -> Values:
    """How far each of `NOSES` stands out at `points` (n, 2), in distances of the eyes (n, noses)."""
    return np.stack([ridge(points, nose) for nose in NOSES], axis=1)


def likeliest_nose(explained: Values) -> int:
    """The index of the nose for the sums of squares that each of them explains (noses,)."""
    straight = 1 - (np.array([nose.lean for nose in NOSES]) / _USUAL_LEAN) ** 2
    return int((explained * straight).argmax())


def measure_nose(points: Values, depths: Values) -> tuple[float, float]:
    """The height of the nose in `depths` (n,) at `points` (n, 2), 1 for an average one, and its error."""
    skin = is_skin(points)
    heights = nose_heights(points[skin])
    values, errors, gain = fit_noses(smooth_terms(points[skin]), heights, depths[skin][:, None])
    nose = likeliest_nose(gain)
    return float(values[nose, 0]), float(errors[nose, 0])


def _distances(residual: Values) -> Values:
    """The length of each of `residual` (n, columns), as a multiple of 1.5 medians."""
    far = np.linalg.norm(residual, axis=1)
    return np.asarray(far / (1.5 * max(float(np.median(far)), 0.004)))


def fit_noses(smooth: Values, ridges: Values, motion: Values) -> tuple[Values, Values, Values]:
    """Fit each of `ridges` (n, noses) beside the polynomial `smooth` (n, terms) to `motion` (n, columns), one
    or more fields of x and y.

    Returns the coefficients and their standard errors (noses, columns), and the sum of squares that each nose
    explains (noses,).
    """
    weights = np.ones(len(motion))
    for iteration in range(_ROUNDS + 1):
        root = np.sqrt(weights)[:, None]
        basis, _ = np.linalg.qr(smooth * root)
        # What the polynomial leaves of both.
        residual_ridges = ridges * root - basis @ (basis.T @ (ridges * root))
        residual_motion = motion * root - basis @ (basis.T @ (motion * root))
        size = (residual_ridges**2).sum(axis=0)[:, None] + 1e-6
        values = (residual_ridges.T @ residual_motion) / size
        gain = values**2 * size
        if iteration == _ROUNDS:
            break
        best = int(gain.sum(axis=1).argmax())
        residual = (residual_motion - residual_ridges[:, [best]] * values[best]) / root
        weights = np.minimum(1, 1 / np.maximum(_distances(residual), 1e-9))
    freedom = max(float(weights.sum()) * _INDEPENDENT - 6, 1)
    remaining = np.maximum((residual_motion**2).sum(axis=0) - gain, 0)
    return values, np.sqrt(remaining / freedom / size), gain.sum(axis=1)
