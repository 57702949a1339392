"""Takes a photo of the part with a camera of this machine, guided to the region of an item."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QCheckBox, QSlider, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.camera import (
    PHOTO_SIZE,
    AutoShutter,
    CameraFeed,
    FeedState,
    FrameSource,
    GuideResult,
    as_image,
    sources,
)
from desktop.context import Context
from desktop.pages.workbench.photos.capture_view import CaptureTarget, CaptureView, PreparedTarget, prepare
from desktop.widgets import BaseDialog, Button, ButtonKind, Combo, label, row_of

UNDO_SECONDS = 3.0
"""Time in which an automatic photo can be undone before it is used."""

_COUNT_MS = 50
_OVERLAY_PX = 120


class CaptureDialog(BaseDialog):
    """Shows the live picture of a camera and takes a photo. It releases the camera when it closes.

    With a target, the region is shown over the picture, a hint says how to move, and the photo is taken
    automatically when it fits. The user can switch this off and undo it.
    """

    taken = Signal(QImage)
    """The photo that was taken."""

    def __init__(
        self, context: Context, parent: QWidget | None = None, target: CaptureTarget | None = None
    ) -> None:
        super().__init__(parent)
        self._context, self._target = context, target
        self.setWindowTitle(self.tr("Take photo"))
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._feed = CameraFeed(self)
        self._sources: list[FrameSource] = []
        self._prepared: PreparedTarget | None = None
        self._is_prepared = target is None
        self._shutter = AutoShutter()
        self._photo = QImage()
        self._until = 0.0
        values = context.preferences.values
        self.view = CaptureView()
        self.view.set_opacity(values.capture_overlay)
        self._cameras = Combo(self.tr("Camera"))
        self._cameras.hide()
        self.shoot = Button(self.tr("Take photo"), kind=ButtonKind.MAIN, icon="camera", keys="Space")
        self.shoot.setObjectName("shoot")
        self.shoot.setShortcut("Space")
        self.shoot.setEnabled(False)
        self.use = Button(self.tr("Use photo"), kind=ButtonKind.MAIN, icon="check")
        self.use.setObjectName("capture-use")
        self.undo = Button(self.tr("Undo"), icon="undo")
        self.undo.setObjectName("capture-undo")
        self.alone = QCheckBox(self.tr("Take photo automatically"))
        self.alone.setObjectName("capture-alone")
        self.alone.setChecked(values.capture_alone)
        self.sound = QCheckBox(self.tr("Sound"))
        self.sound.setObjectName("capture-sound")
        self.sound.setChecked(values.capture_sound)
        self.overlay = QSlider(Qt.Orientation.Horizontal)
        self.overlay.setObjectName("capture-overlay")
        self.overlay.setAccessibleName(self.tr("Reference image visibility"))
        self.overlay.setToolTip(self.tr("Reference image visibility"))
        self.overlay.setRange(0, 100)
        self.overlay.setFixedWidth(_OVERLAY_PX)
        self.overlay.setValue(round(100 * values.capture_overlay))
        self._guided = QWidget()
        self._note = label("", "dim", wrap=True)
        self._note.hide()
        self._cancel = Button(self.tr("Cancel"))
        self._counting = QTimer(self, interval=_COUNT_MS)
        self._build()
        self._connect()
        self._show_buttons()
        self.view.show_text(self.tr("Searching for cameras…"))
        run(
            partial(sources, PHOTO_SIZE),
            owner=self,
            done=self._show_cameras,
            failed=lambda _: self._show_cameras([]),
        )
        if target is not None:
            run(
                prepare,
                target,
                owner=self,
                done=self._on_prepared,
                failed=lambda _: self._on_prepared(None),
            )

    def _build(self) -> None:
        guided = row_of(self.alone, self.sound, parent=self._guided, margins=0, spacing=16)
        overlay = row_of(label(self.tr("Overlay"), "dim"), self.overlay, spacing=8)
        guided.addLayout(overlay)
        guided.addStretch(1)
        row = row_of(self._cameras, 1, self._cancel, self.undo, self.use, self.shoot, spacing=8)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        target = self._target
        title = self.tr("Photo of the part") if target is None else target.name
        column.addWidget(label(title, "item", wrap=True))
        column.addWidget(self.view, 1)
        column.addWidget(self._note)
        column.addWidget(self._guided)
        column.addLayout(row)
        self._guided.setVisible(target is not None)

    def _connect(self) -> None:
        preferences = self._context.preferences
        self._cancel.clicked.connect(self.reject)
        self.shoot.clicked.connect(lambda _checked=False: self._take())
        self.use.clicked.connect(lambda _checked=False: self._use())
        self.undo.clicked.connect(lambda _checked=False: self._undo())
        self.alone.toggled.connect(lambda on: preferences.change(capture_alone=on))
        self.alone.toggled.connect(lambda _: self._shutter.reset())
        self.sound.toggled.connect(lambda on: preferences.change(capture_sound=on))
        self.overlay.valueChanged.connect(lambda percent: self.view.set_opacity(percent / 100))
        self.overlay.sliderReleased.connect(
            lambda: preferences.change(capture_overlay=self.overlay.value() / 100)
        )
        self._cameras.picked.connect(lambda _: self._start())
        self._feed.frame_ready.connect(self._on_frame)
        self._feed.frame_analysed.connect(self._on_frame_analysed)
        self._feed.state_changed.connect(self._on_state_changed)
        self._counting.timeout.connect(self._on_count)
        self.finished.connect(lambda _: self._end())

    # -- beginning

    def _show_cameras(self, cameras: list[FrameSource]) -> None:
        self._sources = cameras
        if not cameras:
            self.view.show_text(self.tr("No camera found. Connect one, or add a photo from a file."))
            return
        names = [source.name for source in cameras]
        self._cameras.set_choices([(name, name) for name in names])
        self._cameras.setVisible(len(names) > 1)
        self._cameras.set_value(self._context.preferences.values.camera)
        self._start()

    def _on_prepared(self, prepared: PreparedTarget | None) -> None:
        self._is_prepared, self._prepared = True, prepared
        if prepared is not None:
            self.view.show_region(prepared.ghost)
        if prepared is None or not prepared.guide.is_usable:
            self._note.setText(
                self.tr("The region has too little structure to be found in the camera's image.")
            )
            self._note.show()
            self.alone.setEnabled(False)
        self._start()

    def _start(self) -> None:
        # Start the camera only once: it takes a second and turns on its light.
        if self._sources and self._is_prepared:
            name = self._cameras.value()
            source = next((camera for camera in self._sources if camera.name == name), self._sources[0])
            self._feed.start(source, _NoLooker() if self._prepared is None else self._prepared.guide)

    # -- looking

    def _on_frame(self, image: QImage) -> None:
        if self._photo.isNull():
            self.view.show_image(image)
            self.shoot.setEnabled(True)

    def _on_frame_analysed(self, result: object) -> None:
        if not isinstance(result, GuideResult) or not self._photo.isNull():
            return
        share = 0.0
        if self.alone.isChecked():
            share = self._shutter.update(result.is_good, time.monotonic())
        self.view.show_result(result, share)
        if share == 1.0:
            self._take_alone()

    def _on_state_changed(self, state: FeedState) -> None:
        if state in (FeedState.UNAVAILABLE, FeedState.LOST) and self._photo.isNull():
            self.shoot.setEnabled(False)
            self.view.show_text(self.tr("No image from the camera. Close other programs that use it."))

    # -- taking

    def _take(self) -> None:
        """Take the displayed picture."""
        if not self.view.image.isNull() and self._photo.isNull():
            self._beep()
            self.taken.emit(self.view.image)
            self.accept()

    def _take_alone(self) -> None:
        """Take the sharpest frame of the last second when it fits, and leave time to undo that."""
        best = self._feed.best()
        self._photo = self.view.image if best is None else as_image(best.frame)
        self._until = time.monotonic() + UNDO_SECONDS
        self._beep()
        self.view.show_taken(self._photo, self.tr("Photo taken"))
        self._counting.start()
        self._show_buttons()

    def _on_count(self) -> None:
        left = self._until - time.monotonic()
        self.view.count_down(1 - max(0.0, left / UNDO_SECONDS))
        if left <= 0:
            self._use()

    def _use(self) -> None:
        if not self._photo.isNull():
            self._counting.stop()
            self.taken.emit(self._photo)
            self.accept()

    def _undo(self) -> None:
        self._counting.stop()
        self._photo = QImage()
        # Not again at once: the camera must be moved first.
        self._shutter.reset()
        self.view.show_live()
        self._show_buttons()

    def _show_buttons(self) -> None:
        is_taken = not self._photo.isNull()
        self.shoot.setVisible(not is_taken)
        self.use.setVisible(is_taken)
        self.undo.setVisible(is_taken)
        (self.use if is_taken else self.shoot).setDefault(True)

    def _beep(self) -> None:
        if self.sound.isChecked() and self._target is not None:
            QApplication.beep()

    def _end(self) -> None:
        self._counting.stop()
        self._feed.stop()


class _NoLooker:
    """An analyser that skips all frames, for a photo without a region."""

    def analyse(self, _on_frame: object) -> None:
        """Nothing."""
