"""The page of one record: its fields, its items, its report."""

from desktop.pages.record.page import RecordPage

__all__ = ["RecordPage"]
