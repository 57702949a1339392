"""Reads a chart from the service and labels it in the language of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from itertools import starmap

from PySide6.QtCore import QCoreApplication, QLocale

from desktop.client.api.inspection import RecordFilter
from desktop.client.api.statistics import ChartFilter
from desktop.client.session import Session
from desktop.localization.dates import day
from desktop.localization.detection_terms import finding_word, model_word
from desktop.pages.statistics.chart import Bars, ChartData, Column
from desktop.widgets import status_word
from shared.codes import Status
from shared.wire.statistics import Chart, Durations, FindingsBy, ModelAgreement, Period

_STATES = (Status.PASSED, Status.FAILED, Status.IN_PROGRESS, Status.NOT_STARTED, Status.CANCELLED)
# A green and a vermilion that people who are colour-blind tell apart.
_COLOURS = {
    Status.PASSED: 2,
    Status.FAILED: 5,
    Status.IN_PROGRESS: 0,
    Status.NOT_STARTED: 1,
}


class ChartKind(StrEnum):
    """The charts, in the order of the page."""

    RECORDS = "records"
    LABELS = "labels"
    AIRCRAFT = "aircraft"
    REGIONS = "regions"
    DURATIONS = "durations"
    AGREEMENT = "agreement"


_FINDINGS = {
    ChartKind.LABELS: FindingsBy.LABEL,
    ChartKind.AIRCRAFT: FindingsBy.AIRCRAFT,
    ChartKind.REGIONS: FindingsBy.REGION,
}


def title_of(kind: ChartKind) -> str:
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


def read_chart(session: Session, kind: ChartKind, where: ChartFilter) -> ChartData:
    """The chart of this kind. Raises ClientError."""
    if kind is ChartKind.RECORDS:
        return _records_chart(session.statistics.records(where), where)
    if kind is ChartKind.DURATIONS:
        return _durations_chart(session.statistics.durations(where), where)
    if kind is ChartKind.AGREEMENT:
        return _agreement_chart(session.statistics.agreement(where), where)
    return _findings_chart(kind, session.statistics.findings(where, _FINDINGS[kind]), where)


def _record_filter(where: ChartFilter) -> RecordFilter:
    return RecordFilter(
        aircraft_id=where.aircraft_id,
        executor_id=where.executor_id,
        day_from=where.day_from,
        day_to=where.day_to,
    )


def _period_filters(where: ChartFilter, periods: Iterable[Period]) -> list[RecordFilter]:
    return [replace(_record_filter(where), day_from=period.first, day_to=period.last) for period in periods]


def period_text(period: Period) -> str:
    """A period in full."""
    if period.first == period.last:
        return day(period.first)
    return f"{day(period.first)} – {day(period.last)}"


def _columns(periods: Sequence[Period]) -> tuple[Column, ...]:
    # Periods longer than a week are labelled by their month, not by their first day.
    long = len(periods) > 1 and max(period.last - period.first for period in periods) > timedelta(days=7)
    form = "%Y-%m" if long else "%m-%d"
    return tuple(Column(period.first.strftime(form), period_text(period)) for period in periods)


def _heads() -> tuple[str, ...]:
    return (QCoreApplication.translate("Charts", "Period"),)


def _count(value: float) -> str:
    return QLocale().toString(round(value))


def _count_bars(
    name: str, amounts: Sequence[int], behind: Sequence[RecordFilter | None], colour: int | None
) -> Bars:
    return Bars(
        name,
        tuple(float(amount) for amount in amounts),
        tuple(map(_count, amounts)),
        tuple(behind),
        _count(sum(amounts)),
        colour,
    )


def _records_chart(chart: Chart, where: ChartFilter) -> ChartData:
    amounts = {series.name: series.amounts for series in chart.series}
    days = _period_filters(where, chart.periods)
    bars = [
        _count_bars(
            status_word(state),
            amounts[state],
            [replace(day, record_state=state) for day in days],
            _COLOURS.get(state),
        )
        for state in _STATES
        if state in amounts
    ]
    return ChartData(title_of(ChartKind.RECORDS), _columns(chart.periods), tuple(bars), heads=_heads())


def _findings_chart(kind: ChartKind, chart: Chart, where: ChartFilter) -> ChartData:
    translate = QCoreApplication.translate
    days = _period_filters(where, chart.periods)

    def records_behind(name: str) -> list[RecordFilter | None]:
        if kind is ChartKind.LABELS:
            return [replace(day, finding_label=name) for day in days]
        if kind is ChartKind.REGIONS:
            return [replace(day, finding_region=name) for day in days]
        if not name:
            return [replace(day, without_aircraft=True, with_findings=True) for day in days]
        return [replace(day, aircraft_id=name, with_findings=True) for day in days]

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
        all_of_them = [replace(day, with_findings=True) for day in days]
        others = _count_bars(translate("Charts", "Others"), chart.others, all_of_them, None)
        bars.append(replace(others, behind_name=translate("Charts", "Records with findings")))
    return ChartData(title_of(kind), _columns(chart.periods), tuple(bars), heads=_heads())


def _durations_chart(durations: Durations, where: ChartFilter) -> ChartData:
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
        tuple(map(_count, minutes)),
        tuple(replace(day, timed=True) for day in _period_filters(where, durations.periods)),
        _count(mean),
        0,
    )
    return ChartData(title_of(ChartKind.DURATIONS), _columns(durations.periods), (bars,), heads=_heads())


def _agreement_chart(agreements: Sequence[ModelAgreement], where: ChartFilter) -> ChartData:
    translate = QCoreApplication.translate
    base = _record_filter(where)
    makers: list[tuple[str, Callable[[ModelAgreement], int], Callable[[str], RecordFilter], int]] = [
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
            [amount(agreement) for agreement in agreements],
            [behind(agreement.name) for agreement in agreements],
            colour,
        )
        for word, amount, behind, colour in makers
    ]
    names = [_model_text(agreement) for agreement in agreements]
    columns = tuple(starmap(Column, zip(names, names, strict=True)))
    heads = (translate("Charts", "Model"),)
    return ChartData(title_of(ChartKind.AGREEMENT), columns, tuple(bars), stacked=False, heads=heads)


def _model_text(agreement: ModelAgreement) -> str:
    name = model_word(agreement.model_id, agreement.model_name)
    return f"{name} {agreement.model_version}" if agreement.model_version else name
