"""How fast pictures open and move, how many regions the canvas bears, what the journal keeps through kills.

    python -m benchmarks.canvas [--only NAME] [--kills N]

Offscreen, 1600 x 1000, pictures drawn on the spot (noise over waves, about 3 bits a pixel). Prints one JSON
line per figure: `value`, the `target` it is held against, `floor` where something bare was timed in the same
run (Qt's own scaled decode; one drawImage of the window), and `ok`. Each picture is opened in a fresh process
with an empty cache.
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
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.floor import Floor
from benchmarks.loop import STALL_MS, Stalls, percentile, say

WINDOW = (1600, 1000)
PICTURES = {24: (6000, 4000, 300), 100: (11585, 8632, 800), 400: (23170, 17264, 2000)}
"""Megapixels: width, height, target in ms for the first useful picture."""


def draw_picture(path: Path, width: int, height: int) -> None:
    """A JPEG that is as hard to decode as a photo."""
    from desktop.imaging.vips import pyvips

    side = 2048
    place = pyvips.Image.xyz(side, side)
    waves = (place[0] / 37).sin() * 30 + (place[1] / 51).cos() * 30
    grey = pyvips.Image.gaussnoise(side, side, mean=128, sigma=14) + waves
    sheet = grey.bandjoin([grey + 3, grey + 8]).cast("uchar").copy_memory()
    image = sheet.replicate(-(-width // side), -(-height // side)).crop(0, 0, width, height)
    image.copy(interpretation="srgb").jpegsave(str(path), Q=85)


def resident_mb(field: str) -> float:
    """A figure of /proc/self/status in MB, such as VmRSS; 0 where the system does not tell."""
    try:
        text = Path("/proc/self/status").read_text()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith(field))


def opened_view(path: Path, floor: Floor | None = None) -> tuple[Any, Any, float, Stalls]:
    """The application, a view on the picture, the ms until its first useful picture, what stalled."""
    from PySide6.QtWidgets import QApplication

    from desktop.canvas.view import CanvasView
    from desktop.garbage import GuiGarbage
    from desktop.imaging import open_image

    application = QApplication.instance() or QApplication([])
    # As the desktop has it: garbage is collected on the GUI thread.
    GuiGarbage(application).settle()
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
    target = PICTURES[megapixels][2]
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
    say(
        f"longest stall while opening {megapixels} MP",
        stalls.longest * 1000,
        STALL_MS,
        "ms",
        prepared_s=round(built, 1),
        **stalls.explained,
    )
    say(f"first picture of {megapixels} MP", first, target, "ms", floor=round(qt_preview_ms(path), 1))
    if megapixels == 400:
        mapped = round(resident_mb("VmHWM"))
        say("memory while preparing 400 MP", most, 400, "MB", with_mapped_files=mapped)
    view.close_picture()


def moving(path: Path, floor: Floor) -> None:
    """A second opening, then pan and zoom with cold tiles."""
    application, view, first, stalls = opened_view(path, floor)
    say("second opening of 400 MP", first, 300, "ms")
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

    for step in range(150):
        frame(0.5, 2000 + step * 120, 3000 + step * 60)
    for step in range(100):
        frame(view.viewport.fit_scale * 1.06**step, width * 0.7, height * 0.4)
    for step in range(150):
        frame(1.0, width - 2000 - step * 80, height - 1500 - step * 50)
    bare = bare_frame_ms()
    say(
        "pan and zoom, 400 MP, cold tiles, p95",
        percentile(frames, 0.95),
        16,
        "ms",
        median=round(statistics.median(frames), 1),
        worst=round(max(frames), 1),
        processor_p95=round(percentile(worked, 0.95), 1),
        floor=round(bare, 1),
    )
    stalls.end()
    say("longest stall while moving", stalls.longest * 1000, STALL_MS, "ms", **stalls.explained)
    say("memory with 400 MP open", resident_mb("VmRSS"), 400, "MB", peak=round(resident_mb("VmHWM")))
    view.close_picture()


def bare_frame_ms() -> float:
    """One drawImage that fills the window, scaled by 0.7 and smoothed as the canvas does."""
    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QImage, QPainter

    source = QImage(int(WINDOW[0] / 0.7), int(WINDOW[1] / 0.7), QImage.Format.Format_RGB32)
    source.fill(0x808080)
    target = QImage(*WINDOW, QImage.Format.Format_ARGB32_Premultiplied)
    times = []
    for _ in range(20):
        painter = QPainter(target)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        start = time.perf_counter()
        painter.drawImage(QRectF(target.rect()), source, QRectF(source.rect()))
        times.append((time.perf_counter() - start) * 1000)
        painter.end()
    return statistics.median(times)


def many_regions(path: Path) -> None:
    """10,000 regions on 24 MP."""
    from desktop.canvas.regions import Region, RegionsChanged, State, Step
    from shared.geometry import Rect

    application, view, _first, _stalls = opened_view(path)
    while not view.source.levels:
        application.processEvents()
        time.sleep(0.001)
    rng = random.Random(1)
    states = list(State)
    regions = [
        Region(
            f"r{n}",
            Rect(rng.uniform(0, 5900), rng.uniform(0, 3900), rng.uniform(10, 100), rng.uniform(10, 100)),
            n,
            state=states[n % 4],
        )
        for n in range(10_000)
    ]
    view.store.replace(regions)
    view.store.select(["r5"])
    for _ in range(30):
        application.processEvents()
        time.sleep(0.01)

    worked: list[float] = []

    def timed(work: Callable[[], object], times: int) -> list[float]:
        worked.clear()
        return [once(work) for _ in range(times)]

    def once(work: Callable[[], object]) -> float:
        start, busy = time.perf_counter(), time.thread_time()
        work()
        worked.append((time.thread_time() - busy) * 1000)
        return (time.perf_counter() - start) * 1000

    def told(what: str, times: list[float], target: float) -> None:
        own = round(percentile(worked, 0.95), 2)
        say(f"10,000 regions, {what}, p95", percentile(times, 0.95), target, "ms", processor_p95=own)

    told("frame at fit", timed(view.repaint, 60), 16)
    numbers = iter(range(10**6))

    def add() -> None:
        new = Region(f"n{next(numbers)}", Rect(100, 100, 50, 50), 1)
        view.store.apply(RegionsChanged((), (new,), Step.DRAW))
        view.repaint()

    told("add one and paint", timed(add, 30), 20)
    hits = timed(lambda: view.store.hits(rng.uniform(0, 6000), rng.uniform(0, 4000)), 500)
    told("hit test", hits, 1)
    change = RegionsChanged((regions[7],), (regions[7].at(Rect(1, 1, 9, 9)),), Step.MOVE)

    def undo() -> None:
        view.store.apply(change.reversed())
        view.repaint()

    undone: list[float] = []
    worked.clear()
    for _ in range(30):
        view.store.apply(change)
        view.repaint()
        undone.append(once(undo))
    told("undo and paint", undone, 50)
    view.close_picture()


WRITER = """
import sys
from pathlib import Path
from desktop.journal import Edit, Journal, Kind
journal = Journal.open(Path(sys.argv[1]))
number = len(journal.pending())
while True:
    edit = Edit("r", "item", f"o{number}", Kind.UPDATE, {"x": 0}, {"x": number}, "move", 0.0)
    journal.append(edit)
    print(number, flush=True)
    number += 1
