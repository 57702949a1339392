"""What the service and its face process say to each other, as frames: engine, analysis of a picture, refusal.

Pictures and embeddings are the raw bytes of a frame; they are in no log and on no disk.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from service.face.engines.engine import (
    DetectedFace,
    Embedding,
    EngineInfo,
    Metric,
    PictureAnalysis,
    Points,
    Thresholds,
)
from service.face.engines.picture import PictureFault
from service.face.engines.quality import Quality
from service.workers.frames import Frame

# Little-endian, as every machine that this runs on has it.
_NUMBERS = np.dtype("<f4")


class FaceRequest(NamedTuple):
    """Load the engine of `model` in `folder`, unless it is loaded, and analyse a picture with it.

    `face_info` is the picture as Base64 or data URL; None asks for the engine alone.
    """

    model: str
    folder: Path
    face_info: str | None = None


def request_frame(request: FaceRequest) -> Frame:
    """The frame of a request."""
    message = {
        "model": request.model,
        # The process does not run in the folder that the service runs in.
        "folder": str(request.folder.absolute()),
        "picture": request.face_info is not None,
    }
    # A text from outside may hold what UTF-8 has no bytes for.
    return Frame(message, (request.face_info or "").encode("utf-8", "surrogatepass"))


def to_request(frame: Frame) -> FaceRequest:
    """The request in a frame."""
    face_info = frame.payload.decode("utf-8", "surrogatepass") if frame.message["picture"] else None
    return FaceRequest(frame.message["model"], Path(frame.message["folder"]), face_info)


def info_frame(info: EngineInfo) -> Frame:
    """The answer to a request without a picture."""
    return Frame({"engine": {**asdict(info), "thresholds": info.thresholds.points}})


def analysis_frame(analysis: PictureAnalysis) -> Frame:
    """The answer to a picture."""
    embedding = analysis.embedding
    message = {
        "width": analysis.width,
        "height": analysis.height,
        "faces": [_face(face) for face in analysis.faces],
        "quality": None if analysis.quality is None else asdict(analysis.quality),
        "embedding": embedding is not None,
        "liveness": None if analysis.liveness is None else float(analysis.liveness),
    }
    return Frame(
        {"analysis": message}, b"" if embedding is None else np.asarray(embedding, _NUMBERS).tobytes()
    )


def fault_frame(fault: PictureFault) -> Frame:
    """The answer to a picture that is not accepted."""
    return Frame({"fault": fault})


def problem_frame(problem: str) -> Frame:
    """The answer when the engine failed. `problem` must hold nothing of a picture."""
    return Frame({"problem": problem})


def to_answer(frame: Frame) -> EngineInfo | PictureAnalysis | PictureFault | str:
    """What an answer says; a text is what failed. Raises ValueError for anything else."""
    try:
        match frame.message:
            case {"problem": problem}:
                return str(problem)
            case {"fault": fault}:
                return PictureFault(fault)
            case {"engine": engine}:
                return _to_info(engine)
            case {"analysis": analysis}:
                return _to_analysis(analysis, frame.payload)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("not an answer of the face process") from error
    raise ValueError("not an answer of the face process")


def _face(face: DetectedFace) -> dict[str, Any]:
    return {
        "box": [float(edge) for edge in face.box],
        "landmarks": face.landmarks.tolist(),
        "eyes": face.eyes.tolist(),
        "nose": face.nose.tolist(),
        "confidence": float(face.confidence),
    }


def _to_face(words: dict[str, Any]) -> DetectedFace:
    x0, y0, x1, y1 = (float(edge) for edge in words["box"])
    return DetectedFace(
        (x0, y0, x1, y1),
        _points(words["landmarks"], (-1, 2)),
        _points(words["eyes"], (2, 2)),
        _points(words["nose"], (2,)),
        float(words["confidence"]),
    )


def _points(numbers: list[Any], shape: tuple[int, ...]) -> Points:
    return np.array(numbers, np.float32).reshape(shape)


def _to_info(words: dict[str, Any]) -> EngineInfo:
    limit = words["liveness_limit"]
    return EngineInfo(
        name=str(words["name"]),
        model_id=str(words["model_id"]),
        dimension=int(words["dimension"]),
        metric=Metric(words["metric"]),
        thresholds=Thresholds(tuple((float(rate), float(score)) for rate, score in words["thresholds"])),
        liveness_limit=None if limit is None else float(limit),
    )


def _to_analysis(words: dict[str, Any], payload: bytes) -> PictureAnalysis:
    quality, liveness = words["quality"], words["liveness"]
    return PictureAnalysis(
        int(words["width"]),
        int(words["height"]),
        tuple(_to_face(face) for face in words["faces"]),
        None if quality is None else Quality(**{name: float(value) for name, value in quality.items()}),
        _to_embedding(payload) if words["embedding"] else None,
        None if liveness is None else float(liveness),
    )


def _to_embedding(payload: bytes) -> Embedding:
    return np.frombuffer(payload, _NUMBERS).astype(np.float32)
