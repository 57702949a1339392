"""A face process with engines that fail; `test_face_process` starts it."""

from __future__ import annotations

import os
from pathlib import Path

from service.face import face_worker
from service.face.engines.dlib_engine import DlibEngine
from service.face.engines.engine import DetectedFace, FaceEngine
from shared.samples import faces


class FailingEngine(DlibEngine):
    """Finds nothing, but dies or hangs where the first pixel says so."""

    def find(self, image: faces.Pixels) -> list[DetectedFace]:
        if image[0, 0, 0] == 66:
            os._exit(9)
        if image[0, 0, 0] == 77:
            while True:
                pass
        if image[0, 0, 0] == 88:
            raise RuntimeError("canary of the picture")
        return []


def load(model: str, _folder: Path) -> FaceEngine:
    if model == "treacherous":
        return FailingEngine()
    raise FileNotFoundError("install the models")


if __name__ == "__main__":
    face_worker.main(load)
