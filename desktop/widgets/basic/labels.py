"""Defines labels by role, cards, separators, panels and progress bars."""

from __future__ import annotations

import html
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QSizePolicy, QWidget

from desktop.theme import theme_manager

Role = Literal["text", "strong", "dim", "label", "small", "item", "title", "error", "key"]

_MIN_ELIDED_WIDTH = 60


def escape_tooltip(text: str) -> str:
    """Escape `text` for a tooltip, because Qt would interpret markup in it."""
    return f"<p style='white-space:pre-wrap'>{html.escape(text)}</p>" if "<" in text else text


def wrap_button_text(text: str, metrics: QFontMetrics, width: int) -> str:
    """Break `text` into lines of at most `width` px for a button, and escape its "&"."""
    return wrap_text(text, metrics, width).replace("&", "&&")


def wrap_text(text: str, metrics: QFontMetrics, width: int) -> str:
    """Break `text` into lines of at most `width` px: at blanks, and inside of longer words."""
    lines = []
    for line in text.splitlines():
        rest = ""
        for letter in line:
            if rest and metrics.horizontalAdvance(rest + letter) > width:
                end = rest.rfind(" ") + 1 or len(rest)
                lines.append(rest[:end].rstrip())
                rest = rest[end:]
            rest += letter
        lines.append(rest)
    return "\n".join(lines)


def label(text: str = "", role: Role = "text", wrap: bool = False) -> QLabel:
    """Create a label in a role of the type scale: title 21 px, item 16 px, text 13 px, label and small 11 px.

    Its text is plain. Texts of the service or a user are never shown as markup.
    """
    widget = QLabel(text)
    widget.setTextFormat(Qt.TextFormat.PlainText)
    widget.setWordWrap(wrap)
    if role != "text":
        widget.setProperty("role", role)
    return widget


class ErrorLine(QLabel):
    """A sentence about an error; hidden while it is empty."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setProperty("role", "error")
        self.hide()

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setVisible(bool(text))


class ElidedLabel(QLabel):
    """One line of text in a role. A long text is elided; the tooltip then shows all of it."""

    def __init__(self, text: str = "", role: Role = "text") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role != "text":
            self.setProperty("role", role)

    @property
    def visible_text(self) -> str:
        """The text as displayed, elided if necessary."""
        return self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width()
        )

    def setText(self, text: str) -> None:
        super().setText(text)
        self._update_tooltip()

    def minimumSizeHint(self) -> QSize:
        full_size = super().minimumSizeHint()
        return QSize(min(full_size.width(), _MIN_ELIDED_WIDTH), full_size.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_tooltip()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            self.palette(),
            self.isEnabled(),
            self.visible_text,
            self.foregroundRole(),
        )
        painter.end()

    def _update_tooltip(self) -> None:
        self.setToolTip("" if self.visible_text == self.text() else escape_tooltip(self.text()))


class Card(QFrame):
    """A frame with a border and round corners, without a layout."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)


def separator() -> QFrame:
    """Create a horizontal line of 1 px."""
    line = QFrame()
    line.setProperty("rule", True)
    return line


class Panel(QWidget):
    """An area in a background colour of the theme, with an optional line along one edge."""

    def __init__(
        self,
        ground: Literal["bg", "panel", "raised"] = "panel",
        edge: Literal["", "top", "bottom", "left", "right"] = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setObjectName("panel")
        self.setProperty("ground", ground)
        if edge:
            self.setProperty("edge", edge)


class ProgressBar(QProgressBar):
    """A thin bar in the accent colour, or in a neutral one when it is full."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setRange(0, 100)
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(90, 5)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, 5)

    def setValue(self, value: int) -> None:
        # Qt repaints at once, together with all pending repaints of the window, such as that of the canvas.
        self.setUpdatesEnabled(False)
        super().setValue(value)
        self.setUpdatesEnabled(True)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        span = max(1, self.maximum() - self.minimum())
        paint_progress(painter, QRectF(self.rect()), 100 * (self.value() - self.minimum()) / span)
        painter.end()


def paint_progress(painter: QPainter, rect: QRectF, percent: float) -> None:
    """Paint a thin bar of `percent` (0..100) into `rect`. Delegates use it; `ProgressBar` is a widget."""
    theme = theme_manager().theme
    radius = rect.height() / 2
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.raised))
    painter.drawRoundedRect(rect, radius, radius)
    share = min(1.0, max(0.0, percent / 100))
    if share > 0:
        painter.setBrush(QColor(theme.dim if share >= 1 else theme.accent))
        done = QRectF(rect.x(), rect.y(), max(rect.height(), rect.width() * share), rect.height())
        painter.drawRoundedRect(done, radius, radius)
    painter.restore()
