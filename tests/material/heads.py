"""Renders camera frames of a moving head of generic shape, and of moving pictures of it.

The texture is a portrait from the front (`shared/samples/faces.py`). Lengths are in multiples of the distance
between the eyes, angles in degrees. A yaw above 0 turns the nose to the right of the picture, a pitch above 0
upwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2
from shared.samples import faces

Pixels = NDArray[np.uint8]
Map = NDArray[np.float32]

# The head rotates about a point behind and below the eyes.
PIVOT = (0.0, 0.9, -1.4)
# How far the lips and the chin move.
MOUTH = 0.08
# Px between the points of the frame for which the surface is located, and the iterations there. The result on
# the coarse grid is the start on the fine one.
_GRIDS = ((8, 12), (2, 6))
# Depths are read from a table: its px for one distance between the eyes, and its bounds.
TABLE_PX = 40
_TABLE_BOUNDS = ((-4.0, 4.0), (-4.0, 6.0))


@dataclass(frozen=True, slots=True, eq=False)
class Texture:
    """A picture of a face from the front. `eyes`: the centres of the eyes (2, 2) px, the left one in the
    picture first.
    """

    pixels: Pixels
    eyes: NDArray[np.float64]


def portrait_texture() -> Texture:
    """Return the portrait as a texture."""
    return Texture(faces.load_portrait(), np.array((faces.LEFT_EYE, faces.RIGHT_EYE), np.float64))


@dataclass(frozen=True, slots=True)
class Shape:
    """The relief of a head: height and width of the nose, brow, chin, curvature across and along, depth of
    the eye sockets.
    """

    nose: float = 0.38
    nose_width: float = 0.17
    nose_tip: float = 0.62
    brow: float = 0.06
    chin: float = 0.12
    across: float = 0.6
    along: float = 0.2
    sockets: float = 0.10

    def depth(self, x: Map, y: Map) -> Map:
        """Return the distance of points of the face in front of the plane of the eyes."""
        up = np.clip((y + 0.05) / (self.nose_tip + 0.05), 0, 1)
        down = np.clip(1 - (y - self.nose_tip) / 0.28, 0, 1)
        profile = up**1.2 * np.where(y > self.nose_tip, down * down * (3 - 2 * down), 1)
        width = self.nose_width * (0.6 + 0.5 * up)
        nose = self.nose * profile * np.exp(-0.5 * (x / width) ** 2)
        brow = self.brow * np.exp(-0.5 * ((y + 0.3) / 0.15) ** 2) * np.exp(-0.5 * (x / 0.8) ** 2)
        lips = 0.08 * np.exp(-0.5 * ((y - 1.1) / 0.13) ** 2 - 0.5 * (x / 0.3) ** 2)
        chin = self.chin * np.exp(-0.5 * ((y - 1.6) / 0.2) ** 2 - 0.5 * (x / 0.35) ** 2)
        eyes = sum(np.exp(-0.5 * (((x - side) / 0.22) ** 2 + (y / 0.16) ** 2)) for side in (-0.5, 0.5))
        # The cross-section is an ellipse: steep at the temples, and not deeper than the ears.
        ellipse = 1.6 * (np.sqrt(np.clip(1 - (x / 1.35) ** 2, 0.0, 1)) - 1) * self.across / 0.42
        curve = ellipse - self.along * (y - 0.4) ** 2
        return np.asarray(
            np.clip(nose + brow + lips + chin - self.sockets * eyes + curve, -2.0, 1), np.float32
        )


@dataclass(frozen=True, slots=True)
class Pose:
    """The pose of a head or picture: angles in degrees, shift in px of the frame, and `nearer`, the factor by
    which it is closer to the camera.
    """

    yaw: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0
    x: float = 0.0
    y: float = 0.0
    nearer: float = 1.0


@dataclass(frozen=True, slots=True)
class Scene:
    """The camera: px between the eyes at the normal distance, that distance, noise in grey levels, and width
    and height of a frame.
    """

    eye_distance: float = 64.0
    distance: float = 8.0
    noise: float = 2.0
    size: tuple[int, int] = (480, 360)


def rotation_matrix(pose: Pose) -> NDArray[np.float64]:
    """Return the rotation of `pose` (3, 3) in axes of x right, y down and z towards the camera."""
    yaw, pitch, roll = np.radians((pose.yaw, pose.pitch, pose.roll))
    about_y = np.array(((np.cos(yaw), 0, np.sin(yaw)), (0, 1, 0), (-np.sin(yaw), 0, np.cos(yaw))))
    about_x = np.array(((1, 0, 0), (0, np.cos(pitch), -np.sin(pitch)), (0, np.sin(pitch), np.cos(pitch))))
    about_z = np.array(((np.cos(roll), -np.sin(roll), 0), (np.sin(roll), np.cos(roll), 0), (0, 0, 1)))
    return np.asarray(about_z @ about_x @ about_y)


def render_head_frame(texture: Texture, shape: Shape, pose: Pose, scene: Scene, number: int = 0) -> Pixels:
    """Render a camera frame of the head with `texture` in `pose`. Its mouth is never still: `number` is that
    of the frame.
    """
    x, y = locate_surface_points(shape.depth, pose, scene)
    mouth = np.exp(-0.5 * ((y - 1.2) / 0.25) ** 2 - 0.5 * (x / 0.4) ** 2) * np.float32(MOUTH * np.sin(number))
    return apply_camera(paint_texture(texture, x, y - mouth, scene), scene, number)


@dataclass(frozen=True, slots=True)
class Picture:
    """The relief of a picture of a face: bent by the curvature `bend` around an axis that is tilted by `axis`
    degrees from the vertical.
    """

    bend: float = 0.0
    axis: float = 0.0

    def depth(self, x: Map, y: Map) -> Map:
        """Return the distance of points of the picture in front of its centre."""
        if not self.bend:
            return np.zeros_like(x)
        radius = 1 / abs(self.bend)
        edge = 0.95 * radius
        tilt = np.radians(self.axis)
        across = np.clip(x * np.cos(tilt) + (y - 0.5) * np.sin(tilt), -edge, edge)
        return np.asarray(np.sign(self.bend) * (np.sqrt(radius**2 - across**2) - radius), np.float32)


def render_picture_frame(texture: Texture, pose: Pose, scene: Scene, seed: int = 0) -> Pixels:
    """Render a camera frame of a flat picture of a face."""
    return apply_camera(render_surface(texture, Picture().depth, pose, scene), scene, seed)


DepthFunction = Callable[[Map, Map], Map]


def render_surface(texture: Texture, depth: DepthFunction, pose: Pose, scene: Scene) -> Pixels:
    """Render a surface of `depth` over the plane of the eyes with an ideal camera."""
    return paint_texture(texture, *locate_surface_points(depth, pose, scene), scene)


def paint_texture(texture: Texture, x: Map, y: Map, scene: Scene) -> Pixels:
    """Paint a frame from `texture` at the points `x`, `y` that `locate_surface_points` returns."""
    middle = texture.eyes.mean(axis=0)
    eye_distance = float(np.hypot(*(texture.eyes[1] - texture.eyes[0])))
    from_x = cv2.resize((x * eye_distance + middle[0]).astype(np.float32), scene.size)
    from_y = cv2.resize((y * eye_distance + middle[1]).astype(np.float32), scene.size)
    frame: Pixels = cv2.remap(
        texture.pixels, from_x, from_y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT_101
    )
    return frame


def locate_surface_points(depth: DepthFunction, pose: Pose, scene: Scene) -> tuple[Map, Map]:
    """Return the point (x, y) of a surface of `depth` at every second px of the frame, in distances between
    the eyes from their centre.
    """
    table = build_depth_table(depth)
    width, height = scene.size
    turn, pivot = rotation_matrix(pose).astype(np.float32), np.array(PIVOT)
    shift = (pivot - rotation_matrix(pose) @ pivot).astype(np.float32)
    distance = np.float32(scene.distance / pose.nearer)
    damping = np.float32(0.7 / pose.nearer)
    x: Map | None = None
    y: Map | None = None
    for grid, steps in _GRIDS:
        columns, rows = (
            np.arange(0, side, grid, dtype=np.float32) + (grid - 1) / 2 for side in (width, height)
        )
        # The frame's px as points on the plane of the eyes.
        aim_x = ((columns - width / 2 - pose.x) / scene.eye_distance).astype(np.float32)[None]
        aim_y = ((rows - height * 0.42 - pose.y) / scene.eye_distance).astype(np.float32)[:, None]
        if x is None or y is None:
            x, y = np.broadcast_arrays(aim_x / np.float32(pose.nearer), aim_y / np.float32(pose.nearer))
        else:
            x, y = (cv2.resize(coordinates, (len(columns), len(rows))) for coordinates in (x, y))
        for _ in range(steps):
            z = look_up_depths(table, np.asarray(x, np.float32), np.asarray(y, np.float32))
            factor = np.float32(scene.distance) / (
                distance - (turn[2, 0] * x + turn[2, 1] * y + turn[2, 2] * z + shift[2])
            )
            x_turned = turn[0, 0] * x + turn[0, 1] * y + turn[0, 2] * z + shift[0]
            y_turned = turn[1, 0] * x + turn[1, 1] * y + turn[1, 2] * z + shift[1]
            # Damped, because the sides of the nose are steep.
            x = np.clip(x + damping * (aim_x - x_turned * factor), -4, 4).astype(np.float32)
            y = np.clip(y + damping * (aim_y - y_turned * factor), -4, 6).astype(np.float32)
    assert x is not None
    assert y is not None
    return np.asarray(x, np.float32), np.asarray(y, np.float32)


@lru_cache(maxsize=8)
def build_depth_table(depth: DepthFunction) -> Map:
    """Return the table of depths of a surface for `look_up_depths`."""
    sides = (np.arange(low * TABLE_PX, high * TABLE_PX + 1, dtype=np.float32) for low, high in _TABLE_BOUNDS)
    x, y = np.meshgrid(*(side / TABLE_PX for side in sides))
    return depth(np.asarray(x, np.float32), np.asarray(y, np.float32))


def look_up_depths(table: Map, x: Map, y: Map) -> Map:
    """Return the values of a table of `build_depth_table` at the points `x` and `y`."""
    columns, rows = (
        (side - np.float32(low)) * np.float32(TABLE_PX)
        for side, (low, _) in zip((x, y), _TABLE_BOUNDS, strict=True)
    )
    return np.asarray(cv2.remap(table, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))


def apply_camera(frame: Pixels, scene: Scene, seed: int = 0) -> Pixels:
    """Return `frame` with the noise of `scene` that `seed` gives."""
    noise = np.random.default_rng(seed).normal(0, scene.noise, frame.shape)
    return np.clip(frame + noise, 0, 255).astype(np.uint8)


def interpolate_poses(poses: Sequence[tuple[float, Pose]], times: Sequence[float]) -> list[Pose]:
    """Return the poses at `times` (ms) of a smooth movement through `poses`, which have times in ms."""
    knots = np.array([time for time, _ in poses])
    names = ("yaw", "pitch", "roll", "x", "y", "nearer")
    values = np.array([[getattr(pose, name) for name in names] for _, pose in poses])
    poses_at_times = []
    for time in times:
        index = int(np.clip(np.searchsorted(knots, time, side="right") - 1, 0, len(knots) - 2))
        fraction = float(np.clip((time - knots[index]) / (knots[index + 1] - knots[index]), 0, 1))
        fraction = fraction * fraction * (3 - 2 * fraction)
        row = values[index] * (1 - fraction) + values[index + 1] * fraction
        poses_at_times.append(replace(Pose(), **dict(zip(names, row.tolist(), strict=True))))
    return poses_at_times
