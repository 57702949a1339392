"""Reads the directories of a TIFF or BigTIFF without its pixels (TIFF 6.0, section 2; BigTIFF design)."""

from __future__ import annotations

import contextlib
import io
import struct
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

MAX_PAGES: Final = 64
"""Pages that are read; a small file can claim any number."""
_MAX_ENTRIES: Final = 4096
_NUMBER_FORMS: Final = {3: "H", 4: "I", 16: "Q"}
_BITS: Final = 258
_COMPRESSION: Final = 259
_PHOTOMETRIC: Final = 262
_SAMPLES: Final = 277
_EXTRA_SAMPLES: Final = 338
_ALPHA: Final = (1, 2)
"""Values of ExtraSamples: alpha that the colours are multiplied with, and alpha that they are not."""

_USUAL_SCHEMES: Final = frozenset({1, 2, 3, 4, 5, 7, 8, 32773, 32946})
"""None, CCITT, LZW, JPEG, Deflate and PackBits."""
_JPEG: Final = 7
_DEPTHS: Final = frozenset({1, 2, 4, 8, 16, 32})
_YCBCR: Final = 6
_RARE_SCHEMES: Final = {
    6: "JPEG (TIFF 6.0)",
    34661: "JBIG",
    34712: "JPEG 2000",
    34887: "LERC",
    34925: "LZMA",
    50000: "ZSTD",
    50001: "WebP",
    50002: "JPEG XL",
    52546: "JPEG XL",
}
"""The numbers of tag 259, as libtiff registers them."""


class Entry(NamedTuple):
    """One field: its tag, the type and number of its `values`, and the bytes that hold or point to them."""

    tag: int
    kind: int
    values: int
    value: bytes


def directories(file: BinaryIO) -> Iterator[tuple[str, list[Entry]]]:
    """Read the byte order (`<` or `>`) and the fields of each page. Raises struct.error.

    The caller must limit the number of pages: the last one may point to the first.
    """
    file.seek(0)
    head = file.read(16)
    order = "<" if head[:2] == b"II" else ">"
    is_big = struct.unpack_from(f"{order}H", head, 2)[0] == 43
    count_form, entry_form, offset_form = ("Q", "HHQ8s", "Q") if is_big else ("H", "HHI4s", "I")
    (offset,) = struct.unpack_from(f"{order}{offset_form}", head, 8 if is_big else 4)
    while offset:
        _seek(file, offset)
        (count,) = _read(file, f"{order}{count_form}")
        size = struct.calcsize(f"{order}{entry_form}")
        if count > _MAX_ENTRIES:
            raise struct.error("too many fields")
        fields = struct.iter_unpack(f"{order}{entry_form}", file.read(count * size))
        entries = [Entry(*field) for field in fields]
        (offset,) = _read(file, f"{order}{offset_form}")
        yield order, entries


def read_numbers(file: BinaryIO, order: str, entry: Entry) -> tuple[int, ...]:
    """Read the whole numbers of a field of type SHORT, LONG or LONG8, else nothing. Raises struct.error."""
    form = f"{order}{entry.values}{_NUMBER_FORMS[entry.kind]}" if entry.kind in _NUMBER_FORMS else ""
    length = struct.calcsize(form)
    if length <= len(entry.value):
        return struct.unpack(form, entry.value[:length])
    if length > file.seek(0, io.SEEK_END):
        raise struct.error("more values than the file has bytes")
    _seek(file, int.from_bytes(entry.value, "little" if order == "<" else "big"))
    return _read(file, form)


def has_declared_alpha(data: Path | bytes, page: int) -> bool:
    """Return True if a page declares its first extra band as alpha."""
    try:
        with data.open("rb") if isinstance(data, Path) else io.BytesIO(data) as file:
            order, entries = next(islice(directories(file), page, None))
    except (OSError, StopIteration, struct.error):
        return False
    value = next((entry.value for entry in entries if entry.tag == _EXTRA_SAMPLES), bytes(2))
    return struct.unpack(f"{order}H", value[:2])[0] in _ALPHA


class RareForm(NamedTuple):
    """A compression or a kind of pixels by its `name`.

    `may_decode`: libvips may have been built with the decoder.
    """

    name: str
    may_decode: bool


def rare_forms(data: Path | bytes) -> list[RareForm | None]:
    """Name for each page the form that not every decoder reads rightly; None for a usual page.

    Ends before a page that cannot be read. Raises OSError.
    """
    forms = []
    with (
        data.open("rb") if isinstance(data, Path) else io.BytesIO(data) as file,
        contextlib.suppress(struct.error),
    ):
        for order, entries in islice(directories(file), MAX_PAGES):
            forms.append(_rare_form(file, order, {entry.tag: entry for entry in entries}))
    return forms


def _rare_form(file: BinaryIO, order: str, by_tag: dict[int, Entry]) -> RareForm | None:
    def numbers(tag: int, default: int) -> tuple[int, ...]:
        return (read_numbers(file, order, by_tag[tag]) if tag in by_tag else ()) or (default,)

    (scheme, *_), bits = numbers(_COMPRESSION, 1), numbers(_BITS, 1)
    if scheme not in _USUAL_SCHEMES:
        return RareForm(_RARE_SCHEMES.get(scheme, str(scheme)), may_decode=True)
    if depths := set(bits) - _DEPTHS:
        return RareForm(f"{max(depths)} bit", may_decode=False)
    if bits[0] < 8 and numbers(_SAMPLES, 1)[0] > 1:
        return RareForm(f"{numbers(_SAMPLES, 1)[0]} x {bits[0]} bit", may_decode=True)
    if numbers(_PHOTOMETRIC, 0)[0] == _YCBCR and scheme != _JPEG:
        # libvips takes brightness and colour differences for red, green and blue.
        return RareForm("YCbCr", may_decode=False)
    return None


def _seek(file: BinaryIO, offset: int) -> None:
    # The operating system refuses offsets of exabytes with an OSError, as if the disk were at fault.
    if offset > file.seek(0, io.SEEK_END):
        raise struct.error("the offset is beyond the end of the file")
    file.seek(offset)


def _read(file: BinaryIO, form: str) -> tuple[int, ...]:
    return struct.unpack(form, file.read(struct.calcsize(form)))
