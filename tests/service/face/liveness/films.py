"""Films of rendered heads for the tests: small frames, few of them, whose landmarks are known."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks import heads
from benchmarks.heads import Pixels, Pose, Scene, Shape
from service.face.liveness.film import SIDE, Film, straighten
from service.face.liveness.movements import Movement, Step

SCENE = Scene(eye_distance=48, size=(240, 200))
STEP = Step(Movement.LEFT, 400, 1500)
TIMES = tuple(float(at) for at in range(0, 1300, 90))

Path = tuple[tuple[float, Pose], ...]


def move_to(pose: Pose) -> Path:
    """A movement from the front to `pose`."""
    return ((0.0, Pose()), (650.0, Pose()), (1100.0, pose), (1500.0, pose))


TO_THE_LEFT = move_to(Pose(yaw=24))

Frame = Callable[[Pose, int], Pixels]
# Both eyes and the tip of the nose.
_PLACES = np.array(((-0.5, 0.0), (0.5, 0.0), (0.0, 0.62)), np.float32)


def draw_head(pose: Pose, seed: int) -> Pixels:
    """A frame of a head."""
    return heads.render_head_frame(heads.portrait_texture(), Shape(), pose, SCENE, seed)


def draw_flat_picture(pose: Pose, seed: int) -> Pixels:
    """A frame of a flat picture."""
    return heads.render_picture_frame(heads.portrait_texture(), pose, SCENE, seed)


@cache
def film(frame: Frame, poses: Path) -> Film:
    """The film of a movement through `poses`, a frame at each of `TIMES`."""
    eyes, nose, crops = [], [], []
    for seed, pose in enumerate(heads.interpolate_poses(poses, TIMES)):
        left, right, tip = _project(pose, is_flat=frame is draw_flat_picture)
        eyes.append((left, right))
        nose.append(tip)
        crops.append(straighten(frame(pose, seed), np.array((left, right))))
    return Film(np.array(TIMES), np.array(eyes), np.array(nose), np.array(crops))


def without_face(film: Film, index: int) -> Film:
    """The film, whose frame `index` shows no face."""
    eyes, nose, crops = film.eyes.copy(), film.nose.copy(), film.crops.copy()
    eyes[index], nose[index], crops[index] = np.nan, np.nan, np.zeros((SIDE, SIDE), np.uint8)
    return Film(film.times, eyes, nose, crops)


def _project(pose: Pose, *, is_flat: bool) -> NDArray[np.float64]:
    """Where the places (3, 2) are in the frame, px."""
    x, y = _PLACES.T
    depth = np.zeros(3) if is_flat else Shape().depth(x, y)
    pivot = np.array(heads.PIVOT)
    points = (np.stack((x, y, depth), axis=1) - pivot) @ heads.rotation_matrix(pose).T + pivot
    factor = SCENE.eye_distance * SCENE.distance / (SCENE.distance / pose.nearer - points[:, 2:])
    middle = (SCENE.size[0] / 2 + pose.x, SCENE.size[1] * 0.42 + pose.y)
    return np.asarray(points[:, :2] * factor + middle)
