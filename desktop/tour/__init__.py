"""The tour of a page: a few bubbles that point at its real controls, one after the other.

Owns which controls a page's tour points at, the bubble and the frame around a control, and when a tour
begins. A tour never blocks anything. Gives `TourController` to the window.
"""

from desktop.tour.controller import TourController

__all__ = ["TourController"]
