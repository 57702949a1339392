"""How likely a finding is real: a logistic model over what was measured on it."""

from __future__ import annotations

import numpy as np

from service.detection.reference_difference.boxes import Part

# Fitted by `python -m benchmarks.reference_difference --calibrate` on drawn panels, boards and labels.
_BIAS = -1.67
_WEIGHTS = (1.07, -1.55, -0.55, 0.47, 1.31, 1.62)


def measures(part: Part, threshold: float) -> tuple[float, ...]:
    """What the confidence depends on, each about 0 for a middling finding.

    Logarithms of the strength over the threshold, of the raw difference, of the area, of the edge contrast
    below it, of the thickness and of the area above the threshold.
    """
    return (
        float(np.log(np.clip(part.peak / threshold, 0.1, 20))),
        float(np.log(np.clip(part.contrast, 2, 200) / 30)),
        float(np.log(np.clip(part.area, 4, 4000) / 60)),
        float(np.log((part.edge + 5) / 25)),
        float(np.log(np.clip(part.thickness, 1, 30) / 4)),
        float(np.log(np.clip(part.strong, 1, 4000) / 20)),
    )


def confidence(part: Part, threshold: float) -> float:
    """Probability 0..1 that the finding is a real change."""
    value = _BIAS + float(np.dot(_WEIGHTS, measures(part, threshold)))
    return round(float(1 / (1 + np.exp(-value))), 3)
