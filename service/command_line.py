"""Runs the service's commands: reads the settings from environment and options, then calls the module."""

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

from service.db.postgresql import connection_problem
from service.db.schema import NewerDatabaseError
from service.db.storage_faults import classify_storage_fault
from service.settings import Settings
from service.stores.port import StoreSettingsError, StoreUnavailableError
from service.tls import CertificateError
from shared.record.codes import StorageFault
from shared.system.os_errors import describe_os_error
from shared.system.startup import without_garbage_collection

# The module of each command, which reads the options: `main(arguments, settings) -> exit status`.
_COMMAND_MODULES = {
    "user": "service.account.cli",
    "face": "service.face.cli",
    "model": "service.detection.cli",
    "detect": "service.detection.cli",
    "memory": "service.detection.memory_cli",
    "backup": "service.commands.backup",
    "restore": "service.commands.backup",
    "files": "service.commands.files",
    "audit": "service.commands.verify_audit",
    "statistics": "service.commands.statistics",
    "training-set": "service.commands.training_set",
    "doctor": "service.commands.doctor",
    "tls": "service.tls.cli",
}

# Commands that change the database take the listeners for changes as a third argument.
_CHANGES_DATA = ("user", "model", "files", "statistics")


_COMMON_SETTINGS = ("data_dir", "database_url")
_TLS_SETTINGS = ("tls_cert", "tls_key")


def _common_parser() -> argparse.ArgumentParser:
    """The parser of the options that every command has."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--data-dir", type=Path, help="data folder: database, files and keys")
    parser.add_argument(
        "--database-url", help="database to use instead of SQLite, for example postgresql://..."
    )
    return parser


def _read_settings(options: argparse.Namespace) -> Settings:
    """The settings of the environment, replaced by those of the command line."""
    values = {
        key: getattr(options, key, None)
        for key in (
            *_COMMON_SETTINGS,
            "host",
            "port",
            "workers",
            *_TLS_SETTINGS,
            "plain_http",
            "metrics",
            "log_format",
        )
        if getattr(options, key, None) is not None
    }
    # Child processes (workers) read the same settings from the environment.
    for key, value in values.items():
        os.environ[f"WALKAROUND_{key.upper()}"] = str(value)
    return Settings()


def main(arguments: Sequence[str]) -> int:
    """Run a command of the service and return its exit status."""
    # Only the account that the service runs under may read database, photos, keys and logs.
    os.umask(0o077)
    try:
        return _run_command(arguments)
    except ValidationError as problem:
        names = set()
        for error in problem.errors(include_url=False, include_input=False):
            # The name of the setting comes first, then indices in a list and names of types.
            name = str(error["loc"][0]) if error["loc"] else ""
            if name in names:
                continue
            names.add(name)
            subject = f"the setting {name} is invalid" if name else "the settings are invalid"
            rule = error["msg"].removeprefix("Value error, ")
            print(f"walkaround {arguments[0]}: {subject}: {rule}.", file=sys.stderr)
        return 2
    except (SettingsError, StoreSettingsError, ArgumentError) as problem:
        print(f"walkaround {arguments[0]}: {_settings_message(problem)}", file=sys.stderr)
        return 2
    except StoreUnavailableError as problem:
        print(
            f"walkaround {arguments[0]}: the file storage does not respond ({problem}). Check that its "
            "server runs and that address and keys are right; `walkaround doctor` shows details.",
            file=sys.stderr,
        )
        return 1
    except DBAPIError as problem:
        print(f"walkaround {arguments[0]}: {_database_message(problem)}", file=sys.stderr)
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
            "Check the path, its permissions and the free space, or give another path.",
            file=sys.stderr,
        )
        return 1


def _database_message(problem: DBAPIError) -> str:
    """What is wrong with the database and what to do, without a secret."""
    match classify_storage_fault(problem):
        case StorageFault.DISK_FULL:
            return "the disk is full: the database cannot be written. Free disk space, then start again."
        case StorageFault.DAMAGED_DATABASE:
            return "the database is damaged. Move the data folder away and restore the newest backup."
        case StorageFault.BUSY_DATABASE:
            return "another program uses the database. End that program, or try again later."
    # The text of the exception can contain the address of the database with a password.
    return (
        f"the database cannot be used ({connection_problem(problem)}). Check that its server runs, that "
        "there is disk space and that it may be written; `walkaround doctor` shows details."
    )


def _settings_message(problem: Exception) -> str:
    """Which setting cannot be read and how it must look, without a secret."""
    if isinstance(problem, ArgumentError):
        return "the address of the database cannot be read; it looks like postgresql://user@host/name."
    if isinstance(problem, StoreSettingsError):
        return f"{problem}."
    return (
        f"a setting of the environment cannot be read: {problem}. A list is written as JSON, for example "
        '\'["one", "two"]\'.'
    )


def _run_command(arguments: Sequence[str]) -> int:
    command, rest = arguments[0], list(arguments[1:])
    if command == "serve":
        return _serve(rest)
    options, rest = _common_parser().parse_known_args(rest)
    settings = _read_settings(options)
    with without_garbage_collection():
        run_command: Callable[..., int] = importlib.import_module(_COMMAND_MODULES[command]).main
    if command in _CHANGES_DATA:
        from service.audit.chain import audit_listener

        settings.prepare()
        return run_command([command, *rest], settings, [audit_listener(settings)])
    return run_command([command, *rest], settings)


def _has_opentelemetry() -> bool:
    """Whether the exporter of traces is installed; the packaged program does not contain it."""
    try:
        return importlib.util.find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    except ModuleNotFoundError:
        return False


def _serve(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="walkaround serve", parents=[_common_parser()])
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
    settings = _read_settings(parser.parse_args(arguments))
    if settings.workers > 1 and settings.is_sqlite:
        parser.error("--workers above 1 needs PostgreSQL (--database-url): SQLite is for one process")
    if settings.otel_endpoint and not _has_opentelemetry():
        parser.error("WALKAROUND_OTEL_ENDPOINT needs OpenTelemetry: run pip install '.[otel]' in the sources")
    try:
        settings.read_metrics_token()
    except ValueError as problem:
        parser.error(f"{problem}: write a random one into it")
    with without_garbage_collection():
        from service.running import serve

    return serve(settings)
