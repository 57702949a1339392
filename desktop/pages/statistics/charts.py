"""Reads charts from the service and adds texts in the language of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from itertools import starmap

from PySide6.QtCore import QCoreApplication, QLocale

from desktop.client.api.administration import ChartFilter
from desktop.client.api.inspection import RecordFilter
from desktop.client.session import Session
from desktop.localization.dates import format_day
from desktop.localization.detection_terms import finding_word, model_word
from desktop.pages.statistics.painting import Bars, ChartData, Column
from desktop.widgets import status_text
from shared.record.codes import Status
from shared.wire.statistics import Chart, Durations, FindingsBy, ModelAgreement, Period

_STATUSES = (Status.PASSED, Status.FAILED, Status.IN_PROGRESS, Status.NOT_STARTED, Status.CANCELLED)
# Colour-blind people can distinguish this green and this vermilion.
_STATUS_COLOURS = {
    Status.PASSED: 2,
    Status.FAILED: 5,
    Status.IN_PROGRESS: 0,
    Status.NOT_STARTED: 1,
}


class ChartKind(StrEnum):
    """The charts in the order of the page."""

    RECORDS = "records"
    LABELS = "labels"
    AIRCRAFT = "aircraft"
    REGIONS = "regions"
    DURATIONS = "durations"
    AGREEMENT = "agreement"


_GROUPINGS = {
    ChartKind.LABELS: FindingsBy.LABEL,
    ChartKind.AIRCRAFT: FindingsBy.AIRCRAFT,
    ChartKind.REGIONS: FindingsBy.REGION,
}


def chart_title(kind: ChartKind) -> str:
    """The title of a chart."""
    translate = QCoreApplication.translate
    match kind:
        case ChartKind.RECORDS:
            return translate("Charts", "Records by status")
        case ChartKind.LABELS:
            return translate("Charts", "Findings by label")
        case ChartKind.AIRCRAFT:
            return translate("Charts", "Findings by aircraft")
        case ChartKind.REGIONS:
            return translate("Charts", "Findings by region")
        case ChartKind.DURATIONS:
            return translate("Charts", "Mean time per record (min)")
        case ChartKind.AGREEMENT:
            return translate("Charts", "Agreement of model and person")


def read_chart(session: Session, kind: ChartKind, chart_filter: ChartFilter) -> ChartData:
    """Read the chart of a kind. Raises ClientError."""
    if kind is ChartKind.RECORDS:
        return _records_chart(session.statistics.records(chart_filter), chart_filter)
    if kind is ChartKind.DURATIONS:
        return _durations_chart(session.statistics.durations(chart_filter), chart_filter)
    if kind is ChartKind.AGREEMENT:
        return _agreement_chart(session.statistics.agreement(chart_filter), chart_filter)
    return _findings_chart(kind, session.statistics.findings(chart_filter, _GROUPINGS[kind]), chart_filter)


def _record_filter(chart_filter: ChartFilter) -> RecordFilter:
    return RecordFilter(
        aircraft_id=chart_filter.aircraft_id,
        executor_id=chart_filter.executor_id,
        day_from=chart_filter.day_from,
        day_to=chart_filter.day_to,
    )


def _period_filters(chart_filter: ChartFilter, periods: Iterable[Period]) -> list[RecordFilter]:
    return [
        replace(_record_filter(chart_filter), day_from=period.first, day_to=period.last) for period in periods
    ]


def period_text(period: Period) -> str:
    """The first and the last day of a period."""
    if period.first == period.last:
        return format_day(period.first)
    return f"{format_day(period.first)} – {format_day(period.last)}"


def _columns(periods: Sequence[Period]) -> tuple[Column, ...]:
    # Periods longer than a week are labelled by their month, not by their first day.
    by_month = len(periods) > 1 and max(period.last - period.first for period in periods) > timedelta(days=7)
    date_format = "%Y-%m" if by_month else "%m-%d"
    return tuple(Column(period.first.strftime(date_format), period_text(period)) for period in periods)


def _headings() -> tuple[str, ...]:
    return (QCoreApplication.translate("Charts", "Period"),)


def _count_text(value: float) -> str:
    return QLocale().toString(round(value))


def _count_bars(
    name: str, amounts: Sequence[int], record_filters: Sequence[RecordFilter | None], colour: int | None
) -> Bars:
    return Bars(
        name,
        tuple(float(amount) for amount in amounts),
        tuple(map(_count_text, amounts)),
        tuple(record_filters),
        _count_text(sum(amounts)),
        colour,
    )


def _records_chart(chart: Chart, chart_filter: ChartFilter) -> ChartData:
    amounts = {series.name: series.amounts for series in chart.series}
    period_filters = _period_filters(chart_filter, chart.periods)
    bars = [
        _count_bars(
            status_text(state),
            amounts[state],
            [replace(period, record_state=state) for period in period_filters],
            _STATUS_COLOURS.get(state),
        )
        for state in _STATUSES
        if state in amounts
    ]
    return ChartData(
        chart_title(ChartKind.RECORDS), _columns(chart.periods), tuple(bars), headings=_headings()
    )


def _findings_chart(kind: ChartKind, chart: Chart, chart_filter: ChartFilter) -> ChartData:
    translate = QCoreApplication.translate
    period_filters = _period_filters(chart_filter, chart.periods)

    def records_behind(name: str) -> list[RecordFilter | None]:
        if kind is ChartKind.LABELS:
            return [replace(period, finding_label=name) for period in period_filters]
        if kind is ChartKind.REGIONS:
            return [replace(period, finding_region=name) for period in period_filters]
        if not name:
            return [replace(period, without_aircraft=True, with_findings=True) for period in period_filters]
        return [replace(period, aircraft_id=name, with_findings=True) for period in period_filters]

    def series_name(name: str, title: str | None) -> str:
        if kind is ChartKind.LABELS:
            return finding_word(name)
        if kind is ChartKind.AIRCRAFT and not name:
            return translate("Charts", "No aircraft")
        return title or name

    bars = [
        _count_bars(
            series_name(series.name, series.title), series.amounts, records_behind(series.name), number
        )
        for number, series in enumerate(chart.series)
    ]
    if chart.others is not None:
        filters = [replace(period, with_findings=True) for period in period_filters]
        other_bars = _count_bars(translate("Charts", "Others"), chart.others, filters, None)
        bars.append(replace(other_bars, filter_name=translate("Charts", "Records with findings")))
    return ChartData(chart_title(kind), _columns(chart.periods), tuple(bars), headings=_headings())


def _durations_chart(durations: Durations, chart_filter: ChartFilter) -> ChartData:
    minutes = [
        seconds / 60 / records if records else 0.0
        for records, seconds in zip(durations.records, durations.seconds, strict=True)
    ]
    records = sum(durations.records)
    mean = sum(durations.seconds) / 60 / records if records else 0.0
    name = QCoreApplication.translate("Charts", "Mean of %n record(s)", "", records)
    bars = Bars(
        name,
        tuple(minutes),
        tuple(map(_count_text, minutes)),
        tuple(replace(period, timed=True) for period in _period_filters(chart_filter, durations.periods)),
        _count_text(mean),
        0,
    )
    return ChartData(
        chart_title(ChartKind.DURATIONS), _columns(durations.periods), (bars,), headings=_headings()
    )


def _agreement_chart(agreements: Sequence[ModelAgreement], chart_filter: ChartFilter) -> ChartData:
    translate = QCoreApplication.translate
    base = _record_filter(chart_filter)
    series: list[tuple[str, Callable[[ModelAgreement], int], Callable[[str], RecordFilter], int]] = [
        (
            translate("Charts", "Kept"),
            lambda agreement: agreement.shown - agreement.rejected,
            lambda name: replace(base, model_shown=name),
            2,
        ),
        (
            translate("Charts", "False alarms"),
            lambda agreement: agreement.rejected,
            lambda name: replace(base, model_rejected=name),
            5,
        ),
        (
            translate("Charts", "Missed"),
            lambda agreement: agreement.missed,
            lambda name: replace(base, model_missed=name),
            0,
        ),
    ]
    bars = [
        _count_bars(
            word,
            [count_findings(agreement) for agreement in agreements],
            [make_filter(agreement.name) for agreement in agreements],
            colour,
        )
        for word, count_findings, make_filter, colour in series
    ]
    names = [_model_text(agreement) for agreement in agreements]
    columns = tuple(starmap(Column, zip(names, names, strict=True)))
    headings = (translate("Charts", "Model"),)
    return ChartData(chart_title(ChartKind.AGREEMENT), columns, tuple(bars), stacked=False, headings=headings)


def _model_text(agreement: ModelAgreement) -> str:
    name = model_word(agreement.model_id, agreement.model_name)
    return f"{name} {agreement.model_version}" if agreement.model_version else name
