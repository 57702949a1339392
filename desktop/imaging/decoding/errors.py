"""Defines the errors of reading pictures."""

from __future__ import annotations


class ImageError(Exception):
    """A picture cannot be read. The text tells the user why and what to do."""


class CancelledError(Exception):
    """The work was cancelled. The user needs no message."""
