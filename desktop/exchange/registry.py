"""Lists the export formats and finds the reader of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from desktop.exchange.data.column_terms import ColumnTerms
from desktop.exchange.data.content import ExportedPicture, Inspection
from desktop.exchange.data.file_names import safe_name
from desktop.exchange.data.imported_regions import ExchangeError, ImportedRegions, Reason
from desktop.exchange.formats import (
    coco,
    csv_table,
    cvat,
    geojson,
    label_studio,
    labelme,
    voc,
    walkaround_json,
    yolo,
)
from desktop.exchange.formats.archive import MAX_BYTES, is_archive, unpack


class InspectionWriter(Protocol):
    """Writes an inspection; a table uses the terms of a language."""

    def __call__(self, inspection: Inspection, terms: ColumnTerms = ..., /) -> bytes:
        """The content of the file."""


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format with its proper name, the end of its file names, and its writer and reader.

    `files` and `pictures` are for datasets, which can include their pictures. They give the texts and the
    pictures by their paths in the ZIP file.
    """

    format_id: str
    name: str
    name_suffix: str
    write: InspectionWriter
    regions: Callable[[bytes, ExportedPicture], ImportedRegions]
    files: Callable[[Inspection], Mapping[str, str]] | None = None
    pictures: Callable[[Inspection], Mapping[str, ExportedPicture]] | None = None

    @property
    def suffix(self) -> str:
        """The last part of `name_suffix`, such as ".zip"."""
        return Path(f"x{self.name_suffix}").suffix

    def file_name(self, inspection_name: str) -> str:
        """A file name for an inspection."""
        return safe_name(inspection_name, "inspection") + self.name_suffix


FORMATS = (
    ExportFormat("json", "JSON", ".json", walkaround_json.write, walkaround_json.regions),
    ExportFormat("csv", "CSV", ".csv", csv_table.write, csv_table.regions),
    ExportFormat("coco", "COCO", "-coco.zip", coco.write, coco.regions, coco.files, coco.pictures),
    ExportFormat("yolo", "YOLO", "-yolo.zip", yolo.write, yolo.regions, yolo.files, yolo.pictures),
    ExportFormat("cvat", "CVAT", "-cvat.zip", cvat.write, cvat.regions, cvat.files, cvat.pictures),
)
READABLE_PATTERNS = ("*.json", "*.geojson", "*.csv", "*.zip", "*.txt", "*.xml")
"""The patterns of file names that can be imported."""
READABLE_NAMES = ("labelme", "COCO", "YOLO", "CVAT", "QuPath", "Pascal VOC", "Label Studio", "CSV")
"""The programs and formats whose files can be imported, beside exports of this program."""


def read_regions(data: bytes, file_name: str, target: ExportedPicture) -> ImportedRegions:
    """Read the regions of a file in px of the reference image `target`. Raises ExchangeError."""
    return find_reader(data, file_name)(data, target)


def find_reader(data: bytes, file_name: str) -> Callable[[bytes, ExportedPicture], ImportedRegions]:
    """Find the function that reads the regions of a file by its content and, for plain text, by its name.

    Raises ExchangeError (UNREADABLE, TOO_LARGE).
    """
    if len(data) > MAX_BYTES:
        raise ExchangeError(Reason.TOO_LARGE)
    if is_archive(data):
        return _find_archive_reader(data)
    match Path(file_name).suffix.lower():
        case ".csv":
            return csv_table.regions
        case ".txt":
            return yolo.regions
    if cvat.is_xml(data):
        return voc.regions if voc.documents(data) else cvat.regions
    if geojson.documents(data):
        return geojson.regions
    if label_studio.tasks(data):
        return label_studio.regions
    document = walkaround_json.load(data)
    if document.get("format") == walkaround_json.FORMAT:
        return walkaround_json.regions
    return labelme.regions if labelme.is_labelme_document(document) else coco.regions


def _find_archive_reader(data: bytes) -> Callable[[bytes, ExportedPicture], ImportedRegions]:
    if coco.datasets(data):
        return coco.regions
    if labelme.documents(data):
        return labelme.regions
    if geojson.documents(data):
        return geojson.regions
    if unpack(data, ".xml"):
        return voc.regions if voc.documents(data) else cvat.regions
    return yolo.regions
