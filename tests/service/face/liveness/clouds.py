"""Point clouds of heads and pictures that move, as tracks without errors of tracking but a little noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.decision import Motion, measure_motion
from service.face.liveness.tracking import Tracks
from shared.images.similarity import fit_similarity
from shared.samples import heads
from shared.samples.heads import Pose

Values = NDArray[np.float64]
Depth = Callable[[Values, Values], Values]

TIMES = np.arange(0, 1700, 85.0)
NOISE = 0.002
"""Of every point, in distances of the eyes: a tenth of a px of the reference."""
# The neck turns about a point behind and below the eyes.
_PIVOT = np.array((0.0, 0.9, -1.4))


def film_turn(depth: Depth, first: Pose, last: Pose, *, distance: float = 8.0, seed: int = 0) -> Motion:
    """The motion of a surface that moves from `first` to `last` between 700 and 1200 ms and sways, seen from
    `distance` distances of the eyes.
    """
    poses = heads.interpolate_poses(
        ((0.0, first), (700.0, first), (1200.0, last), (2000.0, last)), TIMES.tolist()
    )
    return film_poses(depth, sway(poses), distance=distance, seed=seed)


def sway(poses: Sequence[Pose], yaw: float = 0.6, pitch: float = 0.6) -> list[Pose]:
    """`poses` of a head that is not held still, but turns to and fro by up to `yaw` and `pitch` degrees."""
    return [
        replace(
            pose,
            yaw=pose.yaw + yaw * float(np.sin(1.3 * number)),
            pitch=pose.pitch + pitch * float(np.sin(0.9 * number + 1)),
        )
        for number, pose in enumerate(poses)
    ]


def film_poses(depth: Depth, poses: Sequence[Pose], *, distance: float = 8.0, seed: int = 0) -> Motion:
    """The motion of a surface that is in each of `poses` at `TIMES`."""
    solid = _make_solid(depth)
    return motion_of([_project(solid, pose, distance) for pose in poses], seed)


def film_on_screen(depth: Depth, poses: Sequence[Pose], screens: Sequence[Pose]) -> Motion:
    """The motion of a surface in `poses` at `TIMES`, shown on a screen in the poses `screens`."""
    solid, frames = _make_solid(depth), []
    for pose, screen in zip(poses, screens, strict=True):
        shown = _project(solid, pose, distance=8.0)
        frames.append(_project(np.column_stack((shown, np.zeros(len(shown)))), screen, distance=5.0))
    return motion_of(frames)


def _make_solid(depth: Depth) -> Values:
    """The points (n, 3) of a face on a surface."""
    x, y = np.meshgrid(np.linspace(-0.95, 0.95, 22), np.linspace(-0.7, 1.6, 24))
    inside = (x / 1.05) ** 2 + ((y - 0.5) / 1.3) ** 2 < 1
    x, y = x[inside], y[inside]
    return np.column_stack((x, y, depth(x, y)))


def motion_of(points_per_frame: Sequence[Values], seed: int = 0) -> Motion:
    """The motion measured on the points (n, 2) of each frame, at `TIMES`."""
    rng = np.random.default_rng(seed)
    first = points_per_frame[0].astype(np.float32)
    positions = []
    for points in points_per_frame:
        matrix = fit_similarity(points.astype(np.float32), first)
        positions.append(points @ matrix[:, :2].T + matrix[:, 2] + rng.normal(0, NOISE, points.shape))
    count = len(points_per_frame)
    patch = rng.integers(0, 255, (256, 224), np.uint8)
    tracks = Tracks(
        first,
        np.array(positions, np.float32),
        np.ones(count),
        np.cumsum(rng.normal(0, 0.003, (count, 2)), axis=0),
        np.zeros(count),
        np.broadcast_to(patch, (count, *patch.shape)),
        np.ones((count, len(first)), bool),
    )
    return measure_motion(TIMES[:count].tolist(), tracks)


def _project(solid: Values, pose: Pose, distance: float) -> Values:
    moved = (solid - _PIVOT) @ heads.rotation_matrix(pose).T + _PIVOT
    return np.asarray(moved[:, :2] * (distance / (distance / pose.nearer - moved[:, 2]))[:, None])
