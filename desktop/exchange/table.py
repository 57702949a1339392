"""CSV for spreadsheets: a row for each finding, and one for each item without findings.

Text that a spreadsheet would take for a formula gets an apostrophe in front, which reading takes away again.
"""

from __future__ import annotations

import csv
import io
from typing import Any

from desktop.exchange.archive import text_of
from desktop.exchange.content import Inspection, ItemFacts, Picture
from desktop.exchange.drafts import Draft, fitted, scaled
from desktop.exchange.errors import ExchangeError, Reason
from desktop.exchange.own import rect_of

COLUMNS = (
    "inspection_id",
    "inspection_name",
    "aircraft_name",
    "executor_name",
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
    "confidence",
    "x1",
    "y1",
    "x2",
    "y2",
)
# Spreadsheets take the wide forms of Chinese keyboards for the same.
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", "'")
_OUTCOME = {True: "passed", False: "failed", None: ""}
_RECT = ("region_x", "region_y", "region_w", "region_h")


def write(inspection: Inspection) -> bytes:
    """The inspection as CSV: UTF-8 with a mark, so that spreadsheets read it, and CR LF as RFC 4180 says."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\r\n")
    writer.writeheader()
    for facts in inspection.facts():
        row = _row(inspection, facts)
        for finding in facts.findings or (None,):
            if finding is not None:
                box = finding.box
                row |= {
                    "label": finding.label,
                    "confidence": finding.confidence,
                    "x1": box.x,
                    "y1": box.y,
                    "x2": box.right,
                    "y2": box.bottom,
                }
            writer.writerow({name: _cell(value) for name, value in row.items()})
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8", "replace")


def regions(data: bytes, target: Picture) -> list[Draft]:
    """The regions of such a table, one for each item. Raises ExchangeError.

    Needs the columns item_name and region_x, region_y, region_w, region_h (px). With reference_width and
    reference_height the regions are scaled onto `target`. Rows of one item_id are one item.
    """
    reader = csv.DictReader(io.StringIO(text_of(data), newline=""), strict=True)
    drafts: dict[object, Draft] = {}
    try:
        if not {"item_name", *_RECT} <= set(reader.fieldnames or ()):
            raise ExchangeError(Reason.UNREADABLE)
        for number, row in enumerate(reader):
            rect = rect_of([row[name] for name in _RECT])
            if rect is None:
                continue
            across, down = row.get("reference_width"), row.get("reference_height")
            size = rect_of([0, 0, across, down])
            drafts.setdefault(
                row.get("item_id") or number,
                Draft(
                    name=_plain(row["item_name"]),
                    rect=scaled(rect, None if size is None else (size.w, size.h), target),
                    description=_plain(row.get("description")) or None,
                    model_id=_plain(row.get("model_id")) or None,
                ),
            )
    except csv.Error as error:
        raise ExchangeError(Reason.UNREADABLE) from error
    return fitted(list(drafts.values()), target)


def _row(inspection: Inspection, facts: ItemFacts) -> dict[str, Any]:
    record, item, reference, photo = inspection.record, facts.item, facts.reference, facts.photo
    row: dict[str, Any] = {
        "inspection_id": record.inspection_id,
        "inspection_name": record.inspection_name,
        "aircraft_name": record.aircraft_name,
        "executor_name": record.executor_name,
        "number": facts.number,
        "item_id": item.item_id,
        "item_name": item.item_name,
        "description": item.description,
        "model_id": item.model_id,
        "model_name": item.model_name,
        "passed": _OUTCOME[facts.passed],
        "opinion": _OUTCOME[facts.opinion],
        "verdict": facts.verdict.value,
        "reason": facts.reason,
        "decided_by": facts.decided_by,
        "decided_at": facts.decided_at,
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


def _cell(value: object) -> object:
    """`value` as a cell that no spreadsheet takes for a formula; numbers stay numbers."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _plain(cell: str | None) -> str:
    text = cell or ""
    return text[1:] if text[:1] == "'" and text[1:].startswith(_FORMULA) else text
