"""docs/packages.md is what docs/packages.py writes."""

from __future__ import annotations

from docs import packages


def test_page_is_up_to_date() -> None:
    assert packages.PAGE.read_text("utf-8") == packages.page(), "run: python docs/packages.py"


def test_page_names_packages_and_modules() -> None:
    assert "| `shared.images` | camera_data, colours, completeness, cv, " in packages.page()
