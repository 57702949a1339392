"""Calls the service for the charts (needs INSPECTION_READ)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date

from desktop.client.http.transport import Calls
from shared.wire.statistics import Chart, Durations, FindingsBy, ModelAgreement


@dataclass(frozen=True, slots=True)
class ChartFilter:
    """The filters of a chart, combined with AND. Days are inclusive. None leaves a filter out."""

    day_from: date | None = None
    day_to: date | None = None
    aircraft_id: str | None = None
    executor_id: str | None = None

    def query(self) -> dict[str, str]:
        """The filter as query parameters."""
        return {name: str(value) for name, value in asdict(self).items() if value is not None}


class Statistics(Calls):
    """The charts. All methods raise ClientError, also while the service still counts older records."""

    def records(self, where: ChartFilter) -> Chart:
        """The number of records by state."""
        return self._chart("records", where)

    def findings(self, where: ChartFilter, by: FindingsBy) -> Chart:
        """The number of findings by label, aircraft or region."""
        return self._chart(f"findings/{by}", where)

    def durations(self, where: ChartFilter) -> Durations:
        """The time of records from start to end."""
        return self._transport.get("/statistics/durations", Durations, query=where.query())

    def agreement(self, where: ChartFilter) -> Sequence[ModelAgreement]:
        """The kept, removed and missed findings of each version of a model."""
        return self._transport.get("/statistics/agreement", list[ModelAgreement], query=where.query())

    def _chart(self, name: str, where: ChartFilter) -> Chart:
        return self._transport.get(f"/statistics/{name}", Chart, query=where.query())
