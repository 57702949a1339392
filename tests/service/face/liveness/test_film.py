"""The turn of a face comes from its landmarks alone, on whichever scale they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.heads import Pose
from service.face.liveness.film import EYES, measure_turns, straighten
from tests.service.face.liveness.films import TO_THE_LEFT, draw_head, film, move_to, without_face

HEAD = film(draw_head, TO_THE_LEFT)


def test_turn_grows_to_the_left() -> None:
    aside, upwards = measure_turns(HEAD).T
    assert abs(aside[:6]).max() < 0.02
    assert aside[-1] > 0.2
    assert upwards.max() < 0.05


def test_turn_upwards() -> None:
    aside, upwards = measure_turns(film(draw_head, move_to(Pose(pitch=20)))).T
    assert upwards[-1] > 0.15
    assert abs(aside).max() < 0.02


def test_turn_is_the_same_in_a_larger_and_tilted_picture() -> None:
    angle = np.radians(20)
    matrix = 2.5 * np.array(((np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))))
    moved = replace(HEAD, eyes=HEAD.eyes @ matrix.T + 30, nose=HEAD.nose @ matrix.T + 30)
    assert measure_turns(moved) == pytest.approx(measure_turns(HEAD))


def test_landmarks_that_jump_in_one_frame_are_no_turn() -> None:
    nose = HEAD.nose.copy()
    nose[4] += 20
    assert abs(measure_turns(replace(HEAD, nose=nose))[4]).max() < 0.05


def test_frame_without_a_face_has_no_turn() -> None:
    turns = measure_turns(without_face(HEAD, 4))
    assert np.isnan(turns[4]).all()
    assert np.isfinite(np.delete(turns, 4, axis=0)).all()


def test_straightened_face_has_its_eyes_in_their_places() -> None:
    frame = np.zeros((200, 300, 3), np.uint8)
    eyes = np.array(((100.0, 90.0), (180.0, 120.0)))
    for x, y in eyes.astype(int):
        frame[y - 4 : y + 5, x - 4 : x + 5] = 255
    crop = straighten(frame, eyes)
    for x, y in EYES.astype(int):
        assert crop[y, x] > 200
    assert (crop > 100).sum() < 80
