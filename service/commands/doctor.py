"""Checks the service's side of the installation for `walkaround doctor` and says what to repair."""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import importlib
import os
import shutil
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy.exc import SQLAlchemyError

from service.backups.archive.shared_folder import SharedFolder, time_of
from service.backups.making import place_of
from service.backups.schedule import LATE, parsed
from service.db.database import Database
from service.db.schema import current_revision, newest_revision
from service.face.engines.dlib_engine import NAME, models_folder
from service.face.packs.pack_store import installed, model_in_use
from service.files.usage import stored_bytes
from service.settings import Settings
from service.stores.contents import file_contents
from service.stores.port import StoreSettingsError, StoreUnavailableError
from shared.checkup import CheckResult, Level
from shared.reasons import reason

LOW_SPACE = 5 * 2**30
NO_SPACE = 500 * 2**20
MUCH = 0.9
"""Share of the quota of files from which on it is said."""

# Module to import -> (package that says its version, what needs it). Native code breaks most easily.
_LIBRARIES = {
    "onnxruntime": ("onnxruntime", "detection"),
    "shared.images.cv": ("cv2", "images and cameras"),
    "pyvips": ("pyvips", "large images and thumbnails"),
    "cryptography.hazmat.primitives.ciphers.aead": ("cryptography", "face templates"),
    "bcrypt": ("bcrypt", "passwords"),
    "psycopg": ("psycopg", "PostgreSQL"),
}


Check = Callable[[Settings], Iterator[CheckResult]]


def main(words: Sequence[str], settings: Settings) -> int:
    """Print one line per check. Gives 1 when one of them failed."""
    argparse.ArgumentParser(prog="walkaround doctor").parse_args(words[1:])
    failed = False
    for check in CHECKS:
        for line in check(settings):
            print(line)
            failed = failed or line.level is Level.FAIL
    return 1 if failed else 0


def python(_settings: Settings) -> Iterator[CheckResult]:
    """The version of Python."""
    yield CheckResult(Level.OK, f"Python {'.'.join(str(part) for part in sys.version_info[:3])}")


def libraries(_settings: Settings) -> Iterator[CheckResult]:
    """The libraries with native code: they load."""
    for module, (name, needed_for) in _LIBRARIES.items():
        try:
            importlib.import_module(module)
        except (ImportError, OSError) as problem:
            yield CheckResult(
                Level.FAIL, f"{name} does not load ({problem})", f"install it again; {needed_for} need it"
            )
        else:
            yield CheckResult(Level.OK, f"{name} {sys.modules[name].__version__}")


def data_dir(settings: Settings) -> Iterator[CheckResult]:
    """The data directory: there, ours, writable, with room."""
    path = settings.data_dir
    there = next(folder for folder in (path, *path.parents) if os.access(folder, os.F_OK))
    if not there.is_dir() or not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        yield CheckResult(
            Level.FAIL,
            f"data directory {path} cannot be made or written",
            f"give this user the right to write in {there}"
            if there.is_dir()
            else f"{there} is a file: name another directory with --data-dir",
        )
        return
    if not path.is_dir():
        yield CheckResult(
            Level.WARN, f"data directory {path} is not there yet", "the first start of the service makes it"
        )
        return
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        yield CheckResult(
            Level.WARN, f"data directory {path} is open to other users", f"run: chmod 700 '{path}'"
        )
    else:
        yield CheckResult(Level.OK, f"data directory {path}")
    free = shutil.disk_usage(path).free
    room = f"{free / 2**30:.1f} GB free for data"
    if free < settings.disk_reserve_bytes:
        yield CheckResult(
            Level.FAIL,
            f"{room}, less than WALKAROUND_DISK_RESERVE_BYTES: uploads are refused",
            "free some space, or move the data directory to a larger disk",
        )
    elif free < NO_SPACE:
        yield CheckResult(Level.FAIL, room, "free some space, or move the data directory to a larger disk")
    elif free < LOW_SPACE:
        yield CheckResult(Level.WARN, room, "photos will fill it soon; free some space")
    else:
        yield CheckResult(Level.OK, room)


def database(settings: Settings) -> Iterator[CheckResult]:
    """The database answers, is intact and has this version's schema."""
    checked = Database(settings.url)
    name = "SQLite" if checked.is_sqlite else "PostgreSQL"
    path = Path(checked.url.database or "")
    try:
        if checked.is_sqlite and not path.is_file():
            yield CheckResult(Level.WARN, f"no database at {path}", "the first start of the service makes it")
            return
        if checked.is_sqlite:
            yield _whole(path)
        current, newest = current_revision(checked), newest_revision()
    except (SQLAlchemyError, sqlite3.Error, OSError) as problem:
        # The text of a database error can hold its address with a password: the kind of it is enough.
        advice = (
            "restore a backup" if checked.is_sqlite else "check that the server runs and its address is right"
        )
        yield CheckResult(
            Level.FAIL, f"the {name} database does not answer ({type(problem).__name__})", advice
        )
        return
    finally:
        checked.close()
    if current is None or current < newest:
        yield CheckResult(
            Level.WARN, f"{name} database at revision {current}", f"the next start brings it to {newest}"
        )
    elif current > newest:
        yield CheckResult(
            Level.FAIL, f"{name} database at revision {current}", "it is of a newer version: install that one"
        )
    else:
        yield CheckResult(Level.OK, f"{name} database at revision {current}")


