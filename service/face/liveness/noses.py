"""Describes noses: ridges that stand out of a face."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Nose:
    """A ridge, in distances of the eyes: its tip lies `tip` below the eyes and `lean` to the right of their
    middle; `width` is its standard deviation across.
    """

    tip: float
    width: float
    lean: float


# Average adults: the tip stands 24 mm before the cheeks and 40 mm below the eyes at 63 mm between the pupils
# (Farkas, Anthropometry of the Head and Face).
NOSE_HEIGHT = 0.38
# A head that is turned by 12 degrees when the film begins shows the tip 0.08 beside the middle.
NOSES = tuple(
    Nose(*values)
    for values in itertools.product((0.54, 0.64, 0.74), (0.14, 0.19), (-0.16, -0.08, 0.0, 0.08, 0.16))
)
# From the tip down to the lip.
_UNDER_TIP = 0.28


def ridge(places: Values, nose: Nose) -> Values:
    """How far `nose` stands out at `places` (n, 2), in distances of the eyes."""
    x, y = places[:, 0], places[:, 1]
    up = np.clip(y / nose.tip, 0, 1)
    down = np.where(y > nose.tip, np.clip(1 - (y - nose.tip) / _UNDER_TIP, 0, 1), 1)
    across = (x - nose.lean * up) / (nose.width * (0.6 + 0.5 * up))
    return np.asarray(NOSE_HEIGHT * up * down * np.exp(-0.5 * across**2))
