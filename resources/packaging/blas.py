"""Lets OpenCV and NumPy share one OpenBLAS in a bundle for Linux.

Each brings its own, of 42 and 28 MB with the Fortran runtime, which differ in the size of their integers:
NumPy's functions take 64 bits and have other names (`scipy_dgesv_64_` for `dgesv_`). A library of a few
kilobytes with the name of OpenCV's takes its place and calls NumPy's.
"""

from __future__ import annotations

import re
from pathlib import Path

from resources.packaging.system import BuildError, run_tool

SOURCE = Path(__file__).with_name("blas.c")

_SYMBOL = re.compile(r"^[0-9a-f]+ .{7} (\S+)\s+[0-9a-f]+\s+\S+ +(\w+)$", re.MULTILINE)


def build_blas_bridge(user: Path, replaced: Path, provider: Path, folder: Path) -> Path:
    """Build in `folder` a library with the name of `replaced`, for `user`, on the functions of `provider`.

    It looks for `provider` in its folder beside its own, as wheels are laid out. Raises BuildError, also if
    `user` imports a function from `replaced` that the bridge does not have.
    """
    folder.mkdir(parents=True, exist_ok=True)
    bridge = folder / replaced.name
    run_tool(
        *("cc", "-O2", "-shared", "-fPIC", "-fvisibility=default", "-Werror", "-Wl,--no-undefined"),
        *("-Wl,--build-id=none", f"-Wl,-soname,{replaced.name}"),
        f"-Wl,-rpath,$ORIGIN/../{provider.parent.name}:$ORIGIN/{provider.parent.name}",
        *("-o", bridge, SOURCE, provider),
    )
    missing = (imported_symbols(user) & exported_symbols(replaced)) - exported_symbols(bridge)
    if missing:
        raise BuildError(
            f"{SOURCE.name} lacks functions that {user.name} calls: {', '.join(sorted(missing))}"
        )
    return bridge


def imported_symbols(library: Path) -> set[str]:
    """Return the names that a library expects of others. Raises BuildError."""
    return {
        name for section, name in _SYMBOL.findall(run_tool("objdump", "-T", library)) if section == "*UND*"
    }


def exported_symbols(library: Path) -> set[str]:
    """Return the names of the functions that a library has for others. Raises BuildError."""
    return {
        name for section, name in _SYMBOL.findall(run_tool("objdump", "-T", library)) if section == ".text"
    }
