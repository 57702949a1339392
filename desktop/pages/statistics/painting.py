"""Paints a chart, into a widget or a picture, and says where its parts are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QLocale, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from desktop.pages.statistics.chart import Bars, ChartData, ticks
from desktop.theme import LABEL_PX, TEXT_PX, Theme, ink_on, sized, theme_manager

# Okabe and Ito's colours (jfly.uni-koeln.de/color), distinct for people who are colour-blind, each in a
# lighter or darker shade where it is not read on the panel: 3 : 1, WCAG 2.2 criterion 1.4.11.
_LIGHT = ("#0072b2", "#c77c00", "#008a64", "#b8568f", "#2a8cc4", "#d55e00", "#7a6a00", "#5c4fa8")
_DARK = ("#4ca3dd", "#e69f00", "#1fb88a", "#d98bb8", "#7cc7f0", "#e8703a", "#d9cc3a", "#a79bef")
_GAP = 8
_MARK = 10
_WIDEST_BAR = 64.0

Part = tuple[int, int]
"""The number of the bars and of the column."""


@dataclass(frozen=True, slots=True)
class PaintedPart:
    """Where a part of a chart was painted."""

    part: Part
    where: QRectF


def series_colour(theme: Theme, number: int) -> str:
    """The colour of a series in a theme; after eight they begin again."""
    palette = _DARK if theme.dark else _LIGHT
    return palette[number % len(palette)]


def colour_of(theme: Theme, bars: Bars) -> str:
    """The colour of bars in a theme."""
    return theme.faint if bars.colour is None else series_colour(theme, bars.colour)


def legend_height(chart: ChartData, width: float) -> float:
    """The px that the legend takes in this width."""
    rows = {y for _, _, y in _legend(chart, width)}
    return max(len(rows), 1) * _legend_row()


def _legend_row() -> float:
    return QFontMetricsF(sized(LABEL_PX)).height() + 4


def _legend(chart: ChartData, width: float) -> Iterator[tuple[Bars, float, float]]:
    metrics = QFontMetricsF(sized(LABEL_PX))
    x = y = 0.0
    for bars in chart.bars:
        wide = _MARK + 6 + metrics.horizontalAdvance(_legend_text(bars)) + 14
        if x and x + wide > width:
            x, y = 0.0, y + _legend_row()
        yield bars, x, y
        x += wide


def _legend_text(bars: Bars) -> str:
    return f"{bars.name} ({bars.total})"


def paint_chart(
    painter: QPainter, chart: ChartData, where: QRectF, marked: Part | None = None
) -> list[PaintedPart]:
    """Paint `chart` into `where` in the colours of the theme in force; gives its parts.

    `marked` is framed.
    """
    theme = theme_manager().theme
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(sized(LABEL_PX))
    metrics = QFontMetricsF(painter.font())
    _paint_legend(painter, chart, where, theme)
    top = where.top() + legend_height(chart, where.width()) + metrics.height() + 2
    bottom = where.bottom() - metrics.height() - 6
    marks = ticks(chart.highest, chart.step, max(2, int((bottom - top) / 42)))
    texts = [QLocale().toString(round(mark)) for mark in marks]
    left = where.left() + max(map(metrics.horizontalAdvance, texts)) + _GAP
    plot = QRectF(QPointF(left, top), QPointF(where.right(), bottom))
    for mark, text in zip(marks, texts, strict=True):
        y = plot.bottom() - plot.height() * mark / marks[-1]
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        painter.setPen(theme.colour("dim"))
        box = QRectF(where.left(), y - metrics.height() / 2, left - _GAP - where.left(), metrics.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
    _paint_axis(painter, chart, plot, theme, metrics)
    placed = list(_painted_parts(chart, plot, marks[-1]))
    # Edges on whole pixels are sharper, and painted in a third of the time.
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for bar in placed:
        _paint_bar(painter, chart, bar, theme, metrics)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_sums(painter, chart, placed, theme, metrics)
    for bar in placed:
        if bar.part == marked:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("text"), 2))
            painter.drawRect(bar.where.adjusted(-2, -2, 2, 2))
    return placed


def _paint_legend(painter: QPainter, chart: ChartData, where: QRectF, theme: Theme) -> None:
    height = _legend_row()
    for bars, x, y in _legend(chart, where.width()):
        box = QRectF(where.left() + x, where.top() + y, where.width() - x, height)
        middle = box.top() + height / 2
        mark = QRectF(box.left(), middle - _MARK / 2, _MARK, _MARK)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour_of(theme, bars)))
        painter.drawRoundedRect(mark, 2, 2)
        painter.setPen(theme.colour("text"))
        metrics = QFontMetricsF(painter.font())
        text = box.adjusted(_MARK + 6, 0, 0, 0)
        fitting = metrics.elidedText(_legend_text(bars), Qt.TextElideMode.ElideRight, text.width())
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, fitting)


def _paint_axis(
    painter: QPainter, chart: ChartData, plot: QRectF, theme: Theme, metrics: QFontMetricsF
) -> None:
    """The names below the columns: all of them, or every second, every third, as many as have room."""
    slot = plot.width() / max(len(chart.columns), 1)
    longest = max((metrics.horizontalAdvance(column.short) for column in chart.columns), default=0)
    every = 1
    while every < len(chart.columns) and slot * every < min(longest, 160) + _GAP:
        every += 1
    painter.setPen(theme.colour("dim"))
    for index in range(0, len(chart.columns), every):
        middle = plot.left() + slot * (index + 0.5)
        text = metrics.elidedText(chart.columns[index].short, Qt.TextElideMode.ElideRight, slot * every)
        wide = metrics.horizontalAdvance(text) + 2
        # The last one stays within the chart.
        left = min(middle - wide / 2, plot.right() - wide)
        box = QRectF(left, plot.bottom() + 4, wide, metrics.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, text)


def _painted_parts(chart: ChartData, plot: QRectF, highest: float) -> Iterator[PaintedPart]:
    slot = plot.width() / max(len(chart.columns), 1)
    side_by_side = 1 if chart.stacked else max(len(chart.bars), 1)
    group = min(slot * 0.78, _WIDEST_BAR * side_by_side)
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
    painter: QPainter, chart: ChartData, placed: PaintedPart, theme: Theme, metrics: QFontMetricsF
) -> None:
    number, column = placed.part
    bars = chart.bars[number]
    colour = colour_of(theme, bars)
    shown = QRectF(placed.where)
    if chart.stacked and shown.height() > 3:
        # A line of the ground keeps neighbours apart, whatever their colours.
        shown.setTop(shown.top() + 1)
    painter.fillRect(shown, QColor(colour))
    text = bars.texts[column]
    fits = shown.height() >= metrics.height() and shown.width() >= metrics.horizontalAdvance(text) + 2
    if chart.stacked and len(chart.bars) > 1 and fits:
        painter.setPen(QColor(ink_on(colour)))
        painter.drawText(shown, Qt.AlignmentFlag.AlignCenter, text)


def _paint_sums(
    painter: QPainter, chart: ChartData, placed: list[PaintedPart], theme: Theme, metrics: QFontMetricsF
) -> None:
    """The number above each column, or each bar that stands alone, where it has room."""
    painter.setPen(theme.colour("text"))
    tops: dict[Part, tuple[QRectF, str]] = {}
    for bar in placed:
        number, column = bar.part
        alone = not chart.stacked or len(chart.bars) == 1
        if alone:
            tops[bar.part] = bar.where, chart.bars[number].texts[column]
        else:
            total = QLocale().toString(round(sum(bars.values[column] for bars in chart.bars)))
            tops[-1, column] = bar.where, total
    slots = len(chart.columns) * (1 if chart.stacked else len(chart.bars))
    if not tops or not slots:
        return
    slot_width = max(where.width() for where, _ in tops.values()) / (0.78 if chart.stacked else 1)
    if max(metrics.horizontalAdvance(text) for _, text in tops.values()) > slot_width:
        return
    for where, text in tops.values():
        box = QRectF(
            where.center().x() - slot_width / 2,
            where.top() - metrics.height() - 1,
            slot_width,
            metrics.height(),
        )
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, text)


def paint_title(painter: QPainter, title: str, subtitle: str, where: QRectF) -> float:
    """Paint a title with a line below it; gives the px they take."""
    theme = theme_manager().theme
    height = 0.0
    for text, size, tone in ((title, TEXT_PX + 3, "text"), (subtitle, LABEL_PX + 1, "dim")):
        painter.setFont(sized(size, bold=size > TEXT_PX))
        painter.setPen(theme.colour(tone))
        line = QFontMetricsF(painter.font())
        box = QRectF(where.left(), where.top() + height, where.width(), line.height())
        shown = line.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft, shown)
        height += line.height() + 2
    return height + _GAP
