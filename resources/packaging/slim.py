"""Removes unused parts from a Linux bundle: debug symbols, and most of ICU's data.

ICU's data has 31 MB, for every language and for tasks for which Qt does not use it. Qt uses ICU only for
character sets, sorting and time zones, and the program has only English and Chinese texts.
"""

from __future__ import annotations

import re
import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from resources.packaging.system import BuildError, run_tool

# The folders of ICU's data that Qt does not use. The others are character sets, sorting and time zones.
_UNUSED_BY_QT = {"brkitr", "curr", "lang", "rbnf", "region", "translit", "unit"}
_LANGUAGES = {"en", "zh"}
# The character sets of these languages before Unicode: GB 18030, Big5-HKSCS, GB 2312, Windows-1252, and GBK
# and Big5, both in two parts. Unicode and Latin 1 need no data.
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
_LANGUAGE_FILE = re.compile(r"([a-z]{2,3})(_\w+)?\.res")
_ALIGNMENT = 16
_LOAD_SEGMENT = 1
_ELF_HEADER_SIZE = 64


def is_elf(path: Path) -> bool:
    """Return whether a file is a program or a library of Linux."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def slim_bundle(bundle: Path) -> None:
    """Reduce the size of the libraries in `bundle`, in place. Raises BuildError."""
    for data in bundle.rglob("libicudata.so.*"):
        if not data.is_symlink():
            trim_icu(data)
    for path in bundle.rglob("*.so*"):
        if path.is_file() and not path.is_symlink() and is_elf(path):
            strip_symbols(path)


# --- symbols ------------------------------------------------------------------------------------------


def strip_symbols(library: Path) -> None:
    """Remove the symbols that only a debugger reads. Raises BuildError.

    The library stays unchanged if the tool `strip` would change the segments that the loader reads: it
    damages some libraries whose name or search path was changed after linking, which is common in wheels.
    """
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        new_library = Path(folder) / library.name
        run_tool("strip", "--strip-unneeded", "-o", new_library, library)
        if loaded_segments(new_library.read_bytes()) == loaded_segments(library.read_bytes()):
            new_library.chmod(library.stat().st_mode)
            new_library.replace(library)


def loaded_segments(library: bytes) -> list[tuple[int, ...]]:
    """Return the properties of each segment that the loader reads from a 64-bit library, with a content hash.

    Source: elf(5). Offsets are modulo the alignment, because the loader maps whole pages.
    """
    start = struct.unpack_from("<Q", library, 32)[0]
    size, count = struct.unpack_from("<HH", library, 54)
    segments: list[tuple[int, ...]] = []
    for header_at in range(start, start + size * count, size):
        kind, rights, offset, address, _, in_file, in_memory, align = struct.unpack_from(
            "<IIQQQQQQ", library, header_at
        )
        if kind == _LOAD_SEGMENT:
            # The first segment contains the file header, which has the place of the sections.
            content = library[max(offset, _ELF_HEADER_SIZE) : offset + in_file]
            segments.append((rights, address, in_file, in_memory, align, offset % align, hash(content)))
    return segments


# --- ICU ----------------------------------------------------------------------------------------------


class IcuEntry(NamedTuple):
    """An entry of ICU's data with its name, for example `icudt73l/coll/zh.res`."""

    name: str
    content: bytes


def trim_icu(library: Path) -> None:
    """Rebuild ICU's data library with only the entries that Qt needs. Raises BuildError."""
    name = re.fullmatch(r"libicudata\.so\.(\d+)", library.name)
    if name is None:
        raise BuildError(f"{library.name} does not have the name of ICU's data library")
    with tempfile.TemporaryDirectory() as folder:
        data, source, compiled = (Path(folder) / file_name for file_name in ("data", "data.s", "data.o"))
        run_tool("objcopy", "--dump-section", f".rodata={data}", library, Path(folder) / "unused")
        header, entries = read_icu(data.read_bytes())
        data.write_bytes(write_icu(header, [entry for entry in entries if is_needed(entry.name)]))
        symbol = f"icudt{name[1]}_dat"
        source.write_text(
            f'.section .rodata\n.balign {_ALIGNMENT}\n.globl {symbol}\n.type {symbol}, "object"\n'
            f'{symbol}: .incbin "{data}"\n.size {symbol}, . - {symbol}\n'
            '.section .note.GNU-stack, "", "progbits"\n',
            "utf-8",
        )
        run_tool("as", "-o", compiled, source)
        new_library = Path(folder) / library.name
        run_tool("ld", "-shared", "-soname", library.name, "-o", new_library, compiled)
        new_library.chmod(library.stat().st_mode)
        library.write_bytes(new_library.read_bytes())


def is_needed(name: str) -> bool:
    """Return whether Qt can use this entry of ICU's data in a program in these languages."""
    _, *folders, last = name.split("/")
    if folders and folders[0] in _UNUSED_BY_QT:
        return False
    if last.endswith(".cnv"):
        return last in _CHARACTER_SETS
    language = _LANGUAGE_FILE.fullmatch(last)
    return language is None or language[1] in _LANGUAGES


def read_icu(data: bytes) -> tuple[bytes, list[IcuEntry]]:
    """Return the header of a package of ICU's data, and its entries. Raises BuildError.

    Source: ICU, "ucmndata.h": a header with its size; the number of entries; for each entry the offsets of
    name and content, counted from that number; the names; the contents.
    """
    if data[2:4] != b"\xda\x27" or data[12:16] != b"CmnD":
        raise BuildError(
            "the format of ICU's data is not supported: leave the data unchanged, and see build.spec"
        )
    start = struct.unpack_from("<H", data)[0]
    count = struct.unpack_from("<I", data, start)[0]
    offsets = [struct.unpack_from("<II", data, start + 4 + 8 * index) for index in range(count)]
    ends = [content for _, content in offsets[1:]] + [len(data) - start]
    return data[:start], [
        IcuEntry(
            data[start + name : data.index(b"\0", start + name)].decode("ascii"),
            data[start + content : start + end],
        )
        for (name, content), end in zip(offsets, ends, strict=True)
    ]


def write_icu(header: bytes, entries: Sequence[IcuEntry]) -> bytes:
    """Return a package of ICU's data; the inverse of `read_icu`."""
    names = b"".join(entry.name.encode("ascii") + b"\0" for entry in entries)
    first_name = 4 + 8 * len(entries)
    unpadded_size = len(header) + first_name + len(names)
    names += b"\0" * (-unpadded_size % _ALIGNMENT)
    table, contents = struct.pack("<I", len(entries)), []
    name_offset, content_offset = first_name, first_name + len(names)
    for entry in entries:
        table += struct.pack("<II", name_offset, content_offset)
        content = entry.content + b"\0" * (-len(entry.content) % _ALIGNMENT)
        contents.append(content)
        name_offset, content_offset = name_offset + len(entry.name) + 1, content_offset + len(content)
    return header + table + names + b"".join(contents)
