"""Calls the service for the charts (needs INSPECTION_READ)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date

from desktop.client.http.transport import Transport
from shared.wire.common import Envelope
from shared.wire.statistics import Chart, Durations, FindingsBy, ModelAgreement


@dataclass(frozen=True, slots=True)
class ChartFilter:
    """What a chart counts: the days are inclusive; None leaves a filter out. They combine with AND."""

    day_from: date | None = None
    day_to: date | None = None
    aircraft_id: str | None = None
    executor_id: str | None = None

    def query(self) -> dict[str, str]:
        """The query parameters that say it."""
        return {name: str(value) for name, value in asdict(self).items() if value is not None}


class Statistics:
    """Counts over time. Raises ClientError, also while the service still counts what was there before."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def records(self, where: ChartFilter) -> Chart:
        """Records by their state."""
        return self._chart("records", where)

    def findings(self, where: ChartFilter, by: FindingsBy) -> Chart:
        """Present findings by label, aircraft or region."""
        return self._chart(f"findings/{by}", where)

    def durations(self, where: ChartFilter) -> Durations:
        """How long records took from start to end."""
        answer = self._transport.call("GET", "/statistics/durations", query=where.query())
        return answer.read(Envelope[Durations]).data

    def agreement(self, where: ChartFilter) -> Sequence[ModelAgreement]:
        """What people made of the findings of each version of a model."""
        answer = self._transport.call("GET", "/statistics/agreement", query=where.query())
        return answer.read(Envelope[list[ModelAgreement]]).data

    def _chart(self, name: str, where: ChartFilter) -> Chart:
        answer = self._transport.call("GET", f"/statistics/{name}", query=where.query())
        return answer.read(Envelope[Chart]).data
