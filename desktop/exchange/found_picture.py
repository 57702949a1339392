"""Finds the picture that a file of regions was drawn on: in the file itself, or beside it."""

from __future__ import annotations

import base64
import binascii
import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from desktop.exchange.data.errors import ExchangeError, Reason
from desktop.exchange.formats import coco, walkaround_json
from desktop.exchange.formats.archive import MOST_BYTES, is_archive

_PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp")
_FOLDERS = (".", "images", "../images")
"""Where programs that label images put them, from the folder of the file of regions."""


@dataclass(frozen=True, slots=True)
class FoundPicture:
    """A picture by its file name; `source` is where it lies, or its bytes."""

    name: str
    source: Path | bytes


def found_picture(path: Path) -> FoundPicture | None:
    """The picture of the regions in the file at `path`; None where none or more than one is known.

    Raises OSError, ExchangeError (UNREADABLE, TOO_LARGE).
    """
    if path.stat().st_size > MOST_BYTES:
        raise ExchangeError(Reason.TOO_LARGE)
    data = path.read_bytes()
    if is_archive(data):
        return _packed_picture(data)
    named: list[str] = []
    if path.suffix.lower() == ".json":
        document = walkaround_json.load(data)
        embedded = _embedded_picture(document)
        if embedded is not None:
            return embedded
        named = list(_picture_names(document))
    beside = {picture for name in named for picture in _files_beside(path, name)}
    if not beside:
        stems = (f"{path.stem}{ending}" for ending in _PICTURES)
        beside = {picture for name in stems for picture in _files_beside(path, name)}
    if len(beside) != 1:
        return None
    picture = beside.pop()
    return FoundPicture(picture.name, picture)


def _embedded_picture(document: Mapping[str, Any]) -> FoundPicture | None:
    """The picture that labelme wrote into its document as Base64."""
    data, name = document.get("imageData"), document.get("imagePath")
    if not isinstance(data, str) or not data:
        return None
    try:
        return FoundPicture(_last_name(name) or "image.png", base64.b64decode(data, validate=True))
    except binascii.Error:
        return None


def _picture_names(document: dict[str, Any]) -> Iterator[str]:
    """The file names of pictures in a document of labelme, COCO or Walkaround."""
    images: list[Any] = document["images"] if coco.is_dataset(document) else []
    reference = document.get("reference")
    for value in (
        document.get("imagePath"),
        *(image.get("file_name") for image in images if isinstance(image, dict)),
        reference.get("filename") if isinstance(reference, dict) else None,
    ):
        if name := _last_name(value):
            yield name


def _last_name(value: object) -> str:
    """The last part of a path as any system writes it; never a path itself."""
    if not isinstance(value, str):
        return ""
    return PurePosixPath(PureWindowsPath(value).as_posix()).name


def _files_beside(path: Path, name: str) -> Iterator[Path]:
    if Path(name).suffix.lower() not in _PICTURES:
        return
    for folder in _FOLDERS:
        candidate = path.parent / folder / name
        if candidate.is_file():
            yield candidate.resolve()


def _packed_picture(data: bytes) -> FoundPicture | None:
    """The one picture in a ZIP file; of an export with its photos, the one of the regions."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if entry.filename.lower().endswith(_PICTURES)]
            drawn_on = [entry for entry in entries if "regions" in PurePosixPath(entry.filename).parts[:-1]]
            entries = drawn_on or entries
            if len(entries) != 1:
                return None
            if entries[0].file_size > MOST_BYTES:
                raise ExchangeError(Reason.TOO_LARGE)
            return FoundPicture(_last_name(entries[0].filename), archive.read(entries[0]))
    except (zipfile.BadZipFile, EOFError, OSError, RuntimeError, ValueError) as error:
        raise ExchangeError(Reason.UNREADABLE) from error
