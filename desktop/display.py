"""Says whether there is a display, without loading Qt."""

from __future__ import annotations

import os
import sys


def has_display() -> bool:
    """False on a Linux with neither X11 nor Wayland nor a platform that was chosen for Qt."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
