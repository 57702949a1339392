"""The first steps to a record: the sample inspection, a start from a picture, an import.

The records page uses `FirstStepsController`, which shows these three ways on the empty list.
"""

from desktop.pages.first_steps.coordinator import FirstStepsController

__all__ = ["FirstStepsController"]
