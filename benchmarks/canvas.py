"""Measures how fast pictures open and move, how many regions the canvas bears, and the journal's speed.

    python -m benchmarks.canvas [--only NAME] [--megapixels N ...] [--frames N] [--regions N]

Offscreen, 1600 x 1000, pictures drawn on the spot (noise over waves, about 3 bits a pixel). Prints one JSON
line per figure (`benchmarks/figures.py`); the floor of a first picture is Qt's own scaled decode, that of a
frame one drawImage of the window. Each picture is opened in a fresh process with an empty cache, and the
largest is moved about in.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import percentile, print_figure, resident_mb, time_calls
from benchmarks.window import STALL_MS, Floor, Stalls

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

    from desktop.background.garbage_collection import GarbageCollection
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


def picture(path: Path, megapixels: int, floor: Floor) -> None:
    """Open a picture and let it be prepared."""
    application, view, first, stalls = opened_view(path, floor)
    ready: list[int] = []
    view.prepared.connect(lambda: ready.append(1))
    start = time.perf_counter()
    most = 0.0
    while not ready and not view.source.levels:
        application.processEvents()
        time.sleep(0.002)
        most = max(most, resident_mb("RssAnon"))
    built = time.perf_counter() - start
    stalls.end()
    print_figure(
        f"longest stall while opening {megapixels} MP",
        stalls.longest * 1000,
        "ms",
        goal=STALL_MS,
        prepared_s=round(built, 1),
        **stalls.figure_details,
    )
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


def moving(path: Path, megapixels: int, frames_wanted: int, floor: Floor) -> None:
    """A second opening, then pan and zoom with cold tiles."""
    application, view, first, stalls = opened_view(path, floor)
    print_figure(f"second opening of {megapixels} MP", first, "ms", goal=goal_for(megapixels, 300))
    while not view.source.levels:
        application.processEvents()
        time.sleep(0.001)
    frames: list[float] = []
    worked: list[float] = []
    width, height = view.source.size

    def frame(scale: float, x: float, y: float) -> None:
        start, busy = time.perf_counter(), time.thread_time()
        view.set_viewport(scale, x, y)
        application.processEvents()
        took = time.perf_counter() - start
        frames.append(took * 1000)
        worked.append((time.thread_time() - busy) * 1000)
        time.sleep(max(0.0, 0.016 - took))

    # Along a diagonal at half size, into the depth at one place, along the other diagonal pixel by pixel.
    for step in range(frames_wanted * 3 // 8):
        frame(0.5, width * 0.09 + step * 120, height * 0.17 + step * 60)
    for step in range(frames_wanted // 4):
        frame(view.viewport.fit_scale * 1.06**step, width * 0.7, height * 0.4)
    for step in range(frames_wanted * 3 // 8):
        frame(1.0, width * 0.91 - step * 80, height * 0.91 - step * 50)
    bare = bare_frame_ms()
    print_figure(
        f"pan and zoom, {megapixels} MP, cold tiles, p95",
        percentile(frames, 0.95),
        "ms",
        goal=goal_for(megapixels, 16),
        floor=bare,
        median=round(statistics.median(frames), 1),
        worst=round(max(frames), 1),
        processor_p95=round(percentile(worked, 0.95), 1),
    )
    stalls.end()
    print_figure(
        "longest stall while moving", stalls.longest * 1000, "ms", goal=STALL_MS, **stalls.figure_details
    )
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
    while not view.source.levels:
        application.processEvents()
        time.sleep(0.001)
    rng = random.Random(1)
    states = list(RegionState)
    width, height = view.source.size
    regions = [
        Region(
            f"r{n}",
            Rect(
                rng.uniform(0, width - 100),
                rng.uniform(0, height - 100),
                rng.uniform(10, 100),
                rng.uniform(10, 100),
            ),
            n,
            state=states[n % 4],
        )
        for n in range(count)
    ]
    view.store.replace(regions)
    view.store.select(["r5"])
    for _ in range(30):
        application.processEvents()
        time.sleep(0.01)

    worked: list[float] = []

    def once(work: Callable[[], object]) -> float:
        start, busy = time.perf_counter(), time.thread_time()
        work()
        worked.append((time.thread_time() - busy) * 1000)
        return (time.perf_counter() - start) * 1000

    def measure(what: str, work: Callable[[], object], times: int, goal: float) -> None:
        worked.clear()
        taken = [once(work) for _ in range(times)]
        processor = round(percentile(worked, 0.95), 2)
        print_figure(
            f"{count:,} regions, {what}, p95",
            percentile(taken, 0.95),
            "ms",
            goal=goal,
            processor_p95=processor,
        )

    measure("frame at fit", view.repaint, 60, 16)
    numbers = iter(range(10**6))

    def add() -> None:
        new = Region(f"n{next(numbers)}", Rect(100, 100, 50, 50), 1)
        view.store.apply(RegionChange((), (new,), RegionStep.DRAW))
        view.repaint()

    measure("add one and paint", add, 30, 20)
    measure("hit test", lambda: view.store.hits(rng.uniform(0, width), rng.uniform(0, height)), 500, 1)
    change = RegionChange((regions[7],), (regions[7].with_rect(Rect(1, 1, 9, 9)),), RegionStep.MOVE)

    undoing = RegionChange(change.after, change.before, change.step)

    def undo() -> None:
        view.store.apply(undoing)
        view.repaint()

    undone: list[float] = []
    worked.clear()
    for _ in range(30):
        view.store.apply(change)
        view.repaint()
        undone.append(once(undo))
    undo_processor = round(percentile(worked, 0.95), 2)
    print_figure(
        f"{count:,} regions, undo and paint, p95",
        percentile(undone, 0.95),
        "ms",
        goal=50,
        processor_p95=undo_processor,
    )
    # Last, because the first two frames with other regions prepare what the other figures measure warm.
    zooming(view, regions[:1000], application.processEvents)
    view.close_picture()


def zooming(view: Any, regions: Sequence[Any], process_events: Callable[[], object]) -> None:
    """Zoom with these regions from the whole picture to a few of them and back, a frame for each step."""
    view.store.replace(regions)
    view.fit()
    view.repaint()
    steps = [view.zoom_in] * 12 + [view.zoom_out] * 12
    taken: list[float] = []
    worked: list[float] = []
    for step in steps * 4:
        start, busy = time.perf_counter(), time.thread_time()
        step()
        view.repaint()
        taken.append((time.perf_counter() - start) * 1000)
        worked.append((time.thread_time() - busy) * 1000)
        process_events()
    # The first way in and out loads tiles, which moving measures.
    steady = taken[len(steps) :]
    print_figure(
        f"{len(regions):,} regions, zoom step and frame, p95",
        percentile(steady, 0.95),
        "ms",
        goal=12,
        processor_p95=round(percentile(worked[len(steps) :], 0.95), 2),
        median=round(statistics.median(steady), 2),
        first_way_p95=round(percentile(taken[: len(steps)], 0.95), 2),
    )


def journal() -> None:
    """Append edits to a journal."""
    from desktop.journal import Edit, EditKind, Journal

    with tempfile.TemporaryDirectory() as folder:
        written = Journal.open(Path(folder) / "journal")
        edit = Edit("r", "item", "o", EditKind.UPDATE, {"x": 0}, {"x": 1}, "move", 0.0)
        times = time_calls(lambda: written.append(edit), 2000)
        print_figure("journal append, p95", percentile(times, 0.95), "ms", goal=1)
        written.close()


def in_own_process(part: str, path: Path, cache: Path, *arguments: str) -> None:
    """Run one part in a fresh process with its own cache folder."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run(
        [sys.executable, "-m", "benchmarks.canvas", "--part", part, "--path", str(path), *arguments],
        env=environment,
        check=True,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.canvas",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--only", choices=["pictures", "regions", "journal"])
    parser.add_argument("--megapixels", type=int, nargs="+", default=sorted(FIRST_PICTURE_MS))
    parser.add_argument("--frames", type=int, default=400, help="frames of moving about")
    parser.add_argument("--regions", type=int, default=10_000, help="regions on the smallest picture")
    parser.add_argument("--part", choices=["picture", "moving", "regions"], help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all parts, or the one asked for."""
    options = _parser().parse_args(arguments)
    match options.part:
        case "picture":
            with Floor() as floor:
                picture(options.path, options.megapixels[0], floor)
            return 0
        case "moving":
            with Floor() as floor:
                moving(options.path, options.megapixels[0], options.frames, floor)
            return 0
        case "regions":
            many_regions(options.path, options.regions)
            return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = sorted(options.megapixels)
        paths = {megapixels: folder / f"{megapixels}.jpg" for megapixels in sizes}
        picture_sizes = {None: sizes, "pictures": sizes, "regions": sizes[:1]}.get(options.only, [])
        for megapixels in picture_sizes:
            draw_picture(paths[megapixels], *size_of(megapixels))
        if options.only in (None, "pictures"):
            for megapixels in sizes:
                in_own_process(
                    "picture", paths[megapixels], folder / "cache", "--megapixels", str(megapixels)
                )
            arguments_of_child = ("--megapixels", str(sizes[-1]), "--frames", str(options.frames))
            in_own_process("moving", paths[sizes[-1]], folder / "cache", *arguments_of_child)
        if options.only in (None, "regions"):
            in_own_process("regions", paths[sizes[0]], folder / "cache", "--regions", str(options.regions))
    if options.only in (None, "journal"):
        journal()
    return 0


if __name__ == "__main__":
    sys.exit(main())