def files(settings: Settings) -> Iterator[CheckResult]:
    """The store of files answers, and how much of its quota is used."""
    try:
        contents = file_contents(settings)
        contents.contains("0" * 64)
    except (StoreSettingsError, StoreUnavailableError, OSError) as problem:
        yield CheckResult(
            Level.FAIL,
            f"the store of files does not answer ({problem})",
            "check WALKAROUND_FILES_URL, its endpoint, region and keys, and that its server runs",
        )
        return
    yield CheckResult(Level.OK, f"files are stored in {settings.files_url or settings.files_dir}")
    if not settings.files_quota_bytes:
        return
    checked = Database(settings.url)
    try:
        _, stored = checked.read_now(stored_bytes)
    except (SQLAlchemyError, sqlite3.Error, OSError):
        # The check of the database says so.
        return
    finally:
        checked.close()
    share = stored / settings.files_quota_bytes
    used = f"{share:.0%} of the quota of files is used"
    if share >= 1:
        yield CheckResult(Level.FAIL, f"{used}: uploads are refused", _MORE_QUOTA)
    elif share >= MUCH:
        yield CheckResult(Level.WARN, used, _MORE_QUOTA)
    else:
        yield CheckResult(Level.OK, used)


_MORE_QUOTA = "run: walkaround files unused, or raise WALKAROUND_FILES_QUOTA_BYTES"


def _whole(path: Path) -> CheckResult:
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        return CheckResult(
            Level.FAIL, f"the database is damaged ({found})", "stop the service and restore a backup"
        )
    return CheckResult(Level.OK, f"database {path} is whole")


def backups(settings: Settings) -> Iterator[CheckResult]:
    """The backups on the schedule: how old the newest one is."""
    if not settings.backup_to:
        yield CheckResult(
            Level.WARN,
            "no backups are made on a schedule",
            "set WALKAROUND_BACKUP_TO to a directory on another disk, or run `walkaround backup FILE`",
        )
        return
    try:
        names = SharedFolder(place_of(settings)).names()
    except (OSError, StoreSettingsError) as problem:
        said = reason(problem) if isinstance(problem, OSError) else str(problem)
        yield CheckResult(Level.FAIL, f"the backups cannot be read: {said}", "check WALKAROUND_BACKUP_TO")
        return
    if not names:
        advice = "the service makes one within minutes of its start; its log says why not"
        yield CheckResult(Level.FAIL, f"there is no backup in {settings.backup_to}", advice)
        return
    age = dt.datetime.now(dt.UTC) - time_of(names[-1])
    found = f"the newest of {len(names)} backups is {age.total_seconds() / 3600:.1f} hours old"
    if age > parsed(settings.backup_at).interval + LATE:
        yield CheckResult(Level.WARN, found, "the log of the service says why no newer one was made")
    else:
        yield CheckResult(Level.OK, found)


def service(settings: Settings) -> Iterator[CheckResult]:
    """Whether a service runs on the data directory."""
    if not settings.data_dir.is_dir() or not os.access(settings.data_dir, os.W_OK):
        return
    try:
        with FileLock(settings.data_dir / "service.lock", timeout=0):
            yield CheckResult(Level.OK, "no service runs on this data directory")
    except Timeout:
        yield CheckResult(Level.OK, "a service runs on this data directory")


def secrets(settings: Settings) -> Iterator[CheckResult]:
    """The keys: readable by their owner only."""
    elsewhere = (settings.secret_file, settings.face_key_file, settings.files_keys_file)
    given = [path for path in elsewhere if path is not None]
    for path in [*given, *sorted(settings.data_dir.glob("*.key"))]:
        if not path.is_file():
            yield CheckResult(
                Level.WARN, f"secret file {path} is not there yet", "the first start of the service makes it"
            )
        elif os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            yield CheckResult(Level.FAIL, f"{path} can be read by other users", f"run: chmod 600 '{path}'")
        else:
            yield CheckResult(Level.OK, f"{path.name} is readable by its owner only")


def face_models(settings: Settings) -> Iterator[CheckResult]:
    """The models of face login: the built-in one, and the pack that was chosen."""
    try:
        models_folder()
        yield CheckResult(Level.OK, "built-in face model")
    except FileNotFoundError as problem:
        yield CheckResult(Level.FAIL, str(problem))
    name = model_in_use(settings)
    if name == NAME:
        return
    chosen = [pack for pack in installed(settings.face_models_dir) if pack.name == name]
    if chosen:
        yield CheckResult(Level.OK, f"face model pack {name}")
    else:
        advice = "run: walkaround face install PACK.zip"
        yield CheckResult(Level.FAIL, f"face model pack {name} is not installed", advice)


def camera(_settings: Settings) -> Iterator[CheckResult]:
    """Cameras, as the system lists them."""
    if not sys.platform.startswith("linux"):
        yield CheckResult(Level.OK, "cameras are listed by the desktop's camera window")
        return
    devices = sorted(Path("/dev").glob("video*"))
    readable = [path.name for path in devices if os.access(path, os.R_OK | os.W_OK)]
    if readable:
        yield CheckResult(Level.OK, f"cameras: {', '.join(readable)}")
    elif devices:
        yield CheckResult(
            Level.WARN, "this user may not use the cameras", "add the user to the group 'video'"
        )
    else:
        yield CheckResult(Level.WARN, "no camera", "connect one, or work with photo files")


def display(_settings: Settings) -> Iterator[CheckResult]:
    """A display for the desktop."""
    if not sys.platform.startswith("linux") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        yield CheckResult(Level.OK, "display")
    else:
        yield CheckResult(Level.WARN, "no display", "the desktop needs one; the service and the demo do not")


CHECKS: tuple[Check, ...] = (
    python,
    libraries,
    data_dir,
    database,
    files,
    service,
    secrets,
    backups,
    face_models,
    camera,
    display,
)
