"""Builds stubs for libraries that the program is linked against and does not use.

OpenCV is linked against FFmpeg, which has 32 MB of codecs and an OpenSSL that gets no updates. The program
reads cameras without it, and video files with OpenCV's reader for Motion JPEG. A stub has the name, the
versions and the symbols of the library, so that the loader accepts it. A call of one of its functions ends
the process.

OpenCV also brings libaom (8 MB), which its reader for AVIF needs, a format that the program does not take. A
file of that format may still reach it, so this stub refuses instead: its functions return an error.
"""

from __future__ import annotations

import platform
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from resources.packaging.system import BuildError, exported_symbols, imported_symbols, run_tool

_TRAPS = {"x86_64": "ud2", "aarch64": "brk #0"}
"""The instruction of each machine that ends a process with SIGILL or SIGTRAP."""

_ANSWERS = {
    "x86_64": {0: "xor %eax, %eax; ret", 1: "mov $1, %eax; ret"},
    "aarch64": {0: "mov x0, #0; ret", 1: "mov x0, #1; ret"},
}
"""The instructions of each machine that return a number."""
_RETURN_POINTERS = re.compile(r"aom_img_|_(cx_data|frame|error|error_detail|err_to_string|version_str)$")
"""The functions of libaom that return a pointer: 0 after an error. The others return a code: 1."""

# "0000000000000000      DF *UND*  0000000000000000 (LIBAVUTIL_60) av_free", from objdump.
_IMPORTED_SYMBOL = re.compile(r"^[0-9a-f]+ .{7} \*UND\*\s+[0-9a-f]+\s+\(?(\S+?)\)? +(\w+)$", re.MULTILINE)
_VERSION_REFERENCE = re.compile(r"^  required from (\S+):\n((?:    .*\n?)+)", re.MULTILINE)


def build_stubs(user: Path, libraries: Iterable[Path], folder: Path) -> dict[Path, Path]:
    """Build a stub in `folder` for each of `libraries`, which the library `user` is linked against.

    Returns the paths of the stubs by those of the libraries. Raises BuildError, also if `user` imports
    symbols without a version from a library, because then it is unknown which library has them.
    """
    trap = _TRAPS.get(platform.machine())
    if trap is None:
        raise BuildError(f"the instruction that ends a process on {platform.machine()} is not known")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    imported: dict[str, list[str]] = defaultdict(list)
    for version, name in _IMPORTED_SYMBOL.findall(run_tool("objdump", "-T", user)):
        imported[version].append(name)
    versions = {
        soname: [line.split()[-1] for line in lines.splitlines()]
        for soname, lines in _VERSION_REFERENCE.findall(run_tool("objdump", "-p", user))
    }
    paths = {}
    for library in libraries:
        if not versions.get(library.name):
            raise BuildError(f"{user.name} imports symbols without a version from {library.name}")
        symbols = {version: imported[version] for version in versions[library.name]}
        paths[library] = _build_stub(library.name, symbols, trap, folder)
    return paths


def build_refusal(user: Path, library: Path, folder: Path) -> Path:
    """Build a stub in `folder` for libaom, `library`, whose functions return an error to `user`.

    Returns the path of the stub. Raises BuildError.
    """
    answers = _ANSWERS.get(platform.machine())
    if answers is None:
        raise BuildError(f"the instruction that returns on {platform.machine()} is not known")
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(imported_symbols(user) & exported_symbols(library))
    bodies = {name: answers[0 if _RETURN_POINTERS.search(name) else 1] for name in names}
    return _link_stub(library.name, bodies, "", folder)


def _build_stub(soname: str, symbols: dict[str, list[str]], trap: str, folder: Path) -> Path:
    versions = "".join(
        f"{version} {{ global: {' '.join(f'{name};' for name in group)} local: *; }};\n"
        for version, group in symbols.items()
    )
    return _link_stub(soname, {name: trap for group in symbols.values() for name in group}, versions, folder)


def _link_stub(soname: str, bodies: dict[str, str], versions: str, folder: Path) -> Path:
    source, script, compiled = (folder / f"{soname}.{kind}" for kind in ("s", "map", "o"))
    source.write_text(
        ".text\n"
        + "".join(
            f".globl {name}\n.type {name}, %function\n{name}: {body}\n" for name, body in bodies.items()
        )
        + '.section .note.GNU-stack, "", %progbits\n',
        "utf-8",
    )
    script.write_text(versions, "utf-8")
    stub = folder / soname
    run_tool("as", "-o", compiled, source)
    options = ("--version-script", script) if versions else ()
    run_tool("ld", "-shared", "-soname", soname, *options, "-o", stub, compiled)
    return stub
