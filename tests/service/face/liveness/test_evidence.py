"""Evidence grows with what a head shows and falls with what a picture or a morph shows."""

from __future__ import annotations

import numpy as np
import pytest

from service.face.liveness.decision import ARC, RELIEF
from service.face.liveness.evidence import combine_reliefs, weigh_arc, weigh_relief
from service.face.liveness.rigidity import Arc
from service.face.liveness.turns import Turn


def turn(sine: float, *, error: float = 0.02, narrowing: float = 0.05, arc: float = 0.8) -> Turn:
    """A turn to the right of the picture; `arc` is over the square of the sine."""
    return Turn(
        np.array((sine, 0.0)),
        np.array((error, error)),
        narrowing,
        Arc(arc * sine**2, 0.05 * sine**2),
        np.arange(8),
        np.linspace(0, 1, 8),
    )


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
    assert combine_reliefs([1.3]) < RELIEF < combine_reliefs([1.3, 1.3])


def test_arc_of_a_head_is_a_head_and_a_line_is_a_morph() -> None:
    weights = [weigh_arc(turn(0.3, arc=arc), lost_detail=0, sway=0.003) for arc in (-0.1, 0.0, 0.4, 0.8)]
    assert weights == sorted(weights)
    assert weights[1] < ARC < weights[2]
    # The nose may be lower than usual.
    assert weigh_arc(turn(0.3, arc=1.6), lost_detail=0, sway=0.003) == weights[3]


@pytest.mark.parametrize(("lost_detail", "sway"), [(0.5, 0.003), (0.0, 0.0001)])
def test_blend_and_stillness_count_for_a_morph(lost_detail: float, sway: float) -> None:
    measured = turn(0.3, arc=0.35)
    usual = weigh_arc(measured, lost_detail=0, sway=0.003)
    assert weigh_arc(measured, lost_detail=lost_detail, sway=sway) < usual - 1


def test_arc_that_is_not_measured_decides_nothing() -> None:
    measured = turn(0.3)
    unknown = Turn(
        measured.sine,
        measured.error,
        measured.narrowing,
        Arc(0.0, np.inf),
        measured.frames,
        measured.course,
    )
    assert weigh_arc(unknown, lost_detail=0.5, sway=0) == 0
