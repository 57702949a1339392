"""Finds the mesh of a face in frames, 468 points in space, and how far the head is turned.

The model is that of MediaPipe (Kartynnik et al., "Real-time Facial Surface Geometry from Monocular Video on
Mobile GPUs", 2019), which OpenCV reads.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2
from shared.images.face_models import find_model

Values = NDArray[np.float64]
Pixels = NDArray[np.uint8]

# The model looks at a square of this side, px, half as large again as the face (MediaPipe's own graph).
_SIDE, _MARGIN = 192, 1.5
# The square around a face of which only the eyes are known, in distances of the eyes.
_AROUND, _BELOW = 3.3, 0.45
# The layers with the points and with how sure the model is that there is a face, a logit.
_POINTS, _SURE = "conv2d_20", "conv2d_30"
# Points of the mesh: the corners of each eye; the outline of the face at both sides, forehead and chin.
_EYES = ((33, 133), (362, 263))
_RIGHT, _LEFT, _TOP, _CHIN = (33, 127, 234, 93), (263, 356, 454, 323), (10, 109, 338), (152, 148, 377)


@cache
def load_mesh() -> FaceMesh:
    """The mesh of this process. Raises MeshMissingError."""
    return FaceMesh(find_model())


class FaceMesh:
    """Finds the points of a face, (468, 3) in px of the frame, the third away from the camera. Not safe for
    several threads at once.
    """

    def __init__(self, file: Path) -> None:
        self._net = cv2.dnn.readNetFromTFLite(np.frombuffer(file.read_bytes(), np.uint8))

    def find(self, frame: Pixels, eyes: Values) -> Values | None:
        """The points of the face with `eyes` (2, 2) px in a BGR uint8 `frame`; None if there is none."""
        across = eyes[1] - eyes[0]
        middle = eyes.mean(axis=0) + _BELOW * np.array((-across[1], across[0]))
        points = self._look(frame, middle, _AROUND * float(np.hypot(*across)), across)
        # The eyes alone tell little of how large the face is.
        return None if points is None else self.follow(frame, points)

    def follow(self, frame: Pixels, points: Values) -> Values | None:
        """The points of the face in another `frame`, in which it is near `points`; None if it is lost."""
        low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
        left, right = eyes_of(points)
        return self._look(frame, (low + high) / 2, _MARGIN * float((high - low).max()), right - left)

    def _look(self, frame: Pixels, middle: Values, side: float, across: Values) -> Values | None:
        """The points in a square with this `middle` and `side` px, as tilted as `across`."""
        cosine, sine = across / max(float(np.hypot(*across)), 1e-6) * (_SIDE / max(side, 1e-6))
        turn = np.array(((cosine, sine), (-sine, cosine)))
        matrix = np.hstack((turn, (_SIDE / 2 - turn @ middle)[:, None]))
        square = cv2.warpAffine(frame, matrix, (_SIDE, _SIDE), borderMode=cv2.BORDER_REPLICATE)
        self._net.setInput(cv2.dnn.blobFromImage(square, 1 / 255, swapRB=True))
        if float(self._net.forward(_SURE).item()) < 0:
            return None
        points = self._net.forward(_POINTS).reshape(-1, 3).astype(np.float64)
        points[:, :2] = (points[:, :2] - matrix[:, 2]) @ np.linalg.inv(turn).T
        points[:, 2] *= side / _SIDE
        return np.asarray(points)


def eyes_of(points: Values) -> Values:
    """The centres of the eyes (2, 2) px, the left one in the picture first."""
    return np.stack([points[list(corners), :2].mean(axis=0) for corners in _EYES])


def direction_of(points: Values) -> Values:
    """How far the head is turned to the person's left and upwards (2,): the sines of the angles by which its
    side and its chin point towards the camera or away, however it is tilted.
    """
    across = points[list(_LEFT)].mean(axis=0) - points[list(_RIGHT)].mean(axis=0)
    down = points[list(_CHIN)].mean(axis=0) - points[list(_TOP)].mean(axis=0)
    return np.array((across[2] / np.linalg.norm(across), -down[2] / np.linalg.norm(down)))
