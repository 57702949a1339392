from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import dlib
import numpy as np
import pytest

from service.face import rules
from service.face.engines import dlib_engine as dlib_module
from service.face.engines.analysis import analyse
from service.face.engines.dlib_engine import EMBEDDER, PREDICTOR, DlibEngine, model_id, models_folder
from service.face.engines.engine import DetectedFace, FaceEngine, score
from service.face.engines.picture import Pixels
from service.face.rules import QualityFault
from shared.images import face_models
from shared.images.cv import cv2
from shared.samples import faces


def compare(engine: FaceEngine, first_image: Pixels, second_image: Pixels) -> float:
    first, second = analyse(engine, first_image).embedding, analyse(engine, second_image).embedding
    assert first is not None
    assert second is not None
    return score(first, second, engine.metric)


def far_away() -> Pixels:
    """The whole portrait small in the middle of a grey frame: a face of 44 px."""
    scene = np.full((480, 640, 3), 128, np.uint8)
    scene[112:368, 192:448] = cv2.resize(faces.load_portrait(), (256, 256), interpolation=cv2.INTER_AREA)
    return scene


def test_the_same_person_matches_and_a_stranger_does_not(dlib_engine: DlibEngine) -> None:
    needed = rules.threshold(dlib_engine.thresholds, 10)
    assert compare(dlib_engine, faces.enrolment_picture(), faces.login_picture()) > needed + 0.2
    assert compare(dlib_engine, faces.enrolment_picture(), faces.login_picture(1)) > needed + 0.2
    # Not even among the fewest templates, where the threshold is loosest.
    loosest = rules.threshold(dlib_engine.thresholds, 1)
    assert compare(dlib_engine, faces.enrolment_picture(), faces.stranger_picture()) < loosest - 0.05
    assert compare(dlib_engine, faces.enrolment_picture(), faces.stranger_picture(1)) < loosest - 0.05


def test_the_pictures_of_the_recipes_are_good_enough(dlib_engine: DlibEngine) -> None:
    for image in (*faces.enrolment_pictures(), faces.stranger_picture(), faces.stranger_picture(1)):
        assert rules.find_enrolment_fault(analyse(dlib_engine, image), None) is None
    assert rules.find_login_fault(analyse(dlib_engine, faces.login_picture()), None) is None


def test_places_are_those_of_the_whole_picture(dlib_engine: DlibEngine) -> None:
    analysis = analyse(dlib_engine, faces.load_portrait())
    assert analysis.faces[0].eyes == pytest.approx(np.array((faces.LEFT_EYE, faces.RIGHT_EYE)), abs=3)
    assert analysis.faces[0].nose == pytest.approx(np.array(faces.NOSE), abs=8)
    assert analysis.quality is not None
    assert analysis.quality.inter_ocular == pytest.approx(43, abs=2)
    large = analyse(dlib_engine, cv2.resize(faces.load_portrait(), None, fx=4, fy=4))
    assert large.faces[0].eyes / 4 == pytest.approx(analysis.faces[0].eyes, abs=1.5)


def test_the_two_passes_make_the_embedding_independent_of_the_resolution(dlib_engine: DlibEngine) -> None:
    large = cv2.resize(faces.load_portrait(), None, fx=4, fy=4, interpolation=cv2.INTER_CUBIC)
    assert compare(dlib_engine, faces.load_portrait(), large) > -0.1


def test_weight_chooses_the_face_that_is_embedded(dlib_engine: DlibEngine) -> None:
    page = np.hstack((faces.stranger_picture(), faces.enrolment_picture()))
    left = analyse(dlib_engine, page, lambda face: -face.box[0]).embedding
    right = analyse(dlib_engine, page, lambda face: face.box[0]).embedding
    person = analyse(dlib_engine, faces.login_picture()).embedding
    assert left is not None
    assert right is not None
    assert person is not None
    assert score(right, person, dlib_engine.metric) > -0.3
    assert score(left, person, dlib_engine.metric) < -0.5
    assert analyse(dlib_engine, np.full((64, 64, 3), 90, np.uint8)).embedding is None


def test_finds_a_face_that_fills_the_picture(dlib_engine: DlibEngine) -> None:
    tight = faces.load_portrait()[78:172, 182:268]
    assert analyse(dlib_engine, tight).faces
    assert compare(dlib_engine, faces.load_portrait(), tight) > -0.4


@pytest.mark.parametrize("image", [np.zeros((480, 640, 3), np.uint8), np.full((64, 4000, 3), 255, np.uint8)])
def test_picture_without_face_is_not_an_error(dlib_engine: DlibEngine, image: Pixels) -> None:
    analysis = analyse(dlib_engine, image)
    assert analysis.faces == ()
    assert analysis.embedding is None
    assert rules.find_login_fault(analysis, None) is QualityFault.NO_FACE


