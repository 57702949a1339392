"""Films of rendered heads for the tests: small frames, few of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from service.face.liveness.decision import Motion, measure_motion
from service.face.liveness.movements import Movement, Step
from service.face.liveness.tracking import track
from shared.images.cv import cv2
from shared.samples import heads
from shared.samples.heads import Pixels, Pose, Scene, Shape
from tests.service.face.liveness.clouds import sway

SCENE = Scene(eye_distance=48, size=(240, 200))
EYES = np.array(((96, 84), (144, 84)), np.float32)
STEP = Step(Movement.LEFT, 400, 1500)
TIMES = tuple(float(at) for at in range(0, 1300, 90))
TO_THE_LEFT = ((0.0, Pose()), (650.0, Pose()), (1100.0, Pose(yaw=24)), (1500.0, Pose(yaw=24)))
UPWARDS = ((0.0, Pose()), (650.0, Pose()), (1100.0, Pose(pitch=20)), (1500.0, Pose(pitch=20)))

Frame = Callable[[Pose, int], Pixels]


def draw_head(pose: Pose, seed: int) -> Pixels:
    """A frame of a head."""
    return heads.render_head_frame(heads.portrait_texture(), Shape(), pose, SCENE, seed)


def draw_flat_picture(pose: Pose, seed: int) -> Pixels:
    """A frame of a flat picture."""
    return heads.render_picture_frame(heads.portrait_texture(), pose, SCENE, seed)


def draw_bent_picture(pose: Pose, seed: int) -> Pixels:
    """A frame of a picture bent around a vertical axis."""
    return heads.render_picture_frame(heads.portrait_texture(), pose, SCENE, seed, bend=0.6)


def draw_picture_with_eye_holes(pose: Pose, seed: int) -> Pixels:
    """A frame of a picture with eye holes."""
    return heads.render_picture_frame(heads.portrait_texture(), pose, SCENE, seed, holes=0.3)


@cache
def film(frame: Frame, poses: tuple[tuple[float, Pose], ...]) -> tuple[Pixels, ...]:
    """The frames at `TIMES` of a movement through `poses` that sways."""
    return tuple(frame(pose, seed) for seed, pose in enumerate(sway(heads.interpolate_poses(poses, TIMES))))


@cache
def motion(frame: Frame, poses: tuple[tuple[float, Pose], ...]) -> Motion:
    """What is measured on that film."""
    return motion_of(film(frame, poses))


def motion_of(frames: Sequence[Pixels]) -> Motion:
    """What is measured on any frames at `TIMES`."""
    greys = [cv2.cvtColor(each, cv2.COLOR_BGR2GRAY) for each in frames]
    tracks = track(greys, EYES)
    return measure_motion(TIMES[: len(frames)], tracks)
