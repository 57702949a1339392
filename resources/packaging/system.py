"""Runs the tools of the build machine (Debian and Ubuntu) and reads the packages of its libraries."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from shared.system.paths import program_folder


class BuildError(Exception):
    """The bundle or its installer cannot be built. The text says why and what to do."""


def run_tool(*command: str | Path, **variables: str) -> str:
    """Run a tool with these environment variables and return its output.

    Raises BuildError if the tool is missing or fails.
    """
    # ldconfig is in a folder that only root has on the PATH.
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
    tool = shutil.which(command[0], path=path)
    if tool is None:
        raise BuildError(f"{command[0]} is missing: build on Debian or Ubuntu, with binutils and gcc")
    # In the C locale the tools print the texts that this package parses.
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **variables}
    run = subprocess.run(  # noqa: S603 - the commands come from this package
        [tool, *command[1:]], capture_output=True, text=True, check=False, env=environment
    )
    if run.returncode:
        raise BuildError(f"{command[0]}: {run.stderr.strip()}")
    return run.stdout


_NEEDED = re.compile(r"^\s+NEEDED\s+(\S+)$", re.MULTILINE)


def needed_libraries(*libraries: Path) -> set[str]:
    """Return the names of the libraries that these libraries are linked against. Raises BuildError."""
    return parse_needed(run_tool("objdump", "-p", *libraries))


def parse_needed(headers: str) -> set[str]:
    """Return the names of the needed libraries in the output of `objdump -p`."""
    return set(_NEEDED.findall(headers))


def build_time() -> int:
    """Return the time for packages and their files, in seconds since 1970; it depends only on the sources.

    It is `SOURCE_DATE_EPOCH` (reproducible-builds.org), else the time of the newest commit, else that of the
    changelog.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is not None:
        return int(epoch)
    try:
        return int(run_tool("git", "-C", program_folder(), "log", "-1", "--format=%ct"))
    except BuildError:
        return int((program_folder() / "CHANGELOG.md").stat().st_mtime)


def find_package(library: Path) -> str:
    """Return the installed package that owns a library of the system. Raises BuildError."""
    resolved = library.resolve()
    # The database may have the path from before or after /lib became a link to /usr/lib.
    paths: Sequence[Path] = (
        library,
        resolved,
        Path("/usr", *library.parts[1:]),
        Path("/", *resolved.parts[2:]),
    )
    for path in dict.fromkeys(paths):
        try:
            return run_tool("dpkg-query", "-S", path).split(":")[0]
        except BuildError:
            continue
    raise BuildError(f"{library} belongs to no installed package, so its author and licence are unknown")


def debian_package_name(soname: str) -> str:
    """Return the name of the Debian package of a library, by the naming rule for such packages.

    Source: Debian Policy 8.1. A few packages have other names.
    """
    name, _, version = soname.partition(".so")
    hyphen = "-" if re.search(r"\d$", name) else ""
    return f"{name}{hyphen}{version.lstrip('.')}".lower().replace("_", "-")


def run_build(
    build: Callable[[Path, Path], Path],
    module: str,
    description: str | None,
    arguments: Sequence[str] | None = None,
) -> int:
    """Run `build` with the two folders from the command line of `module`, and print the path that it returns.

    Returns 0, or 1 if `build` raises BuildError.
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
