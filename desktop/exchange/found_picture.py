"""Finds the picture that the regions of a file were drawn on, in the file itself or beside it."""

from __future__ import annotations

import base64
import binascii
import contextlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from desktop.exchange.data.file_names import last_name, same_picture, written_names
from desktop.exchange.data.imported_regions import ExchangeError, Reason
from desktop.exchange.formats import coco, cvat, geojson, label_studio, voc, walkaround_json
from desktop.exchange.formats.archive import MAX_BYTES, is_archive, members
from shared.images.formats import SUFFIXES

_PICTURE_FOLDERS = (
    *(".", "images", "../images", "../JPEGImages"),
    *("images/*", "../images/*", "../../images/*", "../*/images"),
)
"""The folders in which labelling programs store pictures, relative to the folder of the file with the
regions.
"""


@dataclass(frozen=True, slots=True)
class FoundPicture:
    """A picture with its file name; `source` is its path or its content."""

    name: str
    source: Path | bytes


def find_picture(path: Path) -> FoundPicture | None:
    """Find the picture of the regions in the file at `path`; None if there is not exactly one.

    Raises OSError, ExchangeError (UNREADABLE, TOO_LARGE).
    """
    if path.stat().st_size > MAX_BYTES:
        raise ExchangeError(Reason.TOO_LARGE)
    data = path.read_bytes()
    if is_archive(data):
        return _archived_picture(data)
    names: list[object] = []
    if geojson.documents(data):
        # It does not name its picture.
        names = []
    elif tasks := label_studio.tasks(data):
        names = [name for task in tasks for name in label_studio.picture_names(task)]
    elif path.suffix.lower() == ".json":
        document = walkaround_json.load(data)
        embedded = _embedded_picture(document)
        if embedded is not None:
            return embedded
        names = list(_picture_names(document))
    elif path.suffix.lower() == ".xml":
        names = [*voc.picture_names(data), *cvat.picture_names(data)]
    written = {name for text in names if isinstance(text, str) for name in written_names(text)}
    beside = {picture for name in written for picture in _files_beside(path, name)}
    if not beside:
        stems = (f"{path.stem}{suffix}" for suffix in SUFFIXES)
        beside = {picture for name in stems for picture in _files_beside(path, name)}
    if len(beside) != 1:
        return None
    picture = beside.pop()
    return FoundPicture(picture.name, picture)


def _embedded_picture(document: Mapping[str, Any]) -> FoundPicture | None:
    """The picture that a document of labelme contains as Base64; None if it contains none."""
    data, name = document.get("imageData"), document.get("imagePath")
    if not isinstance(data, str) or not data:
        return None
    try:
        return FoundPicture(last_name(name) or "image.png", base64.b64decode(data, validate=True))
    except binascii.Error:
        return None


def _picture_names(document: dict[str, Any]) -> Iterator[object]:
    """The file names of the pictures in a document of labelme, COCO or Walkaround."""
    images: list[Any] = document["images"] if coco.is_dataset(document) else []
    reference = document.get("reference")
    yield document.get("imagePath")
    yield from (image.get("file_name") for image in images if isinstance(image, dict))
    yield reference.get("filename") if isinstance(reference, dict) else None


def _files_beside(path: Path, name: str) -> Iterator[Path]:
    """The pictures with this name, in whatever case, in the folders near `path`."""
    if Path(name).suffix.lower() not in SUFFIXES:
        return
    for pattern in _PICTURE_FOLDERS:
        for folder in _near_folders(path.parent, pattern):
            for candidate in folder.iterdir():
                is_same = same_picture(name, candidate.name) or same_picture(candidate.name, name)
                if is_same and candidate.is_file():
                    yield candidate.resolve()


def _near_folders(start: Path, pattern: str) -> Iterator[Path]:
    """The folders that a pattern such as "../images/*" names."""
    above = start
    while pattern.startswith("../"):
        above, pattern = above.parent, pattern.removeprefix("../")
    if pattern == ".":
        yield start
        return
    with contextlib.suppress(OSError):
        yield from (folder for folder in sorted(above.glob(pattern)) if folder.is_dir())


def _archived_picture(data: bytes) -> FoundPicture | None:
    """The only picture in a ZIP file; in an export that also contains photos, the picture of the regions."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in members(archive) if entry.filename.lower().endswith(SUFFIXES)]
            region_pictures = [
                entry for entry in entries if "regions" in PurePosixPath(entry.filename).parts[:-1]
            ]
            entries = region_pictures or entries
            if len(entries) != 1:
                return None
            if entries[0].file_size > MAX_BYTES:
                raise ExchangeError(Reason.TOO_LARGE)
            return FoundPicture(last_name(entries[0].filename), archive.read(entries[0]))
    except (zipfile.BadZipFile, EOFError, OSError, RuntimeError, ValueError) as error:
        raise ExchangeError(Reason.UNREADABLE) from error
