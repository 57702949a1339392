"""Checks the files that the demo wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pypdf import PdfReader
from PySide6.QtGui import QImage

from desktop.demo.driver.demo_run import WINDOW, DemoRun
from desktop.demo.driver.window_driver import check
from desktop.demo.material.pictures import REGIONS
from shared.record import results
from shared.record.codes import Status
from shared.record.geometry import Rect

_MAX_MISSED = 1
_MIN_COLOURS = 1000


def check_files(demo: DemoRun) -> None:
    """Check that the picture is not empty, the report is readable and the known damage was found."""
    with demo.driver.step("check the files"):
        _check_picture(demo)
        _check_report(demo)
        _check_record(demo)


def _check_picture(demo: DemoRun) -> None:
    image = QImage(str(demo.out / "workbench.png"))
    check((image.width(), image.height()) == WINDOW, "workbench.png has another size than the window")
    pixels = np.frombuffer(image.convertToFormat(QImage.Format.Format_RGB32).constBits(), np.uint32)
    check(np.unique(pixels).size > _MIN_COLOURS, "workbench.png shows nothing")


def _check_report(demo: DemoRun) -> None:
    reader = PdfReader(demo.out / "report.pdf")
    text = "".join(page.extract_text() for page in reader.pages)
    for expected in (demo.texts.record, demo.texts.inspector, *(name for name, _ in demo.texts.items)):
        check(_compared_text(expected) in _compared_text(text), f"report.pdf does not contain {expected}")


def _compared_text(text: str) -> str:
    """Return the text without spaces, with one kind of dash.

    Fonts have one glyph for the figure dash and the en dash, and a PDF keeps only one character of it.
    """
    return "".join(text.split()).replace("\N{FIGURE DASH}", "\N{EN DASH}")


def _check_record(demo: DemoRun) -> None:
    document = json.loads((demo.out / "record.json").read_text("utf-8"))
    check(document["seal"]["record_state"] == Status.FAILED, "a record with damage is not failed")
    check(document["record"]["progress"] == 100, "the record is not complete")
    items: Sequence[Mapping[str, Any]] = document["items"]
    missed = []
    for item, region, defect in zip(items, REGIONS, demo.pictures.defects, strict=True):
        if defect is None:
            check(results.model_opinion(item["result"]) is True, f"{item['item_name']}: damage where is none")
        elif not any(_contains_centre(box, demo.pictures.in_photo(defect.box)) for box in _boxes(item)):
            missed.append(f"{item['item_name']} ({region.damage})")
    check(len(missed) <= _MAX_MISSED, f"damage was not found: {', '.join(missed)}")


def _boxes(item: Mapping[str, Any]) -> list[Rect]:
    entry = results.newest_detection(item["result"])
    boxes = ((entry or {}).get("resultImage") or {}).get("boxes") or []
    points = [box["points"] for box in boxes]
    return [Rect(p["x1"], p["y1"], p["x2"] - p["x1"], p["y2"] - p["y1"]) for p in points]


def _contains_centre(box: Rect, damage: Rect) -> bool:
    """Return True if the centre of `damage` is in `box`."""
    return box.contains(*damage.centre)
