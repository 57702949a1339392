"""Charts as plain data: axis, table, columns, and where their parts are painted."""

from __future__ import annotations

import itertools
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.client.api.administration import ChartFilter
from desktop.client.api.inspection import RecordFilter
from desktop.pages.statistics.charts import (
    ChartKind,
    _agreement_chart,
    _durations_chart,
    _findings_chart,
    _records_chart,
)
from desktop.pages.statistics.painting import (
    Bars,
    ChartData,
    Column,
    PaintedPart,
    bars_colour,
    lay_out_names,
    paint_chart,
    ticks,
)
from desktop.theme import DARK, LIGHT, contrast, text_font, theme_manager
from shared.record.codes import Status
from shared.wire.statistics import Chart, Durations, ModelAgreement, Period, Series

WHERE = ChartFilter(date(2026, 5, 1), None, "plane", None)
PERIODS = [
    Period(first=date(2026, 5, 1), last=date(2026, 5, 3)),
    Period(first=date(2026, 5, 4), last=date(2026, 5, 4)),
]


def bars(name: str, *values: float) -> Bars:
    texts = tuple(f"{value:.0f}" for value in values)
    return Bars(name, values, texts, (RecordFilter(),) * len(values), str(sum(values)), 0)


def data(*series: Bars, stacked: bool = True) -> ChartData:
    columns = tuple(Column(str(number), f"day {number}") for number in range(len(series[0].values)))
    return ChartData("Findings", columns, series, stacked, headings=("Day",))


