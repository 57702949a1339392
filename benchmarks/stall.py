"""Measures whether the window stays responsive during detection and changes of theme and language.

    python -m benchmarks.stall [--items N] [--width PX] [--settle S]

The whole desktop with its own service, a record of 12 items with a photo each, the workbench in front. Prints
one JSON line per figure (`benchmarks/figures.py`): the longest time between two turns of the event loop while
everything is detected and the results arrive, and while theme and language change, each held against 50 ms.
For machines that are shared, `processor` is what the GUI thread itself worked in one turn at most, `held` the
longest turn without waiting for a core, `waited` that waiting in the longest turn, and the floor
(`benchmarks/window.py`) what a process with nothing but a timer was away at most in the same time, ms.
`stolen` are ms of the processors that went to other virtual machines.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

from benchmarks.figures import print_figure
from benchmarks.window import STALL_MS, Floor, Stalls, find_workbench, run_desktop, wait_until
from benchmarks.working_day_records import make
from desktop.pages.workbench import WorkbenchPage
from shared.record import results


def measure_detection(page: WorkbenchPage, items: int, floor: Floor) -> None:
    """Run all detections as the command does, and measure the event loop until the last result is shown."""

    def detected() -> bool:
        document = page.open_record.document
        assert document is not None
        newest = [results.newest_detection(item.result) for item in document.items]
        return all(entry is not None and results.is_finished(entry) for entry in newest)

    stalls = Stalls(floor=floor)
    began = time.perf_counter()
    if not page.context.commands.run("record.detect"):
        raise RuntimeError("nothing can be detected")
    wait_until(detected, "the detection")
    seconds = round(time.perf_counter() - began, 1)
    wait_until(lambda: not page.results.detecting.running_items, "the watching")
    stalls.end()
    print_figure(
        "longest stall while detecting",
        stalls.longest * 1000,
        "ms",
        goal=STALL_MS,
        items=items,
        seconds=seconds,
        **stalls.figure_details,
    )


def measure_change(name: str, change: Callable[[], object], settle_s: float, floor: Floor) -> None:
    """Measure the longest stall while a change is made and painted and in `settle_s` seconds after it."""
    stalls = Stalls(floor=floor)
    change()
    settled = time.monotonic() + settle_s
    wait_until(lambda: time.monotonic() > settled, name)
    stalls.end()
    print_figure(
        f"longest stall at a {name}", stalls.longest * 1000, "ms", goal=STALL_MS, **stalls.figure_details
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stall", description=__doc__)
    parser.add_argument("--items", type=int, default=12)
    parser.add_argument("--width", type=int, default=4000, help="of the pictures, px")
    parser.add_argument("--settle", type=float, default=1.5, help="seconds to watch on after each change")
    options = parser.parse_args(arguments)
    with Floor() as floor, run_desktop() as (desktop, folder):
        from desktop.theme import Mode

        [record_id] = make(desktop.context.session, 1, options.items, options.width, folder)
        desktop.window.go("workbench", {"record_id": record_id})
        page = find_workbench(desktop)
        wait_until(
            lambda: page.canvas.view.source is not None and page.photos.pairing.pair is not None,
            "the opening",
        )
        measure_detection(page, options.items, floor)
        wait_until(lambda: page.photos.pairing.pair is not None, "the photo")
        commands = desktop.context.commands
        for mode in (Mode.DARK, Mode.LIGHT):
            measure_change(
                f"change of the theme to {mode}",
                partial(commands.run, f"theme.{mode}"),
                options.settle,
                floor,
            )
        for code in ("zh_CN", "en"):
            change = partial(commands.run, f"language.{code}")
            measure_change(f"change of the language to {code}", change, options.settle, floor)
    return 0


if __name__ == "__main__":
    sys.exit(main())
