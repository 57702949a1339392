"""Shows the picture that regions are marked on, fetched when missing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QStackedWidget

from desktop.background.repaint import repaint_later
from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.canvas.views.canvas_view import CanvasView
from desktop.client import Session
from desktop.imaging import ImageError
from desktop.imaging.sources.source import ImageSource
from desktop.messages.error_messages import sentence
from desktop.pages.workbench.bars import ToolStrip
from desktop.pages.workbench.photos.reference_choice import ReferenceChoice
from desktop.record.loading import fetch_file
from desktop.record.open_record import OpenRecord
from desktop.record.region_link import ReferenceFile, ShownRegions, same_file


class ReferencePicture(QObject):
    """Shows the image of the chosen item on the canvas."""

    def __init__(
        self,
        open_record: OpenRecord,
        view: CanvasView,
        places: tuple[QStackedWidget, ReferenceChoice, ToolStrip],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._open_record, self._view = open_record, view
        self._centre, self._choice, self._strip = places
        self._fetching: Task | None = None
        self._file: ReferenceFile | None = None
        self._centre.currentChanged.connect(lambda _: self._show_strip())

    def _show_strip(self) -> None:
        """Show the tools above every picture, and not above the choice of one."""
        self._strip.setVisible(self._centre.currentWidget() is not self._choice)
        self._strip.raise_()

    def show_current(self) -> bool:
        """Show the picture of the chosen item's region. Without one, show the choice and return False."""
        file = self._open_record.link.file
        self._view.mm_per_pixel = self._open_record.mm_per_pixel
        if file is not None:
            self.show(file)
        if (self._centre.currentWidget() is self._choice) != (file is None):
            self._centre.setCurrentWidget(self._choice if file is None else self._view)
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

    def clear(self) -> None:
        """Show no image, and stop loading."""
        self._stop()
        self._file = None
        self._view.open(None)
        self._centre.setCurrentWidget(self._view)

    def _stop(self) -> None:
        if self._fetching is not None:
            self._fetching.cancel()
        self._fetching = None

    def _on_fetch_progress(self, share: float) -> None:
        self._view.show_message(self.tr("Downloading image… {n}%").format(n=round(share * 100)))

    def _on_opened(self, opened: tuple[ImageSource, ShownRegions]) -> None:
        source, shown = opened
        repaint_later(self._view)
        self._view.show_message("")
        self._view.open(source)
        self._open_record.show_picture(source, shown)

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
