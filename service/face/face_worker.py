"""Runs the face process, `walkaround worker --faces`: decodes pictures and analyses them with one engine.

The answers contain boxes, measures and one embedding, but no pixels (ADR 0020).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from service.face.engines import messages
from service.face.engines.analysis import analyse, warm_up
from service.face.engines.engine import FaceEngine, SequenceAnalysis, engine_info
from service.face.engines.picture import BadPicture, decode, picture_bytes
from service.face.engines.sequence import film_frame, judge
from service.face.packs.pack_store import load_engine
from service.workers.frames import Frame, Report, discard_output, serve
from shared.images.face_models import MeshMissingError

Load = Callable[[str, Path], FaceEngine]
"""Loads the engine of a model from the folder of packs."""


def main(load: Load = load_engine) -> None:
    """Answer the service's requests until it closes the input."""
    serve(_RequestHandler(load))


class _RequestHandler:
    """Answers requests; loads the engine at the first request."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._engine: FaceEngine | None = None

    def __call__(self, frame: Frame, _report: Report) -> Frame:
        request = messages.to_request(frame)
        if self._engine is None:
            try:
                engine = self._load(request.model, request.folder)
                warm_up(engine)
            except Exception as problem:
                return messages.problem_frame(f"{type(problem).__name__}: {problem}")
            self._engine = engine
            discard_output()
        if request.face_info is None and not request.frames:
            return messages.info_frame(engine_info(self._engine))
        try:
            if request.frames:
                return messages.sequence_frame(_judge_frames(self._engine, request))
            assert request.face_info is not None
            return messages.analysis_frame(analyse(self._engine, decode(picture_bytes(request.face_info))))
        except BadPicture as bad:
            return messages.fault_frame(bad.fault)
        except MeshMissingError as missing:
            return messages.problem_frame(str(missing))
        except Exception as problem:
            # The text of the exception may contain content of the picture.
            return messages.problem_frame(f"unexpected {type(problem).__name__}")


def _judge_frames(engine: FaceEngine, request: messages.FaceRequest) -> SequenceAnalysis:
    frames = [film_frame(frame.face_info) for frame in request.frames]
    times = [frame.at_ms for frame in request.frames]
    return judge(engine, frames, times, request.steps)
