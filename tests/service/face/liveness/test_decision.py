"""A head that follows is accepted; pictures, cuts and movements at another time are not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from service.face.liveness import decision
from service.face.liveness.decision import DOUBTFUL_RATIO, LAST_RATIO, RATIO, Motion, decide
from service.face.liveness.movements import Evidence, Movement, Reason, Step, Verdict
from shared.samples.heads import Pose
from tests.service.face.liveness.films import (
    STEP,
    TIMES,
    TO_THE_LEFT,
    UPWARDS,
    Frame,
    draw_bent_picture,
    draw_flat_picture,
    draw_head,
    draw_picture_with_eye_holes,
    film,
    motion,
    motion_of,
)


def test_head_that_turns_left_is_live() -> None:
    verdict = decide(motion(draw_head, TO_THE_LEFT), [STEP])
    assert verdict.reason is Reason.LIVE
    assert verdict.score >= 0.5


def test_head_that_looks_up_is_live() -> None:
    assert decide(motion(draw_head, UPWARDS), [replace(STEP, movement=Movement.UP)]).live


def test_approach_of_the_head_is_recognised() -> None:
    closer = ((0.0, Pose()), (650.0, Pose()), (1100.0, Pose(nearer=1.3)), (1500.0, Pose(nearer=1.3)))
    assert decide(motion(draw_head, closer), [replace(STEP, movement=Movement.CLOSER)]).live


@pytest.mark.parametrize("picture", [draw_flat_picture, draw_bent_picture, draw_picture_with_eye_holes])
def test_picture_that_is_tilted_is_not_live(picture: Frame) -> None:
    turned = Pose(yaw=35)
    tilted = ((0.0, Pose()), (650.0, Pose()), (1100.0, turned), (1500.0, turned))
    assert not decide(motion(picture, tilted), [STEP]).live


def test_other_movement_is_refused() -> None:
    measured = motion(draw_head, TO_THE_LEFT)
    assert decide(measured, [replace(STEP, movement=Movement.RIGHT)]).reason is Reason.WRONG_MOVEMENT
    assert not decide(measured, [replace(STEP, movement=Movement.UP)]).live
    assert not decide(measured, [replace(STEP, movement=Movement.CLOSER)]).live


def test_movement_before_its_time_is_refused() -> None:
    late = Step(Movement.LEFT, 1000, 1500)
    assert decide(motion(draw_head, TO_THE_LEFT), [late]).reason is Reason.NOT_STEADY


def test_movement_after_its_time_is_refused() -> None:
    early = Step(Movement.LEFT, 100, 700)
    assert decide(motion(draw_head, TO_THE_LEFT), [early]).reason is Reason.NOT_MADE


def test_movements_in_another_order_are_refused() -> None:
    steps = [Step(Movement.UP, 300, 700), Step(Movement.LEFT, 700, 1500)]
    assert not decide(motion(draw_head, TO_THE_LEFT), steps).live


def test_cut_between_two_pictures_is_refused() -> None:
    frames = film(draw_head, TO_THE_LEFT)
    cut = [frames[0] if at < 800 else frames[-1] for at in TIMES]
    assert not decide(motion_of(cut), [STEP]).live


def test_frames_with_a_gap_are_refused() -> None:
    measured = motion(draw_head, TO_THE_LEFT)
    times = measured.times.copy()
    times[6:] += 500
    assert decide(replace_times(measured, times), [STEP]).reason is Reason.TOO_FEW_FRAMES


def test_few_frames_are_refused() -> None:
    assert decide(motion_of(film(draw_head, TO_THE_LEFT)[:5]), [STEP]).reason is Reason.TOO_FEW_FRAMES


def test_frames_without_texture_are_refused() -> None:
    grey = [np.full((200, 240, 3), 128, np.uint8)] * len(TIMES)
    assert not decide(motion_of(grey), [STEP]).live


def replace_times(measured: Motion, times: NDArray[np.float64]) -> Motion:
    return Motion(times, measured.tracks, measured.path)


HEAD = Evidence((3.0, 3.0), 0.0)


@pytest.fixture
def weigh(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Verdict]:
    """Decides a film of a head that turns, whose arc has a given ratio."""

    def weigh(ratio: float, earlier: Evidence | None = None) -> Verdict:
        monkeypatch.setattr(decision, "weigh_arc", lambda _turn, **_: ratio)
        monkeypatch.setattr(decision, "weigh_unrest", lambda _unrest: 0.0)
        return decide(motion(draw_head, TO_THE_LEFT), [STEP], earlier)

    return weigh


def test_ratio_between_head_and_morph_is_in_doubt(weigh: Callable[..., Verdict]) -> None:
    assert weigh(RATIO).live
    doubtful = weigh(RATIO - 0.1)
    assert doubtful.reason is Reason.IN_DOUBT
    assert not doubtful.live
    assert doubtful.evidence is not None
    assert doubtful.evidence.ratio == RATIO - 0.1
    assert len(doubtful.evidence.reliefs) == 1


def test_film_that_one_more_movement_cannot_save_is_a_morph(weigh: Callable[..., Verdict]) -> None:
    assert weigh(DOUBTFUL_RATIO).reason is Reason.IN_DOUBT
    assert weigh(DOUBTFUL_RATIO - 0.1).reason is Reason.MORPH


def test_second_film_decides_with_the_evidence_of_the_first(weigh: Callable[..., Verdict]) -> None:
    assert weigh(LAST_RATIO, HEAD).live
    refused = weigh(LAST_RATIO - 0.1, HEAD)
    assert (refused.reason, refused.evidence) == (Reason.MORPH, None)
    assert weigh(1.0, replace(HEAD, ratio=LAST_RATIO - 0.9)).live
    assert weigh(1.0, replace(HEAD, ratio=LAST_RATIO - 1.1)).reason is Reason.MORPH


def test_relief_of_the_first_film_counts_with_the_second(weigh: Callable[..., Verdict]) -> None:
    assert weigh(1.0, replace(HEAD, reliefs=(3.0, 0.2))).reason is Reason.FLAT
