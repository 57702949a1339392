"""How likely a finding is real: a logistic model over what was measured on it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from service.detection.reference_difference.boxes import Part

# Fitted as `python -m benchmarks.reference_difference --calibrate` does, on the seeds 230000 and 240000.
_BIAS = -0.21
_WEIGHTS = (1.11, 2.44, -3.69)


def measures(part: Part, found: Sequence[Part], threshold: float) -> tuple[float, ...]:
    """What the confidence in one part of those `found` depends on, each about 0 for a middling finding.

    Logarithms of the strength over the threshold, of the thickness, and of the number of parts at least
    half as strong: where much differs, no single part means much.
    """
    # Many equal defects must not hide each other, so more peers than this count no more.
    peers = min(sum(other.peak >= part.peak / 2 for other in found), 20)
    return (
        float(np.log(np.clip(part.peak / threshold, 0.1, 50))),
        float(np.log(np.clip(part.thickness, 1, 30) / 4)),
        float(np.log(peers / 5)),
    )


def confidence(part: Part, found: Sequence[Part], threshold: float) -> float:
    """Probability 0..1 that the part is a real change."""
    value = _BIAS + float(np.dot(_WEIGHTS, measures(part, found, threshold)))
    return round(float(1 / (1 + np.exp(-value))), 3)
