"""The tour of a page: a few bubbles that point at its controls, one after the other.

The window uses `TourController`, which decides when a tour starts. A tour never blocks the page.
"""

from desktop.tour.controller import TourController

__all__ = ["TourController"]
