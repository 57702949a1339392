"""Defines what can go wrong with a picture."""

from __future__ import annotations


class ImageError(Exception):
    """A picture cannot be read; the text says why, and what to do."""


class CancelledError(Exception):
    """The work was cancelled; needs no message."""
