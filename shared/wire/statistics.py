"""Bodies of the charts."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum

from shared.wire.common import WireModel


class FindingsBy(StrEnum):
    """What findings are counted by."""

    LABEL = "label"
    AIRCRAFT = "aircraft"
    REGION = "region"


class Period(WireModel):
    """The days that one bar of a chart counts, both inclusive."""

    first: dt.date
    last: dt.date


class Series(WireModel):
    """One name of a chart with an amount for each period; `title` is what people call it, or null."""

    name: str
    title: str | None = None
    amounts: list[int]


class Chart(WireModel):
    """Counts over time, the largest series first; `others` sums up what has no series of its own."""

    periods: list[Period]
    series: list[Series]
    others: list[int] | None = None


class Durations(WireModel):
    """How long records took from start to end: how many of each period, and the sum of their seconds."""

    periods: list[Period]
    records: list[int]
    seconds: list[int]


class ModelAgreement(WireModel):
    """What people made of the findings of one version of a model, in the items they decided or corrected.

    `name` stands for it in the search of records. `shown`: findings of the model, `rejected`: those of them
    that a person took away, `missed`: findings that a person drew.
    """

    name: str
    model_id: str
    model_name: str | None
    model_version: str
    shown: int
    rejected: int
    missed: int
