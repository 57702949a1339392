"""Reference-difference: detection without training, by comparing a photo with its reference image."""

from service.detection.reference_difference.data import (
    Alignment,
    AlignmentFailed,
    DetectedDifference,
    Parameters,
    Result,
)
from service.detection.reference_difference.model import VERSION, detect

__all__ = ["VERSION", "Alignment", "AlignmentFailed", "DetectedDifference", "Parameters", "Result", "detect"]
