"""Tells what appeared and stayed from what varies, by which photos show it."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

SUPPORT: Final = 2
"""Photos that must each explain a thing, so that a memory that lacks any one of them explains it as well."""

LASTING: Final = 0.75
"""A lasting change was there in so many of the photos since it was first seen."""


def is_new(shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of each thing whether it appeared after the oldest photo and stayed, or was never there; bool (things).

    shown: bool (photos, things), the oldest photo first: whether the photo shows the thing. What was seen
    often enough before it stayed varies, so it is not new.
    """
    first = _appeared(shown)
    earlier = (shown & (np.arange(shown.shape[0])[:, None] < first)).sum(axis=0)
    return np.asarray((first > 0) & (earlier < SUPPORT), np.bool_)


def has_stayed(shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of each thing whether it is new and two photos or more show it since then; bool (things)."""
    since = shown & (np.arange(shown.shape[0])[:, None] >= _appeared(shown))
    return np.asarray(is_new(shown) & (since.sum(axis=0) >= SUPPORT), np.bool_)


def _appeared(shown: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The index of the first photo that shows it and since which nearly all do; their count without one."""
    count = shown.shape[0]
    share = np.cumsum(shown[::-1], axis=0)[::-1] / np.arange(count, 0, -1)[:, None]
    begins = shown & (share >= LASTING)
    return np.asarray(np.where(begins.any(axis=0), begins.argmax(axis=0) if count else 0, count), np.int64)
