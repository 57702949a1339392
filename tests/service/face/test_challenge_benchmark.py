"""The benchmark of the challenge makes films and attacks of every kind, and counts what is judged."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import face_attacks, face_enrolment
from benchmarks.face_attacks import Outcome
from benchmarks.face_forgeries import KINDS, make_attack
from benchmarks.face_sequences import Take
from service.face.engines.dlib_engine import DlibEngine
from service.face.engines.engine import Metric, PictureAnalysis, Quality, Thresholds
from service.face.liveness.movements import Movement, Step
from shared.samples import faces
from tests.material import heads
from tests.material.heads import Pixels, Pose, Scene

STEPS = [Step(Movement.LEFT, 300, 700)]


@pytest.fixture(scope="module")
def take() -> Take:
    """A head that turns left."""
    path = [(0.0, Pose()), (400.0, Pose()), (700.0, Pose(yaw=24))]
    times = [float(at) for at in range(0, 800, 80)]
    scene = Scene(eye_distance=40, size=(200, 180))
    frames = [
        heads.render_head_frame(heads.portrait_texture(), heads.Shape(), pose, scene, seed)
        for seed, pose in enumerate(heads.interpolate_poses(path, times))
    ]
    return Take(frames, times, STEPS, np.array(((80.0, 76.0), (120.0, 76.0))))


@pytest.mark.parametrize("kind", KINDS)
def test_attack_answers_a_challenge_with_a_turn(kind: str, take: Take) -> None:
    attack = make_attack(kind, take, np.random.default_rng(2))
    assert len(attack.frames) == len(take.frames)
    assert {frame.shape for frame in attack.frames} == {attack.frames[0].shape}
    assert any(step.movement is not Movement.CLOSER for step in attack.steps)
    same = all((a == b).all() for a, b in zip(attack.frames, take.frames, strict=True))
    assert same == (kind == "old sequence")


def test_films_are_found_by_person(tmp_path: Path) -> None:
    for name in ("anna/second", "anna/first", "lone"):
        (tmp_path / name).mkdir(parents=True)
    found = face_attacks.find_films([tmp_path / "anna", tmp_path / "lone"])
    assert [(person, folder.name) for person, folder in found] == [
        ("anna", "first"),
        ("anna", "second"),
        ("lone", "lone"),
    ]


def test_film_and_its_attacks_are_judged(
    monkeypatch: pytest.MonkeyPatch, take: Take, dlib_engine: DlibEngine
) -> None:
    monkeypatch.setattr(face_attacks, "_engine", dlib_engine)
    monkeypatch.setattr(face_attacks, "read_folder", lambda _folder, _movement: take)
    outcome = face_attacks._measure(((1, 2), "anna", Path("film"), None, ("cut", "tilted")))
    assert (outcome.person, outcome.name, outcome.frames) == ("anna", "film", 10)
    # The film is too short.
    assert outcome.reasons == {
        "genuine": ["too_few_frames"],
        "cut": ["too_few_frames"] * 2,
        "tilted": ["too_few_frames"] * 2,
    }
    assert outcome.spent_ms > 0


def test_report_counts_refusals_of_each_person_and_attacks(capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = [
        Outcome("anna", "1", {"genuine": ["live"], "cut": ["cut", "live"]}, 10, 100.0),
        Outcome("anna", "2", {"genuine": ["cut"], "cut": ["live", "cut"]}, 10, 120.0),
        Outcome("ben", "1", {"genuine": ["live"]}, 10, 300.0),
    ]
    face_attacks.report_rates("nowhere", ["cut", "morph"], outcomes)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    anna, ben, everybody, cut = lines
    assert (anna["count"], anna["films"], anna["reasons"]) == (1, 2, {"cut": 1, "live": 1})
    assert (ben["count"], ben["films"]) == (0, 1)
    assert (everybody["count"], everybody["films"]) == (1, 3)
    assert (cut["count"], cut["films"]) == (2, 4)
    assert cut["bound"] > 50


def test_guided_enrolment_uses_the_front_both_sides_and_the_most_different_photos() -> None:
    angles = np.radians((0, 10, 20, 70, 5))
    embeddings = [np.array((np.cos(angle), np.sin(angle)), np.float32) for angle in angles]
    person = face_enrolment.Seen(embeddings, [0.0, -0.2, 0.3, 0.05, 0.02], 0)
    assert face_enrolment._choose_guided(person, Metric.COSINE) == [4, 1, 2, 3]


def test_enrolments_in_folders_are_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def analyse_encoded_pixel(_engine: object, image: Pixels) -> PictureAnalysis:
        """A face whose embedding and yaw are in the first pixel; none in a black picture."""
        blue, green, _ = image[0, 0].tolist()
        if not blue:
            return PictureAnalysis(8, 8)
        angle = np.radians(blue)
        quality = Quality(60, 120, 0, 0, 0.1, green / 100, 0, 0, 40)
        embedding = np.array((np.cos(angle), np.sin(angle)), np.float32)
        return PictureAnalysis(8, 8, quality=quality, embedding=embedding)

    def write_person(person: str, pictures: list[tuple[int, int]]) -> None:
        (tmp_path / person).mkdir()
        for number, (angle, yaw) in enumerate(pictures):
            image = np.full((20, 20, 3), (angle, yaw, 0), np.uint8)
            (tmp_path / person / f"{number}.png").write_bytes(faces.encode_picture(image, ".png"))

    monkeypatch.setattr(face_enrolment, "analyse", analyse_encoded_pixel)
    # The last one is far from the front and near to a side; the black one has no face.
    write_person("one", [(10, 50), (50, 10), (12, 90), (80, 40), (14, 55), (52, 60), (0, 0)])
    write_person("two", [(150, 50)] * 2)
    (tmp_path / "one" / "notes.txt").write_text("no picture")
    engine = SimpleNamespace(metric=Metric.COSINE, thresholds=Thresholds(((1e-3, 0.95), (1e-4, 0.98))))
    face_enrolment.measure_enrolment(
        engine,
        "none",
        face_enrolment.read_folders(tmp_path),
        "here",
        strangers=True,
    )
    output = capsys.readouterr()
    assert "notes.txt" in output.err
    one, guided = (json.loads(line) for line in output.out.splitlines())
    # Two pictures are too few for an enrolment and a login.
    assert (one["people"], one["logins"], one["missed"]) == (1, 3, 2)
    assert (guided["missed"], guided["strangers"]) == (1, 0)


def test_folder_without_people_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no folder for each person"):
        face_enrolment.read_folders(tmp_path)
