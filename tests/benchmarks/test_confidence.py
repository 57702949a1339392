"""Tests the fit of the confidence and its calibration."""

import json

import numpy as np
import pytest

from benchmarks.confidence import PHOTOS, SHIFT_WEIGHTS, WEIGHT_NAMES, fit_weights, held_out_confidences
from benchmarks.reference_difference import calibration, wilson
from service.detection.reference_difference.difference import confidence

TRUE = np.array([1.0, 2.0, -1.0, 0.5, SHIFT_WEIGHTS[PHOTOS], 1.5, -0.5, 0.8])


def draw_findings(count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(count), rng.standard_normal((count, len(TRUE) - 1))])
    chance = confidence.MAX_CONFIDENCE / (1 + np.exp(-x @ TRUE))
    return x, (rng.random(count) < chance).astype(np.float64)


def test_fit_finds_the_weights_that_made_the_data() -> None:
    found = fit_weights(*draw_findings(20_000), SHIFT_WEIGHTS[PHOTOS])
    assert np.abs(found - TRUE).max() < 0.2


def test_fit_keeps_the_weight_of_what_a_shift_leaves() -> None:
    assert fit_weights(*draw_findings(200), 1.25)[WEIGHT_NAMES.index("left")] == 1.25


def test_held_out_confidence_does_not_depend_on_what_is_real_in_its_group() -> None:
    x, y = draw_findings(400)
    groups = ["one" if index % 4 else "other" for index in range(400)]
    out = np.array(groups) == "other"
    before = held_out_confidences(x, y, 1.0, groups)[out]
    assert held_out_confidences(x, np.where(out, 1 - y, y), 1.0, groups)[out].tolist() == before.tolist()


@pytest.mark.parametrize(("share", "count", "low", "high"), [(0.5, 10, 0.237, 0.763), (1.0, 10, 0.722, 1.0)])
def test_interval_is_that_of_wilson(share: float, count: int, low: float, high: float) -> None:
    assert wilson(share, count) == pytest.approx((low, high), abs=0.001)


def test_tenth_of_few_findings_is_shown_and_not_judged(capsys: pytest.CaptureFixture[str]) -> None:
    calibration([(0.55, False)] * 29 + [(0.95, True)] * 30)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["count"] for line in lines[:2]] == [29, 30]
    assert lines[2]["tenths"] == 1
    assert lines[2]["value"] == pytest.approx(0.05)


def test_confidences_of_the_service_are_fitted_with_the_same_weight_of_a_shift() -> None:
    at = WEIGHT_NAMES.index("left")
    assert [weights[at] for weights in (confidence._PHOTO, confidence._SCAN, confidence._BILEVEL)] == list(
        SHIFT_WEIGHTS.values()
    )
