"""Evidence grows with what a head shows and falls with what a picture or a morph shows."""

from __future__ import annotations

import numpy as np

from service.face.liveness.decision import RATIO, RELIEF
from service.face.liveness.evidence import combine_reliefs, weigh_arc, weigh_relief, weigh_unrest
from service.face.liveness.turns import Turn
from service.face.liveness.unrest import Unrest


def turn(
    sine: float = 0.3,
    *,
    nose: float = 1.0,
    nose_error: float = 0.1,
    narrowing: float = 0.7,
    error: float = 0.03,
) -> Turn:
    return Turn(sine, abs(sine), nose, nose_error, narrowing, error)


def test_nose_that_moves_more_is_more_relief() -> None:
    reliefs = [weigh_relief(turn(sine, narrowing=0.5)) for sine in (0.0, 0.03, 0.15, 0.3)]
    assert reliefs == sorted(reliefs)
    assert reliefs[1] < RELIEF < reliefs[2]
    assert weigh_relief(turn(-0.3)) < 0


def test_surface_without_a_nose_has_no_relief() -> None:
    reliefs = [weigh_relief(turn(nose=nose)) for nose in (0.0, 0.1, 0.5, 1.0)]
    assert reliefs == sorted(reliefs)
    assert reliefs[1] < RELIEF < reliefs[2]
    # No nose is nine times as high as others.
    assert weigh_relief(turn(nose=9.0)) == 0


def test_uncertain_and_tilted_turns_are_less_relief() -> None:
    usual = weigh_relief(turn(0.2))
    assert weigh_relief(turn(0.2, nose_error=0.4)) < usual
    assert weigh_relief(turn(0.2, narrowing=2.0)) < usual


def test_two_turns_are_more_relief_than_one() -> None:
    assert combine_reliefs([1.2]) < RELIEF < combine_reliefs([1.2, 1.2])


def test_arc_of_a_head_is_a_head_and_a_line_is_a_morph() -> None:
    weights = [weigh_arc(turn(narrowing=size), sway=0.003) for size in (0.0, 0.1, 0.4, 0.7)]
    assert weights == sorted(weights)
    assert weights[1] < RATIO < weights[2]
    # A near head narrows more.
    assert weigh_arc(turn(narrowing=1.4), sway=0.003) == weights[3]


def test_face_that_becomes_wider_is_not_a_head() -> None:
    line = weigh_arc(turn(narrowing=0.0, error=0.1), sway=0.003)
    for size in (-0.2, -0.8, -3.0):
        assert weigh_arc(turn(narrowing=size, error=0.1), sway=0.003) <= line


def test_narrowing_relates_to_the_height_of_the_nose() -> None:
    low = weigh_arc(turn(narrowing=0.25, nose=0.7, error=0.05), sway=0.003)
    assert low > weigh_arc(turn(narrowing=0.25, nose=1.3, error=0.05), sway=0.003)


def test_turn_that_may_begin_at_the_side_says_less_for_a_head() -> None:
    head, line = turn(narrowing=0.7, error=0.02), turn(narrowing=0.0, error=0.02)
    first = weigh_arc(head, sway=0.003)
    assert weigh_arc(head, sway=0.003, is_first=False) < first / 2
    assert weigh_arc(line, sway=0.003, is_first=False) == weigh_arc(line, sway=0.003)


def unrest(turned: float) -> Unrest:
    """A film in which the face turns by the sine `turned`, measured exactly."""
    return Unrest(np.full(2, turned), np.full(2, 0.001))


RESTLESS, STILL = weigh_unrest(unrest(0.02)), weigh_unrest(unrest(0.002))


def test_true_arc_and_unrest_do_not_make_up_for_a_line() -> None:
    head, line = (weigh_arc(turn(narrowing=size, error=0.02), sway=0.003) for size in (0.7, 0.0))
    assert head + line + RESTLESS < RATIO < head


def test_unrest_decides_between_doubtful_arcs() -> None:
    head, doubtful = (weigh_arc(turn(narrowing=size, error=0.08), sway=0.003) for size in (0.7, 0.2))
    assert head + doubtful + STILL < RATIO < head + doubtful + RESTLESS


def test_more_unrest_is_more_surely_a_head() -> None:
    weights = [weigh_unrest(unrest(turned)) for turned in (0.0, 0.002, 0.004, 0.01, 0.05, 0.3)]
    assert weights == sorted(weights)
    assert weights[2] < 0 < weights[3]


def test_stillness_counts_for_a_morph() -> None:
    measured = turn(narrowing=0.4, error=0.1)
    assert weigh_arc(measured, sway=0.0001) < weigh_arc(measured, sway=0.003) - 1


def test_arc_that_is_hardly_measured_decides_nothing() -> None:
    assert abs(weigh_arc(turn(error=100.0), sway=0.003)) < 1e-3
