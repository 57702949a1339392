"""Counts durations in a tenth of the time of prometheus_client: without a lock, on one thread."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from prometheus_client import Histogram


class DurationTally:
    """Counts durations in buckets; `report` adds them to `histogram`, which has its labels.

    `bounds` are the histogram's, in seconds. Only one thread may call `add`, and one at a time `report`.
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
        """Add the counts since the previous call to the histogram.

        prometheus_client has no call for several durations at once. This method uses undocumented attributes;
        the version is pinned, and a test compares the result with `Histogram.observe`.
        """
        counts, total = list(self._counts), self._sum
        for bucket, count, reported_count in zip(
            self._histogram._buckets, counts, self._reported_counts, strict=True
        ):
            if count != reported_count:
                bucket.inc(count - reported_count)
        if total != self._reported_sum:
            self._histogram._sum.inc(total - self._reported_sum)
        self._reported_counts, self._reported_sum = counts, total
