"""Renders films of people who follow a challenge: how a head moves, blinks and sways before a camera."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.face_heads import Conditions, Person, Room, compress, draw_scene, simulate_sensor
from service.face.liveness.movements import Movement, Step
from shared.images.cv import cv2
from shared.limits import MAX_FRAMES
from shared.samples import heads
from shared.samples.heads import Pixels, Pose, Scene

POSES = {
    Movement.LEFT: Pose(yaw=1),
    Movement.RIGHT: Pose(yaw=-1),
    Movement.UP: Pose(pitch=1),
}


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """Frames BGR uint8, their times in ms, and the eyes (2, 2) px in the first one."""

    frames: list[Pixels]
    times: list[float]
    eyes: NDArray[np.float64]


def render_film(rng: np.random.Generator, steps: Sequence[Step], conditions: Conditions) -> Film:
    """A person who makes each movement of `steps` when it is asked for."""
    times = _draw_times(rng, steps[-1].to_ms, conditions.frame_ms)
    scene = draw_scene(rng, conditions)
    person = Person(rng, rng, conditions)
    room = Room(rng, scene, conditions)
    path = _draw_path(rng, steps, conditions)
    sway = _draw_sway(rng, times)
    opened = [
        _add_sway(pose, row) for pose, row in zip(heads.interpolate_poses(path, times), sway, strict=True)
    ]
    closed = [
        _add_sway(pose, row)
        for pose, row in zip(
            heads.interpolate_poses(path, [at + conditions.exposure for at in times]), sway, strict=True
        )
    ]
    blinks = _draw_blinks(rng, times)
    mouth = _draw_mouth(rng, times)
    frames = []
    for number, pose in enumerate(opened):
        head, covered = person.paint(pose, scene, blinks[number], mouth[number])
        frame = room.paint(pose, number)
        frame += (head - frame) * covered[:, :, None]
        blurred = _blur_motion(frame, _project_face(closed[number], scene) - _project_face(pose, scene))
        frames.append(compress(simulate_sensor(blurred, scene, rng), conditions.quality))
    return Film(frames, times, _project_eyes(scene, opened[0]))


def _draw_times(rng: np.random.Generator, until: float, frame_ms: float) -> list[float]:
    """Times of frames that come unevenly, at most `MAX_FRAMES`."""
    times: list[float] = []
    at = 0.0
    while at < until and len(times) < MAX_FRAMES:
        times.append(round(at, 1))
        at += frame_ms * rng.uniform(0.85, 1.15)
    return times


def _draw_path(
    rng: np.random.Generator, steps: Sequence[Step], conditions: Conditions
) -> list[tuple[float, Pose]]:
    """Poses of a person who makes each movement when it is asked for, with the small ones that no one
    avoids.
    """
    apart = conditions.eye_distance

    def draw_unrest() -> dict[str, float]:
        return {
            "roll": rng.normal(0, 2.5),
            "x": rng.normal(0, 0.08 * apart),
            "y": rng.normal(0, 0.06 * apart),
        }

    rest = Pose(yaw=conditions.start, pitch=rng.normal(0, 4))
    now = replace(rest, **draw_unrest())
    poses = [(0.0, now)]
    for step in steps:
        begins = step.from_ms + rng.uniform(250, 600)
        poses.append((begins, now))
        if step.movement is Movement.CLOSER:
            now = replace(now, nearer=rng.uniform(1.2, 1.5), **draw_unrest())
        else:
            direction = POSES[step.movement]
            # Few people look up as far as they turn.
            far = conditions.turn if direction.yaw else max(0.7 * conditions.turn, 12.0)
            now = Pose(
                yaw=rest.yaw + direction.yaw * far + rng.normal(0, 2.5),
                pitch=rest.pitch + direction.pitch * far + rng.normal(0, 2.5),
                **draw_unrest(),
            )
        poses.append((begins + rng.uniform(350, 900), now))
    poses.append((steps[-1].to_ms + 1000.0, now))
    return poses


def _draw_sway(rng: np.random.Generator, times: Sequence[float]) -> NDArray[np.float64]:
    """What a head that is held still moves (frames, 5): degrees of yaw, pitch and roll, px of x and y."""
    usual = rng.uniform(300, 900)
    state = rng.normal(size=5)
    swayed = []
    for passed in np.diff(times, prepend=0.0):
        decay = np.exp(-passed / usual)
        state = decay * state + np.sqrt(1 - decay**2) * rng.normal(size=5)
        swayed.append(state)
    return np.array(swayed) * (0.5, 0.5, 0.4, 1.0, 1.0) * rng.uniform(0.3, 1.5)


def _add_sway(pose: Pose, sway: NDArray[np.float64]) -> Pose:
    yaw, pitch, roll, x, y = sway.tolist()
    return replace(
        pose, yaw=pose.yaw + yaw, pitch=pose.pitch + pitch, roll=pose.roll + roll, x=pose.x + x, y=pose.y + y
    )


def _draw_blinks(rng: np.random.Generator, times: Sequence[float]) -> list[bool]:
    """In which frames the eyes are closed: some 17 times a minute for 0.2 s."""
    at, shut = 0.0, [False] * len(times)
    while at < times[-1]:
        at += rng.exponential(3500)
        shut = [was or at <= time <= at + 200 for was, time in zip(shut, times, strict=True)]
    return shut


def _draw_mouth(rng: np.random.Generator, times: Sequence[float]) -> NDArray[np.float64]:
    """How far the lips move (frames,), in distances of the eyes."""
    phase, slow, far = rng.uniform(0, 6), rng.uniform(300, 900), max(rng.uniform(-0.04, 0.05), 0)
    return np.asarray(far * np.sin(np.asarray(times) / slow + phase))


def _project_face(pose: Pose, scene: Scene) -> NDArray[np.float64]:
    """Where the middle of the face is in the frame, px."""
    pivot = np.array(heads.PIVOT)
    x, y, z = heads.rotation_matrix(pose) @ (np.array((0.0, 0.4, 0.1)) - pivot) + pivot
    factor = scene.eye_distance * scene.distance / (scene.distance / pose.nearer - z)
    return np.array((scene.size[0] / 2 + pose.x + x * factor, scene.size[1] * 0.42 + pose.y + y * factor))


def _blur_motion(frame: NDArray[np.float32], displacement: NDArray[np.float64]) -> NDArray[np.float32]:
    """`frame` blurred along `displacement` (2,) px, as an exposure during the motion."""
    length = float(np.hypot(*displacement))
    if length < 0.4:
        return frame
    side = 2 * int(np.ceil(length / 2)) + 3
    kernel = np.zeros((side, side), np.float32)
    for part in np.linspace(-0.5, 0.5, 4 * side):
        x, y = side / 2 + part * displacement
        kernel[int(y), int(x)] += 1
    blurred: NDArray[np.float32] = cv2.filter2D(frame, -1, kernel / kernel.sum())
    return blurred


def _project_eyes(scene: Scene, pose: Pose) -> NDArray[np.float64]:
    """The eyes (2, 2) px of a head in `pose`."""
    pivot = np.array(heads.PIVOT)
    eyes = (np.array(((-0.5, 0.0, -0.2), (0.5, 0.0, -0.2))) - pivot) @ heads.rotation_matrix(pose).T + pivot
    factor = scene.eye_distance * scene.distance / (scene.distance / pose.nearer - eyes[:, 2:])
    return np.asarray(eyes[:, :2] * factor + (scene.size[0] / 2 + pose.x, scene.size[1] * 0.42 + pose.y))
