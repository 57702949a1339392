"""Writes and reads CSV: a row for each finding, and one for each item without findings.

Text that a spreadsheet would take for a formula gets an apostrophe in front, which reading takes away again.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from desktop.exchange.data.column_terms import CHINESE, CODES, EARLIER, ColumnTerms
from desktop.exchange.data.content import ExportedPicture, Inspection, ItemFacts
from desktop.exchange.data.errors import ExchangeError, Reason
from desktop.exchange.data.imported_regions import ImportedRegion, ImportedRegions, fitted, scaled
from desktop.exchange.formats.walkaround_json import rect_of
from shared.codes import Verdict
from shared.geometry import Rect
from shared.wire.seal import RecordSeal

COLUMNS = (
    "inspection_id",
    "inspection_name",
    "aircraft_name",
    "executor_name",
    "state",
    "outcome",
    "edition",
    "seal",
    "finished_by",
    "finished_at",
    "released_by",
    "released_at",
    "number",
    "item_id",
    "item_name",
    "description",
    "model_id",
    "model_name",
    "passed",
    "opinion",
    "verdict",
    "reason",
    "decided_by",
    "decided_at",
    "accepted_opinion_of_version",
    "reference",
    "reference_width",
    "reference_height",
    "region_x",
    "region_y",
    "region_w",
    "region_h",
    "photo",
    "photo_cid",
    "photo_width",
    "photo_height",
    "version",
    "label",
    "severity",
    "confidence",
    "drawn_by",
    "x1",
    "y1",
    "x2",
    "y2",
    "width_mm",
    "height_mm",
    "second_opinion",
)
# Spreadsheets take the wide forms of Chinese keyboards for the same.
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", "'")
_OUTCOME = {True: "passed", False: "failed", None: ""}
_RECT = ("region_x", "region_y", "region_w", "region_h")
_SIZE = ("reference_width", "reference_height")

# What other programs call it, lower case.
_NAMES = ("item_name", "name", "label", "class", "label_name", "名称")
_BOXES = (
    ("x", "y", "w", "h"),
    ("x", "y", "width", "height"),
    ("left", "top", "width", "height"),
    ("bbox_x", "bbox_y", "bbox_width", "bbox_height"),
)
_CORNERS = (("xmin", "ymin", "xmax", "ymax"), ("x1", "y1", "x2", "y2"))
_PICTURE = ("filename", "image", "image_name", "image_path", "file")

_CODES = {**EARLIER, **{title: code for code, title in CHINESE.items()}}
_Line = dict[str, str]


def write(inspection: Inspection, terms: ColumnTerms = CODES) -> bytes:
    """The inspection as CSV: UTF-8 with a mark, so that spreadsheets read it, and CR LF as RFC 4180 says.

    Titles and values are in `terms`; a finding that a person drew has its author and no confidence.
    """
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\r\n")
    writer.writerow({name: terms.headings.get(name, name) for name in COLUMNS})
    for facts in inspection.facts():
        row = _row(inspection, facts, terms)
        for finding in facts.findings or (None,):
            if finding is not None:
                box, opinion = finding.box, finding.second_opinion
                wide, high = finding.size_mm or (None, None)
                row |= {
                    "label": terms.label(finding.label),
                    "severity": terms.severity(finding.severity) if finding.severity else "",
                    "confidence": "" if finding.drawn else finding.confidence,
                    "drawn_by": finding.author,
                    "width_mm": wide if wide is None else round(wide, 2),
                    "height_mm": high if high is None else round(high, 2),
                    "x1": box.x,
                    "y1": box.y,
                    "x2": box.right,
                    "y2": box.bottom,
                    "second_opinion": None if opinion is None else opinion.value,
                }
            writer.writerow({name: _cell(value) for name, value in row.items()})
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8", "replace")


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """The regions of such a table, or of one that another program wrote, on `target`. Raises ExchangeError.

    Ours has the columns item_name and region_x, region_y, region_w, region_h (px); with reference_width and
    reference_height the regions are scaled onto `target`, and rows of one item_id are one item. Of others see
    `_NAMES`, `_BOXES` and `_CORNERS`; where they name several pictures, the rows count that name `target`.
    """
    try:
        table = _read(data)
        columns, rows = _columns(table.fieldnames or ()), list(table)
    except csv.Error as error:
        raise ExchangeError(Reason.UNREADABLE) from error
    if columns is None:
        raise ExchangeError(Reason.UNREADABLE)
    drafts: dict[object, ImportedRegion] = {}
    for number, row in enumerate(_rows_of_picture(rows, columns, target)):
        rect = columns.rect(row)
        if rect is None:
            continue
        size = rect_of([0, 0, *(_number_text(row.get(name)) for name in columns.size)])
        drafts.setdefault(
            row.get("item_id") or number,
            ImportedRegion(
                name=_cell_text(row.get(columns.name)),
                rect=scaled(rect, None if size is None else (size.w, size.h), target),
                description=_cell_text(row.get("description")) or None,
                model_id=_cell_text(row.get("model_id")) or None,
            ),
        )
    return fitted(list(drafts.values()), target)


@dataclass(frozen=True, slots=True)
class _Columns:
    """What the columns of a table hold; `picture` is empty where it does not distinguish rows."""

    name: str
    box: Sequence[str]
    corners: bool
    size: Sequence[str]
    picture: str

    def rect(self, row: _Line) -> Rect | None:
        """The region of a row; None for a row without one."""
        numbers = [_number_text(row.get(name)) for name in self.box]
        rect = rect_of(numbers)
        if rect is None or not self.corners:
            return rect
        return rect_of([rect.x, rect.y, rect.w - rect.x, rect.h - rect.y])


def _columns(titles: Sequence[str]) -> _Columns | None:
    """What the columns of a table hold; None for one that has no regions."""
    have = {name.strip().lower(): name for name in titles if name}

    def first_title(wanted: Sequence[str]) -> str:
        return next((have[name] for name in wanted if name in have), "")

    name = first_title(_NAMES)
    if {"item_name", *_RECT} <= have.keys():
        return _Columns("item_name", _RECT, False, _SIZE, "")
    for corners, choices in ((True, _CORNERS), (False, _BOXES)):
        for box in choices:
            if name and set(box) <= have.keys():
                size = ("width", "height") if corners else ()
                wide = [have[column] for column in size if column in have]
                return _Columns(name, [have[column] for column in box], corners, wide, first_title(_PICTURE))
    return None


def _rows_of_picture(rows: Sequence[_Line], columns: _Columns, target: ExportedPicture) -> Sequence[_Line]:
    if not columns.picture:
        return rows
    named = {_file_name(row.get(columns.picture)) for row in rows}
    if len(named) < 2:
        return rows
    if target.name not in named:
        raise ExchangeError(Reason.WHICH_PICTURE)
    return [row for row in rows if _file_name(row.get(columns.picture)) == target.name]


def _file_name(path: str | None) -> str:
    return (path or "").replace("\\", "/").rsplit("/", 1)[-1]


def _read(data: bytes) -> csv.DictReader[str]:
    """The table in the encoding and with the separator that spreadsheets of East and West save it."""
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    for encoding in ("utf-16",) if wide else ("utf-8-sig", "gb18030"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        head = text.partition("\n")[0]
        separator = max(",;\t", key=head.count)
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        titles = reader.fieldnames or ()
        codes = [_CODES.get(name, name) for name in titles]
        if {"item_name", *_RECT} <= set(codes):
            reader.fieldnames = codes
        return reader
    raise ExchangeError(Reason.UNREADABLE)


def _number_text(cell: str | None) -> str:
    """A number as Python reads it; where a comma separates no cells it may stand for the point."""
    return (cell or "").strip().replace(",", ".")


def _row(inspection: Inspection, facts: ItemFacts, terms: ColumnTerms) -> dict[str, Any]:
    record, item, reference, photo = inspection.record, facts.item, facts.reference, facts.photo
    row: dict[str, Any] = {
        "inspection_id": record.inspection_id,
        "inspection_name": record.inspection_name,
        "aircraft_name": record.aircraft_name,
        "executor_name": record.executor_name,
        **_seal_cells(inspection.seal, terms),
        "number": facts.number,
        "item_id": item.item_id,
        "item_name": item.item_name,
        "description": item.description,
        "model_id": item.model_id,
        "model_name": terms.model(item.model_id, item.model_name),
        "passed": terms.outcome.get(_OUTCOME[facts.passed], _OUTCOME[facts.passed]),
        "opinion": terms.outcome.get(_OUTCOME[facts.opinion], _OUTCOME[facts.opinion]),
        "verdict": terms.outcome.get(facts.verdict.value, facts.verdict.value),
        "reason": facts.reason,
        "decided_by": facts.decided_by,
        "decided_at": facts.decided_at,
        "accepted_opinion_of_version": facts.accepted_version,
        "version": facts.version,
    }
    if reference is not None:
        row |= {
            "reference": reference.name,
            "reference_width": reference.width,
            "reference_height": reference.height,
        }
    if facts.region is not None:
        rect = facts.region
        row |= dict(zip(_RECT, (rect.x, rect.y, rect.w, rect.h), strict=True))
    if photo is not None:
        row |= {
            "photo": photo.name,
            "photo_cid": photo.content_id,
            "photo_width": photo.width,
            "photo_height": photo.height,
        }
    return row


def _seal_cells(seal: RecordSeal | None, terms: ColumnTerms) -> dict[str, Any]:
    """Where the record stands, and who finished and released its newest edition when."""
    if seal is None:
        return {}
    outcome = Verdict.UNDECIDED.value if seal.outcome is None else seal.outcome.value
    row: dict[str, Any] = {
        "state": terms.state.get(seal.state.value, seal.state.value),
        "outcome": terms.outcome.get(outcome, outcome),
    }
    newest = seal.newest
    if newest is not None:
        edition = newest.model_dump(mode="json")
        row |= {name: edition[name] for name in ("edition", "seal", "finished_at", "released_at")}
        row |= {
            "finished_by": newest.finished_by_name or newest.finished_by,
            "released_by": newest.released_by_name or newest.released_by,
        }
    return row


def _cell(value: object) -> object:
    """`value` as a cell that no spreadsheet takes for a formula; numbers stay numbers."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _cell_text(cell: str | None) -> str:
    text = cell or ""
    return text[1:] if text[:1] == "'" and text[1:].startswith(_FORMULA) else text
