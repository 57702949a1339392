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

MOST_BYTES = 64_000_000
"""No more is read from one file, packed or unpacked."""
_MOST_FILES = 20_000
# The same inspection gives the same bytes: the archive says no time.
_TIME = (1980, 1, 1, 0, 0, 0)


def pack(files: Mapping[str, str]) -> bytes:
    """A ZIP file with these texts (UTF-8) by their paths."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(_entry(path, zipfile.ZIP_DEFLATED), text.encode("utf-8"))
    return out.getvalue()


def pack_into(path: Path, files: Mapping[str, str], pictures: Iterable[tuple[str, bytes]]) -> None:
    """Write a ZIP file with these texts and pictures to `path`, whole or not at all; one picture at a time.

    Raises OSError, and whatever `pictures` does.
    """
    with (
        atomic.writing(path, durable=True) as part,
        zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, text in files.items():
            archive.writestr(_entry(name, zipfile.ZIP_DEFLATED), text.encode("utf-8"))
        for name, data in pictures:
            # A picture is packed already.
            archive.writestr(_entry(name, zipfile.ZIP_STORED), data)


def _entry(path: str, packing: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, _TIME)
    entry.compress_type = packing
    return entry


def unpack(data: bytes, *suffixes: str) -> dict[str, str]:
    """The texts in a ZIP file whose paths end so. Raises ExchangeError (UNREADABLE, TOO_LARGE)."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if entry.filename.lower().endswith(suffixes)]
            # The sizes stand in the archive, and zipfile never gives more than they say.
            if len(entries) > _MOST_FILES or sum(entry.file_size for entry in entries) > MOST_BYTES:
                raise ExchangeError(Reason.TOO_LARGE)
            return {entry.filename: text_of(archive.read(entry)) for entry in entries}
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
    """True for what begins like a ZIP file."""
    return data[:2] == b"PK"


def text_of(data: bytes) -> str:
    """UTF-8 text, with or without a mark at its start. Raises ExchangeError (UNREADABLE)."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ExchangeError(Reason.UNREADABLE) from error
