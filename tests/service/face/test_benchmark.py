from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import face as benchmark
from tests.service.face import faces


def arrays(genuine: list[float], strangers: list[float]) -> tuple[np.ndarray, np.ndarray]:
    return np.array(genuine + strangers), np.array([True] * len(genuine) + [False] * len(strangers))


def test_perfect_scores() -> None:
    scores, same = arrays([0.8, 0.9], [0.1, 0.2])
    assert benchmark.equal_error_rate(scores, same) == 0
    assert benchmark.best_threshold(scores, same) == pytest.approx(0.5)
    assert benchmark.at_rate(scores, same, 1e-3) == (0.8, 0)


def test_overlapping_scores() -> None:
    scores, same = arrays([0.3, 0.6, 0.7, 0.8], [0.1, 0.2, 0.4, 0.65])
    # At 0.6 one of four strangers (0.65) passes and one of four genuine pairs (0.3) does not.
    assert benchmark.equal_error_rate(scores, same) == pytest.approx(0.25)
    threshold, misses = benchmark.at_rate(scores, same, 0.0)
    assert (threshold, misses) == (0.7, 0.5)
    assert benchmark.at_rate(scores, same, 0.25) == (0.6, 0.25)


def test_scores_that_say_nothing() -> None:
    scores, same = arrays([0.1], [0.9])
    assert benchmark.at_rate(scores, same, 1e-3) == (np.inf, 1.0)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4]), min_size=1, max_size=12),
    st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4]), min_size=1, max_size=12),
    st.sampled_from([0.0, 0.1, 0.5]),
)
def test_rates_agree_with_counting(genuine: list[float], strangers: list[float], rate: float) -> None:
    scores, same = arrays(genuine, strangers)
    threshold, misses = benchmark.at_rate(scores, same, rate)
    assert np.mean([score >= threshold for score in strangers]) <= rate
    assert misses == pytest.approx(np.mean([score < threshold for score in genuine]))
    lower = [score for score in {*genuine, *strangers} if score < threshold]
    assert all(np.mean([score >= each for score in strangers]) > rate for each in lower)


def test_compares_pairs_from_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures = {
        "a.jpg": faces.enrolment(),
        "甲/b.png": faces.login(),
        "c.webp": faces.stranger(),
        "none.png": np.zeros((200, 200, 3), np.uint8),
    }
    for name, image in pictures.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(faces.encoded(image, path.suffix))
    (tmp_path / "pairs.csv").write_text(
        "a,b,same\na.jpg,甲/b.png,1\na.jpg,c.webp,0\n甲/b.png,c.webp,0\na.jpg,none.png,0\na.jpg,gone.jpg,0\n",
        encoding="utf-8",
    )
    out = tmp_path / "result.json"
    words = ["face", "--pairs", str(tmp_path / "pairs.csv"), "--images", str(tmp_path), "--out", str(out)]
    monkeypatch.setattr(sys, "argv", words)
    assert benchmark.main() == 0
    result = json.loads(out.read_text("utf-8"))
    assert json.loads(capsys.readouterr().out) == result
    assert (result["pairs"], result["pictures"], result["without_face"]) == (5, 5, 2)
    assert result["eer"] == 0
    assert result["fnmr_at_fmr_1e-03"] == 0
    assert 0 < result["threshold_at_fmr_1e-03"] < 0.2
    assert (result["fmr_in_force"], result["fnmr_in_force"]) == (0, 0)
