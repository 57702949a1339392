"""Measures the scale of a reference image: a line over a known length in mm."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QVBoxLayout, QWidget

from desktop.background.workers import Lane, run
from desktop.canvas.layers.colours import theme_colours
from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.views.canvas_view import CanvasView
from desktop.commands.bindings import Commands
from desktop.context import Context
from desktop.imaging import ImageError
from desktop.imaging.sources.source import ImageSource
from desktop.pages.common.messages.error_messages import sentence
from desktop.pages.common.picture_commands import bind_canvas, zoom_handlers
from desktop.pages.workbench.open_record.loading import fetch_reference
from desktop.theme import theme_manager
from desktop.widgets import BaseDialog, Button, ButtonKind, label
from shared.wire.catalogue import ReferenceImage

_USUAL = QSize(1180, 740)
_LEAST = QSize(860, 560)
_MARGIN = QSize(60, 130)
_SCALE_PX = 240
"""Width kept for the text about the line, so that nothing beside it moves while the line is drawn."""

MOST = 1000.0
"""Largest mm per pixel that the service takes."""


class ScaleDialog(BaseDialog):
    """Shows the picture with the ruler in hand; `measured` gives mm per pixel."""

    measured = Signal(float)

    def __init__(self, context: Context, image: ReferenceImage, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Measure scale"))
        self.setModal(True)
        # Measured by hand, so every px of the picture counts: it takes nearly all of the main window.
        self.setMinimumSize(_LEAST)
        self.resize(_USUAL if parent is None else _main_window(parent).size() - _MARGIN)
        self.view = CanvasView()
        self.view.editor.editable = False
        self.view.set_colours(theme_colours(theme_manager().theme.dark))
        self.length = QDoubleSpinBox()
        self.length.setAccessibleName(self.tr("Length in mm"))
        self.length.setRange(0, 1_000_000)
        self.length.setDecimals(2)
        self.length.setSuffix(" mm")
        self.length.lineEdit().setTextMargins(6, 0, 0, 0)
        self.length.setMinimumWidth(140)
        self._scale_label = label("", "dim")
        self.use = Button(self.tr("Use scale"), kind=ButtonKind.MAIN)
        self.cancel = Button(self.tr("Cancel"))
        self._build()
        self._bind(context.commands)
        self.length.valueChanged.connect(lambda _: self._show())
        self.view.cursorMoved.connect(lambda _: self._show())
        self.use.clicked.connect(self._use_scale)
        self.cancel.clicked.connect(self.reject)
        self.view.show_message(self.tr("Opening image…"))
        self._show()
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
        row.addWidget(label(self.tr("Line length"), "label"))
        row.addWidget(self.length)
        self._scale_label.setFixedWidth(_SCALE_PX)
        row.addWidget(self._scale_label)
        row.addStretch(1)
        row.addWidget(self.cancel)
        row.addWidget(self.use)
        hint = self.tr("Draw a line along a known length, then enter the length.")
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(10)
        column.addWidget(label(hint, "dim"))
        column.addWidget(self.view, 1)
        column.addLayout(row)

    def _bind(self, commands: Commands) -> None:
        for command, handler in zoom_handlers(self.view).items():
            commands.bind(command, handler, owner=self)
        bind_canvas(commands, self.view)

    @property
    def pixels(self) -> float:
        """Length of the line in px of the upright image; 0 for none."""
        line = self.view.editor.draft.measure
        return line.length if line is not None else 0.0

    @property
    def scale(self) -> float | None:
        """mm per pixel; None until there are a line and a length that give one."""
        if self.pixels < 1 or self.length.value() <= 0:
            return None
        scale = self.length.value() / self.pixels
        return scale if scale <= MOST else None

    def _on_opened(self, source: ImageSource) -> None:
        self.view.show_message("")
        self.view.open(source)
        self.view.set_tool(Tool.RULER)
        self.view.setFocus()

    def _on_failed(self, error: Exception) -> None:
        self.view.show_message(str(error) if isinstance(error, ImageError) else sentence(error))

    def _show(self) -> None:
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
            self.measured.emit(scale)
            self.accept()

    def done(self, result: int) -> None:
        self.view.open(None)
        super().done(result)


def _main_window(widget: QWidget) -> QWidget:
    """The window below every dialog that `widget` is in."""
    window = widget.window()
    owner = window.parentWidget()
    return window if owner is None else _main_window(owner)
