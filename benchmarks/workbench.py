"""Measures how fast the workbench answers in a large record, and how long its GUI thread is held.

    python -m benchmarks.workbench [--items N] [--regions N] [--megapixels N] [--steps N]
        [--settle S] [--where MS]

The whole desktop with its own service, a record of 1,000 items with regions, photos and results, on a
reference image of 24 MP. Prints one JSON line per figure (`benchmarks/figures.py`): the time of an action
until it is painted, and the longest time between two turns of the event loop while it was done and what it
set off came in. `benchmarks/stall.py` says what the other numbers of such a line are.
`--where` writes to the standard error where the GUI thread is whenever a turn takes longer than so many ms.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.canvas import draw_picture, size_of
from benchmarks.figures import print_figure
from benchmarks.window import STALL_MS, Floor, Stalls, find_workbench, run_desktop, run_loop, wait_until
from desktop.client import Session
from desktop.pages.workbench import WorkbenchPage
from shared.wire.catalogue import ReferenceImageWrite
from shared.wire.inspection import ItemCreate, RecordCreate

COLUMNS = 40
ANSWER_MS = 100.0
"""An action is felt as immediate up to here. Source: J. Nielsen, Usability Engineering, 1993, chapter 5."""


def fill(session: Session, folder: Path, items: int, megapixels: int) -> str:
    """A record of `items` items, each with a region, a photo and a detection with findings; gives its id.

    The photos have half the pixels of the reference image.
    """
    reference, photo_size = size_of(megapixels), size_of(max(megapixels // 2, 1))
    rows = -(-items // COLUMNS)
    pictures = {"reference.jpg": reference, "one.jpg": photo_size, "two.jpg": photo_size}
    stored = {}
    for name, size in pictures.items():
        draw_picture(folder / name, *size)
        stored[name] = session.files.upload(folder / name, name)
    image = session.catalogue.reference_images.create(
        ReferenceImageWrite(reference_image_name="Skin", file_id=stored["reference.jpg"].file_id)
    )
    record = session.records.create(
        RecordCreate(task_id="benchmark", reference_image_id=image.reference_image_id)
    )
    scale = photo_size[0] / reference[0]
    for number in range(items):
        photo = stored["two.jpg" if number % 2 else "one.jpg"]
        x, y = number % COLUMNS / COLUMNS, number // COLUMNS / rows
        left, top = x * photo_size[0], y * photo_size[1]
        boxes = [
            {
                "label": "crack",
                "confidence": 0.9 - finding / 10,
                "points": {"x1": left + 10, "y1": top + 10, "x2": left + 40 + finding, "y2": top + 30},
            }
            for finding in range(number % 4)
        ]
        body = {
            "item_name": f"壁板 {number + 1}",
            "inspection_id": record.inspection_id,
            "model_id": "reference-difference",
            "item_point": {"point": {"x": x, "y": y, "w": 0.6 / COLUMNS, "h": 0.6 / rows}},
            "result": [
                {
                    "inputImage": photo.model_dump(mode="json"),
                    "resultImage": {"boxes": boxes},
                    "isPassed": not boxes,
                    "progress": "done",
                    "version": 1,
                    "provenance": {
                        "alignment": {
                            "homography": [[scale, 0, 0], [0, scale, 0], [0, 0, 1]],
                            "error_px": 0.4,
                            "inliers": 900,
                        }
                    },
                }
            ],
        }
        item = session.items.create(ItemCreate.model_validate(body))
        session.items.add_photo(item.value.item_id, photo.file_id)
    return record.inspection_id


def regions_file(folder: Path, count: int) -> Path:
    """`count` regions as a file of another program."""
    side = math.isqrt(count - 1) + 1
    path = folder / "regions.txt"
    middles = [((number % side + 0.5) / side, (number // side + 0.5) / side) for number in range(count)]
    rows = (f"0 {x:.6f} {y:.6f} {0.6 / side} {0.6 / side}\n" for x, y in middles)
    path.write_text("".join(rows), encoding="utf-8")
    return path


class WorkbenchBenchmark:
    """The open page, and how its actions are timed."""

    def __init__(self, page: WorkbenchPage, where: float | None, settle_s: float, floor: Floor) -> None:
        self.page, self._floor = page, floor
        self._where, self._settle_s = where, settle_s

    def settle(self) -> None:
        """Let what was set off come in."""
        ends = time.monotonic() + self._settle_s
        wait_until(lambda: time.monotonic() > ends, "the waiting")

    @contextmanager
    def held(self, doing: str) -> Iterator[None]:
        """Tell the longest stall while the block runs, and until what it set off has come in."""
        stalls = Stalls(self._where, self._floor)
        try:
            yield
            self.settle()
        finally:
            stalls.end()
        print_figure(
            f"longest stall while {doing}",
            stalls.longest * 1000,
            "ms",
            goal=STALL_MS,
            **stalls.figure_details,
        )

    def timed(self, figure: str, act: Callable[[], object], times: int = 1) -> None:
        """Tell how long an action takes until it is painted, and the longest stall meanwhile."""
        took = []
        with self.held(figure):
            for _ in range(times):
                took.append(measure_painting(act, self.page))
        more: dict[str, Any] = {"longest": round(max(took), 1), "times": times} if times > 1 else {}
        print_figure(figure, statistics.median(took), "ms", goal=ANSWER_MS, **more)


def measure_painting(act: Callable[[], object], page: WorkbenchPage) -> float:
    """Do it in a turn of the event loop; the ms until the loop has painted all parts of the page."""
    from PySide6.QtCore import QEventLoop, QTimer

    pause = QEventLoop()
    times: list[float] = []
    # `desktop.background.repaint` paints them in later turns.
    parts = (page.items.panel.list, page.inspector, page.canvas.centre, page.canvas.view)

    def go() -> None:
        times.append(time.perf_counter())
        act()
        # A timer without a time waits until what the action posted, painting for one, is done.
        QTimer.singleShot(0, end)

    def end() -> None:
        if not all(part.updatesEnabled() for part in parts):
            QTimer.singleShot(1, end)
            return
        times.append(time.perf_counter())
        pause.quit()

    QTimer.singleShot(0, go)
    run_loop(pause, "the painting")
    return (times[1] - times[0]) * 1000


def opening(bench: WorkbenchBenchmark, go: Callable[[], object], items: int, doing: str) -> None:
    """Open the record of `items` items; report when its list and its picture are shown."""
    page = bench.page
    with bench.held(doing):
        began = time.perf_counter()
        go()
        wait_until(lambda: page.items.panel.model.rowCount() == items, "the opening")
        listed = time.perf_counter()
        wait_until(
            lambda: page.canvas.view.source is not None and page.photos.pairing.pair is not None,
            "the picture",
        )
        shown = time.perf_counter()
        wait_until(lambda: bool(page.items.crops[0].cropped), "the crops")
    print_figure(f"{doing}: until the list is there", (listed - began) * 1000, "ms")
    print_figure(f"{doing}: until picture and photo are there", (shown - began) * 1000, "ms")


def acting(bench: WorkbenchBenchmark, steps: int) -> None:
    """What a person does in an open record, so many steps from item to item among it."""
    from PySide6.QtCore import Qt

    from shared.record.codes import Verdict

    page = bench.page
    commands, filters = page.context.commands, page.items.panel.filters
    bench.timed("going to the next item", lambda: commands.run("item.next"), steps)
    wait_until(lambda: page.photos.pairing.pair is not None, "the photo")
    bench.timed("renaming an item", lambda: page.items.changes.rename("renamed"))
    names = iter(["undecided", "failed", "all"] * 2)
    bench.timed("filtering", lambda: filters.chosen.emit(next(names)), 6)
    bench.timed("selecting all", page.canvas.view.select_all)
    page.canvas.view.store.select([page.open_record.current])
    bench.timed("giving a verdict", lambda: page.items.changes.decide(Verdict.PASSED, "looked at it"))
    page.canvas.comparing.canvas.setFocus(Qt.FocusReason.OtherFocusReason)


def importing(bench: WorkbenchBenchmark, path: Path, items: int, regions: int) -> None:
    """Import many regions into a record of so many items, take them back."""
    from desktop.pages.workbench.items.region_files import RegionFilesController

    page = bench.page
    exchange = page.findChild(RegionFilesController)
    assert isinstance(exchange, RegionFilesController)
    with bench.held(f"importing {regions:,} regions"):
        began = time.perf_counter()
        exchange.read(path)
        wait_until(lambda: page.items.panel.model.rowCount() == items + regions, "the import")
        took = time.perf_counter() - began
    print_figure(f"importing {regions:,} regions", took, "s")
    with bench.held("undoing that import"):
        began = time.perf_counter()
        page.context.commands.run("edit.undo")
        wait_until(lambda: page.items.panel.model.rowCount() == items, "the undoing")
        took = time.perf_counter() - began
    print_figure("undoing that import", took, "s")
    with bench.held("redoing it"):
        began = time.perf_counter()
        page.context.commands.run("edit.redo")
        wait_until(lambda: page.items.panel.model.rowCount() == items + regions, "the redoing")
        took = time.perf_counter() - began
    print_figure("redoing it", took, "s")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workbench", description=__doc__)
    parser.add_argument("--items", type=int, default=1_000)
    parser.add_argument("--regions", type=int, default=10_000, help="regions that are imported")
    parser.add_argument("--megapixels", type=int, default=24, help="of the reference image")
    parser.add_argument("--steps", type=int, default=40, help="how often to go to the next item")
    parser.add_argument("--settle", type=float, default=2.0, help="seconds to watch on after each action")
    parser.add_argument("--where", type=float, help="tell where the GUI thread is after so many ms")
    options = parser.parse_args(arguments)
    with Floor() as floor, run_desktop() as (desktop, folder):
        session = desktop.context.session
        record_id = fill(session, folder, options.items, options.megapixels)
        other = session.records.create(RecordCreate(task_id="benchmark")).inspection_id
        window, bench = (
            desktop.window,
            WorkbenchBenchmark(find_workbench(desktop), options.where, options.settle, floor),
        )
        page = bench.page

        def go() -> None:
            window.go("workbench", {"record_id": record_id})

        bench.settle()
        opening(bench, go, options.items, "opening")
        # Another record releases what is kept of this one.
        window.go("workbench", {"record_id": other})
        wait_until(
            lambda: page.open_record.record_id == other and page.canvas.view.source is None,
            "the other record",
        )
        bench.settle()
        opening(bench, go, options.items, "opening again")
        acting(bench, options.steps)
        importing(bench, regions_file(folder, options.regions), options.items, options.regions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
