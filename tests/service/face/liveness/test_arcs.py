"""A turning head moves on arcs; a morph, a cut and wrongly tracked points do not hide that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.decision import Motion, decide
from service.face.liveness.movements import Movement, Reason, Step
from service.face.liveness.path import measure_path
from service.face.liveness.tracking import Tracks
from service.face.liveness.turns import Turn, measure_turn
from shared.samples.heads import Pose, Shape
from tests.service.face.liveness import clouds

Values = NDArray[np.float64]

LEFT = Step(Movement.LEFT, 500, 1700)


def _depth(x: Values, y: Values) -> Values:
    return np.asarray(Shape().depth(x.astype(np.float32), y.astype(np.float32)), float)


def _film_turn(angle: float = 24) -> Motion:
    return clouds.film_turn(_depth, Pose(), Pose(yaw=angle))


def _morph(motion: Motion, course: Values) -> list[Values]:
    """The points of each frame of a morph between the ends of `motion`, by `course` (frames,)."""
    positions = motion.tracks.positions.astype(float)
    return list(positions[0] * (1 - course[:, None, None]) + positions[-1] * course[:, None, None])


def _measure(tracks: Tracks, frames: NDArray[np.bool_] | None = None) -> Turn | None:
    """The turn to the left in `frames` (all of them by default)."""
    used = np.ones(len(clouds.TIMES), bool) if frames is None else frames
    return measure_turn(tracks, measure_path(tracks), used, clouds.TIMES >= 1300, np.array((1.0, 0.0)))


def _narrowing(tracks: Tracks) -> float:
    turn = _measure(tracks)
    assert turn is not None
    return turn.narrowing


def test_arc_is_found_beside_wrongly_tracked_points() -> None:
    tracks = _film_turn().tracks
    rng = np.random.default_rng(1)
    wrong = rng.choice(len(tracks.points), len(tracks.points) // 10, replace=False)
    positions = tracks.positions.copy()
    positions[9:, wrong] += rng.normal(0, 0.3, (len(positions) - 9, len(wrong), 2))
    assert 0.7 < _narrowing(replace(tracks, positions=positions)) / _narrowing(tracks) < 1.3


def test_head_that_starts_turned_has_the_arc_too() -> None:
    for start in (-12, -6, 6, 12):
        tracks = clouds.film_turn(_depth, Pose(yaw=start), Pose(yaw=start + 24)).tracks
        assert _narrowing(tracks) > 0.3


def test_arc_is_measured_while_the_head_turns_about_both_axes() -> None:
    motion = clouds.film_turn(_depth, Pose(), Pose(yaw=18, pitch=14))
    assert _narrowing(motion.tracks) > 0.3
    morphed = clouds.motion_of(_morph(motion, np.clip((clouds.TIMES - 700) / 500, 0, 1)))
    assert abs(_narrowing(morphed.tracks)) < 0.1


def test_few_frames_are_no_turn() -> None:
    assert _measure(_film_turn().tracks, clouds.TIMES < 300) is None


def test_morph_that_starts_between_two_movements_is_refused() -> None:
    motion, at = _film_turn(), clouds.TIMES
    course = 0.2 * np.clip((at - 450) / 200, 0, 1) + 0.8 * np.clip((at - 900) / 400, 0, 1)
    morphed = clouds.motion_of(_morph(motion, course))
    nearer = replace(morphed.tracks, scale=1 + 0.3 * np.clip((at - 300) / 300, 0, 1))
    steps = [Step(Movement.CLOSER, 100, 700), Step(Movement.LEFT, 700, 1700)]
    assert decide(Motion(at, nearer, morphed.path), steps).reason is Reason.MORPH


def test_frame_that_is_hardly_tracked_does_not_make_a_cut_a_movement() -> None:
    motion = _film_turn()
    cut = clouds.motion_of(_morph(motion, np.where(clouds.TIMES < 900, 0.0, 1.0)))
    between = int(np.flatnonzero(clouds.TIMES >= 900)[0])
    positions = cut.tracks.positions.copy()
    positions[between] = (positions[between - 1] + positions[between + 1]) / 2
    positions[between, ::2] = np.nan
    positions[between, 1::8] = np.nan
    turn = cut.path.turn.copy()
    turn[between] = turn[between + 1] / 2
    path = replace(cut.path, turn=turn, error=np.where(np.abs(turn) > 0.1, 0.1, 0.03))
    tracks = replace(cut.tracks, positions=positions)
    assert decide(Motion(clouds.TIMES, tracks, path), [LEFT]).reason is Reason.CUT


def test_uncertain_frame_does_not_count_as_a_cut() -> None:
    motion = _film_turn()
    turn, error = motion.path.turn.copy(), motion.path.error.copy()
    turn[-3, 0] += 0.8
    error[-3] = 0.5
    positions = motion.tracks.positions.copy()
    positions[-3, ::2] = np.nan
    tracks = replace(motion.tracks, positions=positions)
    uncertain = Motion(motion.times, tracks, replace(motion.path, turn=turn, error=error))
    assert decide(uncertain, [LEFT]).reason is Reason.LIVE
    error[-3] = 0.01
    assert decide(uncertain, [LEFT]).reason is Reason.CUT
