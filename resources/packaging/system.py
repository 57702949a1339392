"""Reads which packages own the libraries of the build machine (Debian and Ubuntu)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path


class BuildError(Exception):
    """The bundle or its installer cannot be made; the text says why and what to do."""


def output(*command: str | Path) -> str:
    """What a tool prints. Raises BuildError where it is missing or fails."""
    # ldconfig lies where only root looks.
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
    tool = shutil.which(command[0], path=path)
    if tool is None:
        raise BuildError(f"{command[0]} is missing: this is done on Debian or Ubuntu, with binutils")
    # In the C locale the tools say what is matched in their answers.
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    run = subprocess.run(  # noqa: S603 - the commands are those of the two modules beside this one
        [tool, *command[1:]], capture_output=True, text=True, check=False, env=environment
    )
    if run.returncode:
        raise BuildError(f"{command[0]}: {run.stderr.strip()}")
    return run.stdout


_NEEDED = re.compile(r"^\s+NEEDED\s+(\S+)$", re.MULTILINE)


def needed(*libraries: Path) -> set[str]:
    """The names of the libraries that these are linked against. Raises BuildError."""
    return set(_NEEDED.findall(output("objdump", "-p", *libraries)))


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
