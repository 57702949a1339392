"""Checks the files that `walkaround demo` writes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from pypdf import PdfReader

from shared.images.cv import cv2


def check_demo_output(out: Path) -> None:
    """Check that `out` contains the three files of the demo with the expected content."""
    assert sorted(path.name for path in out.iterdir()) == ["record.json", "report.pdf", "workbench.png"]
    picture = cv2.imdecode(np.frombuffer((out / "workbench.png").read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape == (900, 1440, 3)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 1000
    document = json.loads((out / "record.json").read_text("utf-8"))
    record, items = document["record"], document["items"]
    assert record["inspection_status"] == "failed"
    assert record["progress"] == 100
    assert record["end_time"]
    assert record["aircraft_name"]
    assert record["reference_image_name"]
    assert len(items) == 5
    detected = [[entry for entry in item["result"] if "verdict" not in entry] for item in items]
    assert all(detected)
    assert sum(bool(entries[-1]["resultImage"]["boxes"]) for entries in detected) >= 3
    verdicts = [item["result"][-1]["verdict"]["value"] for item in items]
    assert verdicts.count("passed") == 2
    reader = PdfReader(out / "report.pdf")
    text = "".join("".join(page.extract_text().split()) for page in reader.pages)
    # Fonts have one glyph for both dashes.
    text = text.replace("\N{FIGURE DASH}", "\N{EN DASH}")
    for wanted in (record["inspection_name"], *(item["item_name"] for item in items)):
        assert "".join(wanted.split()) in text
