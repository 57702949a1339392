from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.camera import GuideHint, RegionGuide, target_rect
from shared.record.geometry import Rect
from shared.samples import draw_panel
from tests.desktop.camera.region_frames import Pose, frame, reference
from tests.narrowing import not_none


@pytest.fixture
def guide() -> RegionGuide:
    return RegionGuide(*reference())


@pytest.mark.parametrize(
    ("pose", "hint"),
    [
        (Pose(), GuideHint.GOOD),
        (Pose(scale=0.9, turn=3, x=0.03, y=-0.03, gain=0.5), GuideHint.GOOD),
        (Pose(scale=0.6), GuideHint.CLOSER),
        (Pose(scale=1.5), GuideHint.FARTHER),
        (Pose(turn=12), GuideHint.ROTATE_RIGHT),
        (Pose(turn=-12), GuideHint.ROTATE_LEFT),
        # Turned first: otherwise right would be left.
        (Pose(turn=170, x=0.2), GuideHint.ROTATE_RIGHT),
        (Pose(x=-0.15), GuideHint.LEFT),
        (Pose(x=0.15), GuideHint.RIGHT),
        (Pose(y=-0.12), GuideHint.UP),
        (Pose(y=0.12), GuideHint.DOWN),
        (Pose(blur=5), GuideHint.STILL),
        (Pose(gain=0.05), GuideHint.DARK),
    ],
)
def test_frame_gets_the_hint_for_its_pose(guide: RegionGuide, pose: Pose, hint: GuideHint) -> None:
    assert guide.judge(frame(pose)).hint is hint


def test_corners_are_those_of_the_region(guide: RegionGuide) -> None:
    look = guide.judge(frame(Pose(x=0.1)))
    target = target_rect(400, 300, 960, 540)
    assert look.corners[0] == pytest.approx((target.x / 960 + 0.1, target.y / 540), abs=0.01)
    assert look.corners[2] == pytest.approx((target.right / 960 + 0.1, target.bottom / 540), abs=0.01)


def test_moving_camera_gets_the_hint_to_hold_still(guide: RegionGuide) -> None:
    assert guide.judge(frame(Pose(x=-0.03))).hint is GuideHint.GOOD
    assert guide.judge(frame(Pose(x=0.03))).hint is GuideHint.STILL
    assert guide.judge(frame(Pose(x=0.03))).hint is GuideHint.GOOD


def test_other_parts_and_noise_are_not_found(guide: RegionGuide) -> None:
    assert guide.judge(draw_panel(960, 540, 9).image).hint is GuideHint.SEARCH
    noise = np.random.default_rng(1).integers(0, 255, (540, 960, 3), np.uint8)
    assert guide.judge(noise).hint is GuideHint.SEARCH


def test_region_without_structure_is_not_usable() -> None:
    guide = RegionGuide(np.full((300, 400, 3), 180, np.uint8), Rect(50, 50, 200, 100))
    assert not guide.is_usable
    assert guide.judge(frame(Pose())).hint is GuideHint.SEARCH


def test_guide_analyses_five_frames_a_second() -> None:
    clock = 0.0
    guide = RegionGuide(*reference(), clock=lambda: clock)
    picture = frame(Pose())
    assert not_none(guide.analyse(picture)).is_good
    clock = 0.1
    assert guide.analyse(picture) is None
    clock = 0.21
    assert guide.analyse(picture) is not None


@settings(max_examples=50)
@given(*[st.floats(1, 10_000)] * 4)
def test_target_has_the_shape_of_the_region_and_is_centred(
    region_w: float, region_h: float, frame_w: float, frame_h: float
) -> None:
    target = target_rect(region_w, region_h, frame_w, frame_h)
    assert target.w / target.h == pytest.approx(region_w / region_h, rel=1e-6)
    assert target.x + target.w / 2 == pytest.approx(frame_w / 2)
    assert target.w <= 0.7 * frame_w * 1.000001
    assert target.h <= 0.7 * frame_h * 1.000001
