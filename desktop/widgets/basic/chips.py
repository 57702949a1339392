"""Defines chips for statuses and verdicts, and rows of filters. Each shows a text, not only a colour."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QLayout, QSizePolicy, QWidget

from desktop.theme import LABEL_PX, TEXT_PX, line_px, mix, text_font, text_px, theme_manager
from desktop.widgets.basic.layouts import FlowLayout, remove_widget

_SIDE = 8
_GAP = 4

_TONES = {
    "not_started": "dim",
    "in_progress": "accent",
    "passed": "passed",
    "failed": "failed",
    "cancelled": "dim",
    "undecided": "undecided",
}


def status_tone(status: str) -> str:
    """Return the tone of a record status (`codes.Status`) or a `Verdict`; "dim" for other codes."""
    return _TONES.get(status, "dim")


def status_text(status: str) -> str:
    """Return the text of a record status or a verdict in the current language; an unknown code unchanged."""
    translate = QCoreApplication.translate
    match status:
        case "not_started":
            return translate("Status", "Not started")
        case "in_progress":
            return translate("Status", "In progress")
        case "passed":
            return translate("Status", "Passed")
        case "failed":
            return translate("Status", "Failed")
        case "cancelled":
            return translate("Status", "Void")
        case "undecided":
            return translate("Status", "Undecided")
    return status


def chip_width(text: str) -> int:
    """Return the width (px) of a chip with `text`."""
    return round(text_px(text, LABEL_PX, bold=True)) + 2 * _SIDE


def chip_height() -> int:
    """Return the height (px) of a chip."""
    return max(18, line_px(LABEL_PX, bold=True) + 2)


def paint_chip(painter: QPainter, x: float, middle: float, tone: str, text: str) -> int:
    """Paint a chip with its left edge at `x`, centred at the height `middle`. Returns its width in px.

    `tone` is accent, passed, failed, undecided or dim. Delegates use it; `Chip` is a widget.
    """
    theme = theme_manager().theme
    width, height = chip_width(text), chip_height()
    box = QRectF(x, middle - height / 2, width, height)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    ground, word = theme.ground(tone), theme.word(tone)
    # The border keeps the chip visible on a row of the same colour, as the selected row is.
    painter.setPen(QPen(QColor(mix(word, ground, 0.35)), 1.0))
    painter.setBrush(QColor(ground))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), height / 2, height / 2)
    painter.setPen(QColor(word))
    painter.setFont(text_font(LABEL_PX, bold=True))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()
    return width


class Chip(QWidget):
    """A rounded label with a text in a tone."""

    def __init__(self, text: str = "", tone: str = "dim", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._tone = tone
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.show_text(text, tone)

    @property
    def text(self) -> str:
        """The displayed text."""
        return self._text

    def show_text(self, text: str, tone: str) -> None:
        """Show `text` in `tone`: accent, passed, failed, undecided or dim."""
        self._text, self._tone = text, tone
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def show_status(self, status: str) -> None:
        """Show a record status or a verdict by its code."""
        self.show_text(status_text(status), status_tone(status))

    def sizeHint(self) -> QSize:
        return QSize(chip_width(self._text), chip_height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_chip(painter, 0, self.height() / 2, self._tone, self._text)
        painter.end()


class _FilterChip(QAbstractButton):
    def __init__(self, key: str, text: str) -> None:
        super().__init__()
        self.key = key
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setText(text)
        self.setAccessibleName(text)

    def sizeHint(self) -> QSize:
        width = text_px(self.text(), TEXT_PX - 1, bold=True)
        return QSize(round(width) + 16, max(22, line_px(TEXT_PX - 1, bold=True) + 4))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        is_active = self.isChecked()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(QPen(QColor(theme.accent), 1.5) if self.hasFocus() else Qt.PenStyle.NoPen)
        ground = theme.accent_ground if is_active else theme.raised if self.underMouse() else None
        painter.setBrush(QColor(ground) if ground else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame, frame.height() / 2, frame.height() / 2)
        painter.setPen(QColor(theme.accent_text if is_active else theme.text))
        painter.setFont(text_font(TEXT_PX - 1, bold=is_active))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()


class FilterChips(QWidget):
    """A row of filters of which one is active. Arrow keys move between them.

    `set_choices` takes (key, text) pairs, such as ``("failed", "Failed 2")``. The active filter stays active.
    With `wraps`, the filters take as many rows as they need.
    """

    chosen = Signal(str)
    """The key of the filter that the user chose."""

    def __init__(self, name: str, parent: QWidget | None = None, *, wraps: bool = False) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        # No attribute: it would keep the items of a `FlowLayout` that Qt deleted with this widget.
        row: QLayout = FlowLayout(self, _GAP) if wraps else QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_GAP)
        if not wraps:
            row.setAlignment(Qt.AlignmentFlag.AlignLeft)
        self._group.buttonClicked.connect(self._on_clicked)

    def set_choices(self, choices: Iterable[tuple[str, str]]) -> None:
        """Set the filters.

        The active one stays active if it still exists; otherwise the first becomes active.
        """
        pairs = list(choices)
        old = self._buttons()
        if [button.key for button in old] == [key for key, _ in pairs]:
            for button, (_, text) in zip(old, pairs, strict=True):
                button.setText(text)
                button.setAccessibleName(text)
                button.updateGeometry()
            return
        previous, row = self.value(), self.layout()
        assert row is not None
        for button in old:
            self._group.removeButton(button)
            remove_widget(button, row)
        for key, text in pairs:
            chip = _FilterChip(key, text)
            self._group.addButton(chip)
            row.addWidget(chip)
        keys = [key for key, _ in pairs]
        if keys:
            self.set_value(previous if previous in keys else keys[0])

    def value(self) -> str:
        """Return the key of the active filter, or ""."""
        return next((button.key for button in self._buttons() if button.isChecked()), "")

    def set_value(self, key: str) -> None:
        """Activate a filter without a signal."""
        for button in self._buttons():
            if button.key == key:
                button.setChecked(True)

    def _buttons(self) -> list[_FilterChip]:
        return [button for button in self._group.buttons() if isinstance(button, _FilterChip)]

    def _on_clicked(self, button: QAbstractButton) -> None:
        if isinstance(button, _FilterChip):
            self.chosen.emit(button.key)
