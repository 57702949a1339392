"""Paints a chart into a widget or a picture, and returns where its parts are.

Defines a chart as plain data: series of bars over columns. No widgets.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from PySide6.QtCore import QLocale, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from desktop.client.api.inspection import RecordFilter
from desktop.theme import LABEL_PX, Theme, ink_on, text_font, theme_manager


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the chart: its `short` label on the axis and its `long` name."""

    short: str
    long: str


@dataclass(frozen=True, slots=True)
class Bars:
    """One series of bars.

    - `values`, `texts`: the value in each column, as a number and as text.
    - `record_filters`: the filter that finds the records counted in each column; None if there is none.
    - `total`: the sum as text.
    - `colour`: the index of the colour in the palette; None for grey.
    """

    name: str
    values: tuple[float, ...]
    texts: tuple[str, ...]
    record_filters: tuple[RecordFilter | None, ...]
    total: str
    colour: int | None = None
    filter_name: str = ""
    """The name of the list of records if `record_filters` find other records than `name` says."""


@dataclass(frozen=True, slots=True)
class ChartData:
    """The data of a chart.

    `stacked` places the bars of a column on top of each other, else they are side by side. The values on the
    axis are multiples of `step`.
    """

    title: str
    columns: tuple[Column, ...] = ()
    bars: tuple[Bars, ...] = ()
    stacked: bool = True
    step: float = 1
    headings: tuple[str, ...] = field(default=())
    """The headings of the table's first columns, before the names of the series."""

    @property
    def empty(self) -> bool:
        """Whether all values are 0."""
        return not any(value for bars in self.bars for value in bars.values)

    @property
    def highest(self) -> float:
        """The value of the highest column."""
        tops = (
            sum(values) if self.stacked else max(values)
            for values in zip(*(bars.values for bars in self.bars), strict=True)
        )
        return max(tops, default=0)

    def table(self) -> list[list[object]]:
        """The chart as the rows of a table, beginning with the headings."""
        rows: list[list[object]] = [[*self.headings, *(bars.name for bars in self.bars)]]
        for index, column in enumerate(self.columns):
            rows.append([column.long, *(_number_text(bars.values[index]) for bars in self.bars)])
        return rows


def _number_text(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def ticks(highest: float, step: float, max_count: int) -> list[float]:
    """The values on the axis: about `max_count` multiples of `step`, from 0 to at least `highest`."""
    min_step = max(highest / max(max_count, 1), step)
    power = 10.0 ** math.floor(math.log10(min_step))
    tick_step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= min_step * 0.999)
    tick_step = max(step, math.ceil(tick_step / step) * step)
    count = max(1, math.ceil(highest / tick_step - 1e-9))
    return [tick_step * number for number in range(count + 1)]


# The colours of Okabe and Ito (jfly.uni-koeln.de/color), which colour-blind people can distinguish. Some are
# lighter or darker than the originals for a contrast of 3 : 1 to the panel (WCAG 2.2 criterion 1.4.11).
_LIGHT = ("#0072b2", "#c77c00", "#008a64", "#b8568f", "#2a8cc4", "#d55e00", "#7a6a00", "#5c4fa8")
_DARK = ("#4ca3dd", "#e69f00", "#1fb88a", "#d98bb8", "#7cc7f0", "#e8703a", "#d9cc3a", "#a79bef")
_GAP_PX = 8
_MARKER_PX = 10
_MAX_BAR_PX = 64.0

Part = tuple[int, int]
"""The index of the series and of the column."""


@dataclass(frozen=True, slots=True)
class PaintedPart:
    """A part of a chart and the area where it was painted."""

    part: Part
    area: QRectF


def series_colour(theme: Theme, number: int) -> str:
    """The colour of the series `number` in a theme; the eight colours repeat."""
    palette = _DARK if theme.dark else _LIGHT
    return palette[number % len(palette)]


def bars_colour(theme: Theme, bars: Bars) -> str:
    """The colour of bars in a theme."""
    return theme.faint if bars.colour is None else series_colour(theme, bars.colour)


