"""Fits a turn, scale and shift to pairs of points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def similarity(source: NDArray[Any], target: NDArray[Any]) -> NDArray[np.float64]:
    """The 2 x 3 matrix of the turn, scale and shift that brings points (n, 2) nearest to `target` (n, 2).

    Least squares in closed form: with points as complex numbers it is one factor and one offset.
    """
    a = source[:, 0].astype(float) + 1j * source[:, 1].astype(float)
    b = target[:, 0].astype(float) + 1j * target[:, 1].astype(float)
    centred = a - a.mean()
    factor = np.vdot(centred, b - b.mean()) / max(float(np.vdot(centred, centred).real), 1e-9)
    offset = b.mean() - factor * a.mean()
    return np.array(((factor.real, -factor.imag, offset.real), (factor.imag, factor.real, offset.imag)))
