"""Finds the program's files in a checkout, in a wheel and in the frozen program."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import stat
import sys
from pathlib import Path
from typing import NamedTuple

SERVICE_ADDRESS_FILE = "service.json"
"""The file in a data folder in which a running service stores its address."""

# Computed once, because every icon of a page needs it.
_CHECKOUT = Path(__file__).resolve().parents[2]


def program_folder() -> Path:
    """Return the folder that contains `resources/` and, unless frozen, the packages."""
    if getattr(sys, "frozen", False):
        return Path(sys._MEIPASS)  # type: ignore[attr-defined]
    return _CHECKOUT


def resource_path(*parts: str) -> Path:
    """Return the path of a file below `resources/`, for example ``resource_path("icons", "plus.svg")``."""
    return program_folder().joinpath("resources", *parts)


def find_package_file(package: str, *parts: str) -> Path | None:
    """Return the path of a file in the folder of `package`, which is not imported; None if it is missing.

    The frozen program has such files below a folder with the name of the package.
    """
    folders = [program_folder() / package] if getattr(sys, "frozen", False) else []
    spec = importlib.util.find_spec(package)
    if spec is not None:
        folders += map(Path, spec.submodule_search_locations or ())
    files = (folder.joinpath(*parts) for folder in folders)
    return next((file for file in files if file.is_file()), None)


def ensure_private_folder(path: Path) -> Path:
    """Create the folder `path` unless it exists, restrict it to its owner on POSIX systems, and return it.

    The permissions of another owner's folder stay as they are. Raises OSError.
    """
    path.mkdir(parents=True, exist_ok=True)
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) != stat.S_IRWXU:
        with contextlib.suppress(PermissionError):
            path.chmod(stat.S_IRWXU)
    return path


def program_command(*arguments: str) -> list[str]:
    """Return the argument list that starts this program with `arguments`, also if it is frozen."""
    if getattr(sys, "frozen", False):
        return [sys.executable, *arguments]
    return [sys.executable, "-m", "shared", *arguments]


def newer_program() -> Path | None:
    """Return the program that an update installed while this one runs; None if this is the newest.

    Only the package for Debian installs versions beside each other (`resources/packaging/deb.py`).
    """
    if not getattr(sys, "frozen", False):
        return None
    program = Path(sys.executable).resolve()
    current = program.parent.parent / "current"
    if not (current.is_symlink() and (current / program.name).is_file()):
        return None
    return None if current.resolve() == program.parent else current / program.name


def _identify_program() -> tuple[int, int] | None:
    """Return what changes when the file of the frozen program is replaced; None if it is missing."""
    try:
        status = Path(sys.executable).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


_PROGRAM_AT_START = _identify_program()


def is_program_replaced() -> bool:
    """Return True if the files of this frozen program were replaced or removed while it runs.

    Parts that are not loaded yet can then fail to load.
    """
    return getattr(sys, "frozen", False) and _identify_program() != _PROGRAM_AT_START


def program_command_folder() -> Path | None:
    """Return the working directory for `program_command`; None means any.

    `python -m` imports from the working directory first, and the current one may contain other programs'
    files.
    """
    return None if getattr(sys, "frozen", False) else program_folder()


class ServiceAddress(NamedTuple):
    """The address of a running service, and the fingerprint of its certificate; None without TLS."""

    url: str
    fingerprint: str | None = None


def read_service_address(data_dir: Path) -> ServiceAddress | None:
    """Return the address that the service of this data folder stored; None before it has stored one."""
    try:
        fields = json.loads((data_dir / SERVICE_ADDRESS_FILE).read_text("utf-8"))
        url, fingerprint = str(fields["url"]), fields.get("fingerprint")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return ServiceAddress(url, fingerprint if isinstance(fingerprint, str) else None)
