"""The first steps to a record: the sample inspection, a start from a picture, an import.

Owns the three ways that the empty list of records offers, their dialog, and the sample inspection with its
removal. Gives `FirstStepsController` to the page of the records.
"""

from desktop.pages.first_steps.coordinator import FirstStepsController

__all__ = ["FirstStepsController"]
