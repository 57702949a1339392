"""Defines results of checks and what they can repair, for both sides of `walkaround doctor`."""

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

from shared.paths import private_folder


class Level(StrEnum):
    """How a check came out: fine, to be looked at, a fault."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class Repair(StrEnum):
    """What the program can repair by itself; each is done to the path of its result and can be done twice."""

    CREATE_FOLDER = "create_folder"
    """A folder that is missing is made, for its owner alone."""
    OWNER_ONLY = "owner_only"
    """A file or folder that others may read becomes its owner's."""
    DELETE_DAMAGED_TILES = "delete_damaged_tiles"
    """Files of a tile cache that cannot be read are deleted; they are made again when they are needed."""
    MOVE_AWAY = "move_away"
    """A file that cannot be read gets another name, so that the program writes a new one."""


class CheckResult(NamedTuple):
    """What one check found and, unless it is fine, what to do.

    `found` and `advice` are English texts with `{name}` where `values` belong, so that a side with
    translations can say them in another language. `path` is what `repair` is done to.
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
    """A result that is fine."""
    return CheckResult(Level.OK, found, "", _as_text(values))


def warn(
    found: str, advice: str, repair: Repair | None = None, path: Path | None = None, /, **values: object
) -> CheckResult:
    """A warning: it works, and should be looked at."""
    return CheckResult(Level.WARN, found, advice, _as_text(values), repair, str(path or ""))


def fail(
    found: str, advice: str = "", repair: Repair | None = None, path: Path | None = None, /, **values: object
) -> CheckResult:
    """A fault."""
    return CheckResult(Level.FAIL, found, advice, _as_text(values), repair, str(path or ""))


def _as_text(values: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


def to_json(side: str, check: str, result: CheckResult) -> str:
    """A result as one line of JSON: who checked, what, the sentences, and the texts that they are made of."""
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
    """The check and the result of a line of `to_json`. Raises ValueError for any other line."""
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
    """Repair what the result names. Raises OSError when it fails, ValueError without anything to repair."""
    path = Path(result.path)
    match result.repair:
        case Repair.CREATE_FOLDER:
            private_folder(path)
        case Repair.OWNER_ONLY:
            mode = path.stat().st_mode
            path.chmod(stat.S_IMODE(mode) & stat.S_IRWXU)
        case Repair.DELETE_DAMAGED_TILES:
            for broken in damaged_tiles(path):
                broken.unlink(missing_ok=True)
        case Repair.MOVE_AWAY:
            path.replace(path.with_name(f"{path.name}.broken"))
        case None:
            raise ValueError("nothing can be repaired here")


def damaged_tiles(folder: Path) -> list[Path]:
    """The files of a tile cache that end in .zip and are no archive."""
    return [
        path for path in sorted(folder.glob("**/*.zip")) if path.is_file() and not zipfile.is_zipfile(path)
    ]


def is_open_to_others(path: Path) -> bool:
    """True when other users may read or enter `path`, where the system knows owners."""
    return os.name == "posix" and bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))


Checks = Iterable[tuple[str, Callable[[], Iterator[CheckResult]]]]
"""The names of checks, and what runs them."""


def report(side: str, arguments: Sequence[str], checks: Checks) -> int:
    """Run the checks of one side for the command line and print a line for each result.

    Takes `--json` for one JSON object per line and `--repair` to repair what it can. Gives 1 when a fault is
    left, else 0.
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