@pytest.mark.parametrize(
    ("image", "trouble"),
    [
        (faces.crowd_picture(2), QualityFault.SEVERAL_FACES),
        (faces.crowd_picture(20), QualityFault.SEVERAL_FACES),
        (faces.render_frame(faces.load_portrait(), 0.8), QualityFault.FACE_TOO_SMALL),
        (far_away(), QualityFault.FACE_TOO_SMALL),
        (faces.change_light(faces.enrolment_picture(), gain=1.45), QualityFault.TOO_BRIGHT),
        (faces.change_light(faces.enrolment_picture(), gain=0.15), QualityFault.TOO_DARK),
        (cv2.GaussianBlur(faces.enrolment_picture(), (0, 0), 5), QualityFault.BLURRED),
        (faces.masked_picture(), QualityFault.COVERED),
    ],
    ids=["two", "crowd", "small", "tiny", "bright", "dark", "blurred", "masked"],
)
def test_enrolment_names_the_fault_of_a_picture(
    dlib_engine: DlibEngine, image: Pixels, trouble: QualityFault
) -> None:
    assert rules.find_enrolment_fault(analyse(dlib_engine, image), None) is trouble


def test_the_second_pass_never_jumps_to_another_face(dlib_engine: DlibEngine) -> None:
    class Jumping:
        """Finds one face first and, in the crop, only one far away."""

        liveness = None
        calls = 0

        def find(self, image: Pixels) -> list[DetectedFace]:
            self.calls += 1
            detected = dlib_engine.find(image)
            return detected if self.calls == 1 else [face.moved(1, 400, 0) for face in detected]

        def embed(self, image: Pixels, face: DetectedFace) -> np.ndarray:
            return dlib_engine.embed(image, face)

    analysis = analyse(Jumping(), faces.load_portrait())  # type: ignore[arg-type]
    assert analysis.faces[0].eyes == pytest.approx(np.array((faces.LEFT_EYE, faces.RIGHT_EYE)), abs=4)


def test_finds_its_files_without_importing_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "face_recognition_models", raising=False)
    folder = models_folder()
    assert (folder / PREDICTOR).is_file()
    assert "face_recognition_models" not in sys.modules


def test_finds_its_files_in_the_frozen_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "face_recognition_models" / "models"
    inside.mkdir(parents=True)
    for name in (PREDICTOR, EMBEDDER):
        (inside / name).write_bytes(name.encode())
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert models_folder() == inside
    before = model_id(inside)
    (inside / EMBEDDER).write_bytes(b"another model")
    assert model_id(inside) != before


def test_dlib_gets_names_that_every_code_page_of_windows_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "张三"
    folder.mkdir()
    for name in (PREDICTOR, EMBEDDER):
        (folder / name).symlink_to(models_folder() / name)
    monkeypatch.setattr(dlib_module, "models_folder", lambda: folder)
    monkeypatch.setattr(dlib_module, "_IS_WINDOWS", True)
    names: list[str] = []
    real = {kind: getattr(dlib, kind) for kind in ("shape_predictor", "face_recognition_model_v1")}

    def load(kind: str, name: str) -> object:
        names.append(name)
        return real[kind](name)

    for kind in real:
        monkeypatch.setattr(dlib, kind, partial(load, kind))
    before = Path.cwd()
    DlibEngine()
    assert names == [PREDICTOR, EMBEDDER]
    assert Path.cwd() == before


def test_missing_files_raise_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(FileNotFoundError, match="install the package face_recognition_models"):
        models_folder()


def tilted_portrait() -> Pixels:
    """The portrait tilted by 50 degrees, which HOG does not find."""
    portrait = faces.load_portrait()
    height, width = portrait.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), 50, 1)
    return np.asarray(cv2.warpAffine(portrait, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE))


def test_dlib_recognises_a_face_that_only_blaze_face_finds(
    dlib_engine: DlibEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    tilted = analyse(dlib_engine, tilted_portrait())
    upright = analyse(dlib_engine, faces.load_portrait())
    assert tilted.embedding is not None
    assert upright.embedding is not None
    assert score(tilted.embedding, upright.embedding, dlib_engine.metric) > -0.3
    monkeypatch.setattr(dlib_engine, "_blaze_face", None)
    assert not dlib_engine.find(tilted_portrait())


def test_dlib_works_without_the_package_of_blaze_face(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(face_models, "PACKAGE", "nowhere_to_be_found")
    assert DlibEngine().find(faces.load_portrait())
