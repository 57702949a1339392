"""Reference-difference: detection without training, by comparing a photo with its reference image."""

from service.detection.reference_difference.data import (
    Alignment,
    AlignmentFailed,
    DetectedDifference,
    Parameters,
    Result,
    SuppressedDifference,
)
from service.detection.reference_difference.model import VERSION, detect, photo_variation
from service.detection.reference_difference.variation.memory import PhotoVariation, RegionMemory

__all__ = [
    "VERSION",
    "Alignment",
    "AlignmentFailed",
    "DetectedDifference",
    "Parameters",
    "PhotoVariation",
    "RegionMemory",
    "Result",
    "SuppressedDifference",
    "detect",
    "photo_variation",
]
