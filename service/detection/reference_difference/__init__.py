"""Reference-difference: detection without training, by comparing a photo with its reference image."""

from service.detection.reference_difference.model import VERSION, detect
from service.detection.reference_difference.parts import (
    Alignment,
    AlignmentFailed,
    DetectedDifference,
    Parameters,
    Result,
)

__all__ = ["VERSION", "Alignment", "AlignmentFailed", "DetectedDifference", "Parameters", "Result", "detect"]
