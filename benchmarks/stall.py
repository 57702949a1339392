"""Whether the window moves on while the service detects, and while theme and language change.

    python -m benchmarks.stall

A real service process, a record of 12 items with a photo each, the whole window with the workbench in front.
Prints one JSON line per figure: the longest time between two turns of the event loop while everything is
detected and the results arrive, held against 50 ms; then what one change of the theme and one of the language
cost, which no goal holds: they lay out every widget anew, once, and a person asked for it. `processor` is
what the GUI thread itself worked in one turn at most, for machines that are shared.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.canvas import Stalls, say
from desktop.client import Session
from desktop.embedded import EmbeddedService
from desktop.pages.workbench import WorkbenchPage
from desktop.window import MainWindow
from shared import results
from shared.cv import cv2
from shared.samples import damage, panel
from shared.wire.catalogue import ReferenceImageWrite
from shared.wire.inspection import ItemCreate, RecordCreate

ITEMS = 12
WIDTH, HEIGHT = 4000, 3000
STALL_MS = 50.0
_PATIENCE = 300.0


def fill(session: Session, folder: Path) -> str:
    """A record with `ITEMS` items to detect in a photo with a crack; gives its id."""
    session.account.first_run("chief", "correct-horse-battery")
    good = panel(WIDTH, HEIGHT, 1)
    bad, _ = damage(good, ("crack", "dent", "scratch", "stain", "missing") * 2, 3)
    paths = folder / "reference.jpg", folder / "today.jpg"
    for path, image in zip(paths, (good.image, bad), strict=True):
        path.write_bytes(bytes(cv2.imencode(".jpg", image)[1]))
    reference, photo = (session.files.upload(path, path.name) for path in paths)
    image_id = session.catalogue.reference_images.create(
        ReferenceImageWrite(reference_image_name="Skin", file_id=reference.file_id)
    ).reference_image_id
    record = session.records.create(RecordCreate(task_id="benchmark", reference_image_id=image_id))
    for number in range(ITEMS):
        body = {
            "item_name": f"壁板 {number + 1}",
            "inspection_id": record.inspection_id,
            "model_id": "reference-difference",
            "item_point": {"point": {"x": number % 4 * 0.24, "y": number // 4 * 0.3, "w": 0.22, "h": 0.28}},
        }
        item = session.items.create(ItemCreate.model_validate(body))
        session.items.add_photo(item.value.item_id, photo.file_id)
    return record.inspection_id


def until(done: Callable[[], bool], what: str) -> None:
    """Turn the event loop until it is so; RuntimeError when that takes too long."""
    from PySide6.QtCore import QEventLoop, QTimer

    ends = time.monotonic() + _PATIENCE
    while not done():
        if time.monotonic() > ends:
            raise RuntimeError(f"{what} does not come to an end")
        pause = QEventLoop()
        QTimer.singleShot(50, pause.quit)
        pause.exec()


def detecting(page: WorkbenchPage) -> None:
    """Detect everything, as its key does, and watch the event loop until the last result is shown."""

    def detected() -> bool:
        document = page.bench.document
        assert document is not None
        newest = [results.newest_detection(item.result) for item in document.items]
        return all(entry is not None and results.is_finished(entry) for entry in newest)

    stalls = Stalls()
    began = time.perf_counter()
    if not page.context.commands.run("record.detect"):
        raise RuntimeError("nothing can be detected")
    until(detected, "the detection")
    seconds = round(time.perf_counter() - began, 1)
    until(lambda: not page.detecting.running, "the watching")
    say(
        "longest stall while detecting",
        stalls.longest * 1000,
        STALL_MS,
        "ms",
        items=ITEMS,
        seconds=seconds,
        processor=round(stalls.longest_work * 1000, 1),
    )


def changing(name: str, change: Callable[[], object]) -> None:
    """What a change costs the GUI thread, until it is painted."""
    from PySide6.QtWidgets import QApplication

    began, busy = time.perf_counter(), time.thread_time()
    change()
    QApplication.processEvents()
    took = (time.perf_counter() - began) * 1000
    worked = (time.thread_time() - busy) * 1000
    line = {"figure": name, "value": round(took, 1), "unit": "ms", "processor": round(worked, 1)}
    print(json.dumps(line), flush=True)


def measure(session: Session, record_id: str) -> None:
    """Open the record in the whole window and do what may stall it."""
    from desktop import workers
    from desktop.application import build_pages, make_application
    from desktop.context import Context
    from desktop.embedded import ServiceState
    from desktop.language import Language
    from desktop.pages.workbench.edits import Edits
    from desktop.preferences import Preferences
    from desktop.theme import Mode, look

    make_application()
    language = Language()
    language.use("en")
    context = Context(session, Preferences(), embedded=True)
    context.service_state = ServiceState.READY
    context.payload = session.account.me()

    def opened_window() -> tuple[MainWindow, WorkbenchPage]:
        pages = build_pages(context)
        page = next(page for page in pages if isinstance(page, WorkbenchPage))
        window = MainWindow(context, pages)
        window.resize(1440, 900)
        window.show()
        window.go("workbench", {"record_id": record_id})
        return window, page

    window, page = opened_window()
    until(lambda: page.view.source is not None and len(page.picture.cropped) == ITEMS, "the opening")
    detecting(page)
    until(lambda: page.photos.pair is not None, "the photo")
    for mode in (Mode.DARK, Mode.LIGHT):
        changing(f"change of the theme to {mode}", lambda mode=mode: look().set_mode(mode))  # type: ignore[misc]
    language.use("zh_CN")
    page.close_all()
    second: list[tuple[MainWindow, WorkbenchPage]] = []
    changing("change of the language", lambda: second.append(opened_window()))
    context.closing.emit()
    window.hide()
    for shown, shown_page in second:
        shown_page.close_all()
        shown.hide()
    Edits.of(context).close()
    workers.shutdown()


def main() -> None:
    """Run it."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            os.environ[variable] = str(folder / variable)
        service = EmbeddedService(folder / "data")
        service.start()
        session = Session(service.wait_ready(60))
        try:
            measure(session, fill(session, folder))
        finally:
            session.close()
            service.stop()


if __name__ == "__main__":
    main()
