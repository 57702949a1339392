"""Distinguishes changes that appeared and stayed from variation, by the photos that show them."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

SUPPORT: Final = 2
"""The number of photos that must explain a difference, so that no single photo decides."""

LASTING: Final = 0.75
"""The least share of the photos since its first one that show a lasting change."""


def is_new(shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each object appeared after the oldest photo and stayed, or was never shown; bool (objects).

    shown: bool (photos, objects), the oldest photo first: whether the photo shows the object. An object that
    enough photos showed before it stayed varies, so it is not new.
    """
    first = _find_appearance(shown)
    earlier = (shown & (np.arange(shown.shape[0])[:, None] < first)).sum(axis=0)
    return np.asarray((first > 0) & (earlier < SUPPORT), np.bool_)


def has_stayed(shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each object is new and at least two photos show it since then; bool (objects)."""
    since = shown & (np.arange(shown.shape[0])[:, None] >= _find_appearance(shown))
    return np.asarray(is_new(shown) & (since.sum(axis=0) >= SUPPORT), np.bool_)


def _find_appearance(shown: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The index of the first photo from which on nearly all show the object; the count of photos if none."""
    count = shown.shape[0]
    share = np.cumsum(shown[::-1], axis=0)[::-1] / np.arange(count, 0, -1)[:, None]
    begins = shown & (share >= LASTING)
    return np.asarray(np.where(begins.any(axis=0), begins.argmax(axis=0) if count else 0, count), np.int64)
