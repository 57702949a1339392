"""Shows one region through all inspections: a film strip of its photos and the growth of its findings."""

from desktop.pages.workbench.trend.window import TrendController

__all__ = ["TrendController"]
