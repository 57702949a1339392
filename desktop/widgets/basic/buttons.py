"""Defines the buttons of the program, which paint themselves in the colours of the theme."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from desktop.theme import LABEL_PX, RADIUS, TEXT_PX, Theme, line_px, mix, text_font, text_px, theme_manager
from desktop.widgets.basic.icons import paint_icon
from desktop.widgets.basic.labels import escape_tooltip

_SPACING = 8
_ICON_SIZE = 16
_VERTICAL_PADDING = 10
"""Sum of the space above and below the text, px."""
_KEY_SIZE = 18


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


_BORDERLESS = {ButtonKind.LINK, ButtonKind.QUIET}
_VERDICTS = {ButtonKind.PASSED, ButtonKind.FAILED, ButtonKind.UNDECIDED}


def is_enter_key(event: QKeyEvent) -> bool:
    """Return whether a key event is Enter, also on the keypad, without modifiers."""
    plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
    return plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Button(QPushButton):
    """A push button with an optional icon before its text and its key after it.

    `keys` is only displayed; `desktop.commands.registry` defines the shortcuts. Buttons of a verdict kind
    (PASSED, FAILED, UNDECIDED) are checkable: a checked one shows the current verdict in a solid colour. With
    `elide` the text is shortened if there is no space, and the tooltip shows all of it.
    """

    def __init__(
        self,
        text: str,
        *,
        kind: ButtonKind = ButtonKind.PLAIN,
        icon: str | None = None,
        keys: str = "",
        large: bool = False,
        elide: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self.kind = kind
        self._elide = elide
        if elide:
            self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._icon_name = icon
        self._keys = keys
        self._height = max(
            38 if large else 36 if kind in _VERDICTS else 30, line_px(TEXT_PX) + _VERTICAL_PADDING
        )
        self.setCheckable(kind in _VERDICTS)
        # A click does not move the focus, so single keys still work on the canvas.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAutoDefault(False)
        self.setAccessibleName(text)

    def set_icon(self, name: str | None) -> None:
        """Set the icon; None shows no icon."""
        self._icon_name = name
        self.updateGeometry()
        self.update()

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setAccessibleName(text)
        if self._elide:
            self.setToolTip(escape_tooltip(text))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # In a dialog Enter would press the default button instead of the focused one.
        if is_enter_key(event):
            self.click()
        else:
            super().keyPressEvent(event)

    def _visible_text(self, width: float) -> str:
        if not self._elide:
            return self.text()
        return QFontMetricsF(self._text_font()).elidedText(self.text(), Qt.TextElideMode.ElideMiddle, width)

    def _parts(self) -> list[tuple[str, float]]:
        parts: list[tuple[str, float]] = []
        if self._icon_name:
            parts.append(("icon", _ICON_SIZE))
        if self.text():
            parts.append(("text", text_px(self.text(), TEXT_PX, bold=self.kind in _VERDICTS)))
        if self._keys:
            key_width = text_px(self._keys, LABEL_PX)
            parts.append(("keys", max(float(_KEY_SIZE), key_width + 8) if self._has_key_box else key_width))
        return parts

    def _text_font(self) -> QFont:
        return text_font(TEXT_PX, bold=self.kind in _VERDICTS)

    @property
    def _has_key_box(self) -> bool:
        return self.kind in _VERDICTS or len(self._keys) == 1

    def sizeHint(self) -> QSize:
        parts = self._parts()
        padding = 4 if self.kind in _BORDERLESS else 24
        width = sum(width for _, width in parts) + _SPACING * max(0, len(parts) - 1) + padding
        return QSize(max(round(width) + 1, self._height), self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._height, self._height) if self._elide else self.sizeHint()

    def _colours(self, theme: Theme) -> tuple[str | None, str | None, str]:
        """Return the colours of background, border and text for the state of the button."""
        kind = self.kind
        is_decided = kind in _VERDICTS and self.isChecked()
        if not self.isEnabled() and not is_decided:
            is_borderless = kind in _BORDERLESS or kind in {ButtonKind.GHOST, ButtonKind.TOOL}
            return (
                (None if is_borderless else theme.raised),
                (None if is_borderless else theme.line),
                theme.faint,
            )
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
        if self.isEnabled() and self.kind not in _BORDERLESS:
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
            focus_colour = theme.text if self.kind is ButtonKind.MAIN else theme.accent
            painter.setPen(QPen(QColor(focus_colour), 2))
            painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        self._paint_parts(painter, ink)
        painter.end()

    def _paint_parts(self, painter: QPainter, ink: str) -> None:
        parts = self._parts()
        total_width = sum(width for _, width in parts) + _SPACING * max(0, len(parts) - 1)
        left = max((self.width() - total_width) / 2, 0.0)
        middle = self.height() / 2
        painter.setPen(QColor(ink))
        for part, width in parts:
            if part == "icon" and self._icon_name:
                paint_icon(
                    painter,
                    self._icon_name,
                    ink,
                    QRectF(left, middle - _ICON_SIZE / 2, _ICON_SIZE, _ICON_SIZE),
                )
            elif part == "text":
                painter.setFont(self._text_font())
                box = QRectF(left, 0, width + 1, self.height())
                text = self._visible_text(min(width + 1, self.width() - left))
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
            elif part == "keys":
                painter.setFont(text_font(LABEL_PX))
                key_height = max(_KEY_SIZE, line_px(LABEL_PX) + 2)
                box = QRectF(left, middle - key_height / 2, width, key_height)
                if self._has_key_box:
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._keys)
            left += width + _SPACING


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
        self.set_name(text, keys)

    def set_name(self, text: str, keys: str = "") -> None:
        """Set the text of the tooltip and the accessible name."""
        self.setAccessibleName(text)
        self.setToolTip(escape_tooltip(f"{text}  ({keys})" if keys else text))

    def sizeHint(self) -> QSize:
        return QSize(self._height, self._height)
