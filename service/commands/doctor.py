"""Checks the service's part of the installation for `walkaround doctor`, and reports what to repair."""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib
import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from service.backups.archive.shared_folder import SharedFolder, parse_time
from service.backups.making import configured_place
from service.backups.schedule import LATE_TOLERANCE, parse_schedule
from service.commands.verify_audit import records
from service.db.database import Database
from service.db.one_service import FolderInUseError, lock_data_folder
from service.db.postgresql import connection_problem
from service.db.schema import current_revision, newest_revision
from service.detection.models.registry import list_models
from service.face.engines.dlib_engine import NAME, DlibEngine
from service.face.packs.pack_store import PackError, model_in_use, read_manifest, verify
from service.files.usage import count_stored_bytes
from service.settings import Settings
from service.stores.contents import file_contents, model_contents
from service.stores.port import StoreSettingsError, StoreUnavailableError
from shared.system.checkup import (
    CheckResult,
    Level,
    Repair,
    fail,
    find_damaged_tiles,
    is_open_to_others,
    ok,
    run_checks,
    warn,
)
from shared.system.os_errors import describe_os_error

LOW_SPACE = 5 * 2**30
NO_SPACE = 500 * 2**20
QUOTA_WARNING_SHARE = 0.9
"""The share of the file quota above which the check warns."""

# Module to import -> (package with the version, what needs it). Native code fails to load most often.
_LIBRARIES = {
    "onnxruntime": ("onnxruntime", "detection"),
    "shared.images.cv": ("cv2", "images and cameras"),
    "pyvips": ("pyvips", "large images and thumbnails"),
    "cryptography.hazmat.primitives.ciphers.aead": ("cryptography", "face templates"),
    "bcrypt": ("bcrypt", "passwords"),
    "psycopg": ("psycopg", "PostgreSQL"),
}


Check = Callable[[Settings], Iterator[CheckResult]]


def main(arguments: Sequence[str], settings: Settings) -> int:
    """Print one line for each result. Returns 1 if one of them is a fault."""
    return run_checks(
        "service", arguments[1:], ((check.__name__, partial(check, settings)) for check in CHECKS)
    )


def python(_settings: Settings) -> Iterator[CheckResult]:
    """Report the version of Python."""
    yield ok("Python {version}", version=platform.python_version())


def libraries(_settings: Settings) -> Iterator[CheckResult]:
    """Check that the libraries with native code load."""
    for module, (name, purpose) in _LIBRARIES.items():
        try:
            importlib.import_module(module)
        except (ImportError, OSError) as problem:
            yield fail(
                "{library} does not load ({problem})",
                "install it again; {purpose} need it",
                library=name,
                problem=problem,
                purpose=purpose,
            )
        else:
            yield ok("{library} {version}", library=name, version=sys.modules[name].__version__)


def data_dir(settings: Settings) -> Iterator[CheckResult]:
    """Check that the data folder exists, is private and writable, and has enough free space."""
    path = settings.data_dir
    nearest = next(folder for folder in (path, *path.parents) if os.access(folder, os.F_OK))
    if not nearest.is_dir():
        yield fail(
            "data folder {folder} cannot be created or written",
            "{parent} is a file; name another folder with --data-dir",
            folder=path,
            parent=nearest,
        )
        return
    if not os.access(nearest, os.R_OK | os.W_OK | os.X_OK):
        yield fail(
            "data folder {folder} cannot be created or written",
            "give this user permission to write in {parent}",
            folder=path,
            parent=nearest,
        )
        return
    if not path.is_dir():
        yield warn(
            "data folder {folder} does not exist yet",
            "the service creates it at its first start",
            Repair.CREATE_FOLDER,
            path,
            folder=path,
        )
        return
    if is_open_to_others(path):
        yield warn(
            "data folder {folder} is open to other users",
            "run: chmod 700 '{folder}'",
            Repair.OWNER_ONLY,
            path,
            folder=path,
        )
    else:
        yield ok("data folder {folder}", folder=path)
    free = shutil.disk_usage(path).free
    room = f"{free / 2**30:.1f}"
    if free < settings.disk_reserve_bytes:
        yield fail(
            "{room} GB free for data, less than WALKAROUND_DISK_RESERVE_BYTES: uploads are refused",
            _FREE_SPACE_ADVICE,
            room=room,
        )
    elif free < NO_SPACE:
        yield fail(_FREE_SPACE, _FREE_SPACE_ADVICE, room=room)
    elif free < LOW_SPACE:
        yield warn(_FREE_SPACE, "photos will fill it soon; free some space", room=room)
    else:
        yield ok(_FREE_SPACE, room=room)


_FREE_SPACE = "{room} GB free for data"
_FREE_SPACE_ADVICE = "free some space, or move the data folder to a larger disk"


def database(settings: Settings) -> Iterator[CheckResult]:
    """Check that the database answers, is intact and has the schema of this version."""
    db = Database(settings.url)
    name = "SQLite" if db.is_sqlite else "PostgreSQL"
    path = Path(db.url.database or "")
    try:
        if db.is_sqlite and not path.is_file():
            yield warn("no database at {file}", "the service creates it at its first start", file=path)
            return
        integrity = _check_integrity(path) if db.is_sqlite else None
        if integrity is not None and integrity.level is Level.FAIL:
            yield integrity
            return
        current, newest = current_revision(db), newest_revision()
    except (SQLAlchemyError, sqlite3.Error, OSError) as problem:
        advice = "check that the server runs and its address is right"
        if db.is_sqlite:
            # SQLite needs a file beside the database, so a folder that cannot be written hides an intact one.
            is_writable = os.access(path.parent, os.W_OK)
            advice = "restore a backup" if is_writable else "give this user permission to write in {parent}"
        yield fail(
            "the {name} database does not answer ({problem})",
            advice,
            name=name,
            problem=connection_problem(problem),
            parent=path.parent,
        )
        return
    finally:
        db.close()
    values = {"name": name, "revision": current, "newest": newest}
    if current is not None and current > newest:
        yield fail(_REVISION, "it belongs to a newer version; install that version", **values)
        return
    if integrity is not None:
        yield integrity
    if current is None or current < newest:
        yield warn(_REVISION, "the next start upgrades it to {newest}", **values)
    else:
        yield ok(_REVISION, **values)


_REVISION = "{name} database at revision {revision}"


def _check_integrity(path: Path) -> CheckResult:
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        result = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if result != "ok":
        return fail(
            "the database is damaged ({problem})", "stop the service and restore a backup", problem=result
        )
    return ok("database {file} is intact", file=path)


def files(settings: Settings) -> Iterator[CheckResult]:
    """Check that the file store answers, and how much of its quota is used."""
    try:
        contents = file_contents(settings)
        contents.contains("0" * 64)
    except (StoreSettingsError, StoreUnavailableError, OSError) as problem:
        yield fail(
            "the file storage does not respond ({problem})",
            "check WALKAROUND_FILES_URL, its endpoint, region and keys, and that its server runs",
            problem=problem,
        )
        return
    yield ok("files are stored in {place}", place=settings.files_url or settings.files_dir)
    if not settings.files_quota_bytes:
        return
    db = Database(settings.url)
    try:
        _, stored_size = db.read_now(count_stored_bytes)
    except (SQLAlchemyError, sqlite3.Error, OSError):
        # The check of the database reports this.
        return
    finally:
        db.close()
    share = stored_size / settings.files_quota_bytes
    used = f"{share:.0%}"
    if share >= 1:
        yield fail("{used} of the file quota is used: uploads are refused", _QUOTA_ADVICE, used=used)
    elif share >= QUOTA_WARNING_SHARE:
        yield warn("{used} of the file quota is used", _QUOTA_ADVICE, used=used)
    else:
        yield ok("{used} of the file quota is used", used=used)


_QUOTA_ADVICE = "run: walkaround files unused, or raise WALKAROUND_FILES_QUOTA_BYTES"


def tiles(settings: Settings) -> Iterator[CheckResult]:
    """Check that the files of the tile cache can be read."""
    folder = settings.data_dir / "cache" / "tiles"
    damaged = find_damaged_tiles(folder)
    if damaged:
        yield warn(
            "{count} files of the tile cache are damaged: {folder}",
            "delete them; they are created again when a picture is opened",
            Repair.DELETE_DAMAGED_TILES,
            folder,
            count=len(damaged),
            folder=folder,
        )
    else:
        yield ok("tile cache")


def backups(settings: Settings) -> Iterator[CheckResult]:
    """Check the age of the newest scheduled backup."""
    if not settings.backup_to:
        yield warn(
            "no backups are made on a schedule",
            "choose a folder on another disk under Administration, Backups, or set WALKAROUND_BACKUP_TO",
        )
        return
    try:
        names = SharedFolder(configured_place(settings)).names()
    except (OSError, StoreSettingsError) as problem:
        cause = describe_os_error(problem) if isinstance(problem, OSError) else str(problem)
        yield fail("the backups cannot be read: {problem}", "check WALKAROUND_BACKUP_TO", problem=cause)
        return
    if not names:
        yield fail(
            "there is no backup in {place}",
            "the service makes one within minutes of its start; its log says why not",
            place=settings.backup_to,
        )
        return
    age = dt.datetime.now(dt.UTC) - parse_time(names[-1])
    text = "the newest of {count} backups is {hours} hours old"
    values = {"count": len(names), "hours": f"{age.total_seconds() / 3600:.1f}"}
    if age > parse_schedule(settings.backup_at).interval + LATE_TOLERANCE:
        yield warn(text, "the log of the service says why no newer one was made", **values)
    else:
        yield ok(text, **values)


def service(settings: Settings) -> Iterator[CheckResult]:
    """Report whether a service runs on the data folder."""
    if not settings.data_dir.is_dir() or not os.access(settings.data_dir, os.W_OK):
        return
    try:
        with lock_data_folder(settings.data_dir, alone=True):
            yield ok("no service is using this data folder")
    except FolderInUseError:
        yield ok("a service is using this data folder")


def secrets(settings: Settings) -> Iterator[CheckResult]:
    """Check that only their owner can read the key files."""
    elsewhere = (settings.secret_file, settings.face_key_file, settings.files_keys_file)
    paths = [path for path in elsewhere if path is not None]
    for path in [*paths, *sorted(settings.data_dir.glob("*.key"))]:
        if not path.is_file():
            yield warn(
                "secret file {file} does not exist yet",
                "the service creates it at its first start",
                file=path,
            )
        elif is_open_to_others(path):
            yield fail(
                "{file} can be read by other users",
                "run: chmod 600 '{file}'",
                Repair.OWNER_ONLY,
                path,
                file=path,
            )
        else:
            yield ok("{file} is readable by its owner only", file=path.name)


def face_models(settings: Settings) -> Iterator[CheckResult]:
    """Check that the built-in face model loads, and that the configured pack is complete."""
    try:
        DlibEngine()
        yield ok("built-in face model")
    except (FileNotFoundError, ImportError, RuntimeError) as problem:
        yield fail("the built-in face model does not load ({problem})", "install it again", problem=problem)
    name = model_in_use(settings)
    if name == NAME:
        return
    folder = settings.face_models_dir / name
    try:
        verify(folder, read_manifest(folder))
    except (PackError, OSError) as problem:
        yield fail(
            "face model pack {name} is not installed or incomplete ({problem})",
            "run: walkaround face install PACK.zip",
            name=name,
            problem=problem,
        )
    else:
        yield ok("face model pack {name}", name=name)


def detection_models(settings: Settings) -> Iterator[CheckResult]:
    """Check that the file of each detection model exists and is unchanged."""
    db = Database(settings.url)
    try:
        if db.is_sqlite and not Path(db.url.database or "").is_file():
            return
        with contextlib.closing(model_contents(settings)) as contents:
            for model in list_models(db):
                if model.sha256 is None:
                    continue
                name = f"{model.model_name} {model.version}"
                if contents.stored_hash(model.sha256) == model.sha256:
                    yield ok("detection model {name}", name=name)
                else:
                    yield fail(
                        "the file of the detection model {name} is missing or damaged",
                        "add the model again in the catalogue, or restore a backup",
                        name=name,
                    )
    except (SQLAlchemyError, sqlite3.Error, OSError, StoreSettingsError, StoreUnavailableError):
        # The checks of the database and of the file store report this.
        return
    finally:
        db.close()


CHECKS: tuple[Check, ...] = (
    python,
    libraries,
    data_dir,
    database,
    records,
    files,
    service,
    secrets,
    tiles,
    backups,
    face_models,
    detection_models,
)
