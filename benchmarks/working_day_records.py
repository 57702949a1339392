"""Creates the records of a working day (`benchmarks/working_day.py`) in a process of its own.

    python -m benchmarks.working_day_records URL NAME PASSWORD RECORDS ITEMS WIDTH

What it needs for drawing pictures must not count as memory of the desktop. Prints the ids of the records as
one line of JSON. Every photo is a file of its own, as those of a day are: the same picture with another
number in its head.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from desktop.client import Session
from shared.images.cv import cv2
from shared.samples import damage_panel, draw_panel
from shared.wire.catalogue import ReferenceImageWrite
from shared.wire.inspection import ItemCreate, RecordCreate

_COLUMNS = 4
_REFERENCES = 4
"""Records of a day look at several places of an aircraft."""


def _add_number(jpeg: bytes, number: int) -> bytes:
    """The same picture as another file: with a comment behind the first marker."""
    text = f"photo {number}".encode()
    return jpeg[:2] + b"\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text + jpeg[2:]


def make(session: Session, records: int, items: int, width: int, folder: Path) -> list[str]:
    """Make the records with their items and photos; gives their ids."""
    height = width * 3 // 4
    places: list[tuple[str, bytes]] = []
    for seed in range(min(_REFERENCES, records)):
        good = draw_panel(width, height, seed + 1)
        bad, _ = damage_panel(good, ("crack", "dent", "scratch", "stain", "missing"), 3)
        reference, photo = (bytes(cv2.imencode(".jpg", image)[1]) for image in (good.image, bad))
        stored = session.files.upload(reference, f"reference {seed}.jpg")
        body = ReferenceImageWrite(reference_image_name=f"Skin {seed}", file_id=stored.file_id)
        places.append((session.catalogue.reference_images.create(body).reference_image_id, photo))
    rows = -(-items // _COLUMNS)
    record_ids = []
    for number in range(records):
        image_id, photo = places[number % len(places)]
        name = f"记录 {number + 1}"
        record = session.records.create(
            RecordCreate(task_id="benchmark", inspection_name=name, reference_image_id=image_id)
        )
        for place in range(items):
            column, row = place % _COLUMNS, place // _COLUMNS
            fields = {
                "item_name": f"壁板 {place + 1}",
                "inspection_id": record.inspection_id,
                "model_id": "reference-difference",
                "item_point": {
                    "point": {"x": column * 0.24, "y": row * 0.9 / rows, "w": 0.22, "h": 0.84 / rows}
                },
            }
            item = session.items.create(ItemCreate.model_validate(fields))
            path = folder / f"{place}.jpg"
            path.write_bytes(_add_number(photo, number * items + place))
            session.items.add_photo(item.value.item_id, session.files.upload(path, path.name).file_id)
        record_ids.append(record.inspection_id)
    return record_ids


def main() -> None:
    """Be the process that makes them."""
    url, name, password, *sizes = sys.argv[1:]
    records, items, width = map(int, sizes)
    session = Session(url)
    session.account.login(name, password)
    with TemporaryDirectory() as folder:
        print(json.dumps(make(session, records, items, width, Path(folder))), flush=True)
    session.close()


if __name__ == "__main__":
    main()
