"""Starts the local service before Qt and the pages are loaded.

The service takes about as long to start as the desktop. Started first, it is ready when the login page is.
"""

from __future__ import annotations

import json
from pathlib import Path

from desktop.connection.local_service import EmbeddedService
from desktop.user_folders import data_dir, preferences_file


def start_early(server_url: str | None, data_folder: Path | None) -> EmbeddedService | None:
    """Start the local service. Returns None if the desktop will use another service.

    `server_url` and `data_folder` are the options of the command line, as for
    `desktop.app.application.Desktop`.
    """
    if server_url or (server_url is None and _prefers_server()):
        return None
    service = EmbeddedService(data_folder or data_dir())
    service.start()
    return service


def _prefers_server() -> bool:
    """Whether the preferences name a server. An unreadable file is ignored, as `Preferences` does."""
    try:
        return bool(json.loads(preferences_file().read_text("utf-8")).get("server_url"))
    except (OSError, ValueError, AttributeError):
        return False
