"""Defines a chart as plain data: columns over a row of categories. No widgets."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from desktop.client.api.inspection import RecordFilter


@dataclass(frozen=True, slots=True)
class Column:
    """A place on the axis: `short` below it, `long` where there is room for all of it."""

    short: str
    long: str


@dataclass(frozen=True, slots=True)
class Bars:
    """One series: its values by column, how each is read out, and the records behind each.

    `colour` counts the colours of the palette, None is for what has none of its own. `behind` is None where a
    part leads nowhere.
    """

    name: str
    values: tuple[float, ...]
    texts: tuple[str, ...]
    behind: tuple[RecordFilter | None, ...]
    total: str
    colour: int | None = None
    behind_name: str = ""
    """What the records behind a part are called, where the list of records finds more than `name` says."""


@dataclass(frozen=True, slots=True)
class ChartData:
    """What a chart shows. `stacked` puts the bars of a column on each other, else they stand side by side.

    `step`: the values on the axis are multiples of it.
    """

    title: str
    columns: tuple[Column, ...] = ()
    bars: tuple[Bars, ...] = ()
    stacked: bool = True
    step: float = 1
    heads: tuple[str, ...] = field(default=())
    """The titles of the columns in a table that come before the bars' names."""

    @property
    def empty(self) -> bool:
        """True when there is nothing to see."""
        return not any(value for bars in self.bars for value in bars.values)

    @property
    def highest(self) -> float:
        """The height of the highest column."""
        tops = (
            sum(values) if self.stacked else max(values)
            for values in zip(*(bars.values for bars in self.bars), strict=True)
        )
        return max(tops, default=0)

    def table(self) -> list[list[object]]:
        """The chart as the rows of a table, titles first."""
        rows: list[list[object]] = [[*self.heads, *(bars.name for bars in self.bars)]]
        for index, column in enumerate(self.columns):
            rows.append([column.long, *(_number_text(bars.values[index]) for bars in self.bars)])
        return rows


def _number_text(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def ticks(highest: float, step: float, most: int) -> list[float]:
    """The values on the axis, from 0 to at least `highest`: at most about `most`, multiples of `step`."""
    least = max(highest / max(most, 1), step)
    power = 10.0 ** math.floor(math.log10(least))
    wide = next(power * each for each in (1, 2, 5, 10) if power * each >= least * 0.999)
    wide = max(step, math.ceil(wide / step) * step)
    count = max(1, math.ceil(highest / wide - 1e-9))
    return [wide * number for number in range(count + 1)]
