"""Tests how the calibration of the confidence is measured."""

import json

import pytest

from benchmarks.reference_difference import calibration, wilson


@pytest.mark.parametrize(("share", "count", "low", "high"), [(0.5, 10, 0.237, 0.763), (1.0, 10, 0.722, 1.0)])
def test_interval_is_that_of_wilson(share: float, count: int, low: float, high: float) -> None:
    assert wilson(share, count) == pytest.approx((low, high), abs=0.001)


def test_tenth_of_few_findings_is_shown_and_not_judged(capsys: pytest.CaptureFixture[str]) -> None:
    calibration([(0.55, False)] * 29 + [(0.95, True)] * 30)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["count"] for line in lines[:2]] == [29, 30]
    assert lines[2]["tenths"] == 1
    assert lines[2]["value"] == pytest.approx(0.05)
