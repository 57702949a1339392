"""The workbench page: items, photos, detection, findings and verdicts of one record."""

from desktop.pages.workbench.canvas.widgets import WorkbenchWidgets
from desktop.pages.workbench.page import WorkbenchPage

__all__ = ["WorkbenchPage", "WorkbenchWidgets"]
