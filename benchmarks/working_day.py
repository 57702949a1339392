"""Measures the memory of a working day at the workbench, and how long its GUI thread is held.

    python -m benchmarks.working_day [--records N] [--items N] [--width PX] [--settle S] [--where MS]

The whole desktop with its own service: 40 records of 12 items, each item with a photo of 12 MP of its own,
are opened, detected, looked at and judged item by item, finished and reported one after the other in the real
windows. Prints one JSON line per figure: the memory of the desktop process (without its service) at the login
page, with the first record open, at the end (`after` has it after each record) and how it grew over the
second half of the records; and the longest time between two turns of the event loop. `unique` is the part of
the memory that no other process shares. What else a line of stalls says tells `benchmarks/stall.py`. How far
it is goes to the standard error, and with `--where` where the GUI thread is whenever a turn takes longer than
so many ms. Each command is given in a turn of its own, as by a key. Needs Linux for the figures of memory.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import print_figure
from benchmarks.memory import Memory, read_memory
from benchmarks.window import ADMIN_LOGIN, STALL_MS, Floor, Stalls, find_workbench, run_desktop, wait_until
from desktop.app.application import Desktop
from desktop.pages.workbench import WorkbenchPage
from shared.record import results
from shared.record.codes import Verdict

FIRST_MB, LAST_MB = 300.0, 350.0
"""Maximum memory of the desktop with its first record open, and at the end of the day."""
GROWTH_MB = 5.0
"""Goal for the growth: the memory of an unchanged desktop varies by so much between measurements."""
_KEY_SECONDS = 0.1
"""Time between two keys of a fast user."""


def make_records(desktop: Desktop, count: int, items: int, width: int) -> list[str]:
    """Make the records of the day in a separate process, and return their ids."""
    url = desktop.context.session.base_url
    command = [
        sys.executable,
        "-m",
        "benchmarks.working_day_records",
        url,
        *ADMIN_LOGIN,
        *map(str, (count, items, width)),
    ]
    process = subprocess.Popen(command, cwd=Path(__file__).parent.parent, stdout=subprocess.PIPE, text=True)
    wait_until(lambda: process.poll() is not None, "the making of the records", seconds=3600)
    out, _ = process.communicate()
    if process.returncode:
        raise RuntimeError("the records could not be made")
    ids: list[str] = json.loads(out)
    return ids


def process_events(seconds: float) -> None:
    """Run the event loop for so many seconds, so that pending work arrives."""
    ends = time.monotonic() + seconds
    wait_until(lambda: time.monotonic() > ends, "the waiting")


def open_record(desktop: Desktop, page: WorkbenchPage, record_id: str) -> None:
    """Open a record and wait for its picture, the photo of its first item and the thumbnails."""
    desktop.window.go("workbench", {"record_id": record_id})
    wait_until(
        lambda: page.open_record.document is not None and page.open_record.record_id == record_id,
        "the opening",
    )
    wait_until(
        lambda: page.canvas.view.source is not None and page.photos.pairing.pair is not None, "the picture"
    )
    wait_until(lambda: bool(page.items.crops[0].cropped), "the crops")


def inspect_record(page: WorkbenchPage) -> None:
    """Run the detections, then view every item as an inspector does and give its verdict."""
    commands = page.context.commands

    def detected() -> bool:
        assert page.open_record.document is not None
        newest = [results.newest_detection(item.result) for item in page.open_record.document.items]
        return all(entry is not None and results.is_finished(entry) for entry in newest)

    if not commands.run("record.detect"):
        raise RuntimeError("nothing can be detected")
    wait_until(detected, "the detection")
    for row in list(page.open_record.rows):
        page.items.go_to(row.item_id)
        wait_until(
            lambda: page.photos.pairing.pair is not None and page.photos.pairing.pair.aligned, "the photo"
        )
        for command in ("view.item", "compare", "view.zoom_in", "compare.swipe", "tool.select", "view.fit"):
            commands.run(command)
            process_events(_KEY_SECONDS)
        item = page.open_record.item
        assert item is not None
        page.items.changes.decide(Verdict.PASSED if item.passed else Verdict.FAILED, "looked at it")
        process_events(_KEY_SECONDS)


def finish_record(page: WorkbenchPage, folder: Path) -> None:
    """Finish the record and write its report."""
    page.results.finishing.finish_now()
    wait_until(lambda: page.open_record.document is not None and _is_finished(page), "the finish")
    # Each report has its own file: to delete one would hold the GUI thread.
    path = folder / f"{page.open_record.record_id}.pdf"
    page.results.finishing.write(path)
    wait_until(path.exists, "the report")


def _is_finished(page: WorkbenchPage) -> bool:
    assert page.open_record.document is not None
    return page.open_record.document.record.end_time is not None


def measure_growth(after: Sequence[Memory]) -> float:
    """Return by how many MB the memory grew in the second half, from its first quarter to its last."""
    half = [each.resident for each in after[len(after) // 2 :]]
    part = max(len(half) // 4, 1)
    return statistics.median(half[-part:]) - statistics.median(half[:part])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.working_day", description=__doc__)
    parser.add_argument("--records", type=int, default=40)
    parser.add_argument("--items", type=int, default=12, help="items of a record, each with a photo")
    parser.add_argument("--width", type=int, default=4000, help="of the pictures in px; 4000 are 12 MP")
    parser.add_argument("--settle", type=float, default=1.5, help="seconds to wait before memory is read")
    parser.add_argument("--where", type=float, help="tell where the GUI thread is after so many ms")
    options = parser.parse_args(arguments)
    started: list[Memory] = []
    after: list[Memory] = []
    worst: dict[str, Any] = {}
    longest = 0.0

    def at_login() -> None:
        process_events(options.settle)
        started.append(read_memory())

    with Floor() as floor, run_desktop(at_login) as (desktop, folder):
        page = find_workbench(desktop)
        for number, record_id in enumerate(
            make_records(desktop, options.records, options.items, options.width), 1
        ):
            stalls = Stalls(options.where, floor)
            open_record(desktop, page, record_id)
            if number == 1:
                process_events(options.settle)
                started.append(read_memory())
            inspect_record(page)
            finish_record(page, folder)
            desktop.window.go("records")
            process_events(options.settle)
            stalls.end()
            after.append(read_memory())
            if stalls.longest > longest:
                longest, worst = stalls.longest, {"record": number, **stalls.figure_details}
            details = ", ".join(f"{name} {value:.0f}" for name, value in stalls.figure_details.items())
            print(
                f"record {number}: {after[-1].resident:.0f} MB, "
                f"longest stall {stalls.longest * 1000:.0f} ms ({details})",
                file=sys.stderr,
            )
    login, opened, last = *started, after[-1]
    print_figure("memory at the login page", login.resident, "MB", unique=round(login.unique))
    print_figure(
        "memory with the first record open",
        opened.resident,
        "MB",
        goal=FIRST_MB,
        unique=round(opened.unique),
    )
    curve = " ".join(f"{each.resident:.0f}" for each in after)
    print_figure(
        "memory at the end", last.resident, "MB", goal=LAST_MB, unique=round(last.unique), after=curve
    )
    print_figure(
        "growth over the second half", measure_growth(after), "MB", goal=GROWTH_MB, records=len(after)
    )
    print_figure("longest stall of the day", longest * 1000, "ms", goal=STALL_MS, **worst)
    return 0


if __name__ == "__main__":
    sys.exit(main())