def legend_height(chart: ChartData, width: float) -> float:
    """The height of the legend in px at this width."""
    rows = {y for _, _, y in _lay_out_legend(chart, width)}
    return max(len(rows), 1) * _legend_row_height()


def _legend_row_height() -> float:
    return QFontMetricsF(text_font(LABEL_PX)).height() + 4


def _lay_out_legend(chart: ChartData, width: float) -> Iterator[tuple[Bars, float, float]]:
    metrics = QFontMetricsF(text_font(LABEL_PX))
    x = y = 0.0
    for bars in chart.bars:
        wide = _MARKER_PX + 6 + metrics.horizontalAdvance(_legend_text(bars)) + 14
        if x and x + wide > width:
            x, y = 0.0, y + _legend_row_height()
        yield bars, x, y
        x += wide


def _legend_text(bars: Bars) -> str:
    return f"{bars.name} ({bars.total})"


def paint_chart(
    painter: QPainter, chart: ChartData, area: QRectF, marked: Part | None = None
) -> list[PaintedPart]:
    """Paint `chart` into `area` in the current theme. Returns its parts.

    `marked` is the part that gets a frame.
    """
    theme = theme_manager().theme
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(text_font(LABEL_PX))
    metrics = QFontMetricsF(painter.font())
    _paint_legend(painter, chart, area, theme)
    top = area.top() + legend_height(chart, area.width()) + metrics.height() + 2
    bottom = area.bottom() - metrics.height() - 6
    marks = ticks(chart.highest, chart.step, max(2, int((bottom - top) / 42)))
    texts = [QLocale().toString(round(mark)) for mark in marks]
    left = area.left() + max(map(metrics.horizontalAdvance, texts)) + _GAP_PX
    plot = QRectF(QPointF(left, top), QPointF(area.right(), bottom))
    for mark, text in zip(marks, texts, strict=True):
        y = plot.bottom() - plot.height() * mark / marks[-1]
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        painter.setPen(theme.colour("dim"))
        box = QRectF(area.left(), y - metrics.height() / 2, left - _GAP_PX - area.left(), metrics.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
    _paint_axis(painter, chart, plot, theme, metrics)
    painted_parts = list(_lay_out_parts(chart, plot, marks[-1]))
    # Without antialiasing the edges are sharper, and painting takes a third of the time.
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for bar in painted_parts:
        _paint_bar(painter, chart, bar, theme, metrics)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_sums(painter, chart, painted_parts, theme, metrics)
    for bar in painted_parts:
        if bar.part == marked:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("text"), 2))
            painter.drawRect(bar.area.adjusted(-2, -2, 2, 2))
    return painted_parts


def _paint_legend(painter: QPainter, chart: ChartData, area: QRectF, theme: Theme) -> None:
    height = _legend_row_height()
    for bars, x, y in _lay_out_legend(chart, area.width()):
        box = QRectF(area.left() + x, area.top() + y, area.width() - x, height)
        middle = box.top() + height / 2
        mark = QRectF(box.left(), middle - _MARKER_PX / 2, _MARKER_PX, _MARKER_PX)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(bars_colour(theme, bars)))
        painter.drawRoundedRect(mark, 2, 2)
        painter.setPen(theme.colour("text"))
        metrics = QFontMetricsF(painter.font())
        text = box.adjusted(_MARKER_PX + 6, 0, 0, 0)
        elided = metrics.elidedText(_legend_text(bars), Qt.TextElideMode.ElideRight, text.width())
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, elided)


def _paint_axis(
    painter: QPainter, chart: ChartData, plot: QRectF, theme: Theme, metrics: QFontMetricsF
) -> None:
    painter.setPen(theme.colour("dim"))
    for box, text in lay_out_names(chart, plot, metrics):
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, text)


