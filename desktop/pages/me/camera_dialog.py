"""Shows the camera in a dialog, for what needs the user's face."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.background.workers import run
from desktop.camera import CameraFeed, FeedState, FrameSource, Hint, sources
from desktop.camera.hints import FrameAnalysis
from desktop.pages.common.faces.viewfinder import Viewfinder
from desktop.pages.login.face_login import GOOD_FRAMES, FindSources
from desktop.widgets import BaseDialog, Button, column_of, label


class CameraDialog(BaseDialog):
    """A headline, the camera's picture with one hint, and a row for buttons. The camera runs all the time.

    A subclass adds its buttons to `row` and calls `begin`.
    """

    good_face = Signal()
    """The face has been good for some frames. `start_over` counts them again."""

    def __init__(
        self,
        *,
        find_sources: FindSources = sources,
        preferred_camera: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._find_sources = find_sources
        self._preferred_camera = preferred_camera
        self._sources: list[FrameSource] = []
        self._good_frames = 0
        self.setModal(True)
        self.resize(620, 560)
        self.viewfinder = Viewfinder()
        self.headline = label("", "item")
        self.row = QHBoxLayout()
        self.cancel = Button(self.tr("Cancel"))
        self.cancel.clicked.connect(lambda _checked=False: self.reject())
        column_of(
            self.headline, (self.viewfinder, 1), self.row, parent=self, margins=(20, 20, 20, 16), spacing=12
        )
        self.feed = CameraFeed(self)
        self.feed.frame_ready.connect(self.viewfinder.show_frame)
        self.feed.frame_analysed.connect(self._on_frame_analysed)
        self.feed.state_changed.connect(self._on_state_changed)
        self.viewfinder.action_clicked.connect(self.begin)
        self.viewfinder.camera_chosen.connect(self._choose_camera)
        self.finished.connect(lambda _result: self.feed.stop())
        self.cancel.setFocus()

    def begin(self) -> None:
        """Search for a camera and start it."""
        self.start_over()
        self.viewfinder.show_waiting(self.tr("Starting camera…"))
        run(self._find_sources, owner=self, done=self._use_cameras, failed=lambda _: self._use_cameras([]))

    def start_over(self) -> None:
        """Forget what was done before the camera starts again."""
        self._good_frames = 0

    def is_watching(self) -> bool:
        """Whether good frames of the face count now."""
        return True

    def no_camera_text(self) -> str:
        """What to do without a camera."""
        return self.tr("No camera found. Connect one.")

    def closeEvent(self, event: QCloseEvent) -> None:
        self.feed.stop()
        super().closeEvent(event)

    def _use_cameras(self, cameras: Sequence[FrameSource]) -> None:
        self._sources = list(cameras)
        if not self._sources:
            self.viewfinder.show_sentence(self.no_camera_text(), self.tr("Search for cameras"))
            return
        cameras_by_name = {source.name: source for source in self._sources}
        source = cameras_by_name.get(self._preferred_camera, self._sources[0])
        self.viewfinder.set_cameras([camera.name for camera in self._sources], source.name)
        self.feed.start(source)

    def _choose_camera(self, name: str) -> None:
        self._preferred_camera = name
        self._use_cameras(self._sources)

    def _on_state_changed(self, state: FeedState) -> None:
        if state is FeedState.UNAVAILABLE:
            self.viewfinder.show_sentence(
                self.tr("Cannot use the camera. Close other programs that use it, or select another camera."),
                self.tr("Retry"),
            )
        elif state is FeedState.LOST:
            self.viewfinder.show_sentence(self.tr("Camera disconnected. Reconnect it to continue."))

    def _on_frame_analysed(self, analysis: FrameAnalysis) -> None:
        self.viewfinder.show_face(analysis.face)
        if not self.is_watching():
            return
        self._good_frames = (
            self._good_frames + 1 if analysis.hint is Hint.GOOD else max(0, self._good_frames - 1)
        )
        self.viewfinder.show_hint(self.viewfinder.hint_text(analysis.hint), self._good_frames / GOOD_FRAMES)
        if self._good_frames >= GOOD_FRAMES:
            self.good_face.emit()
