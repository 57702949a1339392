"""Measures how fast the workbench answers, and how long its GUI thread is held meanwhile.

    python -m benchmarks.workbench [--items N] [--regions N] [--megapixels N] [--steps N] [--photos N]
        [--width PX] [--findings N] [--settle S] [--where MS]

The whole desktop with its own service. A record of 1,000 items with regions, photos and results on a
reference image of 24 MP is opened and worked in, and 10,000 regions are imported. In a record of 12 photos
everything is detected, and theme and language change. A report of 200 findings is written. Prints one JSON
line per figure (`benchmarks/figures.py`): the time of an action until it is painted, and the longest turn of
the event loop while it was done and what it set off came in (`benchmarks/window.py`). `--where` writes to the
standard error where the GUI thread is whenever a turn takes longer than so many ms.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.canvas import draw_picture, size_of
from benchmarks.figures import make_parser, print_figure
from benchmarks.records import make_detected, make_undetected
from benchmarks.window import (
    Floor,
    detect_all,
    find_workbench,
    measure_stall,
    process_events,
    run_desktop,
    run_loop,
    wait_for_picture,
    wait_until,
)
from desktop.pages.workbench import WorkbenchPage
from shared.wire.inspection import RecordCreate

ANSWER_MS = 100.0
"""An action is felt as immediate up to here. Source: J. Nielsen, Usability Engineering, 1993, chapter 5."""
REPORT_SECONDS, REPORT_FINDINGS = 3.0, 200
"""The goal for a report of so many findings."""
_SENDING_SECONDS = 900.0
"""Sending 10,000 regions takes 94 s on two cores."""

Watch = Callable[[str], AbstractContextManager[None]]
"""Measures the longest stall while something is done, for example "while opening"."""


def write_regions(folder: Path, count: int) -> Path:
    """Write `count` regions as a file of another program."""
    side = math.isqrt(count - 1) + 1
    path = folder / "regions.txt"
    middles = [((number % side + 0.5) / side, (number // side + 0.5) / side) for number in range(count)]
    rows = (f"0 {x:.6f} {y:.6f} {0.6 / side} {0.6 / side}\n" for x, y in middles)
    path.write_text("".join(rows), encoding="utf-8")
    return path


def measure_action(
    page: WorkbenchPage, watch: Watch, figure: str, act: Callable[[], object], times: int = 1
) -> None:
    """Print how long an action takes until it is painted, and the longest stall meanwhile."""
    with watch(f"while {figure}"):
        took = [measure_painting(act, page) for _ in range(times)]
    details: dict[str, Any] = {"longest": round(max(took), 1), "times": times} if times > 1 else {}
    print_figure(figure, statistics.median(took), "ms", goal=ANSWER_MS, **details)


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


def open_record(page: WorkbenchPage, watch: Watch, go: Callable[[], object], items: int, doing: str) -> None:
    """Open the record of `items` items; print when its picture is shown."""
    with watch(f"while {doing}"):
        began = time.perf_counter()
        go()
        wait_until(lambda: page.items.panel.model.rowCount() == items, "the opening")
        wait_for_picture(page)
        shown = time.perf_counter()
        wait_until(lambda: bool(page.items.crops.cuts), "the crops")
    print_figure(f"{doing}: until picture and photo are there", (shown - began) * 1000, "ms")


def work(page: WorkbenchPage, watch: Watch, steps: int) -> None:
    """Do what a person does in an open record, so many steps from item to item among it."""
    from PySide6.QtCore import Qt

    from shared.record.codes import Verdict

    measure = partial(measure_action, page, watch)
    commands, filters = page.context.commands, page.items.panel.filters
    measure("going to the next item", lambda: commands.run("item.next"), steps)
    wait_until(lambda: page.photos.pairing.pair is not None, "the photo")
    measure("renaming an item", lambda: page.items.changes.rename("renamed"))
    names = iter(["undecided", "failed", "all"] * 2)
    measure("filtering", lambda: filters.chosen.emit(next(names)), 6)
    measure("selecting all", page.canvas.view.select_all)
    page.canvas.view.store.select([page.open_record.current])
    measure("giving a verdict", lambda: page.items.changes.decide(Verdict.PASSED, "looked at it"))
    page.canvas.comparing.canvas.setFocus(Qt.FocusReason.OtherFocusReason)


def import_regions(page: WorkbenchPage, watch: Watch, path: Path, items: int, regions: int) -> None:
    """Import many regions into a record of so many items, undo that and redo it."""
    from desktop.pages.workbench.items.region_files import RegionFilesController

    exchange = page.findChild(RegionFilesController)
    assert isinstance(exchange, RegionFilesController)
    commands = page.context.commands
    for doing, act, count in (
        (f"importing {regions:,} regions", partial(exchange.read, path), items + regions),
        ("undoing that import", partial(commands.run, "edit.undo"), items),
        ("redoing it", partial(commands.run, "edit.redo"), items + regions),
    ):
        with watch(f"while {doing}"):
            act()
            wait_until(lambda count=count: page.items.panel.model.rowCount() == count, doing)  # type: ignore[misc]


def write_report(page: WorkbenchPage, watch: Watch, record_id: str, findings: int, path: Path) -> None:
    """Collect and write the report in a worker, as the page does."""
    from PySide6.QtCore import QEventLoop

    from desktop.background import workers
    from desktop.report import pdf
    from desktop.report.collect import collect

    session, seconds = page.context.session, []

    def write(report: workers.ProgressReport) -> None:
        start = time.perf_counter()
        data = collect(session, record_id, "chief", lambda done, total: report((done, total)))
        seconds.append(time.perf_counter() - start)
        pdf.write(data, path)
        seconds.append(time.perf_counter() - start)

    def fail(problem: Exception) -> None:
        raise problem

    loop = QEventLoop()
    with watch("while exporting"):
        workers.run(write, owner=None, done=lambda _: loop.quit(), failed=fail, progress=lambda _: None)
        run_loop(loop, "the report")
    collected, written = seconds
    goal = REPORT_SECONDS if findings == REPORT_FINDINGS else None
    print_figure(f"report of {findings} findings", written, "s", goal=goal, floor=written - collected)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    sizes = {"items": 1_000, "regions": 10_000, "megapixels": 24, "steps": 40, "photos": 12, "width": 4_000}
    more = {"findings": REPORT_FINDINGS}
    options = make_parser(__doc__, **sizes, **more, settle=2.0, where=float).parse_args(arguments)
    with Floor() as floor, run_desktop() as (desktop, folder):
        session, page, commands = desktop.context.session, find_workbench(desktop), desktop.context.commands
        watch = partial(measure_stall, floor=floor, settle_s=options.settle, where=options.where)
        reference, photo = folder / "Skin.jpg", folder / "today.jpg"
        photo_size = size_of(max(options.megapixels // 2, 1))
        draw_picture(reference, *size_of(options.megapixels))
        draw_picture(photo, *photo_size)
        large, reported = (
            make_detected(session, items, reference, photo, photo_size[0])
            for items in (options.items, options.findings)
        )
        empty = session.records.create(RecordCreate(task_id="benchmark")).inspection_id
        [small] = make_undetected(session, 1, options.photos, options.width, folder)

        def go(record_id: str) -> None:
            desktop.window.go("workbench", {"record_id": record_id})

        process_events(options.settle)
        open_record(page, watch, partial(go, large), options.items, "opening")
        # Another record releases what is kept of this one.
        go(empty)
        wait_until(
            lambda: page.open_record.record_id == empty and page.canvas.view.source is None,
            "the other record",
        )
        process_events(options.settle)
        open_record(page, watch, partial(go, large), options.items, "opening again")
        work(page, watch, options.steps)
        import_regions(page, watch, write_regions(folder, options.regions), options.items, options.regions)
        go(small)
        wait_for_picture(page)
        with watch("while detecting"):
            detect_all(page)
            wait_until(lambda: not page.results.detecting.running_items, "the watching")
        wait_for_picture(page)
        # The imported regions of the other record are sent until now, one by one.
        edits = page.open_record.edits
        wait_until(lambda: not edits.save_state.unsent_count, "the sending", seconds=_SENDING_SECONDS)
        for command in ("theme.dark", "theme.light", "language.zh_CN", "language.en"):
            with watch(f"at the command {command}"):
                commands.run(command)
        write_report(find_workbench(desktop), watch, reported, options.findings, folder / "report.pdf")
    return 0


if __name__ == "__main__":
    sys.exit(main())
