"""Measures the duration of the report of a large record, and whether the window stays responsive.

    python -m benchmarks.report [--items N] [--megapixels N]

A real service process, a record of 200 items with one finding each on a 12 MP reference image and a 12 MP
photo. Prints one JSON line per figure (`benchmarks/figures.py`): the time to collect and write the PDF, with
the writing alone as the floor, and the longest time in which the GUI thread did not answer.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.canvas import draw_picture, size_of
from benchmarks.figures import print_figure
from benchmarks.window import STALL_MS, Floor, Stalls, run_loop
from desktop.client import Session
from desktop.connection.local_service import EmbeddedService
from shared.wire.catalogue import ReferenceImageWrite
from shared.wire.inspection import ItemCreate, RecordCreate

GOAL_SECONDS = 3.0
GOAL_ITEMS = 200
"""The number of items for which the goal holds."""


def create_record(session: Session, picture: Path, items: int, size: tuple[int, int]) -> str:
    """Create a record with `items` items and findings on a picture of `size` px; return its id."""
    session.account.first_run("chief", "correct-horse-battery")
    reference = session.files.upload(picture, "reference.jpg")
    photo = session.files.upload(picture, "today.jpg")
    image = session.catalogue.reference_images.create(
        ReferenceImageWrite(reference_image_name="Skin", file_id=reference.file_id)
    )
    record = session.records.create(
        RecordCreate(task_id="benchmark", reference_image_id=image.reference_image_id)
    )
    for number in range(items):
        x, y = (number % 20) * 0.048, (number // 20) * 0.095
        left, top = x * size[0], y * size[1]
        points = {"x1": left + 40, "y1": top + 40, "x2": left + 120, "y2": top + 90}
        boxes = [{"label": "crack", "confidence": 0.9, "points": points}]
        body = {
            "item_name": f"壁板 {number}",
            "inspection_id": record.inspection_id,
            "item_point": {"point": {"x": x, "y": y, "w": 0.045, "h": 0.09}},
            "result": [
                {
                    "inputImage": photo.model_dump(mode="json"),
                    "resultImage": {"boxes": boxes},
                    "isPassed": False,
                    "progress": "done",
                    "version": 1,
                    "provenance": {"alignment": {"homography": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}},
                }
            ],
        }
        session.items.create(ItemCreate.model_validate(body))
    return record.inspection_id


def measure_report(session: Session, record_id: str, items: int, path: Path, floor: Floor) -> None:
    """Collect and write the report in a worker, as the page does, and measure stalls of the GUI thread."""
    from PySide6.QtCore import QEventLoop

    from desktop.app.running import make_application
    from desktop.background import workers
    from desktop.background.garbage_collection import GarbageCollection
    from desktop.report import pdf
    from desktop.report.collect import collect

    make_application()
    # As the desktop does, collect garbage only on the GUI thread.
    garbage = GarbageCollection()
    garbage.freeze_existing()
    seconds: dict[str, float] = {}

    def work(report: workers.ProgressReport) -> None:
        start = time.perf_counter()
        data = collect(session, record_id, "chief", lambda done, total: report((done, total)))
        seconds["gather"] = time.perf_counter() - start
        pdf.write(data, path)
        seconds["all"] = time.perf_counter() - start

    def fail(problem: Exception) -> None:
        raise problem

    loop = QEventLoop()
    stalls = Stalls(floor=floor)
    workers.run(work, owner=None, done=lambda _: loop.quit(), failed=fail, progress=lambda _: None)
    run_loop(loop, "the report")
    stalls.end()
    longest = stalls.longest * 1000
    write_seconds = seconds["all"] - seconds["gather"]
    goal = GOAL_SECONDS if items == GOAL_ITEMS else None
    print_figure(f"report of {items} findings", seconds["all"], "s", goal=goal, floor=write_seconds)
    print_figure("longest stall while exporting", longest, "ms", goal=STALL_MS, **stalls.figure_details)
    print_figure("size of that report", path.stat().st_size / 2**20, "MB")
    garbage.end()
    workers.shutdown()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--items", type=int, default=GOAL_ITEMS)
    parser.add_argument("--megapixels", type=int, default=12, help="of reference image and photo")
    options = parser.parse_args(arguments)
    size = size_of(options.megapixels)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        draw_picture(folder / "skin.jpg", *size)
        service = EmbeddedService(folder / "data")
        service.start()
        session = Session(service.wait_until_ready(60))
        try:
            record_id = create_record(session, folder / "skin.jpg", options.items, size)
            with Floor() as floor:
                measure_report(session, record_id, options.items, folder / "report.pdf", floor)
        finally:
            session.close()
            service.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
