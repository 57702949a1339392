"""Packs a dataset into one ZIP file and unpacks it with limits."""

from __future__ import annotations

import codecs
import contextlib
import io
import lzma
import re
import xml.etree.ElementTree as ET
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from desktop.exchange.data.file_names import same_picture
from desktop.exchange.data.imported_regions import ExchangeError, Reason
from shared.images.formats import is_picture_name
from shared.system import atomic

MAX_BYTES = 64_000_000
"""The most bytes that are read from one file, compressed or not."""
_MAX_FILES = 20_000
_XML_ENCODING = re.compile(rb"""<\?xml[^>]*encoding=["']([A-Za-z0-9._-]+)["']""")
_ROOT = re.compile(r"(?:\s|\ufeff|<\?.*?\?>|<!--.*?-->)*<([\w.:-]+)", re.DOTALL)
_PIECE = 2**16
_UTF8_NAME = 0x800
"""The flag of an entry whose name is UTF-8 (APPNOTE.TXT of PKWARE, general purpose bit 11)."""
# A constant time, so that the same inspection always gives the same bytes.
_ENTRY_TIME = (1980, 1, 1, 0, 0, 0)


def pack(files: Mapping[str, str]) -> bytes:
    """Make a ZIP file of texts by their paths, as UTF-8."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(_entry(path, zipfile.ZIP_DEFLATED), text.encode("utf-8"))
    return output.getvalue()


def write_archive(path: Path, files: Mapping[str, str], pictures: Iterable[tuple[str, bytes]]) -> None:
    """Write a ZIP file with these texts and pictures to `path` atomically, reading one picture at a time.

    Raises OSError, and every exception of `pictures`.
    """
    with (
        atomic.open_for_writing(path, durable=True) as part,
        zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, text in files.items():
            archive.writestr(_entry(name, zipfile.ZIP_DEFLATED), text.encode("utf-8"))
        for name, data in pictures:
            # A picture is already compressed.
            archive.writestr(_entry(name, zipfile.ZIP_STORED), data)


def _entry(path: str, compression: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, _ENTRY_TIME)
    entry.compress_type = compression
    return entry


def unpack(data: bytes, *suffixes: str) -> dict[str, str]:
    """Read the texts of a ZIP file with one of these suffixes, by their paths.

    Files that a system adds, and those in an unknown encoding, are passed over: they are not of the dataset.
    Raises ExchangeError (UNREADABLE, TOO_LARGE).
    """
    texts: dict[str, str] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in members(archive) if entry.filename.lower().endswith(suffixes)]
            # The archive states the sizes, and zipfile never returns more bytes than stated.
            if len(entries) > _MAX_FILES or sum(entry.file_size for entry in entries) > MAX_BYTES:
                raise ExchangeError(Reason.TOO_LARGE)
            for entry in entries:
                content = archive.read(entry)
                with contextlib.suppress(ExchangeError):
                    texts[entry.filename] = decode_text(content)
            return texts
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        OSError,
        RuntimeError,
        ValueError,
    ) as error:
        raise ExchangeError(Reason.UNREADABLE) from error


def refuse_unmarked(data: bytes, target: str) -> None:
    """Raise ExchangeError (NO_REGIONS) for an archive that holds the picture `target`, but no file for it.

    The only file of an archive must not be taken for that of a picture without anything to mark.
    """
    with contextlib.suppress(zipfile.BadZipFile, OSError, ValueError):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [entry.filename for entry in members(archive)]
        if any(same_picture(name, target) for name in names if is_picture_name(name)):
            raise ExchangeError(Reason.NO_REGIONS)


def members(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    """The files of an archive without those that macOS adds; their names in Chinese where they are."""
    for entry in archive.infolist():
        if not entry.flag_bits & _UTF8_NAME and not entry.filename.isascii():
            # zipfile has decoded the name as code page 437; Chinese Windows writes GBK.
            with contextlib.suppress(UnicodeError):
                entry.filename = entry.filename.encode("cp437").decode("gb18030")
        parts = PurePosixPath(entry.filename).parts
        if parts and "__MACOSX" not in parts and not parts[-1].startswith("._"):
            yield entry


def is_archive(data: bytes) -> bool:
    """Whether `data` begins like a ZIP file."""
    return data[:2] == b"PK"


def decode_text(data: bytes) -> str:
    """Decode UTF-8, UTF-16, or else GB 18030 or Windows-1252. Raises ExchangeError (UNREADABLE)."""
    encodings: tuple[str, ...] = ("utf-8-sig", "gb18030", "cp1252")
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        encodings = ("utf-16",)
    elif b"\0" in data[:2]:
        # Without a byte order mark: every format here begins with an ASCII character.
        encodings = ("utf-16-be",) if data[:1] == b"\0" else ("utf-16-le",)
    for encoding in encodings:
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode(encoding)
    raise ExchangeError(Reason.UNREADABLE)


def parse_xml(text: str) -> ET.Element:
    """Parse a decoded XML document. Raises ExchangeError (UNREADABLE), also if it declares entities."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ExchangeError(Reason.UNREADABLE)
    try:
        # Without its declaration: the text is decoded already.
        return ET.fromstring(re.sub(r"^\s*<\?xml.*?\?>", "", text, count=1))  # noqa: S314
    except (ET.ParseError, ValueError) as error:
        raise ExchangeError(Reason.UNREADABLE) from error


def stream_xml(text: str) -> Iterator[tuple[bool, ET.Element]]:
    """Parse a decoded XML document in pieces: each element with True when it begins, False when it ends.

    Raises ExchangeError (UNREADABLE), also if it declares entities.
    """
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ExchangeError(Reason.UNREADABLE)
    parser: Any = ET.XMLPullParser(("start", "end"))
    try:
        for start in range(0, len(text), _PIECE):
            # As text, so that the encoding of its declaration does not count.
            parser.feed(text[start : start + _PIECE])
            for event, element in parser.read_events():
                yield event == "start", element
        parser.close()
    except (ET.ParseError, ValueError) as error:
        raise ExchangeError(Reason.UNREADABLE) from error


def root_tag(text: str) -> str:
    """The tag of the root element of an XML document; empty if there is none."""
    match = _ROOT.match(text)
    return match[1] if match else ""


def decode_xml(data: bytes) -> str:
    """Decode an XML document as it declares, or like any text. Raises ExchangeError (UNREADABLE)."""
    declared = _XML_ENCODING.match(data[:200])
    if declared is None:
        return decode_text(data)
    try:
        return data.decode(declared[1].decode("ascii"))
    except LookupError as error:
        raise ExchangeError(Reason.UNREADABLE) from error
    except UnicodeDecodeError:
        return decode_text(data)
