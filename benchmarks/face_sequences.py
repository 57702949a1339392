"""Makes sequences of frames to judge: heads that follow a challenge, and attacks made from such sequences.

A sequence is rendered (`rendered`) or read from a folder (`from_folder`); `attacked` makes every kind of
attack from any of them, so that people who are filmed are attacked with their own pictures.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.movements import Movement, Step
from shared.images.cv import cv2
from shared.samples import faces, heads
from shared.samples.heads import Pose, Scene, Shape, Texture

Pixels = NDArray[np.uint8]

FRAME_MS = 80
_POSES = {
    Movement.LEFT: Pose(yaw=1),
    Movement.RIGHT: Pose(yaw=-1),
    Movement.UP: Pose(pitch=1),
}
KINDS = (
    "moved",
    "tilted",
    "bent",
    "scaled",
    "zoomed",
    "eye holes",
    "old sequence",
    "cut",
    "wrong time",
    "morph",
)


@dataclass(frozen=True, slots=True, eq=False)
class Take:
    """Frames BGR uint8, their times in ms, the steps they answer, and the eyes (2, 2) px in the first one."""

    frames: list[Pixels]
    times: list[float]
    steps: list[Step]
    eyes: NDArray[np.float64]


def challenge(rng: np.random.Generator) -> list[Step]:
    """One or two movements as the service draws them: one of them is a turn."""
    turns = [Movement.LEFT, Movement.RIGHT, Movement.UP]
    first = turns[rng.integers(3)]
    start = int(rng.integers(500, 1000))
    steps = [Step(first, start, start + 1600)]
    if rng.random() < 0.5:
        second = [each for each in Movement if each is not first][rng.integers(3)]
        steps.append(Step(second, start + 1600, start + 3200))
    return steps


def rendered(rng: np.random.Generator, *, held_out: bool) -> Take:
    """A head of random shape, light and speed that follows a challenge.

    Noses stand out 19 to 30 mm at 63 mm between the pupils, the camera is 40 to 70 cm away, no head holds
    still, frames are blurred by the movement and come as JPEG. Those with `held_out` have shorter, longer
    and wider noses, side light and a poor camera.
    """
    steps = challenge(rng)
    times = _times(steps)
    shape, scene = _shape(rng, held_out), _scene(rng, held_out)
    exposure = rng.uniform(10, 35)
    opened = heads.path(_followed(rng, steps), times)
    closed = heads.path(_followed_until(opened, times), [at + exposure for at in times])
    sway = _sway(rng, len(times))
    texture, quality = _texture(rng), int(rng.integers(75, 95))
    frames = []
    for number, ends in enumerate(zip(opened, closed, strict=True)):
        exposures = [
            heads.render(texture, shape.depth, _swayed(pose, sway[number]), scene)
            for pose in (ends if ends[0] != ends[1] else ends[:1])
        ]
        blurred = np.mean(exposures, axis=0).astype(np.uint8)
        frames.append(_compressed(heads.camera(blurred, scene, int(rng.integers(1 << 30))), quality))
    return Take(frames, times, steps, _eyes(scene, opened[0]))


def _followed_until(poses: Sequence[Pose], times: Sequence[float]) -> list[tuple[float, Pose]]:
    """`poses` with their times, and the last one for as long as any exposure."""
    return [*zip(times, poses, strict=True), (times[-1] + 1000, poses[-1])]


def _sway(rng: np.random.Generator, frames: int) -> NDArray[np.float64]:
    """What a head that is held still moves (frames, 5): degrees of yaw, pitch and roll, px of x and y."""
    decay = np.exp(-FRAME_MS / rng.uniform(300, 900))
    state = rng.normal(size=5)
    swayed = []
    for _ in range(frames):
        state = decay * state + np.sqrt(1 - decay**2) * rng.normal(size=5)
        swayed.append(state)
    return np.array(swayed) * (0.5, 0.5, 0.4, 1.0, 1.0) * rng.uniform(0.3, 1.5)


def _swayed(pose: Pose, sway: NDArray[np.float64]) -> Pose:
    yaw, pitch, roll, x, y = sway.tolist()
    return replace(
        pose, yaw=pose.yaw + yaw, pitch=pose.pitch + pitch, roll=pose.roll + roll, x=pose.x + x, y=pose.y + y
    )


def _compressed(frame: Pixels, quality: int) -> Pixels:
    _, data = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def _times(steps: Sequence[Step]) -> list[float]:
    return [float(at) for at in range(0, steps[-1].to_ms, FRAME_MS)]


def _eyes(scene: Scene, pose: Pose) -> NDArray[np.float64]:
    middle = np.array((scene.size[0] / 2 + pose.x, scene.size[1] * 0.42 + pose.y))
    half = np.array((scene.eye_distance / 2, 0.0))
    return np.stack((middle - half, middle + half))


def _texture(rng: np.random.Generator) -> Texture:
    """The portrait, or the portrait with other features."""
    base = heads.portrait()
    move = rng.uniform(-3, 3, 4)
    bends = [
        (faces.NOSE, 14.0, 0.0, float(move[0]), 0.0),
        (faces.MOUTH, 16.0, 0.0, float(move[1]), float(move[2]) / 12),
        ((224, 165), 24.0, 0.0, float(move[3]), 0.0),
    ]
    pixels = faces.bent(base.pixels, bends)
    return (
        Texture(pixels[:, ::-1].copy(), (np.array((511, 0)) - base.eyes * (1, -1))[::-1])
        if (rng.random() < 0.5)
        else Texture(pixels, base.eyes)
    )


def _shape(rng: np.random.Generator, held_out: bool) -> Shape:
    nose = rng.uniform(0.3, 0.48)
    tip = rng.uniform(0.52, 0.75) if held_out else rng.uniform(0.57, 0.68)
    return Shape(
        nose=nose,
        nose_width=rng.uniform(0.13, 0.24) if held_out else rng.uniform(0.15, 0.2),
        nose_tip=tip,
        brow=rng.uniform(0, 0.12),
        chin=rng.uniform(0.02, 0.2),
        across=rng.uniform(0.3, 0.55),
        along=rng.uniform(0.02, 0.16),
        sockets=rng.uniform(0.03, 0.15),
    )


def _scene(rng: np.random.Generator, held_out: bool) -> Scene:
    return Scene(
        eye_distance=rng.uniform(44, 72),
        distance=rng.uniform(6.3, 11.1),
        gain=rng.uniform(0.45, 1.1) if held_out else rng.uniform(0.75, 1.1),
        gamma=rng.uniform(0.8, 1.3),
        slope=rng.uniform(-0.5, 0.5) if held_out else rng.uniform(-0.2, 0.2),
        noise=rng.uniform(1, 7) if held_out else rng.uniform(1, 4),
        blur=rng.uniform(0, 1.2) if held_out else 0.0,
    )


def _followed(rng: np.random.Generator, steps: Sequence[Step]) -> list[tuple[float, Pose]]:
    """Poses of a person who makes each movement when it is asked for, with the small ones that no one
    avoids.
    """

    def unrest() -> dict[str, float]:
        return {
            "roll": rng.normal(0, 2),
            "x": rng.normal(0, 4),
            "y": rng.normal(0, 4),
        }

    now = replace(Pose(yaw=rng.normal(0, 3), pitch=rng.normal(0, 3)), **unrest())
    poses = [(0.0, now)]
    for step in steps:
        begins = step.from_ms + rng.uniform(250, 600)
        poses.append((begins, now))
        far = rng.uniform(15, 35)
        if step.movement is Movement.CLOSER:
            now = replace(now, nearer=rng.uniform(1.22, 1.45), **unrest())
        else:
            way = _POSES[step.movement]
            now = replace(
                Pose(yaw=way.yaw * far + rng.normal(0, 2), pitch=way.pitch * far * 0.75 + rng.normal(0, 2)),
                **unrest(),
            )
        poses.append((begins + rng.uniform(400, 900), now))
    poses.append((steps[-1].to_ms + 1.0, now))
    return poses


# --- attacks ------------------------------------------------------------------------------------------


def attacked(kind: str, genuine: Take, rng: np.random.Generator) -> Take:
    """An attack of `kind` (one of `KINDS`) on the challenge of `genuine`, made from its frames."""
    if kind == "cut":
        return _cut(genuine, rng)
    if kind == "morph":
        return _morph(genuine, rng)
    if kind == "wrong time":
        # The same take, so much earlier that the movement comes before it is asked for, or too late.
        shift = int(rng.choice((rng.integers(-1900, -1000), rng.integers(1500, 1900))))
        return _shifted(genuine, shift)
    if kind == "old sequence":
        return _other_challenge(genuine, rng)
    return _flat(kind, genuine, rng)


def _flat(kind: str, genuine: Take, rng: np.random.Generator) -> Take:
    """A picture of the first frame, moved so that it looks as much like the asked movement as it can."""
    texture = Texture(genuine.frames[0], genuine.eyes)
    apart = float(np.hypot(*(genuine.eyes[1] - genuine.eyes[0])))
    height, width = genuine.frames[0].shape[:2]
    scene = Scene(
        eye_distance=apart * rng.uniform(0.8, 1.1),
        distance=rng.uniform(4, 10),
        noise=1.5,
        size=(width // 2 * 2, height // 2 * 2),
    )
    bend = rng.uniform(0.2, 0.75) if kind == "bent" or (kind == "eye holes" and rng.random() < 0.5) else 0.0
    now = Pose()
    poses = [(0.0, now)]
    for step in genuine.steps:
        begins = step.from_ms + rng.uniform(220, 450)
        poses.append((begins, now))
        far = rng.uniform(15, 45)
        way = _POSES.get(step.movement)
        if kind == "zoomed" or way is None:
            now = replace(now, nearer=rng.uniform(1.2, 1.6))
        elif kind == "moved":
            now = Pose(x=way.yaw * far * 1.5, y=-way.pitch * far, roll=rng.normal(0, 10), nearer=now.nearer)
        elif kind == "scaled":
            # Squeezed in the direction of the turn, as a program would.
            now = Pose(yaw=way.yaw * far, pitch=way.pitch * far, nearer=rng.uniform(0.8, 1.25))
        else:
            now = Pose(
                yaw=way.yaw * far + rng.normal(0, 4),
                pitch=way.pitch * far + rng.normal(0, 4),
                roll=rng.normal(0, 5),
                x=rng.normal(0, 10),
                nearer=now.nearer,
            )
        poses.append((begins + rng.uniform(350, 800), now))
    poses.append((genuine.steps[-1].to_ms + 1.0, now))
    holes = rng.uniform(0.15, 0.5) if kind == "eye holes" else 0.0
    if kind == "scaled":
        scene = replace(scene, distance=1000.0)
    frames = [
        heads.picture_frame(texture, pose, scene, number, bend, holes)
        for number, pose in enumerate(heads.path(poses, genuine.times))
    ]
    return replace(genuine, frames=frames)


def _ends(genuine: Take, step: Step) -> tuple[int, int]:
    """The frames before the movement of `step` and after it."""
    before = max((i for i, at in enumerate(genuine.times) if at <= step.from_ms + 150), default=0)
    after = max((i for i, at in enumerate(genuine.times) if at <= step.to_ms), default=len(genuine.times) - 1)
    return before, after


def _noisy(frame: Pixels, rng: np.random.Generator) -> Pixels:
    return np.clip(frame + rng.normal(0, 2, frame.shape), 0, 255).astype(np.uint8)


def _cut(genuine: Take, rng: np.random.Generator) -> Take:
    """Stills of the poses, with a cut from one to the next at a plausible time."""
    frames = []
    stills = [genuine.frames[0]] + [genuine.frames[_ends(genuine, step)[1]] for step in genuine.steps]
    cuts = [step.from_ms + rng.uniform(300, 800) for step in genuine.steps]
    for at in genuine.times:
        frames.append(_noisy(stills[sum(at >= cut for cut in cuts)], rng))
    return replace(genuine, frames=frames)


def _shifted(genuine: Take, shift: int) -> Take:
    """The take with every frame `shift` ms later; its ends stand still."""
    frames = []
    for at in genuine.times:
        index = int(np.argmin(np.abs(np.asarray(genuine.times) - (at - shift))))
        frames.append(genuine.frames[index])
    return replace(genuine, frames=frames)


def _other_challenge(genuine: Take, rng: np.random.Generator) -> Take:
    """The take as the answer to another challenge: its movements in another order, or others."""
    if len(genuine.steps) == 2 and rng.random() < 0.5:
        first, second = genuine.steps
        steps = [replace(first, movement=second.movement), replace(second, movement=first.movement)]
    else:
        others = [each for each in Movement if each not in {step.movement for step in genuine.steps}]
        steps = [replace(genuine.steps[0], movement=others[rng.integers(len(others))]), *genuine.steps[1:]]
    return replace(genuine, steps=steps)


def _morph(genuine: Take, rng: np.random.Generator) -> Take:
    """A morph from the still before each movement to the one after: warped by their flow, and blended."""
    finder = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM)
    stills = [genuine.frames[0]] + [genuine.frames[_ends(genuine, step)[1]] for step in genuine.steps]
    greys = [cv2.cvtColor(still, cv2.COLOR_BGR2GRAY) for still in stills]
    pairs = [
        (finder.calc(first, second, None), finder.calc(second, first, None))
        for first, second in itertools.pairwise(greys)
    ]
    begins = [step.from_ms + rng.uniform(220, 450) for step in genuine.steps]
    lasts = rng.uniform(400, 800)
    frames = []
    for at in genuine.times:
        step = max(sum(at >= begin for begin in begins) - 1, 0)
        part = float(np.clip((at - begins[step]) / lasts, 0, 1))
        part = part * part * (3 - 2 * part)
        forward, back = pairs[step]
        first, second = _warped(stills[step], forward, part), _warped(stills[step + 1], back, 1 - part)
        frames.append(_noisy((first * (1 - part) + second * part).astype(np.uint8), rng))
    return replace(genuine, frames=frames)


def _warped(image: Pixels, flow: NDArray[np.float32], part: float) -> NDArray[np.float64]:
    height, width = flow.shape[:2]
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    # The flow where the pixel came from, by two fixed-point steps.
    from_x, from_y = x, y
    for _ in range(3):
        at = cv2.remap(flow, from_x, from_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        from_x, from_y = x - np.float32(part) * at[..., 0], y - np.float32(part) * at[..., 1]
    return np.asarray(
        cv2.remap(image, from_x, from_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), float
    )


# --- from a folder ------------------------------------------------------------------------------------


def from_folder(folder: Path, movement: Movement | None = None) -> Take:
    """The image sequence in `folder`, in the order of its file names.

    `sequence.json` there may hold `times` (ms of each frame) and `steps` (movement, from_ms, to_ms). Without
    it the frames are `FRAME_MS` apart, and `movement` is asked for after the first sixth. Raises ValueError
    for a folder without that.
    """
    files = sorted(
        file for file in folder.iterdir() if file.suffix.lower() in {".jpg", ".jpeg", ".png", ".webp"}
    )
    frames = []
    for file in files:
        frame = cv2.imdecode(np.frombuffer(file.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
        if frame is None:
            raise ValueError(f"{file}: not a picture")
        frames.append(np.asarray(frame, np.uint8))
    if len(frames) < 2:
        raise ValueError(f"{folder}: not a sequence of pictures")
    about = folder / "sequence.json"
    if about.is_file():
        fields = json.loads(about.read_text(encoding="utf-8"))
        steps = [Step(Movement(step["movement"]), step["from_ms"], step["to_ms"]) for step in fields["steps"]]
        times = [float(at) for at in fields.get("times", range(0, FRAME_MS * len(frames), FRAME_MS))]
    elif movement is not None:
        times = [float(at) for at in range(0, FRAME_MS * len(frames), FRAME_MS)]
        steps = [Step(movement, round(times[-1] / 6), round(times[-1]) + FRAME_MS)]
    else:
        raise ValueError(f"{folder}: no sequence.json; name the movement with --movement")
    return Take(frames, times, steps, np.zeros((2, 2)))
