"""Inspections of one region in which a crack grows, with photos taken under known views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

import numpy as np

from desktop.client import Session
from shared.images.cv import cv2
from shared.record.codes import Verdict
from shared.record.entries import Entry
from shared.samples import Image, View, draw_panel, photograph
from shared.wire.catalogue import ReferenceImageWrite, TaskWrite
from shared.wire.files import StoredFile
from shared.wire.inspection import ItemCreate, RecordCreate
from tests.desktop.pages.workbench.driver import store_detections

BEGIN = datetime(2025, 2, 3, 8)
POINT = {"x": 0.3, "y": 0.25, "w": 0.3, "h": 0.3}
LABEL = "crack"


@cache
def reference_panel(width: int, height: int) -> Image:
    """The panel without a crack."""
    return draw_panel(width, height, 3).image


def encode_image(image: Image, suffix: str) -> bytes:
    """The image as a file."""
    good, data = cv2.imencode(suffix, image)
    assert good
    return bytes(data)


@cache
def make_photo(number: int, width: int, height: int, suffix: str) -> tuple[bytes, np.ndarray]:
    """The photo of an inspection, as a file, and reference px -> photo px."""
    hurt = reference_panel(width, height).copy()
    length = crack_length(number, width)
    start = np.array([0.36 * width, 0.36 * height])
    along = np.linspace(0, length, 9)
    across = np.sin(np.arange(9) * 2.1) * 0.003 * width
    line = np.stack([start[0] + along, start[1] + along * 0.35 + across], 1)
    ends = np.rint(line * 16).astype(np.int32)
    cv2.polylines(hurt, [ends], False, (30, 28, 26), max(width // 250, 3), cv2.LINE_AA, 4)
    view = View(rotation=(number * 7) % 11 - 5, scale=0.9, perspective=0.03, light=0.05 * (number % 3))
    photo, matrix = photograph(hurt, view, number + 1)
    return encode_image(photo, suffix), matrix


def crack_length(number: int, width: int) -> float:
    """The length of the crack in an inspection, px of the reference image."""
    return (0.03 + 0.012 * number) * width


def crack_box(width: int, height: int, length: float) -> tuple[float, float, float, float]:
    """Around the crack in px of the reference image: x1, y1, x2, y2."""
    x, y, swing = 0.36 * width, 0.36 * height, 0.004 * width
    return x - 2, y - swing, x + length, y + length * 0.35 + swing


@dataclass(frozen=True)
class Grown:
    """The records, oldest first, and the item of each at the region."""

    records: Sequence[str]
    items: Sequence[str]


def grown(
    session: Session,
    count: int,
    size: tuple[int, int] = (480, 360),
    mm_per_pixel: float | None = 0.5,
    unaligned: Sequence[int] = (),
    without: Sequence[int] = (),
    jpeg: bool = False,
) -> Grown:
    """`count` inspections; photos of those in `unaligned` have no alignment, those in `without` no photo."""
    width, height = size
    catalogue = session.catalogue
    suffix = ".jpg" if jpeg else ".png"

    def upload_image(data: bytes, name: str) -> StoredFile:
        return session.files.upload(data, name + suffix)

    task = catalogue.tasks.create(TaskWrite(task_name="航后检查"))
    reference = upload_image(encode_image(reference_panel(*size), suffix), "left_wing_root")
    reference_id = catalogue.reference_images.create(
        ReferenceImageWrite(
            reference_image_name="左翼根部", file_id=reference.file_id, mm_per_pixel=mm_per_pixel
        )
    ).reference_image_id
    records, items = [], []
    for number in range(count):
        record = session.records.create(
            RecordCreate(
                task_id=task.task_id,
                inspection_name=f"左翼根部检查 {number + 1}",
                reference_image_id=reference_id,
                start_time=BEGIN + timedelta(days=37 * number + 3 * (number % 3)),
            )
        )
        item = session.items.create(
            ItemCreate.model_validate(
                {
                    "item_name": "蒙皮接缝",
                    "inspection_id": record.inspection_id,
                    "item_point": {"point": POINT},
                }
            )
        ).value
        records.append(record.inspection_id)
        items.append(item.item_id)
        if number in without:
            continue
        data, matrix = make_photo(number, width, height, suffix)
        photo = upload_image(data, f"photo{number}")
        session.items.add_photo(item.item_id, photo.file_id)
        corners = np.array(
            [
                (x, y, 1.0)
                for x1, y1, x2, y2 in [crack_box(width, height, crack_length(number, width))]
                for x, y in ((x1, y1), (x2, y1), (x2, y2), (x1, y2))
            ]
        )
        flat = corners @ matrix.T
        flat = flat[:, :2] / flat[:, 2:]
        (x1, y1), (x2, y2) = flat.min(axis=0), flat.max(axis=0)
        aligned = number not in unaligned
        entry: Entry = {
            "version": 1,
            "isPassed": False,
            "progress": "done",
            "inputImage": {
                "file_id": photo.file_id,
                "download_url": photo.download_url,
                "ipfs_cid": photo.ipfs_cid,
            },
            "resultImage": {
                "boxes": [
                    {
                        "label": LABEL,
                        "confidence": 0.9,
                        "points": {"x1": float(x1), "y1": float(y1), "x2": float(x2), "y2": float(y2)},
                    }
                ],
                "resultImage": None,
            },
            "provenance": {"alignment": {"homography": matrix.tolist()} if aligned else None},
        }
        store_detections(session, item.item_id, entry)
        verdicts = (Verdict.PASSED, Verdict.FAILED, None)
        verdict = verdicts[min(number // 4, 1) if number < count - 1 else 2]
        if verdict is not None:
            session.items.set_verdict(item.item_id, verdict, "watched")
    return Grown(records, items)
