"""Works out how findings grew over inspections, and says it in the language of the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from PySide6.QtCore import QCoreApplication, QLocale

from desktop.localization.dates import format_day
from desktop.localization.detection_terms import finding_word
from desktop.widgets import status_text
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


def day_of(at: datetime) -> str:
    """The day on this machine's calendar."""
    return format_day(at.astimezone().date())


def size_text(size: float, mm_per_pixel: float | None) -> str:
    """A size in px of the reference image as people read it: in mm where the scale is known."""
    if mm_per_pixel is None:
        return f"{QLocale().toString(float(size), 'f', 0)} px"
    return f"{QLocale().toString(float(size * mm_per_pixel), 'f', 1)} mm"


def change_text(change: float, mm_per_pixel: float | None) -> str:
    """The same of a difference, with its sign."""
    text = size_text(abs(change), mm_per_pixel)
    if text == size_text(0.0, mm_per_pixel):
        return f"±{text}"
    return f"{'+' if change > 0 else '−'}{text}"


def point_text(series: Series, point: Measured, mm_per_pixel: float | None) -> str:
    """A finding in one inspection, and how much it grew since the one before."""
    text = f"{finding_word(series.label)} · {day_of(point.at)}: {size_text(point.size, mm_per_pixel)}"
    before = series.before(point.index)
    if before is None:
        return text
    since = QCoreApplication.translate("Trend", "{change} since {day}").format(
        change=change_text(point.size - before.size, mm_per_pixel), day=day_of(before.at)
    )
    return f"{text}, {since}"


def series_text(series: Series, mm_per_pixel: float | None) -> str:
    """A finding with its newest size, its growth since the first, and the line through all of them."""
    parts = [f"{finding_word(series.label)} {size_text(series.last.size, mm_per_pixel)}"]
    first = series.points[0]
    if first is not series.last:
        parts.append(
            QCoreApplication.translate("Trend", "{change} since {day}").format(
                change=change_text(series.last.size - first.size, mm_per_pixel), day=day_of(first.at)
            )
        )
    monthly = series.monthly
    if monthly is not None:
        parts.append(
            QCoreApplication.translate("Trend", "linear fit of {n} points: {change} per month").format(
                n=len(series.points), change=change_text(monthly, mm_per_pixel)
            )
        )
    return " · ".join(parts)


def state_text(entry: TrendEntry) -> str:
    """Why an inspection cannot be measured; empty if it can."""
    if entry.photo is None:
        return QCoreApplication.translate("Trend", "Not photographed")
    if entry.photo.homography is None:
        return QCoreApplication.translate("Trend", "Photo not aligned")
    if not entry.detected:
        return QCoreApplication.translate("Trend", "No detection")
    return ""


def entry_text(entry: TrendEntry) -> str:
    """An inspection in a line: day, record, verdict, and why nothing was measured."""
    parts = [day_of(entry.at), entry.inspection_name or "", status_text(entry.verdict), state_text(entry)]
    return " · ".join(part for part in parts if part)


def table(trend: Trend, series: list[Series], mm_per_pixel: float | None) -> list[list[object]]:
    """A trend as the rows of a table, titles first: a row for each finding, one for an inspection without."""
    translate = QCoreApplication.translate
    rows: list[list[object]] = [
        [
            translate("Trend", "Day"),
            translate("Trend", "Record"),
            translate("Trend", "Item"),
            translate("Trend", "Verdict"),
            translate("Trend", "State"),
            translate("Trend", "Finding"),
            translate("Trend", "Finding number"),
            translate("Trend", "Longer side (px)"),
            translate("Trend", "Longer side (mm)"),
            translate("Trend", "Change since the one before (mm)"),
        ]
    ]
    at: dict[int, list[tuple[int, Series, Measured]]] = {}
    for number, measured_series in enumerate(series, 1):
        for point in measured_series.points:
            at.setdefault(point.index, []).append((number, measured_series, point))
    for index, entry in enumerate(trend.entries):
        head: list[object] = [
            entry.at.astimezone().date().isoformat(),
            entry.inspection_name or "",
            entry.item_name,
            status_text(entry.verdict),
            state_text(entry),
        ]
        measured = at.get(index, [])
        if not measured:
            none = translate("Trend", "No findings") if is_measured(entry) else ""
            rows.append([*head, none, "", "", "", ""])
        for number, measured_series, point in measured:
            before = measured_series.before(index)
            mm = None if mm_per_pixel is None else point.size * mm_per_pixel
            grown = (
                None if before is None or mm_per_pixel is None else (point.size - before.size) * mm_per_pixel
            )
            rows.append(
                [
                    *head,
                    finding_word(measured_series.label),
                    number,
                    f"{point.size:.1f}",
                    "" if mm is None else f"{mm:.2f}",
                    "" if grown is None else f"{grown:.2f}",
                ]
            )
    return rows
