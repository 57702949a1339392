"""Says what the session has for the windows, before Qt is loaded: a display, libraries, an input method."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from pathlib import Path


def has_display() -> bool:
    """False on a Linux with neither X11 nor Wayland nor a platform that was chosen for Qt."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def check_window_libraries() -> None:
    """Raise ImportError, which names the library, if Qt's plugin for X11 lacks one of the system.

    Qt itself ends the process then, and always names libxcb-cursor0.
    """
    package = importlib.util.find_spec("PySide6")
    chosen = os.environ.get("QT_QPA_PLATFORM") or "xcb"
    if not sys.platform.startswith("linux") or not chosen.startswith("xcb") or package is None:
        return
    for folder in package.submodule_search_locations or ():
        plugin = Path(folder, "Qt", "plugins", "platforms", "libqxcb.so")
        try:
            if plugin.is_file():
                ctypes.CDLL(str(plugin))
        except OSError as problem:
            raise ImportError(str(problem)) from problem


def input_method() -> str:
    """Return the input method that the session's variables name: "fcitx", "ibus" or an empty string."""
    variables = ("QT_IM_MODULES", "QT_IM_MODULE", "XMODIFIERS")
    names = " ".join(os.environ.get(name, "") for name in variables)
    return next((method for method in ("fcitx", "ibus") if method in names), "")


def connect_fcitx() -> None:
    """Let Qt reach fcitx5 as IBus, because the wheels of Qt have no plugin for fcitx.

    fcitx5 answers at the address of IBus's portal. Call it before there is a QApplication.
    """
    if sys.platform.startswith("linux") and input_method() == "fcitx":
        # The second name keeps `input_method` true. Qt takes the first that it has a plugin for.
        os.environ |= {"QT_IM_MODULES": "ibus;fcitx", "IBUS_USE_PORTAL": "1"}
