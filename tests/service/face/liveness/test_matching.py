"""A turn is one take, and a jump over it is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from service.face.liveness.matching import is_one_take
from tests.service.face.liveness.films import TO_THE_LEFT, film

HEAD = film(TO_THE_LEFT)


def test_turn_is_one_take_and_a_jump_over_it_is_not() -> None:
    assert is_one_take(HEAD, range(len(HEAD.times)))
    noise = np.random.default_rng(1).integers(0, 256, HEAD.crops.shape, np.uint8)
    mixed = np.where(np.arange(len(HEAD.times))[:, None, None] == 5, noise, HEAD.crops)
    cut = replace(HEAD, crops=mixed.astype(np.uint8))
    assert not is_one_take(cut, [4, 5, 6])


def test_face_without_details_cannot_be_followed() -> None:
    grey = replace(HEAD, crops=np.full_like(HEAD.crops, 120))
    assert not is_one_take(grey, [0, 1, 2])
