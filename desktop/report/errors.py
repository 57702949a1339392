"""Defines the errors of the data that a report is made from."""

from __future__ import annotations


class SealBrokenError(Exception):
    """The stored content of an edition does not match its seal."""

    def __init__(self, edition: int) -> None:
        super().__init__(edition)
        self.edition = edition
