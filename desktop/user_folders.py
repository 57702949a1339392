"""Names the folders of the desktop's user. No Qt: the local service starts from here, before Qt is loaded."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

APP = "Walkaround"
"""The program's name in the folders of a person."""


def data_dir() -> Path:
    """Where the local service keeps its data: `WALKAROUND_DATA_DIR`, or the person's data folder."""
    folder = os.environ.get("WALKAROUND_DATA_DIR")
    return Path(folder) if folder else Path(platformdirs.user_data_dir(APP, appauthor=False))


def preferences_file() -> Path:
    """`preferences.json` in the person's configuration folder."""
    return Path(platformdirs.user_config_dir(APP, appauthor=False)) / "preferences.json"
