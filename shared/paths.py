"""Finds the program's own files in a checkout, in a wheel and in the frozen program."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
from pathlib import Path
from typing import NamedTuple

SERVICE_ADDRESS = "service.json"
"""The file in a data directory in which a running service writes where it answers."""

# Found once: every icon and every string of a page asks for it.
_CHECKOUT = Path(__file__).resolve().parent.parent


def root() -> Path:
    """The folder that holds `resources/` and, unless frozen, the packages."""
    if getattr(sys, "frozen", False):
        return Path(sys._MEIPASS)  # type: ignore[attr-defined]
    return _CHECKOUT


def resource(*parts: str) -> Path:
    """The path of a file below `resources/`, for example ``resource("icons", "plus.svg")``."""
    return root().joinpath("resources", *parts)


def private_folder(path: Path) -> Path:
    """The folder at `path`, made when it is missing, for its owner alone where the system knows owners.

    A folder of another owner stays as it is. Raises OSError.
    """
    path.mkdir(parents=True, exist_ok=True)
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) != stat.S_IRWXU:
        with contextlib.suppress(PermissionError):
            path.chmod(stat.S_IRWXU)
    return path


def own_command(*arguments: str) -> list[str]:
    """The argument list that starts this same program with `arguments`, also when frozen."""
    if getattr(sys, "frozen", False):
        return [sys.executable, *arguments]
    return [sys.executable, "-m", "shared", *arguments]


def command_folder() -> Path | None:
    """The working directory to start `own_command` in; None: any.

    `python -m` looks into it first, and the current directory may hold foreign files.
    """
    return None if getattr(sys, "frozen", False) else root()


class ServiceAddress(NamedTuple):
    """Where a running service answers; `fingerprint` is that of its certificate, None without TLS."""

    url: str
    fingerprint: str | None = None


def service_address(data_dir: Path) -> ServiceAddress | None:
    """What the service of this data directory has written down; None before it has."""
    try:
        written = json.loads((data_dir / SERVICE_ADDRESS).read_text("utf-8"))
        url, fingerprint = str(written["url"]), written.get("fingerprint")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return ServiceAddress(url, fingerprint if isinstance(fingerprint, str) else None)
