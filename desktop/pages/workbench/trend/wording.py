"""Formats sizes, growth and states of a trend in the user's language."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QCoreApplication, QLocale

from desktop.localization.dates import format_day
from desktop.localization.detection_terms import finding_word
from desktop.pages.workbench.trend.series import Measured, Series, is_measured
from desktop.widgets import status_text
from shared.wire.history import Trend, TrendEntry


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