def lay_out_names(chart: ChartData, plot: QRectF, metrics: QFontMetricsF) -> Iterator[tuple[QRectF, str]]:
    """Yield place and text of the names below the columns, the last one first.

    If they do not all fit, every second or third one, counted from the last.
    """
    slot = plot.width() / max(len(chart.columns), 1)
    longest = max((metrics.horizontalAdvance(column.short) for column in chart.columns), default=0)
    step = 1
    while step < len(chart.columns) and slot * step < min(longest, 160) + _GAP_PX:
        step += 1
    free = plot.right()
    for index in range(len(chart.columns) - 1, -1, -step):
        text = metrics.elidedText(chart.columns[index].short, Qt.TextElideMode.ElideRight, slot * step)
        wide = metrics.horizontalAdvance(text) + 2
        left = plot.left() + slot * (index + 0.5) - wide / 2
        if free == plot.right():
            # The last name must not extend beyond the chart.
            left = min(left, free - wide)
        if left + wide <= free:
            yield QRectF(left, plot.bottom() + 4, wide, metrics.height()), text
            free = left - _GAP_PX / 2


def _lay_out_parts(chart: ChartData, plot: QRectF, highest: float) -> Iterator[PaintedPart]:
    slot = plot.width() / max(len(chart.columns), 1)
    side_by_side = 1 if chart.stacked else max(len(chart.bars), 1)
    group = min(slot * 0.78, _MAX_BAR_PX * side_by_side)
    for column in range(len(chart.columns)):
        left = plot.left() + slot * (column + 0.5) - group / 2
        below = 0.0
        for number, bars in enumerate(chart.bars):
            value = bars.values[column]
            if not value:
                continue
            height = plot.height() * value / highest
            wide = group / side_by_side
            x = left if chart.stacked else left + wide * number
            base = plot.bottom() - (plot.height() * below / highest if chart.stacked else 0)
            gap = 0 if chart.stacked else min(2, wide / 8)
            yield PaintedPart((number, column), QRectF(x + gap, base - height, wide - 2 * gap, height))
            below += value


def _paint_bar(
    painter: QPainter, chart: ChartData, painted: PaintedPart, theme: Theme, metrics: QFontMetricsF
) -> None:
    number, column = painted.part
    bars = chart.bars[number]
    colour = bars_colour(theme, bars)
    rect = QRectF(painted.area)
    if chart.stacked and rect.height() > 3:
        # A line of the background separates neighbours of any colours.
        rect.setTop(rect.top() + 1)
    painter.fillRect(rect, QColor(colour))
    text = bars.texts[column]
    fits = rect.height() >= metrics.height() and rect.width() >= metrics.horizontalAdvance(text) + 2
    if chart.stacked and len(chart.bars) > 1 and fits:
        painter.setPen(QColor(ink_on(colour)))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def _paint_sums(
    painter: QPainter,
    chart: ChartData,
    painted_parts: list[PaintedPart],
    theme: Theme,
    metrics: QFontMetricsF,
) -> None:
    """Paint the sum above each column, or the value above each single bar, if the texts fit."""
    painter.setPen(theme.colour("text"))
    tops: dict[Part, tuple[QRectF, str]] = {}
    for bar in painted_parts:
        number, column = bar.part
        is_single = not chart.stacked or len(chart.bars) == 1
        if is_single:
            tops[bar.part] = bar.area, chart.bars[number].texts[column]
        else:
            total = QLocale().toString(round(sum(bars.values[column] for bars in chart.bars)))
            tops[-1, column] = bar.area, total
    slots = len(chart.columns) * (1 if chart.stacked else len(chart.bars))
    if not tops or not slots:
        return
    slot_width = max(area.width() for area, _ in tops.values()) / (0.78 if chart.stacked else 1)
    if max(metrics.horizontalAdvance(text) for _, text in tops.values()) > slot_width:
        return
    for area, text in tops.values():
        box = QRectF(
            area.center().x() - slot_width / 2,
            area.top() - metrics.height() - 1,
            slot_width,
            metrics.height(),
        )
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, text)
