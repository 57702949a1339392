"""Makes stand-ins for libraries that the program is linked against and never calls.

OpenCV is linked against FFmpeg, which brings 32 MB of codecs and an OpenSSL that gets no updates any more.
Cameras are read without it, and video files by OpenCV's own reader of Motion JPEG. A stand-in has the name,
the versions and the symbols of the library, so that the loader takes it; a call of one ends the process.
"""

from __future__ import annotations

import platform
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from resources.packaging.system import BuildError, output

_TRAPS = {"x86_64": "ud2", "aarch64": "brk #0"}
"""The instruction of each machine that ends a process with SIGILL or SIGTRAP."""

# "0000000000000000      DF *UND*  0000000000000000 (LIBAVUTIL_60) av_free", from objdump.
_WANTED = re.compile(r"^[0-9a-f]+ .{7} \*UND\*\s+[0-9a-f]+\s+\(?(\S+?)\)? +(\w+)$", re.MULTILINE)
_REFERENCE = re.compile(r"^  required from (\S+):\n((?:    .*\n?)+)", re.MULTILINE)


def stand_ins(user: Path, libraries: Iterable[Path], into: Path) -> dict[Path, Path]:
    """A stand-in in the folder `into` for each of `libraries`, which the library `user` is linked against.

    Raises BuildError, also where `user` asks a library for symbols without a version: it does not say then
    which of its libraries has them.
    """
    trap = _TRAPS.get(platform.machine())
    if trap is None:
        raise BuildError(f"no instruction is known here that ends a process on {platform.machine()}")
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    wanted: dict[str, list[str]] = defaultdict(list)
    for version, name in _WANTED.findall(output("objdump", "-T", user)):
        wanted[version].append(name)
    versions = {
        soname: [line.split()[-1] for line in lines.splitlines()]
        for soname, lines in _REFERENCE.findall(output("objdump", "-p", user))
    }
    paths = {}
    for library in libraries:
        if not versions.get(library.name):
            raise BuildError(f"{user.name} asks {library.name} for symbols without a version")
        symbols = {version: wanted[version] for version in versions[library.name]}
        paths[library] = _stand_in(library.name, symbols, trap, into)
    return paths


def _stand_in(soname: str, symbols: dict[str, list[str]], trap: str, into: Path) -> Path:
    source, script, compiled = (into / f"{soname}.{kind}" for kind in ("s", "map", "o"))
    names = [name for group in symbols.values() for name in group]
    source.write_text(
        ".text\n"
        + "".join(f".globl {name}\n.type {name}, %function\n{name}: {trap}\n" for name in names)
        + '.section .note.GNU-stack, "", %progbits\n',
        "utf-8",
    )
    script.write_text(
        "".join(
            f"{version} {{ global: {' '.join(f'{name};' for name in group)} local: *; }};\n"
            for version, group in symbols.items()
        ),
        "utf-8",
    )
    stand_in = into / soname
    output("as", "-o", compiled, source)
    output("ld", "-shared", "-soname", soname, "--version-script", script, "-o", stand_in, compiled)
    return stand_in
