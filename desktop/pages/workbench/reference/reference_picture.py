"""Shows the picture that regions are marked on, fetched when missing, with thumbnails for the list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QStackedWidget

from desktop.background.repaint import repaint_later
from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.canvas.views.canvas_view import CanvasView
from desktop.client import Session
from desktop.imaging import ImageError
from desktop.imaging.sources.source import ImageSource
from desktop.messages.error_messages import sentence
from desktop.pages.workbench.bars.tool_strip import ToolStrip
from desktop.pages.workbench.items.items_model import THUMB_PX, ItemsModel
from desktop.pages.workbench.reference.reference_choice import ReferenceChoice
from desktop.record.loading import fetch_file, thumbnails
from desktop.record.open_record import OpenRecord
from desktop.record.region_link import ReferenceFile, ShownRegions, same_file
from shared.record.geometry import Rect

_GATHER_MS = 60


class ReferencePicture(QObject):
    """Shows the image of the chosen item on the canvas, and crops of it in the visible rows."""

    def __init__(
        self,
        open_record: OpenRecord,
        view: CanvasView,
        items: ItemsModel,
        places: tuple[QStackedWidget, ReferenceChoice, ToolStrip],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._open_record, self._view, self._items = open_record, view, items
        self._centre, self._choice, self._strip = places
        self._fetching: Task | None = None
        self._cropping: Task | None = None
        self._file: ReferenceFile | None = None
        self.cropped: dict[str, Rect] = {}
        """The region of each item whose crop is listed or being created."""
        self._wanted: dict[str, None] = {}
        self._soon = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._soon.timeout.connect(self._start_next)
        items.picture_wanted.connect(self._on_picture_wanted)

    def show_current(self) -> bool:
        """Show the picture of the chosen item's region. Without one, show the choice and return False."""
        file = self._open_record.link.file
        self._view.mm_per_pixel = self._open_record.mm_per_pixel
        if file is not None:
            self.show(file)
        if (self._centre.currentWidget() is self._choice) != (file is None):
            self._centre.setCurrentWidget(self._choice if file is None else self._view)
            self._strip.setVisible(file is not None)
            self._strip.raise_()
            if file is None:
                self._choice.offer()
        return file is not None

    def show(self, file: ReferenceFile) -> None:
        """Show this image, unless it is shown or being loaded already."""
        under_way = self._fetching is not None and not self._fetching.is_finished
        if same_file(file, self._file) and (under_way or self._open_record.source is not None):
            return
        self._stop()
        if not same_file(file, self._file):
            self._view.open(None)
        self._file = file
        self._view.show_message(self.tr("Opening image…"))
        document = self._open_record.document
        self._fetching = run(
            _fetch,
            self._open_record.context.session,
            file,
            partial(
                self._open_record.link.compute_regions,
                document.items if document else (),
                self._open_record.rows,
            ),
            owner=self,
            progress=self._on_fetch_progress,
            done=self._on_opened,
            failed=self._on_failed,
            lane=Lane.LONG,
        )

    def drop(self) -> None:
        """Show no image, and stop loading."""
        self._stop()
        self._file = None
        self.cropped.clear()
        self._wanted.clear()
        self._items.drop_pictures()
        self._view.open(None)
        self._centre.setCurrentWidget(self._view)

    def _stop(self) -> None:
        self._soon.stop()
        for task in (self._fetching, self._cropping):
            if task is not None:
                task.cancel()
        self._fetching = self._cropping = None

    def crop(self) -> None:
        """Make the crops of changed regions again."""
        for item_id, rect in list(self.cropped.items()):
            region = self._view.store.get(item_id)
            if region is None:
                del self.cropped[item_id]
            elif region.rect != rect:
                self._on_picture_wanted(item_id)

    def _on_picture_wanted(self, item_id: str) -> None:
        # Called while painting: only takes a note.
        self._wanted[item_id] = None
        if not self._soon.isActive() and (self._cropping is None or self._cropping.is_finished):
            self._soon.start()

    def _start_next(self) -> None:
        """Create requested crops that are missing or outdated."""
        source, store = self._open_record.source, self._view.store
        if source is None:
            return
        wanted, self._wanted = self._wanted, {}
        regions = [region for region in map(store.get, wanted) if region is not None]
        todo = [(region.id, region.rect) for region in regions if self.cropped.get(region.id) != region.rect]
        if not todo:
            return
        self.cropped |= dict(todo)
        self._cropping = run(
            thumbnails,
            source,
            todo,
            round(THUMB_PX * self._view.devicePixelRatioF()),
            owner=self,
            progress=self._show_crop,
            done=lambda _: self._on_ended(),
            failed=lambda _: self._on_ended(),
            priority=-1,
        )

    def _on_ended(self) -> None:
        self._cropping = None
        if self._wanted:
            self._soon.start()

    def _show_crop(self, crop: tuple[str, QImage]) -> None:
        self._items.set_picture(crop[0], QPixmap.fromImage(crop[1]))

    def _on_fetch_progress(self, share: float) -> None:
        self._view.show_message(self.tr("Downloading image… {n}%").format(n=round(share * 100)))

    def _on_opened(self, opened: tuple[ImageSource, ShownRegions]) -> None:
        source, shown = opened
        repaint_later(self._view)
        self._view.show_message("")
        self._view.open(source)
        self._open_record.show_picture(source, shown)
        if self._wanted:
            self._soon.start()

    def _on_failed(self, error: Exception) -> None:
        self._file = None
        text = str(error) if isinstance(error, ImageError) else sentence(error)
        self._view.show_message(text)


def _fetch(
    report: ProgressReport,
    session: Session,
    file: ReferenceFile,
    regions_on: Callable[[tuple[int, int]], ShownRegions],
) -> tuple[ImageSource, ShownRegions]:
    """The image and the regions on it, computed off the GUI thread."""
    source = fetch_file(report, session, file)
    return source, regions_on(source.size)
