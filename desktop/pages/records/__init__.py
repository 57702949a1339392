"""The list of records, with filters and paging."""

from desktop.pages.records.page import RecordsPage

__all__ = ["RecordsPage"]
