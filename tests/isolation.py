"""Isolates a test process: tests write only to temporary folders, never to those of the user."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# The system's devices and processes, not files of a user.
_NOT_FILES = ("/dev/", "/proc/")


def home_variables(home: Path) -> dict[str, str]:
    """The environment variables that make `home` the home directory. Creates its runtime directory."""
    runtime = home / "runtime"
    runtime.mkdir(mode=0o700, parents=True, exist_ok=True)
    folders = {
        "HOME": home,
        "USERPROFILE": home,
        "APPDATA": home / "roaming",
        "LOCALAPPDATA": home / "local",
        # Windows itself answers where the folders are; platformdirs reads these names before it asks.
        "WIN_PD_OVERRIDE_APPDATA": home / "roaming",
        "WIN_PD_OVERRIDE_LOCAL_APPDATA": home / "local",
        "XDG_CONFIG_HOME": home / "config",
        "XDG_CACHE_HOME": home / "cache",
        "XDG_DATA_HOME": home / "data",
        "XDG_STATE_HOME": home / "state",
        "XDG_RUNTIME_DIR": runtime,
    }
    return {name: str(folder) for name, folder in folders.items()}


class Isolation:
    """The environment of a process that runs tests. `end` removes its folder.

    Home directory, temporary directory and the storage of Hypothesis are in a new folder, for this process
    and its children. Variables of Walkaround are removed, except those for its tests (`WALKAROUND_TEST_*`).
    The folders of `tmp_path` stay where pytest creates them.
    """

    def __init__(self) -> None:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
        self.folder = Path(tempfile.mkdtemp(prefix="walkaround-tests-")).resolve()
        temporary = self.folder / "tmp"
        temporary.mkdir()
        # The PostgreSQL server enters the folder as another user.
        self.folder.chmod(0o711)
        for name in os.environ:
            if name.startswith("WALKAROUND_") and not name.startswith("WALKAROUND_TEST_"):
                del os.environ[name]
        os.environ |= home_variables(self.folder / "home")
        os.environ |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
        # Otherwise each of the hundreds of processes that tests start would compile the program again.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(self.folder / "hypothesis")
        tempfile.tempdir = str(temporary)

    def end(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


class _WriteGuard:
    """Refuses writes outside `folders`; allows all if it is empty, because audit hooks cannot be removed."""

    def __init__(self) -> None:
        self.folders: tuple[str, ...] = ()
        self.refused_writes: list[str] = []
        self.is_installed = False

    def install(self) -> None:
        if not self.is_installed:
            self.is_installed = True
            sys.addaudithook(self)

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.folders or event not in _WRITTEN_PATHS:
            return
        for path in _WRITTEN_PATHS[event](*arguments):
            if not self._is_allowed(path):
                self.refused_writes.append(f"{event} {path}")
                raise PermissionError(f"a test may not write outside its temporary folders: {path}")

    def _is_allowed(self, path: str) -> bool:
        is_inside = any(path == folder or path.startswith(folder + os.sep) for folder in self.folders)
        is_bytecode = ".pyc" in Path(path).name or Path(path).name == "__pycache__"
        return is_inside or is_bytecode or path.startswith(_NOT_FILES)


def _absolute_path(path: object, folder: object = -1) -> Iterator[str]:
    """The real absolute path of `path` below the open directory `folder`; nothing for an open file."""
    if not isinstance(path, str | bytes | os.PathLike):
        return
    text = os.fsdecode(path)
    if isinstance(folder, int) and folder >= 0:
        text = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), text)  # noqa: PTH118, PTH115
    # Does not resolve the last part: the system removes or replaces a link, not its target.
    parent, name = os.path.split(os.path.abspath(text))  # noqa: PTH100
    yield os.path.join(os.path.realpath(parent), name)  # noqa: PTH118


def _opened_paths(path: object, _mode: object, flags: object) -> Iterator[str]:
    if isinstance(flags, int) and flags & _WRITE_FLAGS and isinstance(path, str | bytes | os.PathLike):
        yield os.path.realpath(os.fsdecode(path))


def _database_paths(database: object) -> Iterator[str]:
    text = os.fsdecode(database) if isinstance(database, str | bytes | os.PathLike) else ""
    if text.startswith("file:"):
        address = urlsplit(text)
        text = "" if "mode=ro" in address.query or "mode=memory" in address.query else unquote(address.path)
    if text not in {"", ":memory:"}:
        yield os.path.realpath(text)


def _two_paths(
    source: object, target: object, source_folder: object = -1, target_folder: object = -1
) -> Iterator[str]:
    yield from _absolute_path(source, source_folder)
    yield from _absolute_path(target, target_folder)


def _one_path(path: object, *rest: object) -> Iterable[str]:
    return _absolute_path(path, rest[-1] if rest else -1)


_WRITTEN_PATHS: dict[str, Callable[..., Iterable[str]]] = {
    "open": _opened_paths,
    "sqlite3.connect": _database_paths,
    "os.mkdir": _one_path,
    "os.rmdir": _one_path,
    "os.remove": _one_path,
    "os.chmod": _one_path,
    "os.chown": _one_path,
    "os.utime": _one_path,
    "os.truncate": lambda path, _length: _absolute_path(path),
    "os.rename": _two_paths,
    "os.link": _two_paths,
    "os.symlink": lambda _source, target, folder: _absolute_path(target, folder),
}
_guard = _WriteGuard()


@contextmanager
def restrict_writes(*folders: Path) -> Iterator[list[str]]:
    """Refuse every write of this process outside `folders` within the block.

    Yields the list of refused writes. A refused write also raises PermissionError.
    """
    earlier = _guard.folders, _guard.refused_writes
    _guard.install()
    refused_writes: list[str] = []
    _guard.folders, _guard.refused_writes = tuple(str(folder.resolve()) for folder in folders), refused_writes
    try:
        yield refused_writes
    finally:
        _guard.folders, _guard.refused_writes = earlier
