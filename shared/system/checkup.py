"""Defines the results and repairs of `walkaround doctor`, for the service and the desktop."""

from __future__ import annotations

import argparse
import json
import os
import stat
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from shared.system.paths import ensure_private_folder


class Level(StrEnum):
    """The level of a check's result: fine, warning or fault."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class Repair(StrEnum):
    """A repair that the program can make by itself, on the path of a result. Repeating one does no harm."""

    CREATE_FOLDER = "create_folder"
    """Create a missing folder that only its owner can open."""
    OWNER_ONLY = "owner_only"
    """Remove the permissions of other users on a file or folder."""
    DELETE_DAMAGED_TILES = "delete_damaged_tiles"
    """Delete unreadable files of a tile cache. The program creates them again when it needs them."""
    MOVE_AWAY = "move_away"
    """Rename an unreadable file, so that the program writes a new one."""


class CheckResult(NamedTuple):
    """The result of one check and, unless it is fine, an advice.

    `found` and `advice` are English templates with `{name}` for each of `values`, so that the desktop can
    translate them. `repair` applies to `path`.
    """

    level: Level
    found: str
    advice: str = ""
    values: Mapping[str, str] = {}
    repair: Repair | None = None
    path: str = ""

    def __str__(self) -> str:
        line = f"{self.level:<5} {self.found.format(**self.values)}"
        return line + (f": {self.advice.format(**self.values)}" if self.advice else "")


def ok(found: str, /, **values: object) -> CheckResult:
    """Create a result that is fine."""
    return CheckResult(Level.OK, found, "", _as_text(values))


def warn(
    found: str, advice: str, repair: Repair | None = None, path: Path | None = None, /, **values: object
) -> CheckResult:
    """Create a warning: it works, but a person should check it."""
    return CheckResult(Level.WARN, found, advice, _as_text(values), repair, str(path or ""))


def fail(
    found: str, advice: str = "", repair: Repair | None = None, path: Path | None = None, /, **values: object
) -> CheckResult:
    """Create a fault."""
    return CheckResult(Level.FAIL, found, advice, _as_text(values), repair, str(path or ""))


def _as_text(values: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


def to_json(side: str, check: str, result: CheckResult) -> str:
    """Return a result as one line of JSON with side, check, sentences, templates and values."""
    document = {
        "side": side,
        "check": check,
        "level": result.level,
        "found": result.found.format(**result.values),
        "advice": result.advice.format(**result.values),
        "texts": [result.found, result.advice],
        "values": dict(result.values),
        "repair": result.repair,
        "path": result.path,
    }
    return json.dumps(document, ensure_ascii=False)


def from_json(line: str) -> tuple[str, CheckResult]:
    """Read the check's name and its result from a line of `to_json`. Raises ValueError otherwise."""
    try:
        fields: dict[str, Any] = json.loads(line)
        found, advice = (str(text) for text in fields["texts"])
        values = {str(name): str(value) for name, value in fields["values"].items()}
        repair = None if fields["repair"] is None else Repair(fields["repair"])
        result = CheckResult(Level(fields["level"]), found, advice, values, repair, str(fields["path"]))
    except (KeyError, TypeError, AttributeError) as problem:
        raise ValueError("not a result of a check") from problem
    return str(fields["check"]), result


def repair(result: CheckResult) -> None:
    """Make the repair of a result. Raises OSError if it fails, ValueError if the result has no repair."""
    path = Path(result.path)
    match result.repair:
        case Repair.CREATE_FOLDER:
            ensure_private_folder(path)
        case Repair.OWNER_ONLY:
            mode = path.stat().st_mode
            path.chmod(stat.S_IMODE(mode) & stat.S_IRWXU)
        case Repair.DELETE_DAMAGED_TILES:
            for broken in find_damaged_tiles(path):
                broken.unlink(missing_ok=True)
        case Repair.MOVE_AWAY:
            path.replace(path.with_name(f"{path.name}.broken"))
        case None:
            raise ValueError("the result has no repair")


def find_damaged_tiles(folder: Path) -> list[Path]:
    """Return the .zip files of a tile cache that are not zip archives."""
    return [
        path for path in sorted(folder.glob("**/*.zip")) if path.is_file() and not zipfile.is_zipfile(path)
    ]


def is_open_to_others(path: Path) -> bool:
    """Return True if other users can read or enter `path`. Always False on systems without owners."""
    return os.name == "posix" and bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))


Checks = Iterable[tuple[str, Callable[[], Iterator[CheckResult]]]]
"""The checks of one side: each with its name and the function that runs it."""


def run_checks(side: str, arguments: Sequence[str], checks: Checks) -> int:
    """Run the checks of one side for the command line and print a line for each result.

    `--json` prints one JSON object per line, `--repair` makes the possible repairs. Returns 1 if a fault
    remains, else 0.
    """
    parser = argparse.ArgumentParser(prog="walkaround doctor", description="Check this installation.")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.add_argument("--repair", action="store_true", help="repair what can be repaired automatically")
    parser.add_argument("--side", choices=("service", "desktop"), help="run only the checks of this side")
    options = parser.parse_args(arguments)
    if options.side not in (None, side):
        return 0
    failed = False
    for name, check in checks:
        for result in check():
            repaired = options.repair and result.repair is not None and _try_repair(result)
            if options.json:
                print(to_json(side, name, result), flush=True)
            else:
                print(f"{result} (repaired)" if repaired else result, flush=True)
            failed = failed or (result.level is Level.FAIL and not repaired)
    return 1 if failed else 0


def _try_repair(result: CheckResult) -> bool:
    try:
        repair(result)
    except OSError as problem:
        print(f"cannot repair {result.path}: {problem.strerror}", file=sys.stderr)
        return False
    return True
