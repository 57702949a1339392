"""Defines buttons: primary, plain, verdict and tool buttons, painted from the theme with their key."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from desktop.theme import LABEL_PX, RADIUS, TEXT_PX, Theme, line_px, mix, text_font, text_px, theme_manager
from desktop.widgets.basic.icons import paint_icon
from desktop.widgets.basic.labels import tip

_GAP = 8
_ICON = 16
_ABOVE = 10
"""Space above and below the text together, px."""
_KEY_SIDE = 18


class ButtonKind(StrEnum):
    """The purpose of a button. At most one MAIN is visible at a time."""

    MAIN = "main"
    PLAIN = "plain"
    DANGER = "danger"
    GHOST = "ghost"
    LINK = "link"
    QUIET = "quiet"
    TOOL = "tool"
    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


_BARE = {ButtonKind.LINK, ButtonKind.QUIET}
_VERDICTS = {ButtonKind.PASSED, ButtonKind.FAILED, ButtonKind.UNDECIDED}


def enters(event: QKeyEvent) -> bool:
    """Whether a key event is a plain Enter, including that of the keypad."""
    plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
    return plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Button(QPushButton):
    """A push button with an optional icon before its text and its key after it.

    `keys` is shown, not bound: shortcuts belong to `desktop.commands.registry`. A verdict kind (PASSED,
    FAILED, UNDECIDED) is checkable: tinted while open, solid when it is the verdict in force. One that
    `elides` shortens its text where there is no room; its tooltip has all of it.
    """

    def __init__(
        self,
        text: str,
        *,
        kind: ButtonKind = ButtonKind.PLAIN,
        icon: str | None = None,
        keys: str = "",
        large: bool = False,
        elides: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self.kind = kind
        self._elides = elides
        if elides:
            self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._icon_name = icon
        self._keys = keys
        self._height = max(38 if large else 36 if kind in _VERDICTS else 30, line_px(TEXT_PX) + _ABOVE)
        self.setCheckable(kind in _VERDICTS)
        # A click leaves the focus where it was, so single keys go on working on the canvas.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAutoDefault(False)
        self.setAccessibleName(text)

    def set_icon(self, name: str | None) -> None:
        """Show another icon of the kit; an empty name shows none."""
        self._icon_name = name
        self.updateGeometry()
        self.update()

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setAccessibleName(text)
        if self._elides:
            self.setToolTip(tip(text))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # In a dialog Enter would press the default button instead of the one that has the focus.
        if enters(event):
            self.click()
        else:
            super().keyPressEvent(event)

    def _shown_text(self, width: float) -> str:
        if not self._elides:
            return self.text()
        return QFontMetricsF(self._text_font()).elidedText(self.text(), Qt.TextElideMode.ElideMiddle, width)

    def _parts(self) -> list[tuple[str, float]]:
        parts: list[tuple[str, float]] = []
        if self._icon_name:
            parts.append(("icon", _ICON))
        if self.text():
            parts.append(("text", text_px(self.text(), TEXT_PX, bold=self.kind in _VERDICTS)))
        if self._keys:
            wide = text_px(self._keys, LABEL_PX)
            parts.append(("keys", max(float(_KEY_SIDE), wide + 8) if self._boxed else wide))
        return parts

    def _text_font(self) -> QFont:
        return text_font(TEXT_PX, bold=self.kind in _VERDICTS)

    @property
    def _boxed(self) -> bool:
        return self.kind in _VERDICTS or len(self._keys) == 1

    def sizeHint(self) -> QSize:
        parts = self._parts()
        padding = 4 if self.kind in _BARE else 24
        width = sum(width for _, width in parts) + _GAP * max(0, len(parts) - 1) + padding
        return QSize(max(round(width) + 1, self._height), self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._height, self._height) if self._elides else self.sizeHint()

    def _colours(self, theme: Theme) -> tuple[str | None, str | None, str]:
        """Ground, border and ink for the state the button is in."""
        kind = self.kind
        is_decided = kind in _VERDICTS and self.isChecked()
        if not self.isEnabled() and not is_decided:
            bare = kind in _BARE or kind in {ButtonKind.GHOST, ButtonKind.TOOL}
            return (None if bare else theme.raised), (None if bare else theme.line), theme.faint
        if kind in _VERDICTS:
            if is_decided:
                return theme.solid(kind.value), None, theme.accent_ink
            return theme.ground(kind.value), None, theme.word(kind.value)
        match kind:
            case ButtonKind.MAIN:
                return theme.accent, None, theme.accent_ink
            case ButtonKind.DANGER:
                return theme.raised, theme.line, theme.word("failed")
            case ButtonKind.GHOST:
                return None, None, theme.dim_text
            case ButtonKind.LINK:
                return None, None, theme.accent_text
            case ButtonKind.QUIET:
                return None, None, theme.text if self.underMouse() else theme.dim_text
            case ButtonKind.TOOL if self.isChecked():
                return theme.accent_ground, None, theme.accent_text
            case ButtonKind.TOOL:
                return None, None, theme.text
            case _:
                return theme.raised, theme.line, theme.text

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_manager().theme
        ground, border, ink = self._colours(theme)
        if self.isEnabled() and self.kind not in _BARE:
            share = 0.14 if self.isDown() else 0.06 if self.underMouse() else 0.0
            if share and (ground or self.kind in {ButtonKind.GHOST, ButtonKind.TOOL}):
                ground = mix(ink if ground else theme.text, ground or theme.panel, share)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(QColor(border)) if border else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ground) if ground else Qt.BrushStyle.NoBrush)
        if ground or border:
            painter.drawRoundedRect(frame, RADIUS, RADIUS)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = theme.text if self.kind is ButtonKind.MAIN else theme.accent
            painter.setPen(QPen(QColor(ring), 2))
            painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        self._paint_parts(painter, ink)
        painter.end()

    def _paint_parts(self, painter: QPainter, ink: str) -> None:
        parts = self._parts()
        whole = sum(width for _, width in parts) + _GAP * max(0, len(parts) - 1)
        left = max((self.width() - whole) / 2, 0.0)
        middle = self.height() / 2
        painter.setPen(QColor(ink))
        for part, width in parts:
            if part == "icon" and self._icon_name:
                paint_icon(painter, self._icon_name, ink, QRectF(left, middle - _ICON / 2, _ICON, _ICON))
            elif part == "text":
                painter.setFont(self._text_font())
                box = QRectF(left, 0, width + 1, self.height())
                shown = self._shown_text(min(width + 1, self.width() - left))
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, shown)
            elif part == "keys":
                painter.setFont(text_font(LABEL_PX))
                tall = max(_KEY_SIDE, line_px(LABEL_PX) + 2)
                box = QRectF(left, middle - tall / 2, width, tall)
                if self._boxed:
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._keys)
            left += width + _GAP


class IconButton(Button):
    """A square button with only an icon. Its text is the tooltip and the accessible name."""

    def __init__(
        self,
        icon: str,
        text: str,
        *,
        keys: str = "",
        checkable: bool = False,
        side: int = 30,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("", kind=ButtonKind.TOOL, icon=icon, parent=parent)
        self._height = side
        self.setCheckable(checkable)
        self.name(text, keys)

    def name(self, text: str, keys: str = "") -> None:
        """Set the tooltip and the accessible name."""
        self.setAccessibleName(text)
        self.setToolTip(tip(f"{text}  ({keys})" if keys else text))

    def sizeHint(self) -> QSize:
        return QSize(self._height, self._height)
