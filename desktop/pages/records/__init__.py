"""The list of records: filters, paging, and the way into each record."""

from desktop.pages.records.page import RecordsPage

__all__ = ["RecordsPage"]
