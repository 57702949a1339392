"""Checks what the demo wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pypdf import PdfReader
from PySide6.QtGui import QImage

from desktop.demo.driver.play import WINDOW, DemoRun
from desktop.demo.driver.stage import check
from desktop.demo.material.pictures import SPOTS
from shared import results
from shared.codes import Status
from shared.geometry import Rect

_MOST_MISSED = 1
_LEAST_COLOURS = 1000


def check_files(play: DemoRun) -> None:
    """The picture shows something, the report can be read, the known damage was found."""
    with play.stage.step("check what was written"):
        _check_picture(play)
        _check_report(play)
        _check_record(play)


def _check_picture(play: DemoRun) -> None:
    image = QImage(str(play.out / "workbench.png"))
    check((image.width(), image.height()) == WINDOW, "workbench.png has another size than the window")
    pixels = np.frombuffer(image.convertToFormat(QImage.Format.Format_RGB32).constBits(), np.uint32)
    check(np.unique(pixels).size > _LEAST_COLOURS, "workbench.png shows nothing")


def _check_report(play: DemoRun) -> None:
    reader = PdfReader(play.out / "report.pdf")
    text = "".join(page.extract_text() for page in reader.pages)
    for wanted in (play.texts.record, play.texts.inspector, *(name for name, _ in play.texts.items)):
        check(_without_spaces(wanted) in _without_spaces(text), f"report.pdf does not say {wanted}")


def _without_spaces(text: str) -> str:
    return "".join(text.split())


def _check_record(play: DemoRun) -> None:
    document = json.loads((play.out / "record.json").read_text("utf-8"))
    check(document["seal"]["record_state"] == Status.FAILED, "a record with damage is not failed")
    check(document["record"]["progress"] == 100, "the record is not complete")
    items: Sequence[Mapping[str, Any]] = document["items"]
    missed = []
    for item, spot, defect in zip(items, SPOTS, play.pictures.defects, strict=True):
        if defect is None:
            check(results.model_opinion(item["result"]) is True, f"{item['item_name']}: damage where is none")
        elif not any(_covers_middle(box, play.pictures.in_photo(defect.box)) for box in _boxes(item)):
            missed.append(f"{item['item_name']} ({spot.damage})")
    check(len(missed) <= _MOST_MISSED, f"damage was not found: {', '.join(missed)}")


def _boxes(item: Mapping[str, Any]) -> list[Rect]:
    entry = results.newest_detection(item["result"])
    boxes = ((entry or {}).get("resultImage") or {}).get("boxes") or []
    points = [box["points"] for box in boxes]
    return [Rect(p["x1"], p["y1"], p["x2"] - p["x1"], p["y2"] - p["y1"]) for p in points]


def _covers_middle(box: Rect, damage: Rect) -> bool:
    """True when the middle of `damage` lies in `box`."""
    return box.contains(damage.x + damage.w / 2, damage.y + damage.h / 2)
