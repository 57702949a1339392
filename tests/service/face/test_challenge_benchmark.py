"""The benchmark of the challenge makes films and attacks of every kind, and counts what is judged."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import face_attacks, face_enrolment, face_sequences
from benchmarks.face_attacks import Outcome
from benchmarks.face_films import draw_exposures, render_film
from benchmarks.face_forgeries import KINDS, make_attack
from benchmarks.face_heads import Conditions, Passer, draw_conditions
from benchmarks.face_sequences import Take
from service.face.engines.engine import Metric, PictureAnalysis, Thresholds
from service.face.engines.quality import Quality
from service.face.liveness.movements import Evidence, Movement, Reason, Step, Verdict
from shared.samples import faces
from shared.samples.heads import Pixels

STEPS = [Step(Movement.LEFT, 300, 700)]
CONDITIONS = Conditions(
    distance=60,
    field_of_view=88,
    turn=20,
    start=3,
    frame_ms=120,
    exposure=20,
    noise=2,
    quality=80,
    gain=1,
    side_light=0.3,
    glasses=True,
    beard=True,
    shoulders=0.5,
    room=0.5,
)


@pytest.fixture(scope="module")
def take() -> Take:
    film = render_film(np.random.default_rng(1), STEPS, CONDITIONS)
    return Take(film.frames, film.times, STEPS, film.eyes, CONDITIONS)


def test_film_has_a_frame_for_each_time(take: Take) -> None:
    assert len(take.frames) == len(take.times) > 4
    assert take.times[0] == 0
    assert abs(np.hypot(*(take.eyes[1] - take.eyes[0])) - CONDITIONS.eye_distance) < 6


@pytest.mark.parametrize("kind", KINDS)
def test_attack_answers_a_challenge_with_a_turn(kind: str, take: Take) -> None:
    attack = make_attack(kind, take, np.random.default_rng(2))
    assert len(attack.frames) == len(take.frames)
    assert {frame.shape for frame in attack.frames} == {attack.frames[0].shape}
    assert any(step.movement is not Movement.CLOSER for step in attack.steps)
    same = all((a == b).all() for a, b in zip(attack.frames, take.frames, strict=True))
    assert same == (kind == "old sequence")


def test_second_film_shows_the_same_person_and_conditions() -> None:
    first = face_sequences.render_take(np.random.default_rng(4))
    again = face_sequences.render_take(np.random.default_rng(5), first)
    assert (again.conditions, again.person_seed) == (first.conditions, first.person_seed)
    other = face_sequences.render_take(np.random.default_rng(5))
    assert other.person_seed != first.person_seed


def test_one_more_movement_is_one_turn() -> None:
    (step,) = face_sequences.render_take(np.random.default_rng(4), is_one_more=True).steps
    assert step.movement in (Movement.LEFT, Movement.RIGHT, Movement.UP)


def test_film_in_doubt_is_decided_by_one_more_movement(monkeypatch: pytest.MonkeyPatch, take: Take) -> None:
    evidence = Evidence((3.0, 3.0), -1.0)
    rendered: list[bool] = []

    def render(_rng: object, _previous: Take | None = None, *, is_one_more: bool = False) -> Take:
        rendered.append(is_one_more)
        return take

    def judge(film: Take, _rng: object, earlier: Evidence | None = None) -> tuple[Verdict, object]:
        if earlier is None:
            return Verdict(Reason.IN_DOUBT, 0.4, evidence), film.eyes
        assert earlier == evidence
        return Verdict(Reason.LIVE if film is take else Reason.MORPH, 0.5), film.eyes

    monkeypatch.setattr(face_attacks, "render_take", render)
    monkeypatch.setattr(face_attacks, "read_folder", lambda _folder, _movement: take)
    monkeypatch.setattr(face_attacks, "_judge", judge)
    outcome = face_attacks._measure((1, 0, None, None, ("cut",)))
    assert outcome.reasons == {"genuine": Reason.LIVE, "cut": Reason.MORPH}
    assert outcome.doubtful == {"genuine", "cut"}
    assert rendered == [False, True, True]
    named = face_attacks._measure((1, 0, Path("named"), None, ("cut",)))
    assert set(named.reasons.values()) == {Reason.IN_DOUBT}


def test_exposure_stays_within_its_drift() -> None:
    times = [80.0 * number for number in range(50)]
    exposures = draw_exposures(np.random.default_rng(6), times, 0.2)
    assert abs(exposures - 1).max() <= 0.2
    assert np.ptp(exposures) > 0.05
    assert (draw_exposures(np.random.default_rng(6), times, 0.0) == 1).all()


def test_person_who_passes_covers_the_room_and_moves() -> None:
    room = np.zeros((40, 60, 3), np.float32)
    passer = Passer(np.full((10, 6, 3), 200, np.float32), 2, 5, 3.0)
    passer.paint(room, 4)
    rows, columns = np.flatnonzero(room.any(axis=(1, 2))), np.flatnonzero(room.any(axis=(0, 2)))
    assert (rows[0], rows[-1], columns[0], columns[-1]) == (5, 14, 14, 19)


def test_heads_are_far_enough_apart_for_a_login() -> None:
    for seed in range(20):
        assert draw_conditions(np.random.default_rng(seed)).eye_distance > 30


def test_report_counts_attacks_and_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = [
        Outcome("", {"genuine": Reason.LIVE, "cut": Reason.CUT}, 10.0, CONDITIONS),
        Outcome("", {"genuine": Reason.FLAT, "cut": Reason.LIVE}, 12.0, CONDITIONS, Reason.LIVE),
        Outcome("", {"genuine": Reason.NO_FACE}, 12.0, CONDITIONS, Reason.CUT, frozenset(("genuine", "cut"))),
    ]
    face_attacks._report("none", ["cut", "morph"], outcomes)
    face_attacks._report_conditions("none", outcomes)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    rejections, twice, attacks = lines[:3]
    assert (rejections["refused"], rejections["sequences"]) == (2, 3)
    assert (twice["refused"], twice["sequences"]) == (1, 3)
    assert (attacks["passed"], attacks["attacks"]) == (1, 2)
    assert (rejections["in_doubt"], attacks["in_doubt"]) == (1, 1)
    assert attacks["bound"] > 50
    by_glasses = next(line for line in lines if "glasses" in line["figure"])
    assert by_glasses["parts"] == {"0 to 0.5": "0 of 0", "0.5 to 1": "2 of 3"}


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
        quality = Quality(60, 120, 0, 0, 0.1, green / 100, 0, 0)
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
