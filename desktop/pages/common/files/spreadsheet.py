"""Writes tables as CSV files that spreadsheets read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from shared.system import atomic


def write_csv(path: Path, rows: Iterable[Sequence[object]]) -> None:
    """Write `rows` to `path` atomically. Raises OSError."""
    output = io.StringIO()
    # Spreadsheets recognize UTF-8 only by this byte order mark.
    output.write("\ufeff")
    writer = csv.writer(output)
    writer.writerows([_escape_formula(cell) for cell in row] for row in rows)
    atomic.write_file(path, output.getvalue().encode("utf-8"), durable=True)


def _escape_formula(cell: object) -> str:
    """Make a cell that no spreadsheet reads as a formula."""
    text = "" if cell is None else str(cell)
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
