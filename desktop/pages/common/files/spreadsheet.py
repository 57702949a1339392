"""Writes tables as CSV files that spreadsheets read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from desktop.exchange.formats.csv_table import escape_formula
from shared.system import atomic


def write_csv(path: Path, rows: Iterable[Sequence[object]]) -> None:
    """Write `rows` to `path` atomically. Raises OSError."""
    output = io.StringIO()
    # Spreadsheets recognize UTF-8 only by this byte order mark.
    output.write("\ufeff")
    writer = csv.writer(output)
    writer.writerows([escape_formula(cell) for cell in row] for row in rows)
    atomic.write_file(path, output.getvalue().encode("utf-8"), durable=True)
