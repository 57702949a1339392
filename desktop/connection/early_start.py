"""Starts the desktop's own service before Qt and the pages are loaded.

The service needs about as long to start as the desktop, and neither waits for the other: started first, it is
ready when the login page is.
"""

from __future__ import annotations

import json
from pathlib import Path

from desktop.connection.local_service import EmbeddedService
from desktop.user_folders import data_dir, preferences_file


def start_early(server_url: str | None, data_folder: Path | None) -> EmbeddedService | None:
    """The local service, starting; None where the desktop will use another one.

    `server_url` and `data_folder` are what the command line names, as for `desktop.app.application.Desktop`.
    """
    if server_url or (server_url is None and _preferred_server()):
        return None
    service = EmbeddedService(data_folder or data_dir())
    service.start()
    return service


def _preferred_server() -> bool:
    """Whether the person chose a server; a file that cannot be read says no, as `Preferences` does."""
    try:
        return bool(json.loads(preferences_file().read_text("utf-8")).get("server_url"))
    except (OSError, ValueError, AttributeError):
        return False
