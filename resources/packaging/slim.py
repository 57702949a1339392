"""Removes from a Linux bundle what nothing reads: debug symbols, and most of ICU's data.

ICU's data is 31 MB, for every language and for tasks that Qt does itself or not at all. Qt asks ICU for
character sets, sorting and time zones only, and the program speaks English and Chinese.
"""

from __future__ import annotations

import re
import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from resources.packaging.system import BuildError, output

# The folders of ICU's data that Qt has no calls for; the rest is character sets, sorting and time zones.
_UNUSED_BY_QT = {"brkitr", "curr", "lang", "rbnf", "region", "translit", "unit"}
_LANGUAGES = {"en", "zh"}
# What text in these languages was written in before Unicode: GB 18030, Big5-HKSCS, GB 2312, Windows-1252, and
# GBK and Big5, both in two parts. Unicode and Latin 1 need no data.
_CHARACTER_SETS = {
    "gb18030.cnv",
    "ibm-1375_P100-2008.cnv",
    "ibm-1383_P110-1999.cnv",
    "ibm-5348_P100-1997.cnv",
    "ibm-1386_P100-2001.cnv",
    "windows-936-2000.cnv",
    "ibm-1373_P100-2002.cnv",
    "windows-950-2000.cnv",
}
_OF_A_LANGUAGE = re.compile(r"([a-z]{2,3})(_\w+)?\.res")
_ALIGNMENT = 16
_LOAD = 1
_HEADER = 64


def is_elf(path: Path) -> bool:
    """Whether a file is a program or a library of Linux."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def slim(bundle: Path) -> None:
    """Make the libraries in `bundle` smaller, in place. Raises BuildError."""
    for data in bundle.rglob("libicudata.so.*"):
        if not data.is_symlink():
            trim_icu(data)
    for path in bundle.rglob("*.so*"):
        if path.is_file() and not path.is_symlink() and is_elf(path):
            strip(path)


# --- symbols ------------------------------------------------------------------------------------------


def strip(library: Path) -> None:
    """Take out the symbols that only a debugger reads. Raises BuildError.

    A library stays as it is where that changes what the loader gets: `strip` damages some of those whose name
    or search path was set after they were linked, as the makers of wheels do.
    """
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        new_library = Path(folder) / library.name
        output("strip", "--strip-unneeded", "-o", new_library, library)
        if segments(new_library.read_bytes()) == segments(library.read_bytes()):
            new_library.chmod(library.stat().st_mode)
            new_library.replace(library)


def segments(library: bytes) -> list[tuple[int, ...]]:
    """What the loader takes of a 64-bit library: per segment its address, a digest of its content and so on.

    Source: elf(5). An offset counts modulo the alignment, as the loader maps whole pages.
    """
    start = struct.unpack_from("<Q", library, 32)[0]
    size, count = struct.unpack_from("<HH", library, 54)
    parts: list[tuple[int, ...]] = []
    for at in range(start, start + size * count, size):
        kind, rights, offset, address, _, in_file, in_memory, align = struct.unpack_from(
            "<IIQQQQQQ", library, at
        )
        if kind == _LOAD:
            # The header of the file, which is in the first segment, says where the sections are.
            content = library[max(offset, _HEADER) : offset + in_file]
            parts.append((rights, address, in_file, in_memory, align, offset % align, hash(content)))
    return parts


# --- ICU ----------------------------------------------------------------------------------------------


class Part(NamedTuple):
    """An entry of ICU's data by its name, `icudt73l/coll/zh.res` for example."""

    name: str
    content: bytes


def trim_icu(library: Path) -> None:
    """Make ICU's library of data again, with what Qt asks for. Raises BuildError."""
    name = re.fullmatch(r"libicudata\.so\.(\d+)", library.name)
    if name is None:
        raise BuildError(f"{library.name} is not named as a library of ICU's data")
    with tempfile.TemporaryDirectory() as folder:
        data, source, compiled = (Path(folder) / each for each in ("data", "data.s", "data.o"))
        output("objcopy", "--dump-section", f".rodata={data}", library, Path(folder) / "unused")
        header, parts = read(data.read_bytes())
        data.write_bytes(written(header, [part for part in parts if wanted(part.name)]))
        symbol = f"icudt{name[1]}_dat"
        source.write_text(
            f'.section .rodata\n.balign {_ALIGNMENT}\n.globl {symbol}\n.type {symbol}, "object"\n'
            f'{symbol}: .incbin "{data}"\n.size {symbol}, . - {symbol}\n'
            '.section .note.GNU-stack, "", "progbits"\n',
            "utf-8",
        )
        output("as", "-o", compiled, source)
        new_library = Path(folder) / library.name
        output("ld", "-shared", "-soname", library.name, "-o", new_library, compiled)
        new_library.chmod(library.stat().st_mode)
        library.write_bytes(new_library.read_bytes())


def wanted(name: str) -> bool:
    """Whether Qt, in a program in these languages, may ask for this entry of ICU's data."""
    _, *folders, last = name.split("/")
    if folders and folders[0] in _UNUSED_BY_QT:
        return False
    if last.endswith(".cnv"):
        return last in _CHARACTER_SETS
    language = _OF_A_LANGUAGE.fullmatch(last)
    return language is None or language[1] in _LANGUAGES


def read(data: bytes) -> tuple[bytes, list[Part]]:
    """The header of a package of ICU's data and its entries. Raises BuildError.

    Source: ICU, "ucmndata.h": a header with its own size, a count, pairs of offsets of a name and its content
    from that count on, the names, the contents.
    """
    if data[2:4] != b"\xda\x27" or data[12:16] != b"CmnD":
        raise BuildError(
            "the data of ICU is not in the format that is known here: leave it whole, and see build.spec"
        )
    start = struct.unpack_from("<H", data)[0]
    count = struct.unpack_from("<I", data, start)[0]
    offsets = [struct.unpack_from("<II", data, start + 4 + 8 * index) for index in range(count)]
    ends = [content for _, content in offsets[1:]] + [len(data) - start]
    return data[:start], [
        Part(
            data[start + name : data.index(b"\0", start + name)].decode("ascii"),
            data[start + content : start + end],
        )
        for (name, content), end in zip(offsets, ends, strict=True)
    ]


def written(header: bytes, parts: Sequence[Part]) -> bytes:
    """A package of ICU's data; the inverse of `read`."""
    names = b"".join(part.name.encode("ascii") + b"\0" for part in parts)
    first_name = 4 + 8 * len(parts)
    head = len(header) + first_name + len(names)
    names += b"\0" * (-head % _ALIGNMENT)
    table, contents = struct.pack("<I", len(parts)), []
    at_name, at = first_name, first_name + len(names)
    for part in parts:
        table += struct.pack("<II", at_name, at)
        content = part.content + b"\0" * (-len(part.content) % _ALIGNMENT)
        contents.append(content)
        at_name, at = at_name + len(part.name) + 1, at + len(content)
    return header + table + names + b"".join(contents)
