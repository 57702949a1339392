"""The workbench page: items, photos, detection, findings and verdicts of one record."""

from desktop.pages.workbench.page import WorkbenchPage
from desktop.pages.workbench.widgets import WorkbenchWidgets

__all__ = ["WorkbenchPage", "WorkbenchWidgets"]
