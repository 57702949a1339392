"""A turn is measured from all frames of a film together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from service.face.liveness.decision import (
    MIN_DIRECT,
    REACTION_MS,
    RELIEF_OF_ONE,
    Motion,
    decide,
    measure_motion,
)
from service.face.liveness.evidence import weigh_relief
from service.face.liveness.movements import Movement, Reason, Step
from service.face.liveness.path import measure_path
from service.face.liveness.solid import FilmFit, fit_film
from service.face.liveness.turns import Turn, measure_turn
from shared.samples import heads
from shared.samples.heads import Pose, Shape
from tests.service.face.liveness import clouds

Values = NDArray[np.float64]

LEFT = Step(Movement.LEFT, 500, 1700)


def _depth(x: Values, y: Values) -> Values:
    return np.asarray(Shape().depth(x.astype(np.float32), y.astype(np.float32)), float)


def _plane(x: Values, _y: Values) -> Values:
    return np.zeros_like(x)


def _measure(motion: Motion) -> Turn:
    before = motion.times >= LEFT.from_ms - REACTION_MS
    turn = measure_turn(motion.tracks, motion.path, before, motion.times >= 1300, np.array((1.0, 0.0)))
    assert turn is not None
    return turn


def test_sine_is_that_of_the_angle_and_the_path_rises() -> None:
    for angle in (10, 24):
        motion = clouds.film_turn(_depth, Pose(), Pose(yaw=angle))
        turn = _measure(motion)
        assert 0.7 < turn.sine / np.sin(np.radians(angle)) < 1.4
        assert abs(turn.size / turn.sine - 1) < 0.02
        assert 0.7 < turn.nose < 1.3
        course = motion.path.turn[:, 0] / turn.sine
        assert abs(course[:6]).max() < 0.1
        assert course[-3:].min() > 0.9


def test_turn_is_known_where_half_of_the_face_is_hidden() -> None:
    motion = clouds.film_turn(_depth, Pose(), Pose(yaw=24))
    positions = motion.tracks.positions.copy()
    hidden = motion.tracks.points[:, 0] > 0
    positions[np.ix_(clouds.TIMES >= 1200, hidden)] = np.nan
    path = measure_path(replace(motion.tracks, positions=positions))
    assert abs(path.turn[-1, 0] / motion.path.turn[-1, 0] - 1) < 0.2
    assert path.error[-1, 0] < 0.1


def test_fit_that_goes_astray_starts_again_from_the_frames_that_show_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tracks = clouds.film_turn(_depth, Pose(), Pose(yaw=24)).tracks
    positions = tracks.positions.copy()
    lost = clouds.TIMES >= 1300
    hidden = np.flatnonzero(np.random.default_rng(1).random(positions.shape[1]) > 0.3)
    positions[np.ix_(lost, hidden)] = np.nan
    starts: list[Values] = []

    def fit_astray_first(
        points: Values, motion: Values, weights: Values, start: Values, height: Callable[[Values], float]
    ) -> FilmFit:
        starts.append(start)
        fit = fit_film(points, motion, weights, start, height)
        return fit if len(starts) > 1 else replace(fit, turn=10 * fit.turn)

    monkeypatch.setattr("service.face.liveness.path.fit_film", fit_astray_first)
    path = measure_path(replace(tracks, positions=positions))
    assert np.isfinite(path.depths).any()
    assert (starts[1][lost] == starts[0][~lost][-1]).all()
    assert 0.7 < path.turn[-1, 0] / np.sin(np.radians(24)) < 1.4


def test_key_frame_that_shows_points_in_wrong_places_does_not_count() -> None:
    tracks = clouds.film_turn(_depth, Pose(), Pose(yaw=24)).tracks
    by_key = np.flatnonzero(np.random.default_rng(2).random(len(tracks.points)) < 0.4)
    late = np.ix_(clouds.TIMES >= 900, by_key)
    is_direct = tracks.is_direct.copy()
    is_direct[late] = False
    positions = tracks.positions.copy()
    to_and_fro = np.where(np.arange((clouds.TIMES >= 900).sum()) % 2, 1.0, -1.0)[:, None, None]
    positions[late] += (to_and_fro * np.sin(3 * tracks.points[by_key])).astype(np.float32)
    wrong = replace(tracks, positions=positions, is_direct=is_direct)
    assert np.isnan(measure_path(wrong).depths).all()
    motion = measure_motion(clouds.TIMES.tolist(), wrong)
    assert 0.7 < motion.path.turn[-1, 0] / np.sin(np.radians(24)) < 1.4


def test_few_points_leave_the_turn_unknown() -> None:
    tracks = clouds.film_turn(_depth, Pose(), Pose(yaw=24)).tracks
    positions = tracks.positions.copy()
    positions[:, 30:] = np.nan
    path = measure_path(replace(tracks, positions=positions))
    assert (path.turn == 0).all()
    assert np.isinf(path.error).all()


def test_plane_has_no_nose_and_does_not_turn() -> None:
    motion = clouds.film_turn(_plane, Pose(), Pose(yaw=30))
    assert abs(motion.path.turn).max() < 0.1
    turn = measure_turn(
        motion.tracks, motion.path, motion.times >= 0, motion.times >= 1300, np.array((1.0, 0.0))
    )
    assert turn is None or weigh_relief(turn) < RELIEF_OF_ONE


def test_arc_of_a_second_turn_is_measured_from_any_pose() -> None:
    poses = ((0.0, Pose()), (100.0, Pose()), (500.0, Pose(yaw=22)), (700.0, Pose(yaw=22)))
    path = heads.interpolate_poses(
        (*poses, (1300.0, Pose(pitch=16)), (2000.0, Pose(pitch=16))), clouds.TIMES.tolist()
    )
    motion = clouds.film_poses(_depth, path)
    up = np.array((0.0, -1.0))
    turn = measure_turn(motion.tracks, motion.path, motion.times >= 500, motion.times >= 1300, up)
    assert turn is not None
    assert 0.3 < turn.narrowing < 1.5
    assert turn.sine > 0.15


_SIDES = [Step(Movement.LEFT, 300, 1050), Step(Movement.RIGHT, 1050, 1700)]


def _turned_to_both_sides() -> Motion:
    poses = ((0.0, Pose()), (500.0, Pose()), (900.0, Pose(yaw=22)), (1050.0, Pose(yaw=22)))
    path = heads.interpolate_poses(
        (*poses, (1500.0, Pose(yaw=-22)), (2000.0, Pose(yaw=-22))), clouds.TIMES.tolist()
    )
    return clouds.film_poses(_depth, clouds.sway(path))


def test_morph_through_the_front_is_a_morph() -> None:
    motion = _turned_to_both_sides()
    positions = motion.tracks.positions.astype(float)
    left, right = positions[clouds.TIMES <= 1050][-1], positions[-1]
    # 1 on the left, 0 in front, -1 on the right.
    course = np.interp(clouds.TIMES, (500, 900, 1100, 1500), (0, 1, 1, -1))
    morphed = [
        positions[0] + max(part, 0) * (left - positions[0]) + max(-part, 0) * (right - positions[0])
        for part in course
    ]
    assert decide(clouds.motion_of(morphed), _SIDES).reason is Reason.MORPH


def test_head_that_turns_to_one_side_and_then_to_the_other_is_live() -> None:
    motion = _turned_to_both_sides()
    assert decide(motion, _SIDES).live
    again = decide(motion, [_SIDES[0], Step(Movement.LEFT, 1050, 1700)])
    assert again.reason is not Reason.LIVE


def test_film_in_which_nothing_moves_or_nothing_is_found_is_refused() -> None:
    tracks = clouds.film_turn(_depth, Pose(), Pose(yaw=24)).tracks
    still = np.repeat(tracks.positions[:1], len(clouds.TIMES), axis=0)
    lost = np.full_like(still, np.nan)
    lost[0] = still[0]
    for positions in (still, lost):
        motion = measure_motion(clouds.TIMES.tolist(), replace(tracks, positions=positions))
        assert np.isfinite(motion.path.turn).all()
        assert not decide(motion, [LEFT]).live


def test_turn_to_a_side_is_not_taken_for_a_look_upwards() -> None:
    aside = clouds.film_turn(_depth, Pose(), Pose(yaw=24, pitch=7))
    assert decide(aside, [LEFT]).live
    up = Step(Movement.UP, LEFT.from_ms, LEFT.to_ms)
    assert aside.signal(Movement.UP).max() > 1
    assert decide(aside, [up]).reason is Reason.WRONG_MOVEMENT


def test_film_of_another_movement_on_a_screen_that_is_tilted_is_refused() -> None:
    def poses(last: Pose) -> list[Pose]:
        path = ((0.0, Pose()), (700.0, Pose()), (1200.0, last), (2000.0, last))
        return heads.interpolate_poses(path, clouds.TIMES.tolist())

    motion = clouds.film_on_screen(_depth, clouds.sway(poses(Pose(pitch=-20))), poses(Pose(yaw=50)))
    pose = np.median(motion.path.turn[-4:], axis=0)
    assert pose[0] > MIN_DIRECT * np.hypot(*pose)
    assert decide(motion, [LEFT]).reason is Reason.WRONG_MOVEMENT


def test_turn_that_is_held_where_few_points_are_found_is_not_flat() -> None:
    motion = _turned_to_both_sides()
    positions = motion.tracks.positions.copy()
    positions[np.ix_(clouds.TIMES >= 1300, np.arange(positions.shape[1]) % 2 == 0)] = np.nan
    tracks = replace(motion.tracks, positions=positions)
    steps = [Step(Movement.LEFT, 450, 1050), _SIDES[1]]
    assert decide(measure_motion(clouds.TIMES.tolist(), tracks), steps).live


def test_turn_is_not_judged_where_it_has_hardly_begun() -> None:
    poses = ((0.0, Pose()), (300.0, Pose()), (700.0, Pose(pitch=18)), (1000.0, Pose(pitch=18)))
    path = heads.interpolate_poses(
        (*poses, (1400.0, Pose(yaw=30)), (2000.0, Pose(yaw=30))), clouds.TIMES.tolist()
    )
    tracks = clouds.film_poses(_depth, clouds.sway(path)).tracks
    # Only the frames on the way are tracked well, and the first of them still look up.
    positions = tracks.positions.copy()
    positions[np.ix_(clouds.TIMES >= 1150, np.arange(positions.shape[1]) % 2 == 0)] = np.nan
    motion = measure_motion(clouds.TIMES.tolist(), replace(tracks, positions=positions))
    assert decide(motion, [Step(Movement.UP, 100, 850), Step(Movement.LEFT, 850, 1700)]).live


def test_turn_of_a_head_with_a_low_nose_is_not_too_small() -> None:
    def low(x: Values, y: Values) -> Values:
        return np.asarray(Shape(nose=0.15).depth(x.astype(np.float32), y.astype(np.float32)), float)

    motion = clouds.film_turn(low, Pose(), Pose(yaw=24))
    assert 0.75 < motion.path.turn[-3:, 0].mean() / np.sin(np.radians(24)) < 1.3


def test_turn_is_measured_on_its_way_where_its_end_is_lost() -> None:
    motion = clouds.film_turn(_depth, Pose(), Pose(yaw=24))
    positions = motion.tracks.positions.copy()
    positions[np.ix_(clouds.TIMES >= 950, np.arange(positions.shape[1]) % 4 > 0)] = np.nan
    lost = replace(motion, tracks=replace(motion.tracks, positions=positions))
    assert _measure(lost).sine > 0.12


def test_turn_of_which_all_frames_show_few_points_is_measured() -> None:
    motion = clouds.film_turn(_depth, Pose(), Pose(yaw=24))
    positions = motion.tracks.positions.copy()
    hidden = np.random.default_rng(1).random(positions.shape[1]) > 0.3
    positions[np.ix_(clouds.TIMES >= 750, np.flatnonzero(hidden))] = np.nan
    lost = measure_motion(clouds.TIMES.tolist(), replace(motion.tracks, positions=positions))
    late = lost.times >= 700
    turn = measure_turn(lost.tracks, lost.path, late, lost.times >= 1300, np.array((1.0, 0.0)))
    assert turn is not None
    assert turn.sine > 0.2


def test_turn_to_a_side_that_seems_to_look_up_does_not_begin_a_look_upwards() -> None:
    poses = ((0.0, Pose()), (300.0, Pose()), (700.0, Pose(yaw=24)), (900.0, Pose(yaw=24)))
    path = heads.interpolate_poses(
        (*poses, (1350.0, Pose(pitch=20)), (2000.0, Pose(pitch=20))), clouds.TIMES.tolist()
    )
    motion = clouds.film_poses(_depth, clouds.sway(path))
    steps = [Step(Movement.LEFT, 100, 850), Step(Movement.UP, 850, 1700)]
    assert decide(motion, steps).live
    turn = motion.path.turn.copy()
    turn[(clouds.TIMES > 500) & (clouds.TIMES < 1000), 1] -= 0.22
    seems_up = replace(motion, path=replace(motion.path, turn=turn))
    assert decide(seems_up, steps).reason is not Reason.NOT_STEADY
    looks_up = heads.interpolate_poses(
        (
            (0.0, Pose()),
            (300.0, Pose()),
            (700.0, Pose(yaw=24, pitch=14)),
            (900.0, Pose(yaw=24, pitch=14)),
            (1350.0, Pose(pitch=25)),
            (2000.0, Pose(pitch=25)),
        ),
        clouds.TIMES.tolist(),
    )
    early = clouds.film_poses(_depth, clouds.sway(looks_up))
    assert decide(early, steps).reason is Reason.NOT_STEADY


def test_two_frames_on_the_way_that_are_tracked_in_part_are_no_cut() -> None:
    motion = clouds.film_turn(_depth, Pose(), Pose(yaw=24))
    positions = motion.tracks.positions.copy()
    on_the_way = (clouds.TIMES > 750) & (clouds.TIMES < 1150)
    positions[np.ix_(on_the_way, np.arange(positions.shape[1]) % 5 > 1)] = np.nan
    partly = measure_motion(clouds.TIMES.tolist(), replace(motion.tracks, positions=positions))
    assert decide(partly, [LEFT]).live
