"""The statistics page: charts of records, findings, durations and models."""

from desktop.pages.statistics.page import StatisticsPage

__all__ = ["StatisticsPage"]
