"""Defines the errors of an import."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why a file cannot be imported; the page explains it in the language of the program."""

    UNREADABLE = "unreadable"
    """The file has none of the formats, or it is damaged."""
    NO_REGIONS = "no_regions"
    """The file contains no rectangle inside the picture."""
    WHICH_PICTURE = "which_picture"
    """The file names several pictures, and none of them is this reference image."""
    OTHER_PROPORTIONS = "other_proportions"
    """The file is for a picture of other proportions, such as one that is turned."""
    TOO_LARGE = "too_large"
    """The file contains more than an inspection can."""


class ExchangeError(Exception):
    """A file cannot be imported. `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason
