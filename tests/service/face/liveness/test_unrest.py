"""A head is not held still; a photo is, however it is moved, and so is a morph beside its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.decision import Motion, decide
from service.face.liveness.evidence import weigh_unrest
from service.face.liveness.movements import Movement, Reason, Step
from service.face.liveness.unrest import Unrest, measure_unrest
from shared.samples import heads
from shared.samples.heads import Pose, Shape
from tests.service.face.liveness import clouds

Values = NDArray[np.float64]

TO_THE_LEFT = ((0.0, Pose()), (700.0, Pose()), (1200.0, Pose(yaw=24)), (2000.0, Pose(yaw=24)))
LEFT = Step(Movement.LEFT, 500, 1700)


def _depth(x: Values, y: Values) -> Values:
    return np.asarray(Shape().depth(x.astype(np.float32), y.astype(np.float32)), float)


def _poses() -> list[Pose]:
    return heads.interpolate_poses(TO_THE_LEFT, clouds.TIMES.tolist())


def _film(poses: Sequence[Pose]) -> Motion:
    return clouds.film_poses(_depth, poses)


def _measure(motion: Motion) -> Unrest:
    unrest = measure_unrest(motion.times, motion.tracks, motion.path.depths)
    assert unrest is not None
    return unrest


def _tilt(motion: Motion) -> Motion:
    """The frames of `motion` on a screen that a hand tilts."""
    numbers = np.arange(len(motion.times))
    tilt = 0.01 * np.stack((np.sin(0.9 * numbers), np.cos(0.7 * numbers)), axis=1)
    along = 1 + np.einsum("fni,fi->fn", motion.tracks.positions.astype(float), tilt)
    tilted = (motion.tracks.positions / along[:, :, None]).astype(np.float32)
    return replace(motion, tracks=replace(motion.tracks, positions=tilted))


def test_head_that_sways_is_not_still() -> None:
    unrest = _measure(_film(clouds.sway(_poses())))
    assert (np.degrees(unrest.turned) > 0.2).all()
    assert weigh_unrest(unrest) > 0.5


def test_head_that_stands_still_is_a_picture() -> None:
    motion = _film(_poses())
    assert weigh_unrest(_measure(motion)) < -1
    doubtful = decide(motion, [LEFT])
    assert doubtful.reason is Reason.IN_DOUBT
    assert decide(motion, [LEFT], doubtful.evidence).reason is Reason.MORPH
    assert decide(_film(clouds.sway(_poses())), [LEFT]).live


def test_picture_that_a_hand_tilts_is_still() -> None:
    assert weigh_unrest(_measure(_tilt(_film(_poses())))) < -1


def test_face_that_moves_to_and_fro_on_its_way_is_still_beside_it() -> None:
    assert weigh_unrest(_measure(_film(clouds.sway(_poses(), pitch=0.0)))) < -1


def test_unrest_of_a_few_points_is_unknown() -> None:
    motion = _film(_poses())
    depths = motion.path.depths.copy()
    depths[50:] = np.nan
    assert measure_unrest(motion.times, motion.tracks, depths) is None
    assert measure_unrest(motion.times[:6], motion.tracks, motion.path.depths) is None
    assert weigh_unrest(None) == 0


def test_uncertain_unrest_decides_nothing() -> None:
    turned = np.radians((0.05, 0.05))
    ratios = [weigh_unrest(Unrest(turned, np.radians((error, error)))) for error in (0.01, 0.05, 0.2, 5.0)]
    assert ratios == sorted(ratios)
    assert ratios[0] < -2
    assert ratios[-1] > -0.01
