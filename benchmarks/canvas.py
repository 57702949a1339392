"""Measures how fast pictures open and move, how many regions the canvas bears, and the journal's speed.

    python -m benchmarks.canvas [--only NAME] [--megapixels N ...] [--frames N] [--regions N]

Offscreen, 1600 x 1000, pictures drawn on the spot (noise over waves, about 3 bits a pixel). Prints one JSON
line per figure (`benchmarks/figures.py`); the floor of a first picture is Qt's own scaled decode, that of a
frame one drawImage of the window. Each picture is opened in a fresh process with an empty cache, and the
largest is moved about in.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.figures import make_parser, percentile, print_figure, resident_mb, time_calls
from benchmarks.window import Floor, Stalls, process_events, wait_until

WINDOW = (1600, 1000)
FIRST_PICTURE_MS = {24: 300, 100: 800, 400: 2000}
"""Megapixels: the goal for the first useful picture."""
LARGEST = 400
"""Megapixels of the picture that memory and moving have goals for."""


def size_of(megapixels: int) -> tuple[int, int]:
    """Width and height of a picture with a shape of 3 to 2."""
    height = round((megapixels * 1_000_000 / 1.5) ** 0.5)
    return round(height * 1.5), height


def goal_for(megapixels: int, goal: float) -> float | None:
    """The goal of the largest picture; None for another one."""
    return goal if megapixels == LARGEST else None


def draw_picture(path: Path, width: int, height: int) -> None:
    """A JPEG that is as hard to decode as a photo."""
    from desktop.imaging.decoding.vips import pyvips

    side = 2048
    place = pyvips.Image.xyz(side, side)
    waves = (place[0] / 37).sin() * 30 + (place[1] / 51).cos() * 30
    grey = pyvips.Image.gaussnoise(side, side, mean=128, sigma=14) + waves
    sheet = grey.bandjoin([grey + 3, grey + 8]).cast("uchar").copy_memory()
    image = sheet.replicate(-(-width // side), -(-height // side)).crop(0, 0, width, height)
    image.copy(interpretation="srgb").jpegsave(str(path), Q=85)


def opened_view(path: Path, floor: Floor | None = None) -> tuple[Any, Any, float, Stalls]:
    """The application, a view on the picture, the ms until its first useful picture, what stalled."""
    from PySide6.QtWidgets import QApplication

    from desktop.background.memory import GarbageCollection
    from desktop.canvas.views.canvas_view import CanvasView
    from desktop.imaging import open_image

    application = QApplication.instance() or QApplication([])
    # As the desktop has it: garbage is collected on the GUI thread.
    GarbageCollection(application).freeze_existing()
    view = CanvasView()
    view.resize(*WINDOW)
    view.show()
    application.processEvents()
    stalls = Stalls(floor=floor)
    shown: list[float] = []
    view.opened.connect(lambda: shown.append(0))
    start = time.perf_counter()
    view.open(open_image(path))
    while not shown:
        application.processEvents()
        time.sleep(0.001)
    view.repaint()
    return application, view, (time.perf_counter() - start) * 1000, stalls


def qt_preview_ms(path: Path) -> float:
    """Qt's own decode of the JPEG at an eighth."""
    from PySide6.QtGui import QImageReader

    reader = QImageReader(str(path))
    reader.setAllocationLimit(0)
    reader.setScaledSize(reader.size() / 8)
    start = time.perf_counter()
    reader.read()
    return (time.perf_counter() - start) * 1000


class Times:
    """The ms of pieces of work: by the clock, and of the processor."""

    def __init__(self) -> None:
        self.clock: list[float] = []
        self._processor: list[float] = []

    def measure(self, work: Callable[[], object]) -> float:
        """Do the work; return its ms by the clock."""
        start, busy = time.perf_counter(), time.thread_time()
        work()
        self.clock.append((time.perf_counter() - start) * 1000)
        self._processor.append((time.thread_time() - busy) * 1000)
        return self.clock[-1]

    def print_figure(self, figure: str, goal: float | None, floor: float | None = None) -> None:
        """Print the 95th percentile."""
        print_figure(
            f"{figure}, p95",
            percentile(self.clock, 0.95),
            "ms",
            goal=goal,
            floor=floor,
            median=round(statistics.median(self.clock), 2),
            worst=round(max(self.clock), 1),
            processor_p95=round(percentile(self._processor, 0.95), 2),
        )


def picture(path: Path, megapixels: int) -> None:
    """Open a picture and let it be prepared."""
    with Floor() as floor:
        application, view, first, stalls = opened_view(path, floor)
        start, most = time.perf_counter(), 0.0
        while not view.source.levels:
            application.processEvents()
            time.sleep(0.002)
            most = max(most, resident_mb("RssAnon"))
        built = round(time.perf_counter() - start, 1)
        stalls.end()
        stalls.print_figure(f"while opening {megapixels} MP", prepared_s=built)
    print_figure(
        f"first picture of {megapixels} MP",
        first,
        "ms",
        goal=FIRST_PICTURE_MS.get(megapixels),
        floor=qt_preview_ms(path),
    )
    print_figure(
        f"memory while preparing {megapixels} MP",
        most,
        "MB",
        goal=goal_for(megapixels, 400),
        with_mapped_files=round(resident_mb("VmHWM")),
    )
    view.close_picture()


def moving(path: Path, megapixels: int, frames_wanted: int) -> None:
    """A second opening, then pan and zoom with cold tiles."""
    with Floor() as floor:
        application, view, first, stalls = opened_view(path, floor)
        print_figure(f"second opening of {megapixels} MP", first, "ms", goal=goal_for(megapixels, 300))
        wait_until(lambda: bool(view.source.levels), "the preparation")
        times = Times()
        width, height = view.source.size

        def frame(scale: float, x: float, y: float) -> None:
            def show() -> None:
                view.set_viewport(scale, x, y)
                application.processEvents()

            time.sleep(max(0.0, 0.016 - times.measure(show) / 1000))

        # Along a diagonal at half size, into the depth at one place, along the other diagonal pixel by pixel.
        for step in range(frames_wanted * 3 // 8):
            frame(0.5, width * 0.09 + step * 120, height * 0.17 + step * 60)
        for step in range(frames_wanted // 4):
            frame(view.viewport.fit_scale * 1.06**step, width * 0.7, height * 0.4)
        for step in range(frames_wanted * 3 // 8):
            frame(1.0, width * 0.91 - step * 80, height * 0.91 - step * 50)
        bare = bare_frame_ms()
        times.print_figure(f"pan and zoom, {megapixels} MP, cold tiles", goal_for(megapixels, 16), bare)
        stalls.end()
        stalls.print_figure("while moving")
    print_figure(
        f"memory with {megapixels} MP open",
        resident_mb("VmRSS"),
        "MB",
        goal=goal_for(megapixels, 400),
        peak=round(resident_mb("VmHWM")),
    )
    view.close_picture()


def bare_frame_ms() -> float:
    """One drawImage that fills the window, scaled by 0.7 and smoothed as the canvas does."""
    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QImage, QPainter

    source = QImage(int(WINDOW[0] / 0.7), int(WINDOW[1] / 0.7), QImage.Format.Format_RGB32)
    source.fill(0x808080)
    target = QImage(*WINDOW, QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(target)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    times = time_calls(lambda: painter.drawImage(QRectF(target.rect()), source, QRectF(source.rect())), 20)
    painter.end()
    return statistics.median(times)


def many_regions(path: Path, count: int) -> None:
    """`count` regions on a picture."""
    from desktop.canvas.model.regions import Region, RegionChange, RegionState, RegionStep
    from shared.record.geometry import Rect

    application, view, _first, _stalls = opened_view(path)
    wait_until(lambda: bool(view.source.levels), "the preparation")
    rng = random.Random(1)
    states = list(RegionState)
    width, height = view.source.size

    def draw_rect() -> Rect:
        corner = rng.uniform(0, width - 100), rng.uniform(0, height - 100)
        return Rect(*corner, rng.uniform(10, 100), rng.uniform(10, 100))

    regions = [Region(f"r{n}", draw_rect(), n, state=states[n % 4]) for n in range(count)]
    view.store.replace(regions)
    view.store.select(["r5"])
    process_events(0.3)

    def measure(what: str, work: Callable[[], object], repeats: int, goal: float) -> None:
        times = Times()
        for _ in range(repeats):
            times.measure(work)
        times.print_figure(f"{count:,} regions, {what}", goal)

    def apply(change: RegionChange) -> None:
        view.store.apply(change)
        view.repaint()

    numbers = itertools.count()

    def add() -> None:
        new = Region(f"n{next(numbers)}", Rect(100, 100, 50, 50), 1)
        apply(RegionChange((), (new,), RegionStep.DRAW))

    measure("frame at fit", view.repaint, 60, 16)
    measure("add one and paint", add, 30, 20)
    measure("hit test", lambda: view.store.hits(rng.uniform(0, width), rng.uniform(0, height)), 500, 1)
    change = RegionChange((regions[7],), (regions[7].with_rect(Rect(1, 1, 9, 9)),), RegionStep.MOVE)
    undoing = RegionChange(change.after, change.before, change.step)
    undone = Times()
    for _ in range(30):
        apply(change)
        undone.measure(lambda: apply(undoing))
    undone.print_figure(f"{count:,} regions, undo and paint", 50)
    # Last, because the first two frames with other regions prepare what the other figures measure warm.
    zooming(view, regions[:1000], application.processEvents)
    view.close_picture()


def zooming(view: Any, regions: Sequence[Any], process_events: Callable[[], object]) -> None:
    """Zoom with these regions from the whole picture to a few of them and back, a frame for each step."""
    view.store.replace(regions)
    view.fit()
    view.repaint()

    def show(step: Callable[[], object]) -> None:
        step()
        view.repaint()

    first_way, times = Times(), Times()
    for way in range(4):
        for step in [view.zoom_in] * 12 + [view.zoom_out] * 12:
            # The first way in and out loads tiles, which moving measures.
            (times if way else first_way).measure(partial(show, step))
            process_events()
    times.print_figure(f"{len(regions):,} regions, zoom step and frame", 12)


def journal() -> None:
    """Append edits to a journal."""
    from desktop.journal import Edit, EditKind, Journal

    with tempfile.TemporaryDirectory() as folder:
        written = Journal.open(Path(folder) / "journal")
        edit = Edit("r", "item", "o", EditKind.UPDATE, {"x": 0}, {"x": 1}, "move", 0.0)
        times = time_calls(lambda: written.append(edit), 2000)
        print_figure("journal append, p95", percentile(times, 0.95), "ms", goal=1)
        written.close()


def run_part(part: str, path: Path, cache: Path, *arguments: str) -> None:
    """Run one part in a fresh process with its own cache folder."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run(
        [sys.executable, "-m", "benchmarks.canvas", "--part", part, "--path", str(path), *arguments],
        env=environment,
        check=True,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all parts, or the one asked for."""
    parser = make_parser(__doc__, frames=400, regions=10_000)
    parser.add_argument("--only", choices=["pictures", "regions", "journal"])
    parser.add_argument("--megapixels", type=int, nargs="+", default=sorted(FIRST_PICTURE_MS))
    # What a process of its own does, and the picture for it.
    parser.add_argument("--part", choices=["picture", "moving", "regions"], help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    sizes = sorted(options.megapixels)
    match options.part:
        case "picture":
            picture(options.path, sizes[0])
        case "moving":
            moving(options.path, sizes[0], options.frames)
        case "regions":
            many_regions(options.path, options.regions)
        case _:
            with tempfile.TemporaryDirectory() as folder:
                measure_parts(Path(folder), sizes, options)
    return 0


def measure_parts(folder: Path, sizes: Sequence[int], options: argparse.Namespace) -> None:
    """Draw the pictures of `sizes` megapixels, and measure all parts or that of `--only`."""

    def measure(part: str, megapixels: int) -> None:
        path = folder / f"{megapixels}.jpg"
        if not path.exists():
            draw_picture(path, *size_of(megapixels))
        sized = ("--megapixels", str(megapixels), "--frames", str(options.frames))
        run_part(part, path, folder / "cache", *sized, "--regions", str(options.regions))

    if options.only in (None, "pictures"):
        for megapixels in sizes:
            measure("picture", megapixels)
        measure("moving", sizes[-1])
    if options.only in (None, "regions"):
        measure("regions", sizes[0])
    if options.only in (None, "journal"):
        journal()


if __name__ == "__main__":
    sys.exit(main())
