"""Defines labels by role, cards, separators, panels and progress bars."""

from __future__ import annotations

import html
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QSizePolicy, QWidget

from desktop.theme import theme_manager

Role = Literal["text", "strong", "dim", "label", "small", "item", "title", "error", "key"]

_LEAST_LINE = 60


def tip(text: str) -> str:
    """Escape `text` for a tooltip, which Qt would otherwise show as markup."""
    return f"<p style='white-space:pre-wrap'>{html.escape(text)}</p>" if "<" in text else text


def folded(text: str, metrics: QFontMetrics, width: int) -> str:
    """`text` for a button, which does not wrap by itself: in lines of at most `width` px."""
    return in_lines(text, metrics, width).replace("&", "&&")


def in_lines(text: str, metrics: QFontMetrics, width: int) -> str:
    """`text` in lines of at most `width` px, broken at blanks, and within a word that is longer than that."""
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
    """A label in a role of the type scale: title 21 px, item 16 px, text 13 px, label and small 11 px.

    The text is plain. Texts of the service or a user are never shown as markup.
    """
    widget = QLabel(text)
    widget.setTextFormat(Qt.TextFormat.PlainText)
    widget.setWordWrap(wrap)
    if role != "text":
        widget.setProperty("role", role)
    return widget


class ElidedLabel(QLabel):
    """One line of text in a role. It is elided if there is no room; the tooltip shows the whole text."""

    def __init__(self, text: str = "", role: Role = "text") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role != "text":
            self.setProperty("role", role)

    @property
    def shown(self) -> str:
        """What is seen of the text."""
        return self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width()
        )

    def setText(self, text: str) -> None:
        super().setText(text)
        self._tell()

    def minimumSizeHint(self) -> QSize:
        whole = super().minimumSizeHint()
        return QSize(min(whole.width(), _LEAST_LINE), whole.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            self.palette(),
            self.isEnabled(),
            self.shown,
            self.foregroundRole(),
        )
        painter.end()

    def _tell(self) -> None:
        self.setToolTip("" if self.shown == self.text() else tip(self.text()))


class Card(QFrame):
    """A panel with a border and round corners, without a layout."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)


def rule() -> QFrame:
    """A horizontal line of 1 px between two parts."""
    line = QFrame()
    line.setProperty("rule", True)
    return line


class Panel(QWidget):
    """A plain area on one ground of the theme, with an optional line along one edge."""

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
        # Qt's own paints at once, and with it all of the window that waits to be painted: the canvas too.
        self.setUpdatesEnabled(False)
        super().setValue(value)
        self.setUpdatesEnabled(True)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        span = max(1, self.maximum() - self.minimum())
        paint_progress(painter, QRectF(self.rect()), 100 * (self.value() - self.minimum()) / span)
        painter.end()


def paint_progress(painter: QPainter, where: QRectF, percent: float) -> None:
    """Paint a thin bar of `percent` (0..100) into `where`. It is for delegates; a widget is `ProgressBar`."""
    theme = theme_manager().theme
    radius = where.height() / 2
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.raised))
    painter.drawRoundedRect(where, radius, radius)
    share = min(1.0, max(0.0, percent / 100))
    if share > 0:
        painter.setBrush(QColor(theme.dim if share >= 1 else theme.accent))
        done = QRectF(where.x(), where.y(), max(where.height(), where.width() * share), where.height())
        painter.drawRoundedRect(done, radius, radius)
    painter.restore()
