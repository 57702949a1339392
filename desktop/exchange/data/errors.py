"""Defines why a file gave no regions."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """What is wrong with a file; the page explains it in the person's language."""

    UNREADABLE = "unreadable"
    """It is none of the formats, or damaged."""
    NO_REGIONS = "no_regions"
    """It is readable and holds no rectangle inside the picture."""
    WHICH_PICTURE = "which_picture"
    """It names several pictures, and none of them is this reference image."""
    TOO_LARGE = "too_large"
    """It holds more than an inspection can."""


class ExchangeError(Exception):
    """A file cannot be imported; `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason
