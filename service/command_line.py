"""Runs the service's commands: reads settings from environment and options and calls the right module."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import ValidationError
from pydantic_settings import SettingsError
from sqlalchemy.exc import ArgumentError, DBAPIError

from service.db.schema import NewerDatabaseError
from service.db.storage_faults import classify_storage_fault
from service.settings import Settings
from service.stores.port import StoreSettingsError, StoreUnavailableError
from service.tls import CertificateError
from shared.codes import StorageFault
from shared.os_errors import describe_os_error
from shared.startup import without_garbage_collection

# Commands whose options their own module reads: `main(arguments, settings) -> exit status`.
_MODULES = {
    "user": "service.account.cli",
    "face": "service.face.cli",
    "model": "service.detection.cli",
    "detect": "service.detection.cli",
    "memory": "service.detection.memory_cli",
    "backup": "service.backups.cli",
    "restore": "service.backups.cli",
    "files": "service.commands.files",
    "audit": "service.commands.verify_audit",
    "statistics": "service.commands.statistics",
    "training-set": "service.commands.training_set",
    "doctor": "service.commands.doctor",
    "tls": "service.tls.cli",
}

# Commands that change the database beside the service take listeners for the changes as a third argument.
_CHANGES_DATA = ("user", "model", "files", "statistics")


_COMMON = ("data_dir", "database_url")
_TLS = ("tls_cert", "tls_key")


def _common() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--data-dir", type=Path, help="data directory: database, files and keys")
    parser.add_argument(
        "--database-url", help="database to use instead of SQLite, for example postgresql://..."
    )
    return parser


def _settings(options: argparse.Namespace) -> Settings:
    values = {
        key: getattr(options, key, None)
        for key in (*_COMMON, "host", "port", "workers", *_TLS, "plain_http", "metrics", "log_format")
        if getattr(options, key, None) is not None
    }
    # Child processes (workers) take the same settings from the environment.
    for key, value in values.items():
        os.environ[f"WALKAROUND_{key.upper()}"] = str(value)
    return Settings()


def main(arguments: Sequence[str]) -> int:
    """Run one command of the service and give its exit status."""
    # Only the account that the service runs under may read database, photos, keys and logs.
    os.umask(0o077)
    try:
        return _run(arguments)
    except ValidationError as problem:
        names = set()
        for error in problem.errors(include_url=False, include_input=False):
            # After the name come indices in a list, and pydantic's name of each type that was tried.
            name = str(error["loc"][0]) if error["loc"] else ""
            if name in names:
                continue
            names.add(name)
            what = f"the setting {name} does not fit" if name else "settings do not fit"
            why = error["msg"].removeprefix("Value error, ")
            print(f"walkaround {arguments[0]}: {what}: {why}.", file=sys.stderr)
        return 2
    except (SettingsError, StoreSettingsError, ArgumentError) as problem:
        print(f"walkaround {arguments[0]}: {_no_secret(problem)}", file=sys.stderr)
        return 2
    except StoreUnavailableError as problem:
        print(
            f"walkaround {arguments[0]}: the file storage does not respond ({problem}). Check that its "
            "server runs and that address and keys are right; `walkaround doctor` looks closer.",
            file=sys.stderr,
        )
        return 1
    except DBAPIError as problem:
        print(f"walkaround {arguments[0]}: {_database_trouble(problem)}", file=sys.stderr)
        return 1
    except CertificateError as problem:
        print(f"walkaround {arguments[0]}: {problem}", file=sys.stderr)
        return 1
    except NewerDatabaseError as problem:
        print(
            f"walkaround {arguments[0]}: {problem}. Install the newer version of Walkaround that wrote it, "
            "or restore a backup that was made before.",
            file=sys.stderr,
        )
        return 1
    except BrokenPipeError:
        raise
    except OSError as problem:
        print(
            f"walkaround {arguments[0]}: {describe_os_error(problem)}. "
            "Check the path, its rights and the free space, or name another place.",
            file=sys.stderr,
        )
        return 1


def _database_trouble(problem: DBAPIError) -> str:
    match classify_storage_fault(problem):
        case StorageFault.DISK_FULL:
            return "the disk is full: the database takes nothing more. Make room, then start again."
        case StorageFault.DAMAGED_DATABASE:
            return "the database is damaged. Move the data directory away and restore the newest backup."
        case StorageFault.BUSY_DATABASE:
            return "another program holds the database. End that one, or try again later."
    # Its text can hold the address of the database with a password: the kind of it is enough.
    return (
        f"the database cannot be used ({type(problem.orig).__name__}). Check that its server runs, and that "
        "there is room and a right to write; `walkaround doctor` looks closer."
    )


def _no_secret(problem: Exception) -> str:
    if isinstance(problem, ArgumentError):
        return "the address of the database cannot be read; it looks like postgresql://user@host/name."
    if isinstance(problem, StoreSettingsError):
        return f"{problem}."
    return (
        f"a setting of the environment cannot be read: {problem}. A list is written as JSON, for example "
        '\'["one", "two"]\'.'
    )


def _run(arguments: Sequence[str]) -> int:
    command, rest = arguments[0], list(arguments[1:])
    if command == "serve":
        return _serve(rest)
    options, rest = _common().parse_known_args(rest)
    settings = _settings(options)
    with without_garbage_collection():
        run_command: Callable[..., int] = importlib.import_module(_MODULES[command]).main
    if command in _CHANGES_DATA:
        from service.audit.service import listener

        settings.prepare()
        return run_command([command, *rest], settings, [listener(settings)])
    return run_command([command, *rest], settings)


def _has_opentelemetry() -> bool:
    """Whether what sends traces is installed; the packaged program goes without it."""
    try:
        return importlib.util.find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    except ModuleNotFoundError:
        return False


def _serve(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="walkaround serve", parents=[_common()])
    parser.add_argument("--host", help="address to listen on (default 127.0.0.1: this machine only)")
    parser.add_argument("--port", type=int, help="port to listen on; 0 picks a free one (default 8177)")
    parser.add_argument("--workers", type=int, help="number of processes; more than one requires PostgreSQL")
    parser.add_argument("--metrics", metavar="HOST:PORT", help="serve Prometheus metrics on this address")
    parser.add_argument(
        "--log-format", choices=("text", "json"), help="format of the log lines (default text)"
    )
    parser.add_argument("--tls-cert", type=Path, help="TLS certificate (PEM); reloaded when it changes")
    parser.add_argument("--tls-key", type=Path, help="its private key (PEM), without a password")
    parser.add_argument(
        "--plain-http",
        action="store_const",
        const=True,
        help="allow an address other than loopback without TLS: only behind a reverse proxy with TLS",
    )
    settings = _settings(parser.parse_args(arguments))
    if settings.workers > 1 and settings.is_sqlite:
        parser.error("--workers above 1 needs PostgreSQL (--database-url): SQLite is for one process")
    if settings.otel_endpoint and not _has_opentelemetry():
        parser.error("WALKAROUND_OTEL_ENDPOINT needs OpenTelemetry: pip install 'walkaround[otel]'")
    try:
        settings.metrics_token()
    except ValueError as problem:
        parser.error(f"{problem}: write a random one into it")
    with without_garbage_collection():
        from service.running import serve

    return serve(settings)
