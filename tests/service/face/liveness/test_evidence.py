"""Evidence grows with what a head shows and falls with what a picture or a morph shows."""

from __future__ import annotations

import numpy as np

from service.face.liveness.decision import ARC, RELIEF
from service.face.liveness.evidence import combine_reliefs, weigh_arc, weigh_relief
from service.face.liveness.rigidity import Arc
from service.face.liveness.turns import Turn


def turn(sine: float, *, error: float = 0.02, narrowing: float = 0.05) -> Turn:
    """A turn to the right of the picture."""
    return Turn(np.array((sine, 0.0)), np.array((error, error)), narrowing)


def test_nose_that_moves_more_is_more_relief() -> None:
    reliefs = [weigh_relief(turn(sine), sine) for sine in (0.0, 0.05, 0.15, 0.3)]
    assert reliefs == sorted(reliefs)
    assert reliefs[1] < RELIEF < reliefs[2]
    assert weigh_relief(turn(0.3), -0.3) < 0


def test_uncertain_and_tilted_turns_are_less_relief() -> None:
    usual = weigh_relief(turn(0.2), 0.2)
    assert weigh_relief(turn(0.2, error=0.08), 0.2) < usual
    assert weigh_relief(turn(0.2, narrowing=0.3), 0.2) < usual


def test_two_turns_are_more_relief_than_one() -> None:
    assert combine_reliefs([1.6]) < RELIEF < combine_reliefs([1.6, 1.6])


def test_arc_of_a_head_is_a_head_and_a_line_is_a_morph() -> None:
    weights = [weigh_arc(Arc(size, 0.03), up=0, sway=0.003) for size in (-0.1, 0.0, 0.35, 0.6)]
    assert weights == sorted(weights)
    assert weights[1] < ARC < weights[2]
    # The nose may be lower than usual.
    assert weigh_arc(Arc(1.2, 0.03), up=0, sway=0.003) == weights[3]


def test_true_arc_does_not_make_up_for_a_line() -> None:
    head, line = (weigh_arc(Arc(size, 0.02), up=0, sway=0.003) for size in (0.6, 0.0))
    assert head + line < ARC < head


def test_stillness_counts_for_a_morph() -> None:
    measured = Arc(0.35, 0.1)
    assert weigh_arc(measured, up=0, sway=0.0001) < weigh_arc(measured, up=0, sway=0.003) - 1


def test_arc_that_is_not_measured_decides_nothing() -> None:
    assert weigh_arc(Arc(0.0, np.inf), up=0, sway=0) == 0
