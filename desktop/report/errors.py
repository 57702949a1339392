"""Defines what can be wrong with the source of a report."""

from __future__ import annotations


class SealBrokenError(Exception):
    """The stored content of an edition is not what its seal says."""

    def __init__(self, edition: int) -> None:
        super().__init__(edition)
        self.edition = edition
