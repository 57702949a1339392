"""The formats by name: what menus offer, and how a file finds its reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from desktop.exchange import coco, own, table, yolo
from desktop.exchange.archive import MOST_BYTES, is_archive, unpack
from desktop.exchange.content import Inspection, Picture
from desktop.exchange.drafts import Draft
from desktop.exchange.errors import ExchangeError, Reason
from desktop.exchange.naming import harmless


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format: its proper name, the end of its file names, writing an inspection, reading regions."""

    format_id: str
    name: str
    ending: str
    write: Callable[[Inspection], bytes]
    regions: Callable[[bytes, Picture], list[Draft]]

    @property
    def suffix(self) -> str:
        """The last part of the ending, such as ".zip"."""
        return Path(f"x{self.ending}").suffix

    def file_name(self, inspection_name: str) -> str:
        """A name for the file of an inspection."""
        return harmless(inspection_name, "inspection") + self.ending


FORMATS = (
    ExportFormat("json", "JSON", ".json", own.write, own.regions),
    ExportFormat("csv", "CSV", ".csv", table.write, table.regions),
    ExportFormat("coco", "COCO", "-coco.zip", coco.write, coco.regions),
    ExportFormat("yolo", "YOLO", "-yolo.zip", yolo.write, yolo.regions),
)
_BY_ID = {one.format_id: one for one in FORMATS}
READABLE = ("*.json", "*.csv", "*.zip", "*.txt")
"""The file names that can be imported."""


def recognised(data: bytes, file_name: str) -> ExportFormat:
    """The format of a file, by what is in it and, for plain text, by its name.

    Raises ExchangeError (UNREADABLE, TOO_LARGE).
    """
    if len(data) > MOST_BYTES:
        raise ExchangeError(Reason.TOO_LARGE)
    if is_archive(data):
        return _BY_ID["coco" if unpack(data, coco.REGIONS) else "yolo"]
    match Path(file_name).suffix.lower():
        case ".csv":
            return _BY_ID["csv"]
        case ".txt":
            return _BY_ID["yolo"]
        case _:
            return _BY_ID["json" if own.load(data).get("format") == own.FORMAT else "coco"]


def read_regions(data: bytes, file_name: str, target: Picture) -> list[Draft]:
    """The regions of a file, in px of the reference image `target`. Raises ExchangeError."""
    return recognised(data, file_name).regions(data, target)
