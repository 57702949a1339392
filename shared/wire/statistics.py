"""Bodies of the charts."""

import datetime as dt
from enum import StrEnum

from shared.wire.common import WireModel


class FindingsBy(StrEnum):
    """How findings are grouped."""

    LABEL = "label"
    AIRCRAFT = "aircraft"
    REGION = "region"


class Period(WireModel):
    """The first and the last day of one bar of a chart."""

    first: dt.date
    last: dt.date


class Series(WireModel):
    """One series of a chart with an amount for each period; `title` is its display name, or null."""

    name: str
    title: str | None = None
    amounts: list[int]


class Chart(WireModel):
    """Counts over time, the largest series first; `others` is the sum of everything else."""

    periods: list[Period]
    series: list[Series]
    others: list[int] | None = None


class Durations(WireModel):
    """Durations of records from start to end: the number of records in each period, and the sum of their
    seconds.
    """

    periods: list[Period]
    records: list[int]
    seconds: list[int]


class ModelAgreement(WireModel):
    """How people judged the findings of one version of a model, in items that they decided or corrected.

    `name` is its name in the search for records. `shown`: findings of the model, `rejected`: those that a
    person removed, `missed`: findings that a person drew.
    """

    name: str
    model_id: str
    model_name: str | None
    model_version: str
    shown: int
    rejected: int
    missed: int
