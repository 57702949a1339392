"""Runs the `walkaround` command: finds the side that a command belongs to and passes its arguments.

Desktop and service never import each other, so neither can contain the whole command line. This module names
their modules as strings and imports one when a command needs it (docs/adr/0001-two-sides-and-one-command.md).
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence

from shared.system.startup import without_garbage_collection

DESKTOP = "desktop.command_line"
SERVICE = "service.command_line"
# Needs neither settings nor the database. Importing the rest of the service would double its start time.
WORKER = "service.workers.command"

# First word of the command line -> (module with `main(arguments) -> int`, one line of help)
COMMANDS: dict[str, tuple[str, str]] = {
    "run": (DESKTOP, "open the desktop; without a display, run the demo"),
    "demo": (DESKTOP, "play a whole inspection offscreen and keep its pictures"),
    "serve": (SERVICE, "run the service alone, for clients on the network"),
    "worker": (WORKER, "run a child process of a service"),
    "user": (SERVICE, "add, list and disable users"),
    "face": (SERVICE, "list, install and calibrate face models"),
    "model": (SERVICE, "add and list detection models"),
    "detect": (SERVICE, "run detection on files, without a service"),
    "memory": (SERVICE, "make and show the known variations of a region"),
    "training-set": (SERVICE, "write corrected findings as a training set"),
    "tls": (SERVICE, "show the certificate of the service"),
    "backup": (SERVICE, "write database and files into one archive"),
    "restore": (SERVICE, "restore a backup archive"),
    "files": (SERVICE, "list and remove stored files that nothing uses"),
    "audit": (SERVICE, "verify the audit log"),
    "statistics": (SERVICE, "rebuild the statistics"),
    "doctor": (SERVICE, "check this installation and suggest repairs"),
}

# Commands with a part in both sides: the module of the second part.
_SECOND_MODULES = {"doctor": DESKTOP}


def usage() -> str:
    """Return the help text, with one line for each command."""
    lines = [
        "usage: walkaround [--server URL]            the desktop",
        "       walkaround COMMAND [--help | ...]",
        "       walkaround --version",
        "",
    ]
    # The service starts its workers by itself.
    lines += [f"  {name:<12} {line}" for name, (_, line) in COMMANDS.items() if name != "worker"]
    lines += [
        "",
        "All but demo take --data-dir DIR, those of the service also --database-url URL.",
    ]
    return "\n".join(lines)


def _run(module: str, arguments: Sequence[str]) -> int:
    """Run one side and return its status: 1, with a sentence, if a library of the system is missing."""
    try:
        with without_garbage_collection():
            entry: Callable[[Sequence[str]], int] = importlib.import_module(module).main
        return entry(arguments)
    except ImportError as problem:
        library, is_missing, _ = str(problem).partition(": cannot open shared object file")
        if not is_missing:
            raise
    print(
        f"walkaround: the library {library} is missing. Install its package; README.txt of the portable "
        "archive lists them all.",
        file=sys.stderr,
    )
    return 1


def _write_utf8() -> None:
    """Write UTF-8 to pipes and files, where Windows has the characters of one region only."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding != "utf-8" and not stream.isatty():
            stream.reconfigure(encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its status: 0 success, 1 failure, 2 wrong usage."""
    _write_utf8()
    if getattr(sys, "frozen", False):
        # uvicorn uses multiprocessing for `serve --workers`: it runs this program for each process.
        import multiprocessing

        multiprocessing.freeze_support()
    args = list(sys.argv[1:] if arguments is None else arguments)
    if args and args[0] in {"-h", "--help"}:
        print(usage())
        sys.exit(0)
    if "--version" in args[:1] or (args[1:] == ["--version"] and args[0] in COMMANDS):
        from shared import __version__

        print(f"walkaround {__version__}")
        sys.exit(0)
    if not args or args[0].startswith("-"):
        args.insert(0, "run")
    if args[0] not in COMMANDS:
        print(f"walkaround: there is no command '{args[0]}'.\n\n{usage()}", file=sys.stderr)
        sys.exit(2)
    modules = [COMMANDS[args[0]][0]]
    if args[0] in _SECOND_MODULES:
        modules.append(_SECOND_MODULES[args[0]])
    try:
        status = 0
        for module in modules:
            status = max(status, _run(module, args))
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = 130
    except BrokenPipeError:
        # The reader of the output ended (for example `| head`). With stdout redirected, the exit prints no
        # error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141
    sys.exit(status)
