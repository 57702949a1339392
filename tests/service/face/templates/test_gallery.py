from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.face.engines.engine import Metric, score
from service.face.templates.gallery import Gallery

METRICS = list(Metric)
DIMENSION = 16


def vectors(seed: int, count: int) -> list[np.ndarray]:
    drawn = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    return list(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(METRICS), st.lists(st.integers(0, 4), min_size=1, max_size=20), st.integers(0, 10**6))
def test_search_agrees_with_comparing_one_by_one(metric: Metric, owners: list[int], seed: int) -> None:
    *templates, probe = vectors(seed, len(owners) + 1)
    gallery = Gallery(DIMENSION, metric)
    gallery.fill((str(owner), template) for owner, template in zip(owners, templates, strict=True))
    best: dict[str, float] = {}
    for owner, template in zip(owners, templates, strict=True):
        best[str(owner)] = max(best.get(str(owner), -9), score(template, probe, metric))
    expected = sorted(best.items(), key=lambda pair: -pair[1])
    match = gallery.search(probe)
    assert match is not None
    assert match.user_id == expected[0][0]
    assert match.score == pytest.approx(expected[0][1], abs=1e-3)
    assert gallery.search(probe, excluded_user="somebody who is not enrolled") == match
    if len(expected) > 1:
        assert match.runner_up == pytest.approx(expected[1][1], abs=1e-3)
        without = gallery.search(probe, excluded_user=match.user_id)
        assert without is not None
        assert without.user_id == expected[1][0]
    else:
        assert match.runner_up is None
        assert gallery.search(probe, excluded_user=match.user_id) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), max_size=15))
def test_incremental_updates_equal_rebuilding(steps: list[tuple[int, int]]) -> None:
    gallery, held = Gallery(DIMENSION, Metric.COSINE), dict[str, list[np.ndarray]]()
    for number, (user, count) in enumerate(steps):
        if count:
            held[str(user)] = vectors(number, count)
            gallery.put(str(user), held[str(user)])
        else:
            held.pop(str(user), None)
            gallery.remove(str(user))
    assert len(gallery) == sum(map(len, held.values()))
    assert sorted(gallery.users) == sorted(held)
    for user_id, templates in held.items():
        for template in templates:
            match = gallery.search(template)
            assert match is not None
            assert match.user_id == user_id
            assert match.score == pytest.approx(1, abs=1e-5)


def test_a_removed_user_is_overwritten_in_memory() -> None:
    gallery = Gallery(DIMENSION, Metric.EUCLIDEAN)
    first, second = vectors(1, 2)
    gallery.fill([("a", first), ("b", second)])
    before = gallery._rows.matrix
    gallery.remove("a")
    assert not before[0].any()
    assert before[1].any()
    assert gallery.search(first, excluded_user="b") is None


def test_every_template_is_overwritten_in_memory() -> None:
    gallery = Gallery(DIMENSION, Metric.COSINE)
    first, second = vectors(1, 2)
    gallery.fill([("a", first), ("b", second)])
    before = gallery._rows.matrix
    gallery.clear()
    assert not before.any()
    assert (len(gallery), gallery.users, gallery.search(first)) == (0, (), None)


@pytest.mark.parametrize("metric", METRICS)
def test_a_search_that_cores_share_finds_the_same(metric: Metric, monkeypatch: pytest.MonkeyPatch) -> None:
    *templates, probe = vectors(5, 1001)
    users = [str(number // 3) for number in range(1000)]
    gallery = Gallery(DIMENSION, metric)
    gallery.fill(zip(users, templates, strict=True))
    monkeypatch.setattr("service.face.templates.gallery._SINGLE_THREAD_NUMBERS", 0)
    monkeypatch.setattr("service.face.templates.gallery._BLOCK", 64)
    with ThreadPoolExecutor(3, thread_name_prefix="shared-search") as readers:
        shared = Gallery(DIMENSION, metric, readers)
        shared.fill(zip(users, templates, strict=True))
        assert shared.scores(probe).tobytes() == gallery.scores(probe).tobytes()
        assert shared.search(probe) == gallery.search(probe)
        assert any(thread.name.startswith("shared-search") for thread in threading.enumerate())


def test_nobody_is_enrolled() -> None:
    assert Gallery(DIMENSION, Metric.COSINE).search(vectors(1, 1)[0]) is None


def test_pairs_for_calibration() -> None:
    gallery = Gallery(DIMENSION, Metric.COSINE)
    templates = vectors(3, 5)
    gallery.fill(zip("aabbb", templates, strict=True))
    between, within = gallery.pairs()
    expected = [float(templates[row] @ templates[column]) for row in (0, 1) for column in (2, 3, 4)]
    assert between == pytest.approx(expected, abs=1e-6)
    assert len(within) == 4


def test_pairs_of_a_large_gallery_are_a_sample_of_whole_users() -> None:
    gallery = Gallery(DIMENSION, Metric.COSINE)
    gallery.fill(zip((str(number // 3) for number in range(300)), vectors(3, 300), strict=True))
    between, within = gallery.pairs(max_templates=100)
    # Every third of 100 users: 34 users with 3 templates each.
    assert len(within) == 34 * 3
    assert len(between) == 102 * 101 // 2 - len(within)
