"""Defines the frames between the service and its face process: engine, analysis of a picture, refusal.

Pictures and embeddings are the raw bytes of a frame; they are never logged or written to a disk. The service
starts sooner because NumPy is imported by the first answer.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from service.face.engines.engine import (
    DetectedFace,
    Embedding,
    EngineInfo,
    Metric,
    PictureAnalysis,
    Points,
    Quality,
    SequenceAnalysis,
    Thresholds,
)
from service.face.engines.picture import PictureFault
from service.face.liveness.movements import Movement, Reason, Step
from service.workers.frames import Frame

# Little-endian, the byte order of all supported machines.
_NUMBERS = "<f4"


class FilmedFrame(NamedTuple):
    """One frame of a sequence as Base64 or data URL, filmed `at_ms` after the first one."""

    at_ms: float
    face_info: str


class FaceRequest(NamedTuple):
    """A request to load the engine of `model` in `folder`, unless it is loaded, and to analyse a picture.

    `face_info` is the picture as Base64 or data URL; `frames` are a sequence that answers `steps`. Without
    both, the answer contains only the facts about the engine.
    """

    model: str
    folder: Path
    face_info: str | None = None
    frames: tuple[FilmedFrame, ...] = ()
    steps: tuple[Step, ...] = ()


def request_frame(request: FaceRequest) -> Frame:
    """Encode a request."""
    message = {
        "model": request.model,
        # Absolute, because the process has a different working directory.
        "folder": str(request.folder.absolute()),
        "picture": request.face_info is not None,
    }
    # A text from a client may contain surrogates, which UTF-8 cannot encode.
    pictures = [_bytes(frame.face_info) for frame in request.frames] or [_bytes(request.face_info or "")]
    message["times"] = [frame.at_ms for frame in request.frames]
    message["lengths"] = [len(picture) for picture in pictures]
    message["steps"] = [asdict(step) for step in request.steps]
    return Frame(message, b"".join(pictures))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def to_request(frame: Frame) -> FaceRequest:
    """Decode a request."""
    message, start, texts = frame.message, 0, []
    for length in message["lengths"]:
        texts.append(frame.payload[start : start + length].decode("utf-8", "surrogatepass"))
        start += length
    times = message["times"]
    return FaceRequest(
        message["model"],
        Path(message["folder"]),
        texts[0] if message["picture"] else None,
        tuple(FilmedFrame(at_ms, text) for at_ms, text in zip(times, texts, strict=True)) if times else (),
        tuple(Step(Movement(step["movement"]), step["from_ms"], step["to_ms"]) for step in message["steps"]),
    )


def info_frame(info: EngineInfo) -> Frame:
    """Encode the answer to a request without a picture."""
    return Frame({"engine": {**asdict(info), "thresholds": info.thresholds.points}})


def analysis_frame(analysis: PictureAnalysis) -> Frame:
    """Encode the answer to a picture."""
    return Frame(
        {"analysis": _analysis(analysis)},
        b"" if analysis.embedding is None else analysis.embedding.astype(_NUMBERS).tobytes(),
    )


def sequence_frame(sequence: SequenceAnalysis) -> Frame:
    """Encode the answer to a sequence."""
    frame = analysis_frame(sequence.first)
    return Frame({"sequence": sequence.reason, **frame.message}, frame.payload)


def _analysis(analysis: PictureAnalysis) -> dict[str, Any]:
    return {
        "width": analysis.width,
        "height": analysis.height,
        "faces": [_face(face) for face in analysis.faces],
        "quality": None if analysis.quality is None else asdict(analysis.quality),
        "embedding": analysis.embedding is not None,
        "liveness": None if analysis.liveness is None else float(analysis.liveness),
    }


def fault_frame(fault: PictureFault) -> Frame:
    """Encode the answer to a refused picture."""
    return Frame({"fault": fault})


def problem_frame(problem: str) -> Frame:
    """Encode the answer after a failure of the engine. `problem` must contain nothing of a picture."""
    return Frame({"problem": problem})


Answer = EngineInfo | PictureAnalysis | SequenceAnalysis | PictureFault | str


def to_answer(frame: Frame) -> Answer:
    """Decode an answer; a text is the cause of a failure. Raises ValueError for an invalid answer."""
    try:
        match frame.message:
            case {"problem": problem}:
                return str(problem)
            case {"fault": fault}:
                return PictureFault(fault)
            case {"engine": engine}:
                return _to_info(engine)
            case {"sequence": reason, "analysis": analysis}:
                return SequenceAnalysis(Reason(reason), _to_analysis(analysis, frame.payload))
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


def _to_face(fields: dict[str, Any]) -> DetectedFace:
    x0, y0, x1, y1 = (float(edge) for edge in fields["box"])
    return DetectedFace(
        (x0, y0, x1, y1),
        _points(fields["landmarks"], (-1, 2)),
        _points(fields["eyes"], (2, 2)),
        _points(fields["nose"], (2,)),
        float(fields["confidence"]),
    )


def _points(numbers: list[Any], shape: tuple[int, ...]) -> Points:
    import numpy as np

    return np.array(numbers, np.float32).reshape(shape)


def _to_info(fields: dict[str, Any]) -> EngineInfo:
    limit = fields["liveness_limit"]
    return EngineInfo(
        name=str(fields["name"]),
        model_id=str(fields["model_id"]),
        dimension=int(fields["dimension"]),
        metric=Metric(fields["metric"]),
        thresholds=Thresholds(tuple((float(rate), float(score)) for rate, score in fields["thresholds"])),
        liveness_limit=None if limit is None else float(limit),
    )


def _to_analysis(fields: dict[str, Any], payload: bytes) -> PictureAnalysis:
    quality, liveness = fields["quality"], fields["liveness"]
    return PictureAnalysis(
        int(fields["width"]),
        int(fields["height"]),
        tuple(_to_face(face) for face in fields["faces"]),
        None if quality is None else Quality(**{name: float(value) for name, value in quality.items()}),
        _to_embedding(payload) if fields["embedding"] else None,
        None if liveness is None else float(liveness),
    )


def _to_embedding(payload: bytes) -> Embedding:
    import numpy as np

    return np.frombuffer(payload, _NUMBERS).astype(np.float32)
