"""The base of the widgets that show a chart, and the one export of a chart as numbers or picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QEvent, QIODevice, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QHelpEvent, QImage, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop.background.workers import run
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.file_dialogs import Purpose, choose_file
from desktop.pages.common.files.spreadsheet import write_csv
from desktop.theme import LABEL_PX, TEXT_PX, text_font, theme_manager
from desktop.widgets import escape_tooltip
from shared.system import atomic

_PIXEL_RATIO = 2
"""How many px of an exported picture one px of its layout has, so that it is sharp in print."""
_TITLE_GAP_PX = 8


class Chart(QWidget):
    """A chart whose parts can be marked with mouse and keyboard."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme_manager().theme_changed.connect(self.update)

    def text_at(self, position: QPointF) -> str:
        """The text of the part at a position, which the tooltip shows; empty if there is none."""
        raise NotImplementedError

    def paint_focus(self, painter: QPainter) -> None:
        """Paint the frame of the focus."""
        painter.setPen(theme_manager().theme.colour("accent"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self.text_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), escape_tooltip(text), self)
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()


class ChartExport(QObject):
    """Writes the chart of `owner` as CSV or PNG, as the user chooses."""

    notice = Signal(str)
    """What was saved, or why nothing was."""

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner

    def save(
        self,
        name: str,
        numbers_kind: str,
        rows: Callable[[], Sequence[Sequence[object]]],
        picture: Callable[[], QImage],
    ) -> None:
        """Ask for a file, `name` with the ending .csv or .png, and write `rows` or `picture` to it.

        `numbers_kind` names the numbers in the file dialog.
        """
        kinds = {numbers_kind: ".csv", self.tr("Picture as PNG (*.png)"): ".png"}
        choice = choose_file(self._owner, self.tr("Export chart"), f"{name}.csv", kinds, Purpose.EXPORTS)
        if choice is None:
            return
        path = choice[0]
        if path.suffix.lower() == ".png":
            run(_write_picture, path, picture(), owner=self, done=self._on_saved, failed=self._on_failed)
        else:
            run(_write_table, path, rows(), owner=self, done=self._on_saved, failed=self._on_failed)

    def _on_saved(self, path: Path) -> None:
        self.notice.emit(self.tr("Chart saved: {file}").format(file=path.name))

    def _on_failed(self, error: Exception) -> None:
        self.notice.emit(sentence(error))


def chart_picture(
    size: QSize, title: str, subtitle: str, paint: Callable[[QPainter, QRectF], object]
) -> QImage:
    """A picture of `size` px of its layout, in the current theme: title, subtitle, and what `paint` draws."""
    image = QImage(size * _PIXEL_RATIO, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(_PIXEL_RATIO)
    image.fill(theme_manager().theme.colour("panel"))
    area = QRectF(0, 0, size.width(), size.height()).adjusted(24, 18, -24, -18)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    paint(painter, area.adjusted(0, _paint_title(painter, title, subtitle, area), 0, 0))
    painter.end()
    return image


def _paint_title(painter: QPainter, title: str, subtitle: str, area: QRectF) -> float:
    """Paint a title with a subtitle below it. Returns their height in px."""
    theme = theme_manager().theme
    height = 0.0
    for text, size, tone in ((title, TEXT_PX + 3, "text"), (subtitle, LABEL_PX + 1, "dim")):
        painter.setFont(text_font(size, bold=size > TEXT_PX))
        painter.setPen(theme.colour(tone))
        line = QFontMetricsF(painter.font())
        box = QRectF(area.left(), area.top() + height, area.width(), line.height())
        elided = line.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft, elided)
        height += line.height() + 2
    return height + _TITLE_GAP_PX


def _write_table(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    write_csv(path, rows)
    return path


def _write_picture(path: Path, image: QImage) -> Path:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    atomic.write_file(path, bytes(buffer.data().data()), durable=True)
    return path