"""


def journal(kills: int) -> None:
    """A writing process killed at random moments; every edit that it reported must be there."""
    from desktop.journal import Edit, Journal, Kind

    rng = random.Random(2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        lost = reported = 0
        for _ in range(kills):
            path.unlink(missing_ok=True)
            command = [sys.executable, "-c", WRITER, str(path)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
                assert writer.stdout is not None
                writer.stdout.readline()
                time.sleep(rng.uniform(0, 0.08))
                writer.kill()
                told = [
                    int(line) for line in writer.stdout.read().splitlines(keepends=True) if line[-1] == "\n"
                ]
            again = Journal.open(path)
            kept = {edit.after["x"] for edit in again.pending()}
            lost += sum(number not in kept for number in told)
            reported += len(told)
            again.close()
        say(f"edits lost at {kills} kills", lost, 0, "edits", reported=reported)
        again = Journal.open(path.with_name("fast"))
        times = []
        for number in range(2000):
            edit = Edit("r", "item", "o", Kind.UPDATE, {"x": number}, {"x": number + 1}, "move", 0.0)
            start = time.perf_counter()
            again.append(edit)
            times.append((time.perf_counter() - start) * 1000)
        say("journal append, p95", percentile(times, 0.95), 1, "ms")
        again.close()


def in_own_process(part: str, path: Path, cache: Path, *words: str) -> None:
    """Run one part in a fresh process with its own cache folder."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run(
        [sys.executable, "-m", "benchmarks.canvas", "--part", part, "--path", str(path), *words],
        env=environment,
        check=True,
    )


def main() -> None:
    """Run all parts, or the one asked for."""
    parser = argparse.ArgumentParser(description="Figures of the canvas, one JSON line each.")
    parser.add_argument("--only", choices=["pictures", "regions", "journal", "report"])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--part", choices=["picture", "moving", "regions"], help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--megapixels", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    match given.part:
        case "picture":
            with Floor() as floor:
                picture(given.path, given.megapixels, floor)
            return
        case "moving":
            with Floor() as floor:
                moving(given.path, floor)
            return
        case "regions":
            many_regions(given.path)
            return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for megapixels, (width, height, _target) in PICTURES.items():
            path = folder / f"{megapixels}.jpg"
            if given.only in (None, "pictures") or (given.only == "regions" and megapixels == 24):
                draw_picture(path, width, height)
            if given.only in (None, "pictures"):
                in_own_process("picture", path, folder / "cache", "--megapixels", str(megapixels))
        if given.only in (None, "pictures"):
            in_own_process("moving", folder / "400.jpg", folder / "cache")
        if given.only in (None, "regions"):
            in_own_process("regions", folder / "24.jpg", folder / "cache")
    if given.only in (None, "journal"):
        journal(given.kills)
    if given.only in (None, "report"):
        subprocess.run([sys.executable, "-m", "benchmarks.report"], check=True)


if __name__ == "__main__":
    main()
