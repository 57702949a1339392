"""Measures the scale of a reference image with a line along a known length in mm."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QWidget

from desktop.background.workers import Lane, run
from desktop.canvas.layers.colours import theme_colours
from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.views.canvas_view import CanvasView
from desktop.commands.bindings import Commands
from desktop.context import Context
from desktop.imaging import ImageError
from desktop.imaging.sources.source import ImageSource
from desktop.messages.error_messages import sentence
from desktop.pages.common.picture_commands import bind_canvas, zoom_handlers
from desktop.record.loading import fetch_reference
from desktop.theme import theme_manager
from desktop.widgets import BaseDialog, Button, ButtonKind, column_of, label
from shared.wire.catalogue import ReferenceImage

_DEFAULT_SIZE = QSize(1180, 740)
_MIN_SIZE = QSize(860, 560)
_WINDOW_MARGIN = QSize(60, 130)
_SCALE_LABEL_PX = 240
"""The width reserved for the measured values, so that the layout does not change while the line is drawn."""

MAX_MM_PER_PIXEL = 1000.0
"""The largest scale that the service accepts."""


class ScaleDialog(BaseDialog):
    """Shows the reference image with the ruler as tool."""

    scale_measured = Signal(float)
    """The measured scale in mm per pixel."""

    def __init__(self, context: Context, image: ReferenceImage, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Measure scale"))
        self.setModal(True)
        # The dialog is almost as large as the main window, because a larger picture is measured more
        # precisely.
        self.setMinimumSize(_MIN_SIZE)
        self.resize(_DEFAULT_SIZE if parent is None else _main_window(parent).size() - _WINDOW_MARGIN)
        self.view = CanvasView()
        self.view.editor.editable = False
        self.view.set_colours(theme_colours(theme_manager().theme.dark))
        self.length = QDoubleSpinBox()
        self.length.setAccessibleName(self.tr("Line length"))
        self.length.setRange(0, 1_000_000)
        self.length.setDecimals(2)
        self.length.setSuffix(" mm")
        self.length.lineEdit().setTextMargins(6, 0, 0, 0)
        self.length.setMinimumWidth(140)
        self._scale_label = label("", "dim")
        self.use = Button(self.tr("Use scale"), kind=ButtonKind.MAIN)
        self.cancel = Button(self.tr("Cancel"))
        self._build()
        self._bind_commands(context.commands)
        self.length.valueChanged.connect(lambda _: self._update_scale())
        self.view.cursor_moved.connect(lambda _: self._update_scale())
        self.use.clicked.connect(self._use_scale)
        self.cancel.clicked.connect(self.reject)
        self.view.show_message(self.tr("Opening image…"))
        self._update_scale()
        run(
            fetch_reference,
            context.session,
            image,
            owner=self,
            progress=lambda _: None,
            done=self._on_opened,
            failed=self._on_failed,
            lane=Lane.LONG,
        )

    def _build(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(10)
        name = label(self.tr("Line length"), "label")
        name.setBuddy(self.length)
        row.addWidget(name)
        row.addWidget(self.length)
        self._scale_label.setFixedWidth(_SCALE_LABEL_PX)
        row.addWidget(self._scale_label)
        row.addStretch(1)
        row.addWidget(self.cancel)
        row.addWidget(self.use)
        hint = self.tr("Draw a line along a known length, then enter the length.")
        column_of(label(hint, "dim"), (self.view, 1), row, parent=self, margins=(20, 16, 20, 16), spacing=10)

    def _bind_commands(self, commands: Commands) -> None:
        for command, handler in zoom_handlers(self.view).items():
            commands.bind(command, handler, owner=self)
        bind_canvas(commands, self.view)

    @property
    def pixels(self) -> float:
        """The length of the line in px of the upright image; 0 without a line."""
        line = self.view.editor.draft.measure
        return line.length if line is not None else 0.0

    @property
    def scale(self) -> float | None:
        """The scale in mm per pixel; None without a line and a valid length."""
        if self.pixels < 1 or self.length.value() <= 0:
            return None
        scale = self.length.value() / self.pixels
        return scale if scale <= MAX_MM_PER_PIXEL else None

    def _on_opened(self, source: ImageSource) -> None:
        self.view.show_message("")
        self.view.open(source)
        self.view.set_tool(Tool.RULER)
        self.view.setFocus()

    def _on_failed(self, error: Exception) -> None:
        self.view.show_message(str(error) if isinstance(error, ImageError) else sentence(error))

    def _update_scale(self) -> None:
        scale = self.scale
        text = ""
        if self.pixels >= 1:
            text = self.tr("{n} px").format(n=round(self.pixels))
        if scale is not None:
            text += " · " + self.tr("{scale} mm per pixel").format(scale=f"{scale:.4g}")
        self._scale_label.setText(text)
        self.use.setEnabled(scale is not None)

    def _use_scale(self) -> None:
        scale = self.scale
        if scale is not None:
            self.scale_measured.emit(scale)
            self.accept()

    def done(self, result: int) -> None:
        self.view.open(None)
        super().done(result)


def _main_window(widget: QWidget) -> QWidget:
    """The window that is not a dialog of another window."""
    window = widget.window()
    owner = window.parentWidget()
    return window if owner is None else _main_window(owner)
