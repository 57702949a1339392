"""Takes a photo of the part with a camera of this machine."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.camera import CameraFeed, FeedState, FrameSource, sources
from desktop.context import Context
from desktop.theme import DARK, TEXT_PX, sized
from desktop.widgets import BaseDialog, Button, ButtonKind, Combo, label, paint_icon


class _Picture(QWidget):
    """The live picture, or a sentence. Dark in both themes, as the picture is the brightest thing."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumSize(480, 360)
        self.setAccessibleName(self.tr("Camera"))
        self.image = QImage()
        self._sentence = ""

    def sizeHint(self) -> QSize:
        return QSize(720, 540)

    def show_image(self, image: QImage) -> None:
        self.image, self._sentence = image, ""
        self.update()

    def say(self, text: str) -> None:
        self.image, self._sentence = QImage(), text
        self.setAccessibleDescription(text)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(self.rect(), DARK.colour("canvas"))
        whole = QRectF(self.rect())
        if self.image.isNull():
            middle = whole.center()
            paint_icon(painter, "camera", DARK.dim, QRectF(middle.x() - 16, middle.y() - 48, 32, 32))
            painter.setPen(DARK.colour("text"))
            painter.setFont(sized(TEXT_PX))
            box = QRectF(24, middle.y(), whole.width() - 48, 80)
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap, self._sentence)
        else:
            size = self.image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
            where = QRectF(0, 0, size.width(), size.height())
            where.moveCenter(whole.center())
            painter.drawImage(where, self.image)
        painter.end()


class CaptureDialog(BaseDialog):
    """The live picture of a camera and one button. It releases the camera when it closes."""

    taken = Signal(QImage)
    """The photo that the person took."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setWindowTitle(self.tr("Take photo"))
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._feed = CameraFeed(self)
        self._sources: list[FrameSource] = []
        self._picture = _Picture()
        self._cameras = Combo(self.tr("Camera"))
        self._cameras.hide()
        self.shoot = Button(self.tr("Take photo"), kind=ButtonKind.MAIN, icon="camera", keys="Space")
        self.shoot.setObjectName("shoot")
        self.shoot.setShortcut("Space")
        self.shoot.setEnabled(False)
        cancel = Button(self.tr("Cancel"))
        row = QHBoxLayout()
        row.addWidget(self._cameras)
        row.addStretch(1)
        row.addWidget(cancel)
        row.addWidget(self.shoot)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(label(self.tr("Photo of the part"), "item"))
        column.addWidget(self._picture, 1)
        column.addLayout(row)
        cancel.clicked.connect(self.reject)
        self.shoot.clicked.connect(self._take)
        self._cameras.picked.connect(self._start)
        self._feed.frameReady.connect(self._frame)
        self._feed.stateChanged.connect(self._state)
        self.finished.connect(lambda _: self._feed.stop())
        self._picture.say(self.tr("Searching for cameras…"))
        run(sources, owner=self, done=self._found, failed=lambda _: self._found([]))

    def _found(self, found: list[FrameSource]) -> None:
        self._sources = found
        if not found:
            self._picture.say(self.tr("No camera found. Connect one, or add a photo from a file."))
            return
        names = [source.name for source in found]
        self._cameras.set_choices([(name, name) for name in names])
        self._cameras.setVisible(len(names) > 1)
        chosen = self._context.preferences.values.camera
        self._cameras.set_value(chosen)
        self._start(self._cameras.value())

    def _start(self, name: object) -> None:
        source = next((one for one in self._sources if one.name == name), self._sources[0])
        self._feed.start(source)

    def _frame(self, image: QImage) -> None:
        self._picture.show_image(image)
        self.shoot.setEnabled(True)

    def _state(self, state: FeedState) -> None:
        if state in (FeedState.UNAVAILABLE, FeedState.LOST):
            self.shoot.setEnabled(False)
            text = self.tr("No image from the camera. Close other programs that use it.")
            self._picture.say(text)

    def _take(self) -> None:
        if not self._picture.image.isNull():
            self.taken.emit(self._picture.image)
            self.accept()
