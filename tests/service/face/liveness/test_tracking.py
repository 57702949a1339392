"""Points of a face are followed through shifts, turns in the plane and changes of size."""

from __future__ import annotations

import numpy as np

from service.face.liveness.tracking import MAX_POINTS, track
from shared.images.cv import cv2
from shared.samples.heads import Pose
from tests.service.face.liveness import films
from tests.service.face.liveness.films import EYES, TIMES, draw_flat_picture, draw_head, motion

_PATH = ((0.0, Pose()), (1300.0, Pose(x=20, y=-10, roll=12, nearer=1.3)))


def test_similarity_of_a_moved_picture_is_undone() -> None:
    tracks = motion(draw_flat_picture, _PATH).tracks
    assert len(tracks.points) <= MAX_POINTS
    assert tracks.found_share.min() > 0.8
    rest = np.hypot(*np.moveaxis(tracks.positions - tracks.points, 2, 0))
    assert np.nanmedian(rest[-1]) < 0.02


def test_size_and_roll_are_those_of_the_movement() -> None:
    tracks = motion(draw_flat_picture, _PATH).tracks
    part = TIMES[-1] / 1300
    part = part * part * (3 - 2 * part)
    assert abs(tracks.scale[-1] - (1 + 0.3 * part)) < 0.05
    assert abs(abs(tracks.roll[-1]) - 12 * part) < 1


def test_picture_without_texture_has_no_points() -> None:
    tracks = track([np.full((200, 240), 90, np.uint8)] * 3, EYES)
    assert tracks.positions.shape == (3, 0, 2)


def test_another_picture_is_not_found() -> None:
    first = cv2.cvtColor(draw_flat_picture(Pose(), 0), cv2.COLOR_BGR2GRAY)
    noise = np.random.default_rng(3).integers(0, 255, first.shape, dtype=np.uint8)
    assert track([first, noise], EYES).found_share[1] < 0.3


def test_size_of_the_frames_does_not_change_what_is_found() -> None:
    """Large frames are reduced without aliasing."""
    greys = [cv2.cvtColor(each, cv2.COLOR_BGR2GRAY) for each in films.film(draw_flat_picture, _PATH)]
    large = [cv2.resize(grey, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC) for grey in greys]
    tracks = track(large, EYES * 3 + 1)
    assert tracks.found_share.min() > 0.8
    assert np.abs(tracks.scale - motion(draw_flat_picture, _PATH).tracks.scale).max() < 0.01


def test_light_that_moves_over_a_face_does_not_move_its_points() -> None:
    frame = cv2.cvtColor(draw_head(Pose(), 0), cv2.COLOR_BGR2GRAY).astype(float)
    across = np.linspace(-1, 1, frame.shape[1])
    greys = [np.clip(frame * (0.7 + slope * across), 0, 255).astype(np.uint8) for slope in (0.25, 0.0, -0.25)]
    tracks = track(greys, EYES)
    off = np.hypot(*np.moveaxis(tracks.positions - tracks.points, 2, 0))
    assert tracks.found_share.min() > 0.9
    assert np.nanquantile(off, 0.95) < 0.008


def test_face_that_jumped_is_found_again() -> None:
    poses = (Pose(x=-35, y=-12), Pose(x=35, y=14), Pose(x=36, y=14))
    greys = [cv2.cvtColor(draw_head(pose, seed), cv2.COLOR_BGR2GRAY) for seed, pose in enumerate(poses)]
    tracks = track(greys, EYES + np.array((-35, -12), np.float32))
    assert tracks.found_share[1:].min() > 0.8


def test_far_turned_face_is_followed_by_a_key_frame() -> None:
    poses = [Pose(yaw=yaw) for yaw in (0, 10, 20, 30, 38, 40)]
    greys = [cv2.cvtColor(draw_head(pose, seed), cv2.COLOR_BGR2GRAY) for seed, pose in enumerate(poses)]
    tracks = track(greys, EYES)
    direct = tracks.direct
    assert tracks.is_direct[0].all()
    assert (tracks.found_share >= direct.found_share).all()
    assert tracks.found_share[4:].min() > direct.found_share[4:].max() + 0.08
    shown = np.isfinite(direct.positions[:, :, 0])
    assert (shown <= tracks.is_direct).all()
    np.testing.assert_array_equal(direct.positions[shown], tracks.positions[shown])


def test_tip_of_the_nose_is_followed_while_the_head_looks_up() -> None:
    poses = [Pose(pitch=pitch) for pitch in (0, 6, 12, 18, 24, 30)]
    greys = [cv2.cvtColor(draw_head(pose, seed), cv2.COLOR_BGR2GRAY) for seed, pose in enumerate(poses)]
    tracks = track(greys, EYES)
    x, y = tracks.points.T
    tip = (np.abs(x) < 0.15) & (np.abs(y - 0.6) < 0.15)
    chin = (np.abs(x) < 0.4) & (np.abs(y - 1.6) < 0.2)
    risen = tracks.positions[-1, :, 1] - y
    assert np.isfinite(risen[tip]).mean() > 0.6
    assert np.nanmedian(risen[tip]) < np.nanmedian(risen[chin]) - 0.08
