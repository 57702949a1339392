"""Reads which packages own the libraries of the build machine (Debian and Ubuntu)."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from shared.paths import program_folder


class BuildError(Exception):
    """The bundle or its installer cannot be made; the text says why and what to do."""


def output(*command: str | Path, **variables: str) -> str:
    """What a tool prints, run with these variables. Raises BuildError where it is missing or fails."""
    # ldconfig lies where only root looks.
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
    tool = shutil.which(command[0], path=path)
    if tool is None:
        raise BuildError(f"{command[0]} is missing: this is done on Debian or Ubuntu, with binutils")
    # In the C locale the tools say what is matched in their answers.
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **variables}
    run = subprocess.run(  # noqa: S603 - the commands are those of the two modules beside this one
        [tool, *command[1:]], capture_output=True, text=True, check=False, env=environment
    )
    if run.returncode:
        raise BuildError(f"{command[0]}: {run.stderr.strip()}")
    return run.stdout


_NEEDED = re.compile(r"^\s+NEEDED\s+(\S+)$", re.MULTILINE)


def needed(*libraries: Path) -> set[str]:
    """The names of the libraries that these are linked against. Raises BuildError."""
    return needed_in(output("objdump", "-p", *libraries))


def needed_in(headers: str) -> set[str]:
    """The same, from the output of `objdump -p`."""
    return set(_NEEDED.findall(headers))


def build_time() -> int:
    """The time that packages name as theirs, in seconds since 1970: the same sources make the same files.

    It is `SOURCE_DATE_EPOCH` (reproducible-builds.org), else the newest commit's, else the changelog's.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is not None:
        return int(epoch)
    try:
        return int(output("git", "-C", program_folder(), "log", "-1", "--format=%ct"))
    except BuildError:
        return int((program_folder() / "CHANGELOG.md").stat().st_mtime)


def package_of(library: Path) -> str:
    """The installed package that a library of the system came with. Raises BuildError."""
    resolved = library.resolve()
    # The database may know a library by its path from before /lib became a link to /usr/lib, or after.
    paths: Sequence[Path] = (
        library,
        resolved,
        Path("/usr", *library.parts[1:]),
        Path("/", *resolved.parts[2:]),
    )
    for path in dict.fromkeys(paths):
        try:
            return output("dpkg-query", "-S", path).split(":")[0]
        except BuildError:
            continue
    raise BuildError(f"{library} belongs to no installed package: who wrote it, and under what licence?")


def named_after(soname: str) -> str:
    """The package of Debian that a library is in, by the rule that names such packages.

    Source: Debian Policy 8.1; a few packages are named otherwise.
    """
    name, _, version = soname.partition(".so")
    hyphen = "-" if re.search(r"\d$", name) else ""
    return f"{name}{hyphen}{version.lstrip('.')}".lower().replace("_", "-")


def packaged(
    build: Callable[[Path, Path], Path],
    module: str,
    description: str | None,
    arguments: Sequence[str] | None = None,
) -> int:
    """Run `build` with the two folders that the command line of `module` names, and print what it made.

    0, or 1 where it raises BuildError.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("--bundle", type=Path, default=program_folder() / "dist" / "walkaround")
    parser.add_argument("--out", type=Path, default=program_folder() / "dist")
    options = parser.parse_args(arguments)
    try:
        print(build(options.bundle, options.out))
    except BuildError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0
