"""Implements the default engine: dlib's HOG detector, 5-point predictor and ResNet embedder. Works offline.

BlazeFace, if it is installed, looks where HOG finds no face: HOG misses dark faces and those that are tilted
or seen from below, however large they are.

The model files come with the package face_recognition_models (public domain); they are found by path, because
importing that package needs pkg_resources. Thresholds: measured over 2.3 million pairs of strangers; the
customary distance of 0.6 is far too loose for a login.
"""

from __future__ import annotations

import hashlib
import math
import os
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

from service.face.engines.engine import DetectedFace, Embedding, LivenessCheck, Metric, Points, Thresholds
from service.face.engines.picture import Pixels
from shared.system.paths import find_package_file

_IS_WINDOWS = sys.platform == "win32"
NAME = "dlib"
PREDICTOR = "shape_predictor_5_face_landmarks.dat"
EMBEDDER = "dlib_face_recognition_resnet_model_v1.dat"
THRESHOLDS = Thresholds(((1e-3, -0.543), (1e-4, -0.479), (1e-5, -0.421)))
# Confidence of the HOG detector: patterns reach 0.05, faces turned half away 0.3, frontal faces 1.
DETECTION_SCORE = 0.2
# The aligned face that the embedder was trained on: 150 px, a quarter of border.
CHIP_SIZE = 150
CHIP_PADDING = 0.25
# Where HOG sees a face whose eyes are known, in distances of the eyes: how far below them its middle is, and
# its side. The median of 125 press photos.
BOX_BELOW, BOX_SIDE = 0.48, 2.54


def models_folder() -> Path:
    """Return the folder of the two model files: in the frozen program, or in the installed package.

    Raises FileNotFoundError, whose text says what to do, if they are missing.
    """
    files = [find_package_file("face_recognition_models", "models", name) for name in (PREDICTOR, EMBEDDER)]
    if files[0] is None or files[1] is None:
        raise FileNotFoundError(
            f"the face models {PREDICTOR} and {EMBEDDER} are missing; "
            "install the package face_recognition_models"
        )
    return files[0].parent


@contextmanager
def _readable_by_dlib(folder: Path) -> Iterator[str]:
    """Give the start of file names in `folder` that dlib can open in the block.

    On Windows dlib reads names in the code page of the system, which has no Chinese letters on many of them.
    There the folder is the working directory for the half second of loading, and the start is empty.
    """
    if _IS_WINDOWS and not str(folder).isascii():
        with chdir(folder):
            yield ""
    else:
        yield f"{folder}{os.sep}"


class DlibEngine:
    """Implements FaceEngine. Loads in half a second; an embedding holds the interpreter for 100 ms."""

    name = NAME
    dimension = 128
    metric = Metric.EUCLIDEAN
    thresholds = THRESHOLDS
    liveness: LivenessCheck | None = None

    def __init__(self) -> None:
        import dlib

        from shared.images.blaze_face import load_blaze_face

        folder = models_folder()
        self._dlib: Any = dlib
        self._detector = dlib.get_frontal_face_detector()
        with _readable_by_dlib(folder) as start:
            self._predictor = dlib.shape_predictor(start + PREDICTOR)
            self._embedder = dlib.face_recognition_model_v1(start + EMBEDDER)
        self._blaze_face = load_blaze_face()
        self.model_id = model_id(folder)

    def find(self, image: Pixels) -> list[DetectedFace]:
        """Find faces that are at least 80 px high and upright within about 20 degrees, or a sixth of the
        longer side of the picture.
        """
        import numpy as np

        rgb = image[:, :, ::-1].copy()
        boxes, scores, _ = self._detector.run(rgb, 0, DETECTION_SCORE)
        found = list(zip(boxes, scores, strict=True))
        if not found and self._blaze_face is not None:
            rows = self._blaze_face.find(image)
            found = [(self._box_around(row[4:8].reshape(2, 2)), row[14]) for row in rows]
        faces = []
        for box, score in found:
            parts = self._predictor(rgb, box).parts()
            points = np.array([(part.x, part.y) for part in parts], np.float32)
            # The predictor names the corners of one eye, then of the other, then the base of the nose.
            eyes = np.stack((points[:2].mean(axis=0), points[2:4].mean(axis=0)))
            eyes = eyes[np.argsort(eyes[:, 0])]
            corners = (box.left(), box.top(), box.right() + 1, box.bottom() + 1)
            faces.append(DetectedFace(corners, points, eyes, points[4], float(score)))
        return faces

    def _box_around(self, eyes: Points) -> Any:
        """The box in which HOG would see the face with these `eyes` (2, 2) px."""
        right, down = eyes[1] - eyes[0]
        half = BOX_SIDE / 2 * math.hypot(right, down)
        x, y = eyes.mean(axis=0)
        x, y = x - BOX_BELOW * down, y + BOX_BELOW * right
        corners = (x - half, y - half, x + half, y + half)
        return self._dlib.rectangle(*(round(float(value)) for value in corners))

    def embed(self, image: Pixels, face: DetectedFace) -> Embedding:
        """Return 128 numbers whose Euclidean distance distinguishes two people."""
        import numpy as np

        rgb = image[:, :, ::-1].copy()
        box = self._dlib.rectangle(*(round(value) for value in face.box))
        points = [self._dlib.point(round(float(x)), round(float(y))) for x, y in face.landmarks]
        shape = self._dlib.full_object_detection(box, points)
        chip = self._dlib.get_face_chip(rgb, shape, size=CHIP_SIZE, padding=CHIP_PADDING)
        return np.asarray(self._embedder.compute_face_descriptor(chip), np.float32)


def model_id(folder: Path) -> str:
    """Return `dlib-` and the first 16 hex digits of the SHA-256 over both model files."""
    digest = hashlib.sha256()
    for name in (PREDICTOR, EMBEDDER):
        with (folder / name).open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return f"{NAME}-{digest.hexdigest()[:16]}"
