"""Frames between the service and its face process: they say what was put in; anything else is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from service.face.engines import messages
from service.face.engines.analysis import analyse
from service.face.engines.dlib_engine import DlibEngine
from service.face.engines.engine import EngineInfo, PictureAnalysis, SequenceAnalysis, engine_info
from service.face.engines.picture import PictureFault
from service.face.liveness.movements import Movement, Reason, Step
from service.workers.frames import Frame
from shared.samples import faces

INFO = {
    "name": "dlib",
    "model_id": "dlib-1",
    "dimension": 128,
    "metric": "euclidean",
    "thresholds": [[1e-3, -0.5]],
    "liveness_limit": None,
}


@pytest.mark.parametrize("face_info", [None, "", "data:image/png;base64,AAAA", "\ud800 \N{AIRPLANE}"])
def test_a_request_arrives_as_it_was(face_info: str | None, tmp_path: Path) -> None:
    request = messages.FaceRequest("dlib", tmp_path, face_info)
    assert messages.to_request(messages.request_frame(request)) == request


def test_a_folder_is_named_from_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    request = messages.request_frame(messages.FaceRequest("dlib", Path("packs")))
    assert messages.to_request(request).folder == tmp_path / "packs"


def test_a_sequence_arrives_as_it_was(tmp_path: Path) -> None:
    frames = (messages.FilmedFrame(0.0, "AAAA"), messages.FilmedFrame(80.0, "BBBBBB"))
    steps = (Step(Movement.LEFT, 500, 2100),)
    request = messages.FaceRequest("dlib", tmp_path, None, frames, steps)
    assert messages.to_request(messages.request_frame(request)) == request


@pytest.mark.parametrize("reason", [Reason.LIVE, Reason.CUT])
def test_a_verdict_arrives_as_it_is(reason: Reason, dlib_engine: DlibEngine) -> None:
    sent = SequenceAnalysis(reason, analyse(dlib_engine, faces.enrolment_picture()))
    assert sent.first.embedding is not None
    got = messages.to_answer(messages.sequence_frame(sent))
    assert isinstance(got, SequenceAnalysis)
    assert got.reason is reason
    assert got.first.embedding is not None
    assert (got.first.embedding == sent.first.embedding).all()


def test_an_engine_arrives_as_it_is(dlib_engine: DlibEngine) -> None:
    info = engine_info(dlib_engine)
    assert messages.to_answer(messages.info_frame(info)) == info


def test_an_analysis_arrives_to_the_last_bit(dlib_engine: DlibEngine) -> None:
    sent = analyse(dlib_engine, faces.enrolment_picture())
    assert sent.embedding is not None
    frame = messages.analysis_frame(sent)
    # The embedding is never a text that a log could hold.
    assert frame.payload == sent.embedding.tobytes()
    got = messages.to_answer(frame)
    assert isinstance(got, PictureAnalysis)
    assert got.embedding is not None
    assert (got.width, got.height, got.quality, got.liveness) == (
        sent.width,
        sent.height,
        sent.quality,
        sent.liveness,
    )
    assert got.embedding.dtype == np.float32
    assert np.array_equal(got.embedding, sent.embedding)
    assert len(got.faces) == len(sent.faces) == 1
    for got_face, sent_face in zip(got.faces, sent.faces, strict=True):
        assert (got_face.box, got_face.confidence) == (sent_face.box, sent_face.confidence)
        for name in ("landmarks", "eyes", "nose"):
            assert getattr(got_face, name).dtype == np.float32
            assert np.array_equal(getattr(got_face, name), getattr(sent_face, name))


def test_a_picture_without_a_face_has_no_embedding() -> None:
    got = messages.to_answer(messages.analysis_frame(PictureAnalysis(64, 48)))
    assert got is not None
    assert isinstance(got, PictureAnalysis)
    assert (got.width, got.height, got.faces, got.embedding) == (64, 48, (), None)


@pytest.mark.parametrize("fault", PictureFault)
def test_a_fault_travels_between_processes(fault: PictureFault) -> None:
    assert messages.to_answer(messages.fault_frame(fault)) is fault


def test_a_problem_arrives() -> None:
    assert messages.to_answer(messages.problem_frame("no models")) == "no models"


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"fault": "unheard of"},
        {"engine": None},
        {"engine": {**INFO, "metric": "manhattan"}},
        {"engine": {**INFO, "thresholds": [1]}},
        {"analysis": {}},
        {"analysis": {"width": 1, "height": 1, "faces": [{}], "quality": None, "embedding": False}},
        {"analysis": {"width": 1, "height": 1, "faces": 1, "quality": None, "embedding": False}},
    ],
)
def test_anything_else_is_refused(message: dict[str, Any]) -> None:
    assert isinstance(messages.to_answer(Frame({"engine": INFO})), EngineInfo)
    with pytest.raises(ValueError):
        messages.to_answer(Frame(message, b"odd"))
