"""Packs a dataset into one ZIP file and unpacks it with limits."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from desktop.exchange.data.errors import ExchangeError, Reason
from shared import atomic

MAX_BYTES = 64_000_000
"""The most bytes that are read from one file, compressed or not."""
_MAX_FILES = 20_000
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
    """Read the texts of a ZIP file with one of these suffixes.

    Raises ExchangeError (UNREADABLE, TOO_LARGE).
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if entry.filename.lower().endswith(suffixes)]
            # The archive states the sizes, and zipfile never returns more bytes than stated.
            if len(entries) > _MAX_FILES or sum(entry.file_size for entry in entries) > MAX_BYTES:
                raise ExchangeError(Reason.TOO_LARGE)
            return {entry.filename: decode_text(archive.read(entry)) for entry in entries}
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


def is_archive(data: bytes) -> bool:
    """Whether `data` begins like a ZIP file."""
    return data[:2] == b"PK"


def decode_text(data: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark. Raises ExchangeError (UNREADABLE)."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ExchangeError(Reason.UNREADABLE) from error
