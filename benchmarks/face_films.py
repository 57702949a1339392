"""Renders films of people who follow a challenge: how a head moves, blinks and sways before a camera."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.face_heads import (
    Conditions,
    Expression,
    Person,
    Room,
    compress,
    draw_scene,
    simulate_sensor,
)
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

# A movement is done by this time after its instruction appears.
_DONE_MS = 1450


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """Frames BGR uint8, their times in ms, and the eyes (2, 2) px in the first one."""

    frames: list[Pixels]
    times: list[float]
    eyes: NDArray[np.float64]


def render_film(
    rng: np.random.Generator, steps: Sequence[Step], conditions: Conditions, person_seed: int = 0
) -> Film:
    """The person of `person_seed`, who makes each movement of `steps` when it is asked for."""
    times = _draw_times(rng, steps[-1].to_ms, conditions.frame_ms)
    scene = draw_scene(rng, conditions)
    features = np.random.default_rng(person_seed)
    person = Person(features, features, conditions)
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
    expressions = _draw_expressions(rng, times, conditions)
    exposures = draw_exposures(rng, times, conditions.exposure_drift)
    frames = []
    for number, pose in enumerate(opened):
        head, covered = person.paint(pose, scene, expressions[number])
        frame = room.paint(pose, number)
        frame += (head - frame) * covered[:, :, None]
        blurred = _blur_motion(frame, _project_face(closed[number], scene) - _project_face(pose, scene))
        exposed = replace(scene, gain=scene.gain * float(exposures[number]))
        frames.append(compress(simulate_sensor(blurred, exposed, rng), conditions.quality))
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

    def draw_unrest(turned: float = 0.0) -> dict[str, float]:
        return {
            "roll": rng.normal(0, 2.5) + conditions.lean * np.sign(turned),
            "x": rng.normal(0, (0.08 + conditions.shift) * apart),
            "y": rng.normal(0, (0.06 + conditions.shift / 2) * apart),
        }

    rest = Pose(yaw=conditions.start, pitch=rng.normal(0, 4))
    now = replace(rest, **draw_unrest())
    poses = [(0.0, now)]
    for step in steps:
        reacts = rng.uniform(250, 700)
        begins = step.from_ms + reacts
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
                **draw_unrest(direction.yaw),
            )
        reached = begins + rng.uniform(350, 500 if conditions.returns else min(900, _DONE_MS - reacts))
        poses.append((reached, now))
        if conditions.returns and step.movement is not Movement.CLOSER:
            held = reached + rng.uniform(150, 300)
            poses.append((held, now))
            now = replace(rest, yaw=rest.yaw + rng.normal(0, 2), **draw_unrest())
            poses.append((max(held + rng.uniform(300, 500), step.to_ms), now))
    poses.append((steps[-1].to_ms + 1500.0, now))
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


def draw_exposures(rng: np.random.Generator, times: Sequence[float], drift: float) -> NDArray[np.float64]:
    """The exposure of each frame against the usual one, as a camera adapts it (frames,): by up to `drift`."""
    aims = np.cumsum(rng.exponential(1200, len(times)))
    levels = 1 + drift * rng.uniform(-1, 1, len(times) + 1)
    level = levels[0]
    exposures = []
    for at in times:
        # Cameras adapt within some frames.
        level += 0.3 * (levels[np.searchsorted(aims, at)] - level)
        exposures.append(level)
    return np.array(exposures)


def _draw_expressions(
    rng: np.random.Generator, times: Sequence[float], conditions: Conditions
) -> list[Expression]:
    """The face in each frame: it speaks, blinks, and smiles or raises its brows once."""
    blinks = _draw_blinks(rng, times)
    phase, slow = rng.uniform(0, 6), rng.uniform(60, 300)
    mouth = conditions.speech * np.sin(np.asarray(times) / slow + phase)
    begins, lasts = rng.uniform(0, 3500), rng.uniform(300, 800)
    raised = conditions.expression * np.clip((np.asarray(times) - begins) / lasts, 0, 1)
    return [
        Expression(shut, float(lips), float(corners))
        for shut, lips, corners in zip(blinks, mouth, raised, strict=True)
    ]


def _draw_blinks(rng: np.random.Generator, times: Sequence[float]) -> list[bool]:
    """In which frames the eyes are closed: some 17 times a minute for 0.2 s."""
    at, shut = 0.0, [False] * len(times)
    while at < times[-1]:
        at += rng.exponential(3500)
        shut = [was or at <= time <= at + 200 for was, time in zip(shut, times, strict=True)]
    return shut


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
