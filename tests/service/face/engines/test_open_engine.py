from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage.transform import SimilarityTransform

from service.face import rules
from service.face.engines.analysis import analyse
from service.face.engines.engine import FaceEngine, score
from service.face.engines.liveness_models import session
from service.face.engines.manifest import Normalisation, recognise_pack
from service.face.engines.open_engine import ARCFACE_POINTS, model_id, normalise
from service.face.engines.picture import Pixels
from service.face.packs.pack_store import PackError, file_sha256, install, load_engine
from service.face.rules import QualityFault
from shared.images.cv import cv2
from shared.images.similarity import fit_similarity
from shared.samples import faces
from tests.service.face.packs.test_pack_store import a_pack


@settings(max_examples=50, deadline=None)
@given(st.floats(0.1, 10), st.floats(-180, 180), st.floats(-500, 500), st.floats(-500, 500))
def test_similarity_finds_the_turn_scale_and_shift(scale: float, angle: float, x: float, y: float) -> None:
    turn = scale * np.exp(1j * np.radians(angle))
    moved = (ARCFACE_POINTS[:, 0] + 1j * ARCFACE_POINTS[:, 1]) * turn + complex(x, y)
    source = np.stack((moved.real, moved.imag), axis=1)
    matrix = fit_similarity(source, ARCFACE_POINTS)
    mapped = source @ matrix[:, :2].T + matrix[:, 2]
    np.testing.assert_allclose(mapped, ARCFACE_POINTS, atol=1e-6 * (1 + abs(x) + abs(y)) / scale + 1e-6)


def test_similarity_of_points_in_one_place_is_finite() -> None:
    assert np.isfinite(fit_similarity(np.ones((5, 2)), ARCFACE_POINTS)).all()


@pytest.mark.parametrize(
    ("how", "expected"), [("raw", [0, 127.5, 255]), ("unit", [-1, 0, 1]), ("imagenet", [-2.118, 0.205, 2.64])]
)
def test_normalisations(how: Normalisation, expected: list[float]) -> None:
    pixels = np.zeros((112, 112, 3), np.uint8)
    pixels[0, 0] = (0, 128, 255)
    values = normalise(pixels, how)
    assert values.shape == (1, 3, 112, 112)
    assert values[0, :, 0, 0] == pytest.approx(expected, abs=0.6 if how == "raw" else 0.02)


def test_the_model_id_follows_the_files() -> None:
    pack = a_pack()
    other = a_pack(files=pack.files | {"embed.onnx": "0" * 64})
    assert model_id(pack) != model_id(other)
    assert model_id(pack) != model_id(a_pack(normalisation="unit"))
    assert model_id(pack) == model_id(a_pack(licence="other words"))


def compare(engine: FaceEngine, first_image: Pixels, second_image: Pixels) -> float:
    first, second = analyse(engine, first_image).embedding, analyse(engine, second_image).embedding
    assert first is not None
    assert second is not None
    return score(first, second, engine.metric)


