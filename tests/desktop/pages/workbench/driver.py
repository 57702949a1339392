"""A real service with a record to work on, and the real page in front of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from desktop.client import Session
from desktop.connection.local_service import ServiceState
from desktop.context import Context
from desktop.pages.workbench import WorkbenchPage
from desktop.preferences import Preferences, ReviewView
from desktop.record.edits import RecordEdits
from desktop.theme import theme_manager
from service.inspection.rules import result_values
from shared.ids import new_id
from shared.images.cv import cv2
from shared.record.entries import Entry
from shared.wire.catalogue import AircraftWrite, ReferenceImageWrite, TaskWrite
from shared.wire.inspection import ItemCreate, RecordCreate
from tests.narrowing import not_none
from tests.pictures import panel_image

WIDTH, HEIGHT = 800, 600
BOXES = ((0.1, 0.1, 0.2, 0.2), (0.5, 0.2, 0.25, 0.3), (0.2, 0.6, 0.3, 0.25))


@cache
def _panel(seed: int) -> bytes:
    good, data = cv2.imencode(".png", panel_image(WIDTH, HEIGHT, seed))
    assert good
    return bytes(data)


def picture(seed: int = 1) -> bytes:
    """A PNG of a panel. Each call gives another content, because the service refuses a photo that is the
    reference image or a photo of another record."""
    return _panel(seed) + new_id().encode()


def frame(seed: int) -> bytes:
    """A `picture` whose pixels are new too: for a camera or the clipboard, of which only they are sent."""
    image = panel_image(WIDTH, HEIGHT, seed).copy()
    marks = np.frombuffer(uuid4().bytes, np.uint8).reshape(4, 4)
    # As large as the blocks of JPEG, which are not smoothed away.
    image[:32, :32] = np.kron(marks, np.ones((8, 8), np.uint8))[:, :, None]
    good, data = cv2.imencode(".png", image)
    assert good
    return bytes(data)


def make_record(
    session: Session,
    boxes: tuple[tuple[float, ...], ...] = BOXES,
    image: bool = True,
    reference: bytes | None = None,
) -> str:
    """A record with an item for each box; its id. `reference` is another reference image than `picture()`."""
    catalogue = session.catalogue
    aircraft = catalogue.aircraft.create(AircraftWrite(aircraft_name="B-1234 · 波音 787"))
    task = catalogue.tasks.create(TaskWrite(task_name="航后检查", aircraft_id=aircraft.aircraft_id))
    reference_id = None
    if image:
        stored = session.files.upload(reference or picture(), "left_wing_root.png")
        reference_id = catalogue.reference_images.create(
            ReferenceImageWrite(
                reference_image_name="左翼根部",
                file_id=stored.file_id,
                aircraft_id=aircraft.aircraft_id,
                mm_per_pixel=0.5,
            )
        ).reference_image_id
    record = session.records.create(
        RecordCreate(
            task_id=task.task_id, inspection_name="左翼根部航后检查", reference_image_id=reference_id
        )
    )
    for number, (x, y, w, h) in enumerate(boxes, 1):
        session.items.create(
            ItemCreate.model_validate(
                {
                    "item_name": f"条目{number}",
                    "inspection_id": record.inspection_id,
                    "model_id": "reference-difference",
                    "item_point": {"point": {"x": x, "y": y, "w": w, "h": h}},
                }
            )
        )
    return record.inspection_id


DATABASES: dict[str, Path] = {}
"""The database of the service at an address."""


def store_detections(session: Session, item_id: str, *entries: Entry) -> None:
    """Write result entries into the database as the service's detections do; no client may."""
    values = result_values(entries)
    columns = ", ".join(f"{name} = :{name}" for name in values)
    with closing(sqlite3.connect(DATABASES[session.base_url], timeout=20)) as connection, connection:
        change = f"UPDATE item SET {columns}, revision = revision + 1 WHERE item_id = :item_id"
        connection.execute(change, {**values, "item_id": item_id})


@dataclass
class WorkbenchDriver:
    """One desktop: its session, its context, its page in a window."""

    session: Session
    context: Context
    page: WorkbenchPage

    def open(self, record_id: str, wait: Callable[..., None]) -> None:
        self.page.enter({"record_id": record_id})
        wait(lambda: self.page.open_record.document is not None)
        if self.page.open_record.reference is not None:
            wait(lambda: self.page.canvas.view.source is not None)

    @property
    def names(self) -> list[str]:
        return [row.name for row in self.page.open_record.rows]

    @property
    def saved(self) -> bool:
        saving = self.page.open_record.edits.save_state
        return saving.unsent_count == 0

    def at(self, x: float, y: float) -> QPoint:
        """The place on the canvas of fractions of the picture."""
        width, height = not_none(self.page.canvas.view.source).size
        return QPointF(*self.page.canvas.view.viewport.to_view(x * width, y * height)).toPoint()

    def draw(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw a region with the mouse."""
        view = self.page.canvas.view
        self.context.commands.run("tool.rectangle")
        self.drag(self.at(x1, y1), self.at(x2, y2))
        assert view.editor.busy is False

    def drag(self, start: QPoint, end: QPoint) -> None:
        view = self.page.canvas.view
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
        QTest.mouseMove(view, (start + end) / 2)
        QTest.mouseMove(view, end)
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)


@contextmanager
def workbench_driver(session: Session, qtbot: object, folder: str = "") -> Iterator[WorkbenchDriver]:
    """A desktop on `session`, whose journal lies in `folder` of the test's home."""
    context = Context(session, Preferences())
    # Most tests look at one part: the view changes when they say so.
    context.preferences.values.review_view = ReviewView.REFERENCE
    context.payload = session.account.me()
    context.service_state = ServiceState.READY
    # As the window does. Built below an application with a stylesheet, a page takes three times as long.
    theme_manager().style_parts_separately()
    page = WorkbenchPage(context)
    theme_manager().apply_to(page)
    page.resize(1380, 820)
    page.show()
    page.activateWindow()
    # Only the active window has a focus widget.
    assert QTest.qWaitForWindowActive(page)
    try:
        yield WorkbenchDriver(session, context, page)
    finally:
        page.leave()
        RecordEdits.of(context).close()
        page.close()
        page.deleteLater()
