"""Creates the records of `benchmarks/workbench.py` and `benchmarks/working_day.py`.

    python -m benchmarks.records URL NAME PASSWORD RECORDS ITEMS WIDTH

This process creates the records of a day, as what it needs for drawing must not count as memory of the
desktop. It prints the ids of the records as one line of JSON.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from desktop.client import Session
from shared.images.cv import cv2
from shared.samples import damage_panel, draw_panel
from shared.wire.catalogue import ReferenceImageWrite
from shared.wire.inspection import ItemCreate, RecordCreate

_REFERENCES = 4
"""Records of a day look at several places of an aircraft."""


def make_undetected(session: Session, records: int, items: int, width: int, folder: Path) -> list[str]:
    """Create records with items that have a photo of `width` px each; return their ids.

    Every photo is a file of its own, as those of a day are: the same picture with another number in its head.
    """
    places: list[tuple[str, bytes]] = []
    for seed in range(min(_REFERENCES, records)):
        good = draw_panel(width, width * 3 // 4, seed + 1)
        bad, _ = damage_panel(good, ("crack", "dent", "scratch", "stain", "missing"), 3)
        reference, photo = (bytes(cv2.imencode(".jpg", image)[1]) for image in (good.image, bad))
        path = folder / f"reference {seed}.jpg"
        path.write_bytes(reference)
        places.append((_add_reference(session, path), photo))
    ids = []
    for number in range(records):
        image_id, photo = places[number % len(places)]
        ids.append(_create_record(session, image_id))
        for place in range(items):
            path = folder / f"{place}.jpg"
            path.write_bytes(_add_number(photo, number * items + place))
            file_id = session.files.upload(path, path.name).file_id
            _create_item(session, ids[-1], place, items, file_id, [])
    return ids


def make_detected(session: Session, items: int, reference: Path, photo: Path, pixels: int) -> str:
    """Create a record with a detection of one finding in each item; return its id.

    The photo shows what the reference image does, and is `pixels` px wide.
    """
    record_id = _create_record(session, _add_reference(session, reference))
    stored = session.files.upload(photo, photo.name)
    for number in range(items):
        point = _point(number, items)
        left, top = point["x"] * pixels, point["y"] * pixels * 2 / 3
        points = {"x1": left + 10, "y1": top + 10, "x2": left + 40, "y2": top + 30}
        entry = {
            "inputImage": stored.model_dump(mode="json"),
            "resultImage": {"boxes": [{"label": "crack", "confidence": 0.9, "points": points}]},
            "isPassed": False,
            "progress": "done",
            "version": 1,
            "provenance": {"alignment": {"homography": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}},
        }
        _create_item(session, record_id, number, items, stored.file_id, [entry])
    return record_id


def _add_reference(session: Session, path: Path) -> str:
    body = ReferenceImageWrite(
        reference_image_name=path.stem, file_id=session.files.upload(path, path.name).file_id
    )
    return session.catalogue.reference_images.create(body).reference_image_id


def _create_record(session: Session, image_id: str) -> str:
    body = RecordCreate(task_id="benchmark", inspection_name="记录", reference_image_id=image_id)
    return session.records.create(body).inspection_id


def _create_item(
    session: Session, record_id: str, number: int, items: int, file_id: str, result: list[dict[str, Any]]
) -> None:
    body = {
        "item_name": f"壁板 {number + 1}",
        "inspection_id": record_id,
        "model_id": "reference-difference",
        "item_point": {"point": _point(number, items)},
        "result": result,
    }
    item = session.items.create(ItemCreate.model_validate(body))
    session.items.add_photo(item.value.item_id, file_id)


def _point(number: int, items: int) -> dict[str, float]:
    columns = math.isqrt(items - 1) + 1
    rows = -(-items // columns)
    x, y = number % columns / columns, number // columns / rows
    return {"x": x, "y": y, "w": 0.9 / columns, "h": 0.9 / rows}


def _add_number(jpeg: bytes, number: int) -> bytes:
    """The same picture as another file: with a comment behind the first marker."""
    text = f"photo {number}".encode()
    return jpeg[:2] + b"\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text + jpeg[2:]


def main() -> None:
    """Be the process that creates them."""
    url, name, password, *sizes = sys.argv[1:]
    records, items, width = map(int, sizes)
    session = Session(url)
    session.account.login(name, password)
    with TemporaryDirectory() as folder:
        print(json.dumps(make_undetected(session, records, items, width, Path(folder))), flush=True)
    session.close()


if __name__ == "__main__":
    main()
