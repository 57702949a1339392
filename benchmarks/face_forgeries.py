"""Makes attacks on a challenge from the frames of a person who answered it.

`make_attack` makes every kind from any sequence, so that people who are filmed are attacked with their own
pictures.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.face_sequences import Take
from service.face.liveness.movements import Movement, Step
from shared.images.cv import cv2
from tests.material import heads
from tests.material.heads import Picture, Pixels, Pose, Scene, Texture

POSES = {Movement.LEFT: Pose(yaw=1), Movement.RIGHT: Pose(yaw=-1), Movement.UP: Pose(pitch=1)}

Attack = Callable[[Take, np.random.Generator], Take]
Movements = Callable[[Pose, float, np.random.Generator], Pose]
"""The pose of a picture for the direction of a movement and how far, in degrees."""


def make_attack(kind: str, genuine: Take, rng: np.random.Generator) -> Take:
    """An attack of `kind` (one of `KINDS`) on the challenge of `genuine`, made from its frames."""
    return _ATTACKS[kind](genuine, rng)


# --- prints -------------------------------------------------------------------------------------------


def _print_attack(
    pose: Movements,
    relief: Callable[[np.random.Generator], Picture] = lambda _: Picture(),
    *,
    outlined: bool = False,
    far_away: bool = False,
) -> Attack:
    """An attack by a print of the first frame with `relief`, which is brought into `pose` when a movement is
    asked for; cut out along the face where `outlined`, without perspective where `far_away`.
    """

    def attack(genuine: Take, rng: np.random.Generator) -> Take:
        surface = relief(rng)
        scene = _draw_scene(genuine, rng)
        if far_away:
            scene = replace(scene, distance=1000.0)
        texture = Texture(genuine.frames[0], genuine.eyes)
        path = _draw_path(genuine.steps, pose, rng)
        room = _draw_room(genuine.frames[0], rng)
        frames = []
        for at in heads.interpolate_poses(path, genuine.times):
            x, y = heads.locate_surface_points(surface.depth, at, scene)
            frame = heads.paint_texture(texture, x, y, scene).astype(np.float32)
            if outlined:
                outline = np.hypot(x / (1.45 - 0.25 * np.clip(y, 0, 1.8)), (y - 0.1) / 2.0)
                covered = cv2.resize(np.clip((1 - outline) / 0.04, 0, 1), scene.size)[:, :, None]
                frame = room + (frame - room) * covered
            frames.append(_film_frame(frame, scene, rng))
        return replace(genuine, frames=frames, eyes=_eye_centres(scene))

    return attack


def _draw_path(steps: Sequence[Step], pose: Movements, rng: np.random.Generator) -> list[tuple[float, Pose]]:
    now = Pose()
    path = [(0.0, now)]
    for step in steps:
        begins = step.from_ms + rng.uniform(220, 450)
        path.append((begins, now))
        direction = POSES.get(step.movement)
        now = (
            replace(now, nearer=rng.uniform(1.2, 1.6))
            if direction is None
            else pose(direction, rng.uniform(15, 45), rng)
        )
        path.append((begins + rng.uniform(350, 800), now))
    return [*path, (steps[-1].to_ms + 1000.0, now)]


def _push(direction: Pose, degrees: float, rng: np.random.Generator) -> Pose:
    return Pose(x=direction.yaw * degrees * 1.5, y=-direction.pitch * degrees, roll=rng.normal(0, 10))


def _tilt(direction: Pose, degrees: float, rng: np.random.Generator) -> Pose:
    return Pose(
        yaw=direction.yaw * degrees + rng.normal(0, 4),
        pitch=direction.pitch * degrees + rng.normal(0, 4),
        roll=rng.normal(0, 5),
        x=rng.normal(0, 10),
    )


def _squeeze(direction: Pose, degrees: float, rng: np.random.Generator) -> Pose:
    """As a program would: narrower in the direction of the turn, without perspective."""
    return Pose(yaw=direction.yaw * degrees, pitch=direction.pitch * degrees, nearer=rng.uniform(0.8, 1.25))


def _move_freely(direction: Pose, degrees: float, rng: np.random.Generator) -> Pose:
    """Tilted, pushed and brought nearer at once."""
    return replace(
        _tilt(direction, degrees, rng),
        x=direction.yaw * degrees * rng.uniform(-1, 1.5),
        y=-direction.pitch * degrees * rng.uniform(-1, 1),
        nearer=rng.uniform(0.85, 1.3),
    )


def _bend_upright(rng: np.random.Generator) -> Picture:
    return Picture(rng.uniform(0.2, 0.75))


def _bend_any_way(rng: np.random.Generator) -> Picture:
    """Towards the camera or away, around any axis, or flat."""
    return Picture(rng.uniform(0.2, 0.75) * rng.choice((-1, 0, 1, 1)), axis=rng.uniform(-90, 90))


# --- films --------------------------------------------------------------------------------------------


def _answer_other_challenge(genuine: Take, rng: np.random.Generator) -> Take:
    """The take as the answer to another challenge: its movements in another order, or others."""
    if len(genuine.steps) == 2 and rng.random() < 0.5:
        first, second = genuine.steps
        steps = [replace(first, movement=second.movement), replace(second, movement=first.movement)]
    else:
        shown = {step.movement for step in genuine.steps}
        # Every challenge has a turn.
        others = [each for each in POSES if each not in shown]
        steps = [replace(genuine.steps[0], movement=others[rng.integers(len(others))]), *genuine.steps[1:]]
    return replace(genuine, steps=steps)


def _show_other_film(genuine: Take, rng: np.random.Generator) -> Take:
    """Such a take on a screen that a hand tilts in the asked way."""
    other = _answer_other_challenge(genuine, rng)
    return _show_on_screen(other, _draw_path(other.steps, _tilt, rng), rng)


def _show_photo_on_phone(genuine: Take, rng: np.random.Generator) -> Take:
    """The first frame on a screen that a hand moves and tilts in the asked way."""
    still = replace(genuine, frames=[genuine.frames[0]] * len(genuine.frames))
    return _show_on_screen(still, _draw_path(still.steps, _move_freely, rng), rng)


def _show_on_screen(take: Take, path: Sequence[tuple[float, Pose]], rng: np.random.Generator) -> Take:
    """The frames of `take` on a screen that moves along `path`."""
    scene = _draw_scene(take, rng)
    frames = []
    for frame, pose in zip(take.frames, heads.interpolate_poses(path, take.times), strict=True):
        shown = heads.render_surface(Texture(frame, take.eyes), Picture().depth, pose, scene)
        frames.append(_film_frame(shown.astype(np.float32), scene, rng))
    return replace(take, frames=frames, eyes=_eye_centres(scene))


def _shift_time(genuine: Take, rng: np.random.Generator) -> Take:
    """The take so much earlier that the movement comes before it is asked for, or too late; its ends stand
    still.
    """
    shift = int(rng.choice((rng.integers(-1900, -1000), rng.integers(1500, 1900))))
    frames = []
    for at in genuine.times:
        index = int(np.argmin(np.abs(np.asarray(genuine.times) - (at - shift))))
        frames.append(genuine.frames[index])
    return replace(genuine, frames=frames)


# --- pictures of the poses ----------------------------------------------------------------------------


def _choose_stills(genuine: Take, rng: np.random.Generator) -> list[Pixels]:
    """The frame before the first movement, and one of each movement: far turned, or only half as far, which
    morphs better.
    """
    stills = [genuine.frames[0]]
    times = np.asarray(genuine.times)
    for step in genuine.steps:
        # In its first half the movement before may not have ended yet.
        within = np.flatnonzero((times > (step.from_ms + step.to_ms) / 2) & (times <= step.to_ms))
        if len(within) == 0:
            stills.append(genuine.frames[-1])
            continue
        differences = np.array([_difference(genuine.frames[0], genuine.frames[index]) for index in within])
        wanted = rng.uniform(0.5, 1) * differences.max()
        stills.append(genuine.frames[within[int(np.abs(differences - wanted).argmin())]])
    return stills


def _difference(first: Pixels, second: Pixels) -> float:
    """How much two frames differ in what is larger than noise, without their exposure."""
    small = [
        cv2.resize(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), (48, 48), interpolation=cv2.INTER_AREA)
        for frame in (first, second)
    ]
    one, other = (image / max(float(image.mean()), 1.0) for image in small)
    return float(np.abs(one - other).mean())


def _cut_between_stills(genuine: Take, rng: np.random.Generator) -> Take:
    """Stills of the poses, with a cut from one to the next at a plausible time."""
    stills = _choose_stills(genuine, rng)
    cuts = [step.from_ms + rng.uniform(300, 800) for step in genuine.steps]
    frames = [_add_noise(stills[sum(at >= cut for cut in cuts)], rng) for at in genuine.times]
    return replace(genuine, frames=frames)


def _morph_stills(genuine: Take, rng: np.random.Generator) -> Take:
    """A morph from each still to the next: warped by the flow to the next for some time, and blended."""
    stills = _choose_stills(genuine, rng)
    begins = [step.from_ms + rng.uniform(220, 450) for step in genuine.steps]
    lasts = rng.uniform(400, 800)
    finder = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM)
    greys = [cv2.cvtColor(still, cv2.COLOR_BGR2GRAY) for still in stills]
    pairs = [
        (finder.calc(first, second, None), finder.calc(second, first, None))
        for first, second in itertools.pairwise(greys)
    ]
    even = rng.random() < 0.5
    frames = []
    for at in genuine.times:
        step, part = _find_part(at, begins, lasts)
        part = part if even else part * part * (3 - 2 * part)
        forward, back = pairs[step]
        first, second = _warp(stills[step], forward, part), _warp(stills[step + 1], back, 1 - part)
        frames.append(_add_noise(cv2.addWeighted(first, 1 - part, second, part, 0), rng))
    return replace(genuine, frames=frames)


def _dissolve_stills(genuine: Take, rng: np.random.Generator) -> Take:
    """Each still fades into the next."""
    stills = _choose_stills(genuine, rng)
    begins = [step.from_ms + rng.uniform(220, 450) for step in genuine.steps]
    lasts = rng.uniform(200, 800)
    frames = []
    for at in genuine.times:
        step, part = _find_part(at, begins, lasts)
        faded = cv2.addWeighted(stills[step], 1 - part, stills[step + 1], part, 0)
        frames.append(_add_noise(np.asarray(faded, np.uint8), rng))
    return replace(genuine, frames=frames)


def _find_part(at: float, begins: Sequence[float], lasts: float) -> tuple[int, float]:
    """The still that a frame at `at` ms comes from, and how much of the way to the next one it has gone."""
    step = max(sum(at >= begin for begin in begins) - 1, 0)
    return step, float(np.clip((at - begins[step]) / lasts, 0, 1))


def _sway_morph(genuine: Take, rng: np.random.Generator) -> Take:
    """A morph whose frames a program moves as a head sways."""
    take = _morph_stills(genuine, rng)
    size = rng.uniform(0.3, 1.5)
    offset = np.zeros(3)
    frames = []
    for frame in take.frames:
        offset = 0.9 * offset + 0.4 * size * rng.normal(size=3)
        matrix = cv2.getRotationMatrix2D(tuple(take.eyes.mean(axis=0)), 0.4 * offset[2], 1.0)
        matrix[:, 2] += offset[:2]
        frames.append(cv2.warpAffine(frame, matrix, frame.shape[1::-1], borderMode=cv2.BORDER_REPLICATE))
    return replace(take, frames=frames)


def _warp(image: Pixels, flow: NDArray[np.float32], part: float) -> Pixels:
    height, width = flow.shape[:2]
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    # The flow where the pixel came from, by fixed-point steps.
    from_x, from_y = x, y
    for _ in range(3):
        at = cv2.remap(flow, from_x, from_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        from_x, from_y = x - np.float32(part) * at[..., 0], y - np.float32(part) * at[..., 1]
    return np.asarray(
        cv2.remap(image, from_x, from_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


# --- what all of them need ----------------------------------------------------------------------------


def _draw_scene(genuine: Take, rng: np.random.Generator) -> Scene:
    """The attacker's camera."""
    apart = float(np.hypot(*(genuine.eyes[1] - genuine.eyes[0])))
    height, width = genuine.frames[0].shape[:2]
    return Scene(
        eye_distance=apart * rng.uniform(0.8, 1.1),
        distance=rng.uniform(4, 10),
        noise=rng.uniform(0.5, 4),
        size=(width // 2 * 2, height // 2 * 2),
    )


def _eye_centres(scene: Scene) -> NDArray[np.float64]:
    """Where the eyes (2, 2) px of a picture are that is not moved."""
    middle = np.array((scene.size[0] / 2, scene.size[1] * 0.42))
    half = np.array((scene.eye_distance / 2, 0.0))
    return np.stack((middle - half, middle + half))


def _draw_room(frame: Pixels, rng: np.random.Generator) -> NDArray[np.float32]:
    """What stands behind a print that is cut out."""
    coarse = rng.uniform(30, 220, (frame.shape[0] // 30 + 1, frame.shape[1] // 30 + 1, 3)).astype(np.float32)
    size = (frame.shape[1] // 2 * 2, frame.shape[0] // 2 * 2)
    return np.asarray(cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR), np.float32)


def _film_frame(frame: NDArray[np.float32], scene: Scene, rng: np.random.Generator) -> Pixels:
    noisy = np.clip(frame + rng.normal(0, scene.noise, frame.shape), 0, 255).astype(np.uint8)
    _, data = cv2.imencode(".jpg", noisy, (cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(70, 96))))
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def _add_noise(frame: Pixels, rng: np.random.Generator) -> Pixels:
    """A program's frame, with the noise that a camera would add."""
    height, width = frame.shape[:2]
    return _film_frame(frame.astype(np.float32), Scene(noise=2.0, size=(width, height)), rng)


_ATTACKS: dict[str, Attack] = {
    "moved": _print_attack(_push),
    "tilted": _print_attack(_tilt),
    "bent": _print_attack(_tilt, _bend_upright),
    "bent, tilted and moved": _print_attack(_move_freely, _bend_any_way),
    "cut out": _print_attack(_move_freely, _bend_any_way, outlined=True),
    "scaled": _print_attack(_squeeze, far_away=True),
    "old sequence": _answer_other_challenge,
    "other film on a screen": _show_other_film,
    "photo on a phone": _show_photo_on_phone,
    "cut": _cut_between_stills,
    "wrong time": _shift_time,
    "morph": _morph_stills,
    "cross dissolve": _dissolve_stills,
    "swaying morph": _sway_morph,
}
KINDS = tuple(_ATTACKS)