def paint(chart: ChartData) -> list[PaintedPart]:
    image = QImage(600, 300, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    placed = paint_chart(painter, chart, QRectF(0, 0, 600, 300))
    painter.end()
    return placed


@pytest.mark.parametrize("width", range(120, 900, 13))
def test_names_below_the_columns_never_touch(qapp: QApplication, width: int) -> None:
    days = tuple(Column(f"11-{day:02}", f"11-{day:02}") for day in range(1, 32))
    plot = QRectF(0, 0, width, 200)
    names = list(lay_out_names(ChartData("Findings", days), plot, QFontMetricsF(text_font(11))))
    assert names[0][1] == "11-31"
    assert all(box.right() <= width for box, _ in names)
    assert all(later.left() - box.right() >= 3 for (later, _), (box, _) in itertools.pairwise(names))


@given(st.floats(0, 1e9), st.integers(2, 12))
def test_the_axis_has_few_whole_steps_and_reaches_the_highest_column(highest: float, most: int) -> None:
    marks = ticks(highest, 1, most)
    assert marks[0] == 0
    assert marks[-1] >= highest * (1 - 1e-6)
    assert 2 <= len(marks) <= most + 2
    steps = {round(after - before, 3) for before, after in itertools.pairwise(marks)}
    assert len(steps) == 1
    assert next(iter(steps)) >= 1


def test_a_chart_is_a_table_with_titles() -> None:
    chart = data(bars("dent", 1, 2), bars("crack", 0, 1.25))
    assert chart.table() == [["Day", "dent", "crack"], ["day 0", "1", "0"], ["day 1", "2", "1.2"]]
    assert chart.highest == 3.25
    assert data(bars("dent", 1, 2), bars("crack", 3, 0), stacked=False).highest == 3
    assert data(bars("dent", 0)).empty
    assert not chart.empty


def test_bars_stand_on_each_other_in_proportion(qtbot: QtBot) -> None:
    placed = {bar.part: bar.area for bar in paint(data(bars("dent", 1, 2), bars("crack", 2, 0)))}
    assert set(placed) == {(0, 0), (0, 1), (1, 0)}
    assert placed[0, 1].height() == pytest.approx(2 * placed[0, 0].height())
    assert placed[1, 0].bottom() == pytest.approx(placed[0, 0].top())
    assert placed[1, 0].left() == placed[0, 0].left()


def test_bars_stand_side_by_side(qtbot: QtBot) -> None:
    placed = {bar.part: bar.area for bar in paint(data(bars("a", 1), bars("b", 2), stacked=False))}
    assert placed[0, 0].right() <= placed[1, 0].left()
    assert placed[0, 0].bottom() == placed[1, 0].bottom()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_colour_is_seen_on_the_panel(theme: object, qtbot: QtBot) -> None:
    wanted = LIGHT if theme is LIGHT else DARK
    colours = [bars_colour(wanted, Bars("", (), (), (), "", number)) for number in (*range(8), None)]
    assert len(set(colours)) == len(colours)
    # WCAG 2.2, 1.4.11: graphics.
    assert all(contrast(colour, wanted.panel) >= 3 for colour in colours), colours


def test_records_are_ordered_by_state_and_link_to_the_list(qtbot: QtBot) -> None:
    theme_manager()
    series = [Series(name="cancelled", amounts=[1, 0]), Series(name="passed", amounts=[4, 1])]
    chart = _records_chart(Chart(periods=PERIODS, series=series), WHERE)
    assert [bar.name for bar in chart.bars] == ["Passed", "Void"]
    assert chart.bars[0].record_filters[1] == RecordFilter(
        record_state=Status.PASSED,
        aircraft_id="plane",
        day_from=date(2026, 5, 4),
        day_to=date(2026, 5, 4),
    )
    assert [bar.long for bar in chart.columns] == ["2026-05-01 – 2026-05-03", "2026-05-04"]


@pytest.mark.parametrize(
    ("kind", "name", "field"),
    [(ChartKind.LABELS, "dent", "finding_label"), (ChartKind.REGIONS, "dent", "finding_region")],
)
def test_findings_and_others_link_to_their_records(
    kind: ChartKind, name: str, field: str, qtbot: QtBot
) -> None:
    chart = _findings_chart(
        kind, Chart(periods=PERIODS, series=[Series(name=name, amounts=[2, 0])], others=[0, 7]), WHERE
    )
    first = chart.bars[0].record_filters[0]
    assert first is not None
    assert getattr(first, field) == name
    rest = chart.bars[1]
    assert (rest.name, rest.colour, rest.filter_name) == ("Others", None, "Records with findings")
    assert rest.record_filters[1] is not None
    assert rest.record_filters[1].with_findings


def test_findings_of_no_aircraft_have_a_name(qtbot: QtBot) -> None:
    series = [Series(name="", amounts=[2, 0]), Series(name="p", title="B-1", amounts=[1, 0])]
    chart = _findings_chart(ChartKind.AIRCRAFT, Chart(periods=PERIODS, series=series), ChartFilter())
    assert [bar.name for bar in chart.bars] == ["No aircraft", "B-1"]
    without_aircraft, with_aircraft = chart.bars[0].record_filters[0], chart.bars[1].record_filters[0]
    assert without_aircraft is not None
    assert with_aircraft is not None
    assert without_aircraft.without_aircraft
    assert without_aircraft.aircraft_id is None
    assert with_aircraft.aircraft_id == "p"
    assert with_aircraft.with_findings


def test_durations_are_means_in_minutes(qtbot: QtBot) -> None:
    durations = Durations(periods=PERIODS, records=[2, 0], seconds=[3600, 0])
    chart = _durations_chart(durations, WHERE)
    assert chart.bars[0].values == (30.0, 0.0)
    assert chart.bars[0].total == "30"


def test_a_model_has_bars_for_kept_rejected_and_missed(qtbot: QtBot) -> None:
    agreement = ModelAgreement(
        name="skin@2",
        model_id="skin",
        model_name="Skin",
        model_version="2",
        shown=10,
        rejected=3,
        missed=1,
    )
    chart = _agreement_chart([agreement], WHERE)
    assert [bar.values for bar in chart.bars] == [(7.0,), (3.0,), (1.0,)]
    assert chart.columns[0].long == "Skin 2"
    assert chart.bars[1].record_filters[0] == RecordFilter(
        model_rejected="skin@2", aircraft_id="plane", day_from=date(2026, 5, 1)
    )
