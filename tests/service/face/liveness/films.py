"""Films of rendered heads for the tests: small frames, few of them, whose eyes and directions are known."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.film import SIDE, Film, straighten
from service.face.liveness.movements import Movement, Step
from tests.material import heads
from tests.material.heads import Pixels, Pose, Scene, Shape

SCENE = Scene(eye_distance=48, size=(240, 200))
STEP = Step(Movement.LEFT, 400, 1500)
TIMES = tuple(float(at) for at in range(0, 1300, 90))

Path = tuple[tuple[float, Pose], ...]


def move_to(pose: Pose) -> Path:
    """A movement from the front to `pose`."""
    return ((0.0, Pose()), (650.0, Pose()), (1100.0, pose), (1500.0, pose))


TO_THE_LEFT = move_to(Pose(yaw=32))

_EYES = np.array(((-0.5, 0.0), (0.5, 0.0)), np.float32)


def draw_head(pose: Pose, seed: int) -> Pixels:
    """A frame of a head."""
    return heads.render_head_frame(heads.portrait_texture(), Shape(), pose, SCENE, seed)


def draw_flat_picture(pose: Pose, seed: int) -> Pixels:
    """A frame of a flat picture."""
    return heads.render_picture_frame(heads.portrait_texture(), pose, SCENE, seed)


@cache
def film(poses: Path) -> Film:
    """The film of a head that moves through `poses`, a frame at each of `TIMES`."""
    eyes, directions, crops = [], [], []
    for seed, pose in enumerate(heads.interpolate_poses(poses, TIMES)):
        eyes.append(_project_eyes(pose))
        directions.append(np.sin(np.radians((pose.yaw, pose.pitch))))
        crops.append(straighten(draw_head(pose, seed), eyes[-1]))
    return Film(np.array(TIMES), np.array(eyes), np.array(directions), np.array(crops))


def without_face(film: Film, index: int) -> Film:
    """The film, whose frame `index` shows no face."""
    eyes, directions, crops = film.eyes.copy(), film.directions.copy(), film.crops.copy()
    eyes[index], directions[index], crops[index] = np.nan, np.nan, np.zeros((SIDE, SIDE), np.uint8)
    return Film(film.times, eyes, directions, crops)


def _project_eyes(pose: Pose) -> NDArray[np.float64]:
    """Where the eyes (2, 2) are in the frame, px."""
    x, y = _EYES.T
    pivot = np.array(heads.PIVOT)
    points = (np.stack((x, y, Shape().depth(x, y)), axis=1) - pivot) @ heads.rotation_matrix(pose).T + pivot
    factor = SCENE.eye_distance * SCENE.distance / (SCENE.distance / pose.nearer - points[:, 2:])
    middle = (SCENE.size[0] / 2 + pose.x, SCENE.size[1] * 0.42 + pose.y)
    return np.asarray(points[:, :2] * factor + middle)
