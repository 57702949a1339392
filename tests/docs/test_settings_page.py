"""docs/settings.md is what docs/settings.py writes, and names every setting."""

from __future__ import annotations

import re

from docs import settings
from service.settings import Settings


def test_page_is_up_to_date() -> None:
    assert settings.PAGE.read_text("utf-8") == settings.page(), "run: python -m docs.settings"


def test_page_names_every_setting() -> None:
    named = re.findall(r"^\| `WALKAROUND_(\w+)` \|", settings.page(), re.MULTILINE)
    assert named == [name.upper() for name in Settings.model_fields]
