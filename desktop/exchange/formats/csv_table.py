"""Writes and reads CSV: a row for each finding, and one for each item without findings.

Text that a spreadsheet would read as a formula gets a leading apostrophe, which reading removes.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from desktop.exchange.data.column_terms import CHINESE, CODES, EARLIER_TITLES, ColumnTerms
from desktop.exchange.data.content import ExportedPicture, Inspection, ItemFacts
from desktop.exchange.data.file_names import last_name, same_picture
from desktop.exchange.data.imported_regions import (
    ExchangeError,
    ImportedRegion,
    ImportedRegions,
    Reason,
    fit_regions,
    parse_rect,
    scale_rect,
)
from desktop.exchange.formats.archive import decode_text
from shared.record.codes import Verdict
from shared.record.geometry import Rect
from shared.wire.seal import RecordSeal

# Spreadsheets also accept the full-width forms of Chinese keyboards.
_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", "'")

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
    "inspected_share",
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
)
_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}[.,]\d{3}")
_SPACES = re.compile(r"[\s'\u2019]")
"""What some languages write between thousands; `\\s` includes the narrow and the fixed space."""
_MAX_LINES_ABOVE = 10
"""Lines above the titles: `sep=;` of Excel, the name of a table, an empty line."""
_OUTCOME = {True: "passed", False: "failed", None: ""}
_REGION_COLUMNS = ("region_x", "region_y", "region_w", "region_h")
_REFERENCE_SIZE_COLUMNS = ("reference_width", "reference_height")

# Column titles of other programs in lower case.
_NAME_TITLES = ("item_name", "name", "label", "class", "label_name", "名称")
_BOX_TITLES = (
    ("x", "y", "w", "h"),
    ("x", "y", "width", "height"),
    ("x1", "y1", "w", "h"),
    ("left", "top", "width", "height"),
    ("bbox_x", "bbox_y", "bbox_width", "bbox_height"),
)
_CORNER_TITLES = (("xmin", "ymin", "xmax", "ymax"), ("x1", "y1", "x2", "y2"))
_PICTURE_TITLES = ("filename", "image", "image_name", "image_path", "file")

_CODES = {**EARLIER_TITLES, **{title: code for code, title in CHINESE.items()}}
_Row = dict[str, str]


def write(inspection: Inspection, terms: ColumnTerms = CODES) -> bytes:
    """Make a CSV table of the inspection, with titles and values in `terms`.

    It is UTF-8 with a byte order mark, which spreadsheets need, and has CR LF line ends (RFC 4180). A finding
    that a person drew has an author and no confidence.
    """
    output = io.StringIO(newline="")
    writer = csv.DictWriter(output, COLUMNS, restval="", lineterminator="\r\n")
    writer.writerow({name: terms.headings.get(name, name) for name in COLUMNS})
    for facts in inspection.facts():
        row = _item_row(inspection, facts, terms)
        for finding in facts.findings or (None,):
            if finding is not None:
                box = finding.box
                width_mm, height_mm = finding.size_mm or (None, None)
                row |= {
                    "label": terms.label(finding.label),
                    "severity": terms.severity(finding.severity) if finding.severity else "",
                    "confidence": "" if finding.is_drawn else finding.confidence,
                    "drawn_by": finding.author,
                    "width_mm": width_mm if width_mm is None else round(width_mm, 2),
                    "height_mm": height_mm if height_mm is None else round(height_mm, 2),
                    "x1": box.x,
                    "y1": box.y,
                    "x2": box.right,
                    "y2": box.bottom,
                }
            writer.writerow({name: escape_formula(value) for name, value in row.items()})
    return b"\xef\xbb\xbf" + output.getvalue().encode("utf-8", "replace")


def regions(data: bytes, target: ExportedPicture) -> ImportedRegions:
    """Read the regions on `target` from a table of this or another program. Raises ExchangeError.

    A table of this program has the columns item_name, region_x, region_y, region_w and region_h (px). If it
    has reference_width and reference_height, the regions are scaled to `target`. Rows with the same item_id
    are one item. For the columns of other programs see `_NAME_TITLES`, `_BOX_TITLES` and `_CORNER_TITLES`. If
    such a table names several pictures, only the rows of `target` are read. If all its numbers are within 1,
    they are fractions of the picture.
    """
    try:
        table, columns, separator = _read_table(decode_text(data))
    except csv.Error as error:
        raise ExchangeError(Reason.UNREADABLE) from error
    decimal_mark = _decimal_mark(table, [*columns.box, *columns.size], separator)
    rows = _picture_rows(table, columns, target)
    rects = [columns.rect(row, decimal_mark) for row in rows]
    are_fractions = columns.box is not _REGION_COLUMNS and all(
        max(rect.x, rect.y, rect.w, rect.h) <= 1 for rect in rects if rect is not None
    )
    drafts: dict[object, ImportedRegion] = {}
    for number, (row, rect) in enumerate(zip(rows, rects, strict=True)):
        if rect is None:
            continue
        size = parse_rect([0, 0, *(_number_text(row.get(name), decimal_mark) for name in columns.size)])
        if are_fractions:
            fit = size or Rect(0, 0, target.width, target.height)
            rect = Rect(rect.x * fit.w, rect.y * fit.h, rect.w * fit.w, rect.h * fit.h)
        drafts.setdefault(
            row.get("item_id") or number,
            ImportedRegion(
                name=unescape_formula(row.get(columns.name)),
                rect=scale_rect(rect, None if size is None else (size.w, size.h), target),
                description=unescape_formula(row.get("description")) or None,
                model_id=unescape_formula(row.get("model_id")) or None,
            ),
        )
    return fit_regions(list(drafts.values()), target)


@dataclass(frozen=True, slots=True)
class _Columns:
    """The titles of the columns to read; `picture` is empty if rows are not selected by picture."""

    name: str
    box: Sequence[str]
    corners: bool
    size: Sequence[str]
    picture: str

    def rect(self, row: _Row, decimal_mark: str) -> Rect | None:
        """The region of a row; None for a row without one."""
        numbers = [_number_text(row.get(name), decimal_mark) for name in self.box]
        rect = parse_rect(numbers)
        if rect is None or not self.corners:
            return rect
        return parse_rect([rect.x, rect.y, rect.w - rect.x, rect.h - rect.y])


def _columns(titles: Sequence[str]) -> _Columns | None:
    """Find the columns to read by the titles of a table; None if it has no regions."""
    titles_by_name = {name.strip().lower(): name for name in titles if name}

    def first_title(names: Sequence[str]) -> str:
        return next((titles_by_name[name] for name in names if name in titles_by_name), "")

    name = first_title(_NAME_TITLES)
    if {"item_name", *_REGION_COLUMNS} <= titles_by_name.keys():
        return _Columns("item_name", _REGION_COLUMNS, False, _REFERENCE_SIZE_COLUMNS, "")
    for corners, choices in ((True, _CORNER_TITLES), (False, _BOX_TITLES)):
        for box in choices:
            if name and set(box) <= titles_by_name.keys():
                size = ("width", "height") if corners else ()
                size_titles = [titles_by_name[column] for column in size if column in titles_by_name]
                return _Columns(
                    name,
                    [titles_by_name[column] for column in box],
                    corners,
                    size_titles,
                    first_title(_PICTURE_TITLES),
                )
    return None


def _picture_rows(rows: Sequence[_Row], columns: _Columns, target: ExportedPicture) -> Sequence[_Row]:
    if not columns.picture:
        return rows
    if len({last_name(row.get(columns.picture)) for row in rows}) < 2:
        return rows
    named = [row for row in rows if same_picture(row.get(columns.picture), target.name)]
    if not named:
        raise ExchangeError(Reason.WHICH_PICTURE)
    return named


def _read_table(text: str) -> tuple[list[_Row], _Columns, str]:
    """The rows of a table, its columns, and its separator: any of those that spreadsheets write.

    Raises csv.Error, ExchangeError (UNREADABLE).
    """
    for _ in range(_MAX_LINES_ABOVE):
        head, _, below = text.partition("\n")
        separator = max(",;\t|", key=head.count)
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        titles = reader.fieldnames or ()
        codes = [_CODES.get(name, name) for name in titles]
        if {"item_name", *_REGION_COLUMNS} <= set(codes):
            reader.fieldnames = codes
        if columns := _columns(reader.fieldnames or ()):
            return list(reader), columns, separator
        text = below
    raise ExchangeError(Reason.UNREADABLE)


def _decimal_mark(rows: Sequence[_Row], names: Sequence[str], separator: str) -> str:
    """The decimal mark of the numbers in a table, as its cells show; else the usual one for its separator.

    In "1.234,5" and "1,234.5" the last mark is the decimal one. A single mark that is not before three digits
    separates decimals. "1,234" alone is a thousand beside commas, and a decimal beside semicolons.
    """
    for row in rows:
        for name in names:
            cell = _SPACES.sub("", row.get(name) or "")
            marks = [letter for letter in cell if letter in ".,"]
            if len(set(marks)) == 2:
                return marks[-1]
            if len(marks) == 1 and not _THOUSANDS.fullmatch(cell):
                return marks[0]
    return (
        ","
        if separator == ";" and any("," in (row.get(name) or "") for row in rows for name in names)
        else "."
    )


def _number_text(cell: str | None, decimal_mark: str) -> str:
    """A number with a decimal point and without marks between thousands."""
    other = "." if decimal_mark == "," else ","
    return _SPACES.sub("", cell or "").replace(other, "").replace(decimal_mark, ".")


def _item_row(inspection: Inspection, facts: ItemFacts, terms: ColumnTerms) -> dict[str, Any]:
    record, item, reference, photo = inspection.record, facts.item, facts.reference, facts.photo
    row: dict[str, Any] = {
        "inspection_id": record.inspection_id,
        "inspection_name": record.inspection_name,
        "aircraft_name": record.aircraft_name,
        "executor_name": (inspection.seal and inspection.seal.executor) or record.executor_name,
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
        "inspected_share": facts.inspected_share,
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
        row |= dict(zip(_REGION_COLUMNS, (rect.x, rect.y, rect.w, rect.h), strict=True))
    if photo is not None:
        row |= {
            "photo": photo.name,
            "photo_cid": photo.content_id,
            "photo_width": photo.width,
            "photo_height": photo.height,
        }
    return row


def _seal_cells(seal: RecordSeal | None, terms: ColumnTerms) -> dict[str, Any]:
    """The cells with the seal status, and who finished and released the newest edition and when."""
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


def escape_formula(value: object) -> object:
    """Make a cell that no spreadsheet reads as a formula; numbers stay numbers."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value


def unescape_formula(cell: str | None) -> str:
    """The text that `escape_formula` made a cell from; an empty one for no cell."""
    text = cell or ""
    return text[1:] if text[:1] == "'" and text[1:].startswith(_FORMULA_STARTS) else text
