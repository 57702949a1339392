"""Counts durations at a tenth of what prometheus_client takes: without a lock, on one thread."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from prometheus_client import Histogram


class DurationTally:
    """Durations counted in buckets, and handed to `histogram` (with its labels) by `report`.

    `bounds` are the histogram's, in seconds. `add` is for one thread alone, `report` for one at a time.
    """

    __slots__ = ("_bounds", "_counts", "_histogram", "_reported_counts", "_reported_sum", "_sum")

    def __init__(self, bounds: Sequence[float], histogram: Histogram) -> None:
        self._bounds = tuple(bounds)
        self._histogram = histogram
        self._counts = [0] * (len(bounds) + 1)
        self._reported_counts = list(self._counts)
        self._sum = self._reported_sum = 0.0

    def add(self, seconds: float) -> None:
        """Count a duration."""
        self._counts[bisect_left(self._bounds, seconds)] += 1
        self._sum += seconds

    def report(self) -> None:
        """Hand over what was counted since the last time.

        prometheus_client has no call for several durations at once. What is used here instead is not
        documented; its version is pinned, and a test compares with `Histogram.observe`.
        """
        counts, total = list(self._counts), self._sum
        for bucket, count, reported in zip(
            self._histogram._buckets, counts, self._reported_counts, strict=True
        ):
            if count != reported:
                bucket.inc(count - reported)
        if total != self._reported_sum:
            self._histogram._sum.inc(total - self._reported_sum)
        self._reported_counts, self._reported_sum = counts, total
