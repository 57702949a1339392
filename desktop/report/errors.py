"""Defines the errors of the data that a report is made from."""

from __future__ import annotations

from pathlib import Path


class SealBrokenError(Exception):
    """The stored content of an edition does not match its seal."""

    def __init__(self, edition: int) -> None:
        super().__init__(edition)
        self.edition = edition


class TemplateError(Exception):
    """The template file cannot be used; `key` is the entry at fault, empty for the file itself."""

    def __init__(self, path: Path, key: str = "") -> None:
        super().__init__(path, key)
        self.path, self.key = path, key
