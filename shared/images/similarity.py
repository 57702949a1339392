"""Fits a similarity transform (rotation, scale and shift) to pairs of points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def fit_similarity(source: NDArray[Any], target: NDArray[Any]) -> NDArray[np.float64]:
    """Fit the 2 x 3 matrix of the rotation, scale and shift that maps `source` (n, 2) closest to `target` (n,
    2).

    Least squares in closed form: with points as complex numbers, the transform is a factor and an offset.
    """
    a = source[:, 0].astype(float) + 1j * source[:, 1].astype(float)
    b = target[:, 0].astype(float) + 1j * target[:, 1].astype(float)
    centred = a - a.mean()
    factor = np.vdot(centred, b - b.mean()) / max(float(np.vdot(centred, centred).real), 1e-9)
    offset = b.mean() - factor * a.mean()
    return np.array(((factor.real, -factor.imag, offset.real), (factor.imag, factor.real, offset.imag)))
