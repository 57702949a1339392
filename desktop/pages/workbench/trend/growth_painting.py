"""Paints the sizes of findings over time into a widget or a picture, and computes the places of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QLocale, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPen,
)

from desktop.pages.statistics.painting import series_colour, ticks
from desktop.pages.workbench.trend.film_strip_model import paint_mark
from desktop.pages.workbench.trend.series import (
    Series,
    change_text,
    day_of,
    is_measured,
    series_text,
    size_text,
)
from desktop.theme import LABEL_PX, Theme, text_font, theme_manager
from desktop.widgets import status_tone
from shared.wire.history import TrendEntry

MAX_SERIES = 8
"""Most findings that are drawn: each has a colour of its own."""
_GAP = 8
_MARK = 4.5
_TICK_PX = 44
_VERDICT = 5.0

Part = tuple[int, int]
"""The index of a series, and the index of a point in it."""


@dataclass(frozen=True, slots=True)
class GrowthData:
    """What the chart shows: the inspections, oldest first, and the findings in them."""

    entries: Sequence[TrendEntry] = ()
    series: Sequence[Series] = ()
    mm_per_pixel: float | None = None

    @property
    def drawn_findings(self) -> Sequence[Series]:
        """The findings that are drawn."""
        return self.series[:MAX_SERIES]

    @property
    def unit(self) -> float:
        """How many of the chart's unit (mm, or px without a scale) one px of the reference image is."""
        return self.mm_per_pixel or 1.0


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the parts of a chart were painted: points, and the middle of each inspection on the axis."""

    points: dict[Part, QPointF] = field(default_factory=dict)
    inspections: tuple[float, ...] = ()
    plot: QRectF = field(default_factory=QRectF)


def positions(entries: Sequence[TrendEntry]) -> list[float]:
    """The position of each inspection on the axis, 0..1: by its time, or evenly if all times are equal."""
    times = [entry.at.timestamp() for entry in entries]
    if not times:
        return []
    first, last = min(times), max(times)
    if len(times) == 1 or last == first:
        return [(number + 0.5) / len(times) for number in range(len(times))]
    return [(time - first) / (last - first) for time in times]


def paint_growth(
    painter: QPainter, data: GrowthData, where: QRectF, current: int, marked: Part | None = None
) -> Placed:
    """Paint `data` into `where` in the colours of the present theme. The `current` inspection has a line."""
    theme = theme_manager().theme
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(text_font(LABEL_PX))
    metrics = QFontMetricsF(painter.font())
    top = where.top() + _paint_legend(painter, data, where, theme) + metrics.height() + 4
    bottom = where.bottom() - metrics.height() - 2 * _VERDICT - 12
    highest = max(
        (point.size * data.unit for series in data.drawn_findings for point in series.points), default=1.0
    )
    marks = ticks(highest * 1.08, 0.1 if data.mm_per_pixel else 1, max(2, int((bottom - top) / _TICK_PX)))
    decimals = 0 if float(marks[1]).is_integer() else 1
    texts = [QLocale().toString(float(mark), "f", decimals) for mark in marks]
    left = where.left() + max(map(metrics.horizontalAdvance, texts)) + _GAP
    plot = QRectF(QPointF(left, top), QPointF(where.right() - _GAP, bottom))
    _paint_grid(painter, data, plot, theme, list(zip(marks, texts, strict=True)), where.left())
    # Points and verdicts at the ends stay within the plot.
    inner = plot.adjusted(_GAP + _MARK, 0, -_GAP - _MARK, 0)
    middles = [inner.left() + inner.width() * x for x in positions(data.entries)]
    if 0 <= current < len(middles):
        painter.setPen(QPen(theme.colour("accent"), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(middles[current], plot.top()), QPointF(middles[current], plot.bottom()))
    _paint_axis(painter, data, plot, middles, theme, metrics)
    points: dict[Part, QPointF] = {}
    for number, series in enumerate(data.drawn_findings):
        for index, point in enumerate(series.points):
            y = plot.bottom() - plot.height() * point.size * data.unit / marks[-1]
            points[number, index] = QPointF(middles[point.index], y)
    for number, series in enumerate(data.drawn_findings):
        _paint_series(painter, series, number, points, theme)
    _paint_growth_labels(painter, data, points, plot, theme, metrics)
    if marked in points:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("text"), 2))
        painter.drawEllipse(points[marked], _MARK + 4, _MARK + 4)
    return Placed(points, tuple(middles), plot)


def _paint_legend(painter: QPainter, data: GrowthData, where: QRectF, theme: Theme) -> float:
    """Paint the findings with their growth in lines. Returns the height in px."""
    height = 0.0
    flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)
    metrics = QFontMetricsF(painter.font())
    for number, series in enumerate(data.drawn_findings):
        box = QRectF(where.left() + 18, where.top() + height, where.width() - 18, 10_000)
        text = series_text(series, data.mm_per_pixel)
        taken = metrics.boundingRect(box, flags, text)
        colour = QColor(series_colour(theme, number))
        painter.setPen(QPen(colour, 1))
        painter.setBrush(colour)
        paint_mark(painter, number, QPointF(where.left() + 7, box.top() + metrics.height() / 2), _MARK)
        painter.setPen(theme.colour("text"))
        painter.drawText(taken, flags, text)
        height += taken.height() + 3
        # However many there are, the curves get most of the height.
        if height > where.height() * 0.4:
            break
    return height


def _paint_grid(
    painter: QPainter,
    data: GrowthData,
    plot: QRectF,
    theme: Theme,
    marks: Sequence[tuple[float, str]],
    left: float,
) -> None:
    metrics = QFontMetricsF(painter.font())
    for mark, word in marks:
        y = plot.bottom() - plot.height() * mark / marks[-1][0]
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        painter.setPen(theme.colour("dim"))
        box = QRectF(left, y - metrics.height() / 2, plot.left() - _GAP - left, metrics.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, word)
    unit = "mm" if data.mm_per_pixel else "px"
    painter.drawText(QPointF(left, plot.top() - metrics.height() / 2 - 2), unit)


def _paint_axis(
    painter: QPainter,
    data: GrowthData,
    plot: QRectF,
    middles: Sequence[float],
    theme: Theme,
    metrics: QFontMetricsF,
) -> None:
    """The verdict of each inspection below its place, hollow where nothing was measured, and the days."""
    level = plot.bottom() + _VERDICT + 4
    for entry, x in zip(data.entries, middles, strict=True):
        _paint_verdict(painter, entry, QPointF(x, level), theme)
    right_most = -1e9
    texts = [day_of(entry.at) for entry in data.entries]
    # The newest day is always named, the others where they have room before it.
    last = middles[-1] if middles else 0.0
    newest = _day_box(texts[-1], last, plot, metrics) if texts else QRectF()
    for text, x in zip(texts, middles, strict=True):
        box = _day_box(text, x, plot, metrics)
        is_newest = x == last
        if box.left() < right_most + _GAP or (not is_newest and box.right() > newest.left() - _GAP):
            continue
        painter.setPen(theme.colour("dim"))
        painter.drawText(box.translated(0, level + _VERDICT + 2), Qt.AlignmentFlag.AlignCenter, text)
        right_most = box.right()


def _day_box(text: str, x: float, plot: QRectF, metrics: QFontMetricsF) -> QRectF:
    wide = metrics.horizontalAdvance(text) + 2
    left = max(min(x - wide / 2, plot.right() - wide), plot.left() - 2 * _GAP)
    return QRectF(left, 0, wide, metrics.height())


def _paint_verdict(painter: QPainter, entry: TrendEntry, middle: QPointF, theme: Theme) -> None:
    colour = QColor(theme.word(status_tone(entry.verdict)))
    painter.setPen(QPen(colour, 1.7))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    x, y, r = middle.x(), middle.y(), _VERDICT
    if not is_measured(entry):
        # Nothing was seen here: the curves have a gap.
        painter.setPen(QPen(theme.colour("dim"), 1, Qt.PenStyle.DotLine))
        painter.drawEllipse(middle, r - 1, r - 1)
        return
    match entry.verdict:
        case "passed":
            painter.drawPolyline(
                [QPointF(x - r, y), QPointF(x - r * 0.3, y + r * 0.7), QPointF(x + r, y - r * 0.7)]
            )
        case "failed":
            painter.drawLine(QPointF(x - r * 0.8, y - r * 0.8), QPointF(x + r * 0.8, y + r * 0.8))
            painter.drawLine(QPointF(x - r * 0.8, y + r * 0.8), QPointF(x + r * 0.8, y - r * 0.8))
        case _:
            painter.drawEllipse(middle, r - 1, r - 1)


def _paint_series(
    painter: QPainter, series: Series, number: int, points: dict[Part, QPointF], theme: Theme
) -> None:
    colour = QColor(series_colour(theme, number))
    index = 0
    for run in series.runs():
        places = [points[number, index + step] for step in range(len(run))]
        index += len(run)
        painter.setPen(QPen(colour, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(places)
        painter.setPen(QPen(theme.colour("panel"), 1))
        painter.setBrush(colour)
        for place in places:
            paint_mark(painter, number, place, _MARK)


def _paint_growth_labels(
    painter: QPainter,
    data: GrowthData,
    points: dict[Part, QPointF],
    plot: QRectF,
    theme: Theme,
    metrics: QFontMetricsF,
) -> None:
    """The growth since the inspection before, beside each point of the first finding that has room."""
    taken: list[QRectF] = [
        QRectF(place.x() - _MARK, place.y() - _MARK, 2 * _MARK, 2 * _MARK) for place in points.values()
    ]
    for number, series in enumerate(data.drawn_findings):
        # The newest first: it matters most.
        for index in reversed(range(len(series.points))):
            point, place = series.points[index], points[number, index]
            before = series.before(point.index)
            if before is None:
                text = size_text(point.size, data.mm_per_pixel)
            else:
                text = change_text(point.size - before.size, data.mm_per_pixel)
            wide = metrics.horizontalAdvance(text) + 2
            # Most findings grow: what is above on the left and below on the right is beside their curve.
            left = min(place.x() - wide + _MARK, plot.right() - wide)
            above = QRectF(left, place.y() - _MARK - metrics.height() - 1, wide, metrics.height())
            below = QRectF(place.x() - _MARK, place.y() + _MARK + 1, wide, metrics.height())
            plot_area = plot.adjusted(0, -metrics.height(), 0, 0)
            free = (
                box
                for box in (above, below)
                if plot_area.contains(box) and not any(box.intersects(other) for other in taken)
            )
            box = next(free, None)
            if box is None:
                continue
            taken.append(box)
            painter.setPen(theme.colour("text"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
