"""Keeps spreadsheets from reading the text of a CSV cell as a formula, by a leading apostrophe."""

from __future__ import annotations

# Spreadsheets also accept the full-width forms of Chinese keyboards.
_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", "'")


def escape_formula(value: object) -> object:
    """Make a cell that no spreadsheet reads as a formula; numbers stay numbers."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value


def unescape_formula(cell: str | None) -> str:
    """The text that `escape_formula` made a cell from; an empty one for no cell."""
    text = cell or ""
    return text[1:] if text[:1] == "'" and text[1:].startswith(_FORMULA_STARTS) else text
