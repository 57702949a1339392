"""Works out how findings grew over inspections. Pure: no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from shared.record.findings import measure_size_mm
from shared.record.geometry import rect_from_corners
from shared.wire.history import Trend, TrendEntry, TrendFinding

DAYS_A_MONTH = 30.4375
"""The mean month of the Gregorian calendar's four years: 1461 days / 48."""
MIN_FITTED = 3
"""A line through fewer points does not show how well it fits."""
_SECONDS_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Measured:
    """A finding in one inspection: the index of the inspection, its time, its longer side in reference px."""

    index: int
    at: datetime
    size: float


@dataclass(frozen=True, slots=True)
class Series:
    """One finding through the inspections, oldest first, under the label that it had last."""

    chain: int
    label: str
    points: tuple[Measured, ...]

    @property
    def last(self) -> Measured:
        """The newest measurement."""
        return self.points[-1]

    def before(self, index: int) -> Measured | None:
        """The previous measurement before an inspection; None for the first."""
        earlier = [point for point in self.points if point.index < index]
        return earlier[-1] if earlier else None

    @property
    def monthly(self) -> float | None:
        """Growth in px a month: the slope of the least-squares line over time.

        None below `MIN_FITTED` points, and where all of them are of less than a day.
        """
        if len(self.points) < MIN_FITTED:
            return None
        first = self.points[0].at
        days = np.array([(point.at - first).total_seconds() / _SECONDS_A_DAY for point in self.points])
        if np.ptp(days) < 1:
            return None
        sizes = np.array([point.size for point in self.points])
        away = days - days.mean()
        return float(away @ (sizes - sizes.mean()) / (away @ away)) * DAYS_A_MONTH

    def runs(self) -> list[list[Measured]]:
        """The measurements of inspections in a row: between two runs the finding was not seen."""
        runs: list[list[Measured]] = []
        for point in self.points:
            if runs and runs[-1][-1].index == point.index - 1:
                runs[-1].append(point)
            else:
                runs.append([point])
        return runs


def longer_side(entry: TrendEntry, finding: TrendFinding) -> float | None:
    """The longer side of a finding of an inspection in px of the reference image; None without an alignment.

    It is measured like `findings.measure_size_mm`. The upright rectangle around it would grow with the
    rotation of the photo.
    """
    matrix = None if entry.photo is None else entry.photo.homography
    points = finding.points
    size = measure_size_mm(rect_from_corners(points.x1, points.y1, points.x2, points.y2), matrix, 1.0)
    return None if size is None else max(size)


def is_measured(entry: TrendEntry) -> bool:
    """True when findings of this inspection can be measured: the photo was looked at and is aligned."""
    return entry.detected and entry.photo is not None and entry.photo.homography is not None


def series_of(trend: Trend) -> list[Series]:
    """Every finding of a trend that has a place on the reference image, the largest of today first."""
    points: dict[int, list[Measured]] = {}
    labels: dict[int, str] = {}
    for index, entry in enumerate(trend.entries):
        for finding in entry.findings:
            size = longer_side(entry, finding)
            if finding.chain is not None and size is not None:
                points.setdefault(finding.chain, []).append(Measured(index, entry.at, size))
                labels[finding.chain] = finding.label
    series = [Series(chain, labels[chain], tuple(sizes)) for chain, sizes in points.items()]
    # Present findings first: past ones are of less interest.
    series.sort(key=lambda each: (-each.last.index, -each.last.size, each.chain))
    return series


def numbers_of(series: Sequence[Series]) -> dict[int, int]:
    """The index of each chain in the chart, from 0."""
    return {each.chain: number for number, each in enumerate(series)}
