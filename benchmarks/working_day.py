"""Measures the memory of a working day at the workbench, and how long its GUI thread is held.

    python -m benchmarks.working_day [--records N] [--items N] [--width PX] [--settle S] [--where MS]

The whole desktop with its own service: 40 records of 12 items, each item with a photo of 12 MP of its own,
are opened, detected, looked at and judged item by item, finished and reported one after the other in the real
windows. Prints one JSON line per figure: the memory of the desktop process (without its service) at the login
page, with the first record open, at the end (`after` has it after each record) and how it grew over the
second half of the records; and the longest turn of the event loop (`benchmarks/window.py`). Progress goes to
the standard error, and with `--where` where the GUI thread is whenever a turn takes longer than so many ms.
Each command is given in a turn of its own, as by a key. Needs Linux for the figures of memory.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import ROOT, make_parser, print_figure, resident_mb
from benchmarks.window import (
    ADMIN_LOGIN,
    STALL_MS,
    Floor,
    Stalls,
    detect_all,
    find_workbench,
    process_events,
    run_desktop,
    wait_for_picture,
    wait_until,
)
from desktop.app.application import Desktop
from desktop.pages.workbench import WorkbenchPage
from shared.record.codes import Verdict

FIRST_MB, LAST_MB = 300.0, 350.0
"""Maximum memory of the desktop with its first record open, and at the end of the day."""
GROWTH_MB = 5.0
"""Goal for the growth: the memory of an unchanged desktop varies by so much between measurements."""
_KEY_SECONDS = 0.1
"""Time between two keys of a fast user."""


def make_records(desktop: Desktop, *sizes: int) -> list[str]:
    """Create the records of the day in a separate process, and return their ids."""
    url = desktop.context.session.base_url
    command = [sys.executable, "-m", "benchmarks.records", url, *ADMIN_LOGIN, *map(str, sizes)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    wait_until(lambda: process.poll() is not None, "the making of the records", seconds=3600)
    out, _ = process.communicate()
    if process.returncode:
        raise RuntimeError("the records could not be made")
    ids: list[str] = json.loads(out)
    return ids


def open_record(desktop: Desktop, page: WorkbenchPage, record_id: str) -> None:
    """Open a record and wait for its picture, the photo of its first item and the thumbnails."""
    desktop.window.go("workbench", {"record_id": record_id})
    wait_until(
        lambda: page.open_record.document is not None and page.open_record.record_id == record_id,
        "the opening",
    )
    wait_for_picture(page)
    wait_until(lambda: bool(page.items.crops.cuts), "the crops")


def inspect_record(page: WorkbenchPage) -> None:
    """Run the detections, then view every item as an inspector does and give its verdict."""
    detect_all(page)
    for row in list(page.open_record.rows):
        page.items.go_to(row.item_id)
        wait_until(
            lambda: page.photos.pairing.pair is not None and page.photos.pairing.pair.aligned, "the photo"
        )
        for command in ("view.item", "compare", "view.zoom_in", "compare.swipe", "tool.select", "view.fit"):
            page.context.commands.run(command)
            process_events(_KEY_SECONDS)
        item = page.open_record.item
        assert item is not None
        page.items.changes.decide(Verdict.PASSED if item.passed else Verdict.FAILED, "looked at it")
        process_events(_KEY_SECONDS)


def finish_record(page: WorkbenchPage, folder: Path) -> None:
    """Finish the record and write its report."""

    def is_finished() -> bool:
        document = page.open_record.document
        return document is not None and document.record.end_time is not None

    page.results.finishing.finish_now()
    wait_until(is_finished, "the finish")
    # Each report has its own file: to delete one would hold the GUI thread.
    path = folder / f"{page.open_record.record_id}.pdf"
    page.results.finishing.write(path)
    wait_until(path.exists, "the report")


def measure_growth(after: Sequence[float]) -> float:
    """Return by how many MB the memory grew in the second half, from its first quarter to its last."""
    half = after[len(after) // 2 :]
    part = max(len(half) // 4, 1)
    return statistics.median(half[-part:]) - statistics.median(half[:part])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    sizes = {"records": 40, "items": 12, "width": 4_000}
    options = make_parser(__doc__, **sizes, settle=1.5, where=float).parse_args(arguments)
    started: list[float] = []
    after: list[float] = []
    worst: dict[str, Any] = {}
    longest = 0.0

    def read_memory(into: list[float]) -> None:
        process_events(options.settle)
        into.append(resident_mb("VmRSS"))

    with Floor() as floor, run_desktop(lambda: read_memory(started)) as (desktop, folder):
        page = find_workbench(desktop)
        records = make_records(desktop, options.records, options.items, options.width)
        for number, record_id in enumerate(records, 1):
            stalls = Stalls(options.where, floor)
            open_record(desktop, page, record_id)
            if number == 1:
                read_memory(started)
            inspect_record(page)
            finish_record(page, folder)
            desktop.window.go("records")
            process_events(options.settle)
            stalls.end()
            after.append(resident_mb("VmRSS"))
            if stalls.longest > longest:
                longest, worst = stalls.longest, {"record": number, **stalls.figure_details}
            print(
                f"record {number}: {after[-1]:.0f} MB, longest stall {stalls.longest * 1000:.0f} ms",
                file=sys.stderr,
            )
    login, opened = started
    print_figure("memory at the login page", login, "MB")
    print_figure("memory with the first record open", opened, "MB", goal=FIRST_MB)
    curve = " ".join(f"{each:.0f}" for each in after)
    print_figure("memory at the end", after[-1], "MB", goal=LAST_MB, after=curve)
    growth = measure_growth(after)
    print_figure("growth over the second half", growth, "MB", goal=GROWTH_MB, records=len(after))
    print_figure("longest stall of the day", longest * 1000, "ms", goal=STALL_MS, **worst)
    return 0


if __name__ == "__main__":
    sys.exit(main())