@pytest.mark.models
def test_landmarks_stay_where_the_face_is(open_engine: FaceEngine) -> None:
    """The picture moves by parts of the detector's cells, and the face does not."""
    image = cv2.resize(faces.enrolment_picture(), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    places = []
    for shift in range(16):
        moved = cv2.warpAffine(
            image, np.array([[1, 0, shift], [0, 1, shift]], np.float64), image.shape[1::-1]
        )
        (face,) = open_engine.find(moved)
        places.append((face.nose - face.eyes.mean(axis=0)) / np.hypot(*(face.eyes[1] - face.eyes[0])))
    assert np.ptp(places, axis=0).max() < 0.05, "0.09 for the best box alone"


@pytest.mark.models
def test_the_same_person_matches_and_a_stranger_does_not(open_engine: FaceEngine) -> None:
    needed = rules.threshold(open_engine.thresholds, 1000)
    assert compare(open_engine, faces.enrolment_picture(), faces.login_picture()) > needed + 0.2
    loosest = rules.threshold(open_engine.thresholds, 1)
    assert compare(open_engine, faces.enrolment_picture(), faces.stranger_picture()) < loosest - 0.1
    assert compare(open_engine, faces.enrolment_picture(), faces.stranger_picture(1)) < loosest - 0.1


@pytest.mark.models
def test_it_sees_a_mask_a_crowd_and_a_living_face(open_engine: FaceEngine) -> None:
    assert open_engine.liveness is not None
    limit = open_engine.liveness.limit
    assert limit == 0.5
    good = analyse(open_engine, faces.enrolment_picture())
    assert rules.find_enrolment_fault(good, limit) is None
    assert rules.find_enrolment_fault(replace(good, liveness=0.1), limit) is QualityFault.NOT_LIVE
    assert (
        rules.find_enrolment_fault(analyse(open_engine, faces.masked_picture()), limit)
        is QualityFault.COVERED
    )
    crowd = analyse(open_engine, faces.crowd_picture(20))
    assert len(crowd.faces) == 20
    assert rules.find_login_fault(crowd, limit) is QualityFault.SEVERAL_FACES


@pytest.mark.models
def test_the_liveness_models_tell_a_grey_copy(open_engine: FaceEngine) -> None:
    grey = np.repeat(faces.enrolment_picture().mean(axis=2, keepdims=True).astype(np.uint8), 3, axis=2)
    real, copy = analyse(open_engine, faces.enrolment_picture()).liveness, analyse(open_engine, grey).liveness
    assert real is not None
    assert copy is not None
    assert real > 0.7 > 0.3 > copy


@pytest.mark.models
def test_embedding_matches_reference(open_engine: FaceEngine, test_models: Path) -> None:
    """Aligned by scikit-image, ImageNet's mean and deviation on RGB, as the embedder's makers say."""
    image = faces.enrolment_picture()
    (face,) = open_engine.find(image)
    estimated = SimilarityTransform.from_estimate(face.landmarks, ARCFACE_POINTS)
    aligned = cv2.warpAffine(image, estimated.params[:2], (112, 112))
    rgb = aligned[:, :, ::-1].astype(np.float32) / 255
    mean, deviation = np.array((0.485, 0.456, 0.406), np.float32), np.array((0.229, 0.224, 0.225), np.float32)
    batch = (rgb - mean) / deviation
    model = session(test_models / "mobilefacenet_128_dynbatch.onnx")
    (vector,) = model.run(None, {model.get_inputs()[0].name: batch.transpose(2, 0, 1)[None]})[0]
    assert float(open_engine.embed(image, face) @ vector) / np.linalg.norm(vector) > 0.9999


@pytest.mark.models
def test_the_two_forms_of_the_embedder_agree(test_models: Path, tmp_path: Path) -> None:
    engines = []
    for name in ("mobilefacenet_128_dynbatch.onnx", "mobilefacenet_128_embednorm.onnx"):
        folder = tmp_path / name
        folder.mkdir()
        for model in (name, "face_detection_yunet_2023mar.onnx"):
            (folder / model).symlink_to(test_models / model)
        pack = recognise_pack({file.name: file_sha256(file) for file in folder.iterdir()})
        assert pack is not None
        for file in folder.iterdir():
            content = file.read_bytes()
            file.unlink()
            file.write_bytes(content)
        install(folder, tmp_path / "packs")
        engines.append(load_engine(pack.name, tmp_path / "packs"))
    first, second = (analyse(engine, faces.enrolment_picture()).embedding for engine in engines)
    assert first is not None
    assert second is not None
    assert float(first @ second) > 0.999
    assert engines[0].model_id != engines[1].model_id
    assert engines[0].liveness is None


@pytest.mark.models
def test_any_insightface_folder_is_a_pack_for_research(test_models: Path, tmp_path: Path) -> None:
    source = tmp_path / "Buffalo 甲"
    source.mkdir()
    for name in ("det_500m.onnx", "w600k_mbf_int8.onnx", "minifasnet_v2_2.7_80x80.onnx"):
        # A trailing field that no reader knows: the same models under another hash.
        (source / name).write_bytes((test_models / name).read_bytes() + b"\xfa\x01\x00")
    (source / "notes.onnx").write_bytes(b"no model")
    (source / "MODEL.LICENSE").write_text("research")
    with pytest.raises(PackError, match="research only"):
        install(source, tmp_path / "packs")
    pack = install(source, tmp_path / "packs", accept_research=True)
    assert (pack.name, pack.engine, pack.dimension) == ("insightface-buffalo", "insightface", 512)
    assert set(pack.files) == {"det_500m.onnx", "w600k_mbf_int8.onnx", "MODEL.LICENSE"}
    (source / "second.onnx").write_bytes((source / "w600k_mbf_int8.onnx").read_bytes())
    with pytest.raises(PackError, match="no face models"):
        install(source, tmp_path / "packs", accept_research=True)


@pytest.mark.models
def test_the_insightface_pack_is_for_research_and_needs_its_package(
    test_models: Path, tmp_path: Path
) -> None:
    source = tmp_path / "buffalo"
    source.mkdir()
    for name in ("det_500m.onnx", "w600k_mbf_int8.onnx"):
        (source / name).write_bytes((test_models / name).read_bytes())
    with pytest.raises(PackError, match="research only"):
        install(source, tmp_path / "packs")
    pack = install(source, tmp_path / "packs", accept_research=True)
    if importlib.util.find_spec("insightface") is None:
        with pytest.raises(ImportError, match="make insightface"):
            load_engine(pack.name, tmp_path / "packs")
        pytest.skip("the package insightface is not installed")
    engine = load_engine(pack.name, tmp_path / "packs")
    assert compare(engine, faces.enrolment_picture(), faces.login_picture()) > rules.threshold(
        engine.thresholds, 1000
    )
    assert compare(engine, faces.enrolment_picture(), faces.stranger_picture()) < rules.threshold(
        engine.thresholds, 100
    )
