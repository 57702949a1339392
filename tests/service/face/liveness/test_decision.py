"""A head that follows is accepted; pictures, cuts and movements at another time are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from service.face.liveness.decision import REACTION_MS, decide, find_reached
from service.face.liveness.movements import Movement, Reason, Step
from tests.material.heads import Pose
from tests.service.face.liveness.films import (
    STEP,
    TIMES,
    TO_THE_LEFT,
    Path,
    film,
    move_to,
    without_face,
)

HEAD = film(TO_THE_LEFT)


@pytest.mark.parametrize(
    ("pose", "movement"),
    [
        (Pose(yaw=28), Movement.LEFT),
        (Pose(yaw=-28), Movement.RIGHT),
        (Pose(pitch=22), Movement.UP),
        (Pose(nearer=1.3), Movement.CLOSER),
    ],
)
def test_head_that_follows_is_live_and_makes_no_other_movement(pose: Pose, movement: Movement) -> None:
    seen = film(move_to(pose))
    assert {each: decide(seen, [replace(STEP, movement=each)]) is Reason.LIVE for each in Movement} == {
        each: each is movement for each in Movement
    }


def test_turn_to_the_other_side_is_the_wrong_movement() -> None:
    assert decide(HEAD, [replace(STEP, movement=Movement.RIGHT)]) is Reason.WRONG_MOVEMENT


def test_turn_that_is_mainly_another_one_is_the_wrong_movement() -> None:
    seen = film(move_to(Pose(yaw=20, pitch=35)))
    assert len(find_reached(seen, STEP)) >= 2
    assert decide(seen, [STEP]) is Reason.WRONG_MOVEMENT


def test_two_movements_are_seen_in_their_order() -> None:
    path = ((0.0, Pose()), (400.0, Pose()), (750.0, Pose(yaw=24)), (950.0, Pose()), (1200.0, Pose(yaw=-24)))
    seen = film(path)
    left, right = Step(Movement.LEFT, 300, 800), Step(Movement.RIGHT, 800, 1300)
    assert decide(seen, [left, right]) is Reason.LIVE
    swapped = [replace(left, movement=Movement.RIGHT), replace(right, movement=Movement.LEFT)]
    assert decide(seen, swapped) is Reason.WRONG_MOVEMENT


def test_small_turn_is_not_enough() -> None:
    assert decide(film(move_to(Pose(yaw=12))), [STEP]) is Reason.NOT_MADE


def test_turn_in_which_the_face_is_lost_went_too_far_or_too_fast() -> None:
    missing = np.array(TIMES) > STEP.from_ms + REACTION_MS
    missing[-1] = False
    seen = replace(HEAD, directions=np.where(missing[:, None], np.nan, HEAD.directions))
    assert decide(seen, [STEP]) is Reason.FACE_LOST


def test_film_that_ends_before_a_movement_shows_no_face_in_it() -> None:
    later = Step(Movement.RIGHT, 2000, 3000)
    assert decide(HEAD, [STEP, later]) is Reason.FACE_LOST


def test_movement_before_its_time_is_refused() -> None:
    assert decide(HEAD, [Step(Movement.LEFT, 1000, 1500)]) is Reason.NOT_STEADY


def test_movement_after_its_time_is_refused() -> None:
    assert decide(HEAD, [Step(Movement.LEFT, 100, 700)]) is Reason.NOT_MADE


def test_cut_between_two_poses_is_refused() -> None:
    shown = [0 if at < 800 else -1 for at in TIMES]
    cut = replace(HEAD, eyes=HEAD.eyes[shown], directions=HEAD.directions[shown], crops=HEAD.crops[shown])
    assert decide(cut, [STEP]) is Reason.CUT
    # Where the face was lost in between, the person may have turned too fast.
    first = next(index for index, at in enumerate(TIMES) if at >= 800)
    assert decide(without_face(cut, first), [STEP]) is Reason.FACE_LOST


def test_face_that_changes_on_the_way_is_cut() -> None:
    crops = HEAD.crops.copy()
    crops[8] = np.random.default_rng(1).integers(0, 256, crops[8].shape)
    assert decide(replace(HEAD, crops=crops), [STEP]) is Reason.CUT


def test_face_that_does_not_change_before_it_turns_is_a_picture() -> None:
    waiting = HEAD.times <= STEP.from_ms
    stills = np.repeat(HEAD.crops[:1], waiting.sum(), axis=0)
    noise = np.random.default_rng(1).normal(0, 3, stills.shape)
    crops = HEAD.crops.copy()
    crops[waiting] = np.clip(stills + noise, 0, 255)
    assert decide(replace(HEAD, crops=crops), [STEP]) is Reason.STILL


def test_frame_without_a_face_is_passed_over() -> None:
    assert decide(without_face(HEAD, 8), [STEP]) is Reason.LIVE


def test_film_that_shows_a_face_only_later_is_refused() -> None:
    seen = HEAD
    for index in range(8):
        seen = without_face(seen, index)
    assert decide(seen, [STEP]) is Reason.NO_FACE


def test_frames_with_a_gap_are_refused() -> None:
    times = HEAD.times.copy()
    times[6:] += 500
    assert decide(replace(HEAD, times=times), [STEP]) is Reason.TOO_FEW_FRAMES


def test_few_frames_are_refused() -> None:
    few = replace(
        HEAD, times=HEAD.times[:5], eyes=HEAD.eyes[:5], directions=HEAD.directions[:5], crops=HEAD.crops[:5]
    )
    assert decide(few, [STEP]) is Reason.TOO_FEW_FRAMES


def test_turn_counts_from_where_the_head_looks_just_before_it_is_asked_to() -> None:
    asked = STEP.from_ms + REACTION_MS
    swayed = film(((0.0, Pose(yaw=10)), (350.0, Pose()), *move_to(Pose(yaw=20))[1:]))
    assert not len(find_reached(swayed, STEP))
    assert len(find_reached(replace(swayed, asked_ms=asked), STEP))


@pytest.mark.parametrize(
    "path",
    [
        ((0.0, Pose()), (350.0, Pose(yaw=-24)), (650.0, Pose(yaw=-24)), (1100.0, Pose())),
        ((0.0, Pose(yaw=-24)), (650.0, Pose(yaw=-24)), (1100.0, Pose()), (1500.0, Pose())),
        ((0.0, Pose(yaw=-40)), (900.0, Pose()), (1500.0, Pose())),
    ],
    ids=["that had turned", "that looks aside", "that is still turning back"],
)
def test_head_turns_back_to_the_front_only(path: Path) -> None:
    seen = replace(film(path), asked_ms=STEP.from_ms + REACTION_MS)
    assert decide(seen, [STEP]) is Reason.NOT_MADE


def test_head_that_turns_through_the_front_is_live() -> None:
    step = replace(STEP, from_ms=100)
    seen = film(((0.0, Pose(yaw=-16)), (900.0, Pose(yaw=26)), (1500.0, Pose(yaw=26))))
    assert decide(replace(seen, asked_ms=step.from_ms + REACTION_MS), [step]) is Reason.LIVE
