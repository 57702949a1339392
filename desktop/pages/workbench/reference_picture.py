"""The reference image on the canvas, fetched when it is not at hand, and the crops of it in the list."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QImage, QPixmap

from desktop.canvas.view import CanvasView
from desktop.imaging import ImageError
from desktop.imaging.source import ImageSource
from desktop.pages.sentences import sentence
from desktop.pages.workbench.bench import Bench
from desktop.pages.workbench.items_model import THUMB_PX, ItemsModel
from desktop.pages.workbench.opening import fetch_reference, thumbnails
from desktop.workers import Lane, Task, run
from shared.geometry import Rect
from shared.wire.catalogue import ReferenceImage


class ReferencePicture(QObject):
    """Brings the reference image of the open record onto the canvas and its crops into the list."""

    def __init__(self, bench: Bench, view: CanvasView, items: ItemsModel, parent: QObject) -> None:
        super().__init__(parent)
        self._bench, self._view, self._items = bench, view, items
        self._fetching: Task | None = None
        self._cropping: Task | None = None
        self._file_id = ""
        self.cropped: dict[str, Rect] = {}
        """The region of each item whose crop is in the list, or is being made."""

    def show(self, reference: ReferenceImage) -> None:
        """Show this picture; nothing happens when it is on view already."""
        if reference.file_id == self._file_id and self._bench.source is not None:
            return
        self._file_id = reference.file_id
        if self._fetching is not None:
            self._fetching.cancel()
        self._view.show_message(self.tr("Opening the picture…"))
        self._fetching = run(
            fetch_reference,
            self._bench.context.session,
            reference,
            owner=self,
            progress=self._fetched_some,
            done=self._opened,
            failed=self._failed,
            lane=Lane.LONG,
        )

    def drop(self) -> None:
        """Show no picture, and stop what is under way."""
        for task in (self._fetching, self._cropping):
            if task is not None:
                task.cancel()
        self._cropping = None
        self._file_id = ""
        self.cropped.clear()
        self._items.drop_pictures()
        self._view.open(None)

    def crop(self) -> None:
        """Make the crops that are missing or out of date."""
        source = self._bench.source
        if source is None or (self._cropping is not None and not self._cropping.finished):
            return
        wanted = {region.id: region.rect for region in self._view.store}
        todo = [(key, rect) for key, rect in wanted.items() if self.cropped.get(key) != rect]
        if not todo:
            return
        self.cropped = {key: rect for key, rect in self.cropped.items() if key in wanted} | dict(todo)
        self._cropping = run(
            thumbnails,
            source,
            todo,
            round(THUMB_PX * self._view.devicePixelRatioF()),
            owner=self,
            progress=self._made,
            done=lambda _: self.crop(),
            failed=lambda _: None,
            priority=-1,
        )

    def _made(self, made: tuple[str, QImage]) -> None:
        self._items.set_picture(made[0], QPixmap.fromImage(made[1]))

    def _fetched_some(self, share: float) -> None:
        self._view.show_message(self.tr("Fetching the picture… {n} %").format(n=round(share * 100)))

    def _opened(self, source: ImageSource) -> None:
        self._view.show_message("")
        self._view.open(source)
        self._bench.show_picture(source)

    def _failed(self, error: Exception) -> None:
        self._file_id = ""
        said = str(error) if isinstance(error, ImageError) else sentence(error)
        self._view.show_message(said)
