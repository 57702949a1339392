"""Tests that the cache of features is bounded in bytes."""

from __future__ import annotations

import numpy as np

from service.detection.second_opinion.feature_cache import FeatureCache


def test_features_used_least_recently_go_first() -> None:
    one = np.zeros((4, 4, 8), np.float16)
    cache = FeatureCache(3 * one.nbytes)
    for key in "abc":
        cache.put(key, one)
    assert cache.get("a") is one
    cache.put("d", one)
    assert [cache.get(key) is one for key in "abcd"] == [True, False, True, True]
    assert cache.size == 3 * one.nbytes


def test_features_larger_than_the_cache_are_not_kept() -> None:
    cache = FeatureCache(10)
    cache.put("a", np.zeros((4, 4, 8), np.float16))
    assert (cache.get("a"), cache.size) == (None, 0)
