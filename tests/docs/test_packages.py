"""The table of docs/packages.py, for which every package needs a docstring."""

from __future__ import annotations

from docs import packages


def test_table_names_packages_and_modules() -> None:
    assert "| `shared.images` | bitmap, blaze_face, camera_data, colours, " in "\n".join(packages.table())
