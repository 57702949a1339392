"""Whatever the shape of a head and wherever a picture is tilted, the head passes and the picture does not."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from service.face.liveness.decision import decide
from service.face.liveness.movements import Movement, Reason, Step
from shared.samples.heads import Pose, Shape
from tests.service.face.liveness import clouds

Values = NDArray[np.float64]

STEPS = {each: Step(each, 500, 1700) for each in (Movement.LEFT, Movement.RIGHT, Movement.UP)}
FEW = settings(max_examples=6, deadline=None, derandomize=True)


def between(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False)


SHAPES = st.builds(
    Shape,
    nose=between(0.3, 0.48),
    nose_width=between(0.14, 0.22),
    nose_tip=between(0.54, 0.74),
    brow=between(0, 0.12),
    chin=between(0.02, 0.2),
    across=between(0.3, 0.55),
    along=between(0.02, 0.16),
)


def _depth(shape: Shape) -> clouds.Depth:
    return lambda x, y: shape.depth(x.astype(np.float32), y.astype(np.float32)).astype(float)


def _plane(x: Values, _y: Values) -> Values:
    return np.zeros_like(x)


@FEW
@given(SHAPES, between(17, 32), between(-5, 5), between(6.3, 11))
def test_head_of_any_shape_that_turns_is_live(
    shape: Shape, angle: float, start: float, distance: float
) -> None:
    motion = clouds.film_turn(_depth(shape), Pose(yaw=start), Pose(yaw=start + angle), distance=distance)
    assert decide(motion, [STEPS[Movement.LEFT]]).reason is Reason.LIVE


@FEW
@given(between(-65, 65), between(-65, 65), between(-30, 30), between(0.7, 1.5), between(4, 12))
def test_plane_is_never_live(yaw: float, pitch: float, roll: float, nearer: float, distance: float) -> None:
    motion = clouds.film_turn(_plane, Pose(), Pose(yaw, pitch, roll, nearer=nearer), distance=distance)
    for step in STEPS.values():
        assert not decide(motion, [step]).live


@FEW
@given(between(-0.8, 0.8), between(-50, 50), between(-50, 50), between(0, 180))
def test_bent_picture_is_never_live(bend: float, yaw: float, pitch: float, axis: float) -> None:
    across, along = np.cos(np.radians(axis)), np.sin(np.radians(axis))

    def depth(x: Values, y: Values) -> Values:
        return np.asarray(-0.5 * bend * (across * x + along * (y - 0.5)) ** 2)

    motion = clouds.film_turn(depth, Pose(), Pose(yaw, pitch))
    for step in STEPS.values():
        assert not decide(motion, [step]).live


@FEW
@given(SHAPES, between(17, 32))
def test_points_on_straight_lines_are_a_morph(shape: Shape, angle: float) -> None:
    motion = clouds.film_turn(_depth(shape), Pose(), Pose(yaw=angle))
    positions = motion.tracks.positions.astype(float)
    course = np.clip((clouds.TIMES - 700) / 500, 0, 1)[:, None, None]
    morphed = clouds.motion_of(list(positions[0] * (1 - course) + positions[-1] * course))
    assert decide(morphed, [STEPS[Movement.LEFT]]).reason is Reason.MORPH
