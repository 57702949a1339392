"""Defines what can go wrong with a journal."""

from __future__ import annotations


class JournalError(Exception):
    """The journal cannot be read or written. The text says what happened."""


class JournalBusyError(JournalError):
    """Another program has this journal open."""
