"""Renders heads in front of a webcam, under the conditions that real pictures vary in.

A head is the portrait with moved features, glasses, a beard and another skin, on a relief of its own. It
looks at the screen while it turns, blinks, speaks, smiles and raises its brows. The light stands still: it
shades the head, shines on the skin and is reflected by glasses. Behind the head are a room, shoulders and
sometimes another person who passes. The camera has a field of view, a blur, noise and JPEG.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2
from shared.limits import MAX_FRAMES
from shared.samples import faces, heads
from shared.samples.heads import Pixels, Pose, Scene, Shape, Texture

# Distance of the pupils of an adult (Dodgson, Variation and extrema of human interpupillary distance, 2004).
PUPILS_CM = 6.3
_FRAME = (640, 480)
# The desktop films at most so often.
_FASTEST_MS = 80
# The portrait is enlarged, so that a near head is not blurred, and cut to what any film shows, px.
_ENLARGED = 3
_CUT = 230
# The brightness of a highlight, in grey levels, and how narrow it is on skin.
_SHINE = 110
_SHININESS = 24


@dataclass(frozen=True, slots=True)
class Conditions:
    """What differs between films: cm, degrees, ms, grey levels; `side_light` 0..1 is the part of the light
    that comes from one side, `shoulders` and `room` 0..1 how much both move. `exposure_drift` is the largest
    relative change of the exposure, `gloss` 0..1 how much the skin shines, `speech` and `expression` how far
    lips, and mouth corners and brows move, `shift` how far a head moves beside its turn (all three in
    distances of the eyes), `lean` by how many degrees it rolls with a turn. A person who `returns` looks
    ahead again after each movement. A `passer` walks through the picture behind the head.
    """

    distance: float
    field_of_view: float
    turn: float
    start: float
    frame_ms: float
    exposure: float
    noise: float
    quality: int
    gain: float
    side_light: float
    glasses: bool
    beard: bool
    shoulders: float
    room: float
    exposure_drift: float = 0.0
    gloss: float = 0.0
    speech: float = 0.0
    expression: float = 0.0
    shift: float = 0.0
    lean: float = 0.0
    returns: bool = False
    passer: bool = False

    @property
    def eye_distance(self) -> float:
        """Px between the eyes."""
        focal = _FRAME[0] / 2 / np.tan(np.radians(self.field_of_view / 2))
        return float(focal * PUPILS_CM / self.distance)


def draw_conditions(rng: np.random.Generator) -> Conditions:
    """Conditions of a person at a webcam whose eyes are far enough apart for a login."""
    while True:
        conditions = Conditions(
            distance=rng.uniform(35, 80),
            field_of_view=rng.uniform(55, 90),
            turn=rng.uniform(12, 40),
            start=rng.normal(0, 6),
            frame_ms=max(1000 / rng.uniform(8, 20), _FASTEST_MS),
            exposure=rng.uniform(4, 40),
            noise=rng.uniform(0.5, 6),
            quality=int(rng.integers(50, 96)),
            gain=rng.uniform(0.5, 1.1),
            side_light=max(rng.uniform(-0.6, 0.9), 0),
            glasses=bool(rng.random() < 0.35),
            beard=bool(rng.random() < 0.3),
            shoulders=rng.uniform(0, 1),
            room=max(rng.uniform(-1, 1), 0),
            exposure_drift=max(rng.uniform(-0.3, 0.3), 0),
            gloss=max(rng.uniform(-0.5, 1), 0),
            speech=max(rng.uniform(-0.1, 0.1), 0),
            expression=max(rng.uniform(-0.06, 0.06), 0),
            shift=max(rng.uniform(-0.3, 0.3), 0),
            lean=rng.normal(0, 4),
            returns=bool(rng.random() < 0.25),
            passer=bool(rng.random() < 0.25),
        )
        if conditions.eye_distance > 30:
            return conditions


def photograph(person: Person, pose: Pose, conditions: Conditions, rng: np.random.Generator) -> Pixels:
    """One picture of `person` in `pose`, in a room and with a camera drawn by `rng`."""
    scene = draw_scene(rng, conditions)
    head, covered = person.paint(pose, scene, Expression())
    frame = Room(rng, scene, conditions).paint(pose, 0)
    frame += (head - frame) * covered[:, :, None]
    return compress(simulate_sensor(frame, scene, rng), conditions.quality)


def draw_scene(rng: np.random.Generator, conditions: Conditions) -> Scene:
    """The camera's side: what is around the head of the frame, and its faults."""
    apart = conditions.eye_distance
    return Scene(
        eye_distance=apart,
        distance=conditions.distance / PUPILS_CM,
        gain=conditions.gain,
        gamma=rng.uniform(0.8, 1.3),
        noise=conditions.noise,
        blur=rng.uniform(0, 0.9),
        size=(min(_FRAME[0], round(4.8 * apart) // 2 * 2), min(_FRAME[1], round(5.2 * apart) // 2 * 2)),
    )


def compress(frame: Pixels, quality: int) -> Pixels:
    """`frame` as JPEG gives it back."""
    _, data = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def simulate_sensor(light: NDArray[np.float32], scene: Scene, rng: np.random.Generator) -> Pixels:
    """What a sensor makes of `light` (height, width, 3) 0..255: blur, gamma, gain and noise."""
    if scene.blur:
        light = cv2.GaussianBlur(light, (0, 0), scene.blur)
    curve = (np.arange(256, dtype=np.float32) / 255) ** np.float32(scene.gamma) * np.float32(scene.gain * 255)
    light = cv2.LUT(np.clip(light, 0, 255).astype(np.uint8), curve)
    grain = _noise_field()
    height, width = light.shape[:2]
    y, x = rng.integers(grain.shape[0] - height + 1), rng.integers(grain.shape[1] - width + 1)
    light = light + np.float32(scene.noise) * grain[y : y + height, x : x + width]
    return np.clip(light, 0, 255).astype(np.uint8)


@cache
def _noise_field() -> NDArray[np.float32]:
    """Noise to cut from: drawing it for every frame takes longer than all the rest."""
    return np.random.default_rng(0).standard_normal((960, 1280, 3), np.float32)


# --- the person ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expression:
    """A moving face: whether the eyes are closed, how far the lips are moved and how far mouth corners and
    brows are raised, in distances of the eyes.
    """

    blink: bool = False
    mouth: float = 0.0
    raised: float = 0.0


class Person:
    """A head of random features and relief, drawn by `rng`, in a light drawn by `light`."""

    def __init__(self, rng: np.random.Generator, light: np.random.Generator, conditions: Conditions) -> None:
        self._shape = Shape(
            nose=rng.uniform(0.3, 0.48),
            nose_width=rng.uniform(0.13, 0.24),
            nose_tip=rng.uniform(0.52, 0.75),
            brow=rng.uniform(0, 0.12),
            chin=rng.uniform(0.02, 0.2),
            across=rng.uniform(0.3, 0.55),
            along=rng.uniform(0.02, 0.16),
            sockets=rng.uniform(0.03, 0.15),
        )
        self._open = _draw_texture(rng, conditions)
        self._shut = _close_eyes(self._open)
        table = heads.build_depth_table(self._shape.depth)
        step = np.float32(heads.TABLE_PX)
        slope_y, slope_x = np.gradient(cv2.GaussianBlur(table, (0, 0), 2.0))
        normal = np.stack((-slope_x * step, -slope_y * step, np.ones_like(table)), axis=-1)
        self._normal = (normal / np.linalg.norm(normal, axis=-1, keepdims=True)).astype(np.float32)
        # From above and a little from one side, or from one side alone.
        side = light.choice((-1, 1)) * np.radians(light.uniform(5, 25) + 50 * conditions.side_light)
        above = np.radians(light.uniform(10, 45))
        self._light = np.array(
            (np.sin(side) * np.cos(above), -np.sin(above), np.cos(side) * np.cos(above)), np.float32
        )
        self._ambient = np.float32(0.75 - 0.5 * conditions.side_light)
        # The camera looks along z: a mirror half way between it and the light shows the light.
        half = self._light + np.array((0, 0, 1), np.float32)
        self._half = half / np.linalg.norm(half)
        self._gloss = np.float32(_SHINE * conditions.gloss)
        self._glare = np.float32(_SHINE * light.uniform(0, 1.5) * conditions.glasses)

    def paint(
        self, pose: Pose, scene: Scene, expression: Expression
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The head in `pose` (height, width, 3), and which part of each px it covers (height, width)."""
        x, y = heads.locate_surface_points(self._shape.depth, pose, scene)
        outline = np.hypot(x / (1.5 - 0.25 * np.clip(y, 0, 1.8)), (y - 0.1) / 2.05)
        covered = cv2.resize(np.clip((1 - outline) / 0.04, 0, 1), scene.size)
        turned_back = heads.rotation_matrix(pose).astype(np.float32).T
        lit = (self._normal @ (turned_back @ self._light)).clip(0)
        lit = self._ambient + (1 - self._ambient) * lit / np.float32(0.8)
        shade = cv2.resize(heads.look_up_depths(lit, x, y), scene.size)
        shine = np.zeros_like(x)
        if self._gloss:
            mirrored = (self._normal @ (turned_back @ self._half)).clip(0) ** _SHININESS
            shine += self._gloss * heads.look_up_depths(mirrored, x, y)
        # The eyes keep looking at the screen, the mouth and the brows move.
        gaze = 0.09 * np.sin(np.radians(pose.yaw))
        eyes = np.exp(-0.5 * (((np.abs(x) - 0.5) / 0.12) ** 2 + (y / 0.06) ** 2))
        lips = np.exp(-0.5 * ((x / 0.35) ** 2 + ((y - 1.1) / 0.16) ** 2))
        corners = np.exp(-0.5 * (((np.abs(x) - 0.4) / 0.2) ** 2 + ((y - 1.0) / 0.25) ** 2))
        brows = np.exp(-0.5 * (((np.abs(x) - 0.45) / 0.35) ** 2 + ((y + 0.38) / 0.15) ** 2))
        if self._glare:
            # Lenses are nearly flat: what they reflect moves far over them.
            yaw, pitch = np.sin(np.radians((pose.yaw, pose.pitch)))
            beside = np.abs(np.abs(x) - 0.5) < 0.4
            spot = ((np.abs(x) - 0.5 - np.sign(x) * (0.15 - 1.2 * yaw)) / 0.1) ** 2
            spot = spot + ((y + 0.1 + 1.2 * pitch) / 0.06) ** 2
            shine += self._glare * np.exp(-0.5 * spot) * (beside & (np.abs(y - 0.05) < 0.28))
        texture = self._shut if expression.blink else self._open
        at_x = np.asarray(x + gaze * eyes - 0.7 * expression.raised * np.sign(x) * corners, np.float32)
        at_y = np.asarray(y - expression.mouth * lips + expression.raised * (corners + brows), np.float32)
        face = heads.paint_texture(texture, at_x, at_y, scene)
        return face * shade[:, :, None] + cv2.resize(shine, scene.size)[:, :, None], covered


def _draw_texture(rng: np.random.Generator, conditions: Conditions) -> Texture:
    """The portrait with other features and skin, large, with what `conditions` want on it."""
    move = rng.uniform(-3, 3, 4)
    bends = [
        (faces.NOSE, 14.0, 0.0, float(move[0]), 0.0),
        (faces.MOUTH, 16.0, 0.0, float(move[1]), float(move[2]) / 12),
        ((224, 165), 24.0, 0.0, float(move[3]), 0.0),
    ]
    base = heads.portrait_texture()
    middle = base.eyes.mean(axis=0).round().astype(int)
    corner = np.maximum(middle - _CUT // 2, 0)
    pixels = faces.move_features(base.pixels, bends)[: corner[1] + _CUT, corner[0] : corner[0] + _CUT]
    eyes = (base.eyes - (corner[0], 0)) * _ENLARGED
    large = cv2.resize(pixels, None, fx=_ENLARGED, fy=_ENLARGED, interpolation=cv2.INTER_CUBIC)
    skin = large * rng.uniform(0.75, 1.05, 3).astype(np.float32)
    pores = cv2.GaussianBlur(rng.standard_normal(large.shape[:2], np.float32), (0, 0), 1.2)
    skin += pores[:, :, None] * np.float32(rng.uniform(4, 12))
    apart = eyes[1, 0] - eyes[0, 0]
    rows, columns = np.mgrid[: large.shape[0], : large.shape[1]].astype(np.float32)
    x, y = (columns - eyes[:, 0].mean()) / apart, (rows - eyes[:, 1].mean()) / apart
    if conditions.beard:
        grown = ((y > 0.75) & (np.hypot(x / 1.1, (y - 0.7) / 1.2) < 1)) * (
            np.hypot(x / 0.4, (y - 1.1) / 0.12) > 1
        )
        hair = cv2.GaussianBlur(rng.standard_normal(large.shape[:2], np.float32), (0, 0), 1.5) * 6
        thick = cv2.GaussianBlur(grown.astype(np.float32), (0, 0), 8)[:, :, None]
        skin = skin * (1 - 0.5 * thick) + 18 * thick * hair[:, :, None]
    if conditions.glasses:
        for side in (-1, 1):
            rim = np.abs(np.maximum(np.abs(x - side * 0.5) / 0.42, np.abs(y - 0.05) / 0.3) - 1) < 0.07
            skin[rim] = 35
        skin[(np.abs(y + 0.02) < 0.03) & (np.abs(x) < 0.1)] = 35
    texture = np.clip(skin, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        width = texture.shape[1]
        return Texture(texture[:, ::-1].copy(), (np.array((width - 1, 0)) - eyes * (1, -1))[::-1])
    return Texture(texture, eyes)


def _close_eyes(texture: Texture) -> Texture:
    """`texture` with closed eyes: the skin above them is drawn down."""
    apart = float(np.hypot(*(texture.eyes[1] - texture.eyes[0])))
    rows, columns = np.mgrid[: texture.pixels.shape[0], : texture.pixels.shape[1]].astype(np.float32)
    from_y = rows.copy()
    for eye in texture.eyes:
        inside = np.hypot((columns - eye[0]) / (0.3 * apart), (rows - eye[1]) / (0.14 * apart)) < 1
        from_y[inside] = eye[1] - 0.2 * apart + 0.2 * (rows[inside] - eye[1])
    return Texture(cv2.remap(texture.pixels, columns, from_y, cv2.INTER_LINEAR), texture.eyes)


# --- the room -----------------------------------------------------------------------------------------


class Room:
    """What is behind the head: a wall with things on it, and shoulders."""

    def __init__(self, rng: np.random.Generator, scene: Scene, conditions: Conditions) -> None:
        self._scene, self._conditions = scene, conditions
        width, height = scene.size
        coarse = rng.uniform(30, 220, (height // 40 + 4, width // 40 + 4, 3)).astype(np.float32)
        self._wall = cv2.resize(coarse, (width + 80, height + 80), interpolation=cv2.INTER_CUBIC).clip(0, 255)
        for _ in range(6):
            x, y = rng.integers(width), rng.integers(height)
            colour = rng.uniform(0, 255, 3).tolist()
            cv2.rectangle(
                self._wall, (x, y), (x + int(rng.integers(10, 90)), y + int(rng.integers(10, 90))), colour, -1
            )
        cloth = cv2.GaussianBlur(rng.standard_normal(self._wall.shape[:2], np.float32), (0, 0), 2.5) * 60
        self._cloth = rng.uniform(20, 200, 3).astype(np.float32) + cloth[:, :, None]
        self._passer = _draw_passer(rng, scene) if conditions.passer else None
        self._drift = np.cumsum(rng.normal(0, 1.5 * conditions.room, (MAX_FRAMES, 2)), axis=0).clip(-35, 35)

    def paint(self, pose: Pose, number: int) -> NDArray[np.float32]:
        """The room and the shoulders (height, width, 3) behind a head in `pose`."""
        width, height = self._scene.size
        x, y = (40 + self._drift[min(number, MAX_FRAMES - 1)]).round().astype(int)
        behind: NDArray[np.float32] = self._wall[y : y + height, x : x + width].copy()
        if self._passer is not None:
            self._passer.paint(behind, number)
        apart, part = self._scene.eye_distance, self._conditions.shoulders
        along_x = width / 2 + part * (pose.x + 0.25 * apart * np.sin(np.radians(pose.yaw)))
        top = height * 0.42 + 1.9 * apart * pose.nearer + part * pose.y
        columns, rows = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)
        body = np.clip((rows[:, None] - top - 0.35 * np.abs(columns - along_x)[None]) / 2, 0, 1)[:, :, None]
        moved_x, moved_y = round(part * pose.x) % 40, round(part * pose.y) % 40
        behind += (self._cloth[moved_y : moved_y + height, moved_x : moved_x + width] - behind) * body
        return behind


@dataclass(frozen=True, slots=True, eq=False)
class Passer:
    """Another person behind the head: `pixels` (height, width, 3) that start at `x`, `y` px and move by
    `speed` px in each frame.
    """

    pixels: NDArray[np.float32]
    x: float
    y: int
    speed: float

    def paint(self, behind: NDArray[np.float32], number: int) -> None:
        """Paint the person into the room `behind` in frame `number`."""
        width = self.pixels.shape[1]
        left = round(self.x + self.speed * number)
        first, last = max(left, 0), min(left + width, behind.shape[1])
        if first < last:
            rows = behind[self.y : self.y + len(self.pixels), first:last]
            rows[:] = self.pixels[: len(rows), first - left : last - left]


def _draw_passer(rng: np.random.Generator, scene: Scene) -> Passer:
    width, height = scene.size
    portrait = heads.portrait_texture().pixels
    size = rng.uniform(0.25, 0.6) * height / portrait.shape[0]
    pixels = cv2.resize(portrait, None, fx=size, fy=size, interpolation=cv2.INTER_AREA)
    speed = rng.choice((-1, 1)) * rng.uniform(0.01, 0.04) * width
    light = np.float32(rng.uniform(0.5, 1))
    return Passer(
        pixels.astype(np.float32) * light, rng.uniform(0, width), int(rng.integers(height // 3)), speed
    )
