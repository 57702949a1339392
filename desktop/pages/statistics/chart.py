"""Defines a chart as plain data: series of bars over columns. No widgets."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from desktop.client.api.inspection import RecordFilter


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
