"""The workbench."""

from desktop.pages.workbench.page import WorkbenchPage

__all__ = ["WorkbenchPage"]
