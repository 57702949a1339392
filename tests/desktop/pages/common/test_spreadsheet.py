"""Tables for spreadsheets: nothing in them is run as a formula, and numbers stay numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.pages.common.files.spreadsheet import write_csv


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@a", "＝1", "＋1", "－1", "＠a", "\t=1", "\n=1", "'a"])
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.csv"
    write_csv(path, [[text]])
    assert path.read_text("utf-8-sig").strip('"\n').startswith(f"'{text[0]}")


def test_negative_numbers_stay_numbers_and_nothing_is_an_empty_cell(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    write_csv(path, [[-3, -0.5, None, "a"]])
    assert path.read_text("utf-8-sig").strip() == "-3,-0.5,,a"
