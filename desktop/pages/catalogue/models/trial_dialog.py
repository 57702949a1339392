"""Shows what a model finds in a picture that the user chooses."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, QSize
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.background.workers import Lane, run
from desktop.canvas.layers.colours import theme_colours
from desktop.canvas.layers.finding_layer import FindingBox
from desktop.canvas.views.canvas_view import CanvasView
from desktop.client.session import Session
from desktop.context import Context
from desktop.imaging import ImageError
from desktop.imaging.sources.opening import open_image
from desktop.imaging.sources.source import ImageSource
from desktop.localization.detection_terms import finding_word
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.file_dialogs import Purpose, open_picture
from desktop.theme import theme_manager
from desktop.widgets import BaseDialog, Button, label, row_of
from shared.record.geometry import Rect
from shared.wire.detection import DetectionModel, ModelTrial

_SIZE = QSize(1080, 720)


class TrialDialog(BaseDialog):
    """A picture with the boxes that a model finds in it.

    An administrator checks with a picture of a known defect that the outputs of the model are read as meant:
    a model whose outputs are misread finds nothing, and passes every photo.
    """

    def __init__(
        self, context: Context, model: DetectionModel, picture: Path, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Try {name}").format(name=model.model_name))
        self.setModal(True)
        self.resize(_SIZE)
        self._context = context
        self._model = model
        self.view = CanvasView()
        self.view.editor.editable = False
        self.view.set_colours(theme_colours(theme_manager().theme.dark))
        self.summary = label("", "label", wrap=True)
        self.choose = Button(self.tr("Other picture…"))
        close = Button(self.tr("Close"))
        self.choose.clicked.connect(self._choose_picture)
        close.clicked.connect(self.accept)
        row = row_of((self.summary, 1), self.choose, close, spacing=8)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(10)
        hint = self.tr("Use a picture with a known defect. The boxes must be on it, with the right label.")
        column.addWidget(label(hint, "dim", wrap=True))
        column.addWidget(self.view, 1)
        column.addLayout(row)
        self._try(picture)

    def _choose_picture(self) -> None:
        path = open_picture(self, self.tr("Try a picture"), Purpose.PHOTOS)
        if path is not None:
            self._try(path)

    def _try(self, picture: Path) -> None:
        self.choose.setEnabled(False)
        self.summary.setText(self.tr("Detecting…"))
        self.view.open(None)
        self.view.set_findings(())
        run(
            partial(_open_and_try, self._context.session, self._model.model_id, picture),
            owner=self,
            done=self._show_trial,
            failed=self._on_failed,
            lane=Lane.LONG,
        )

    def _show_trial(self, result: tuple[ImageSource, ModelTrial]) -> None:
        source, trial = result
        self.choose.setEnabled(True)
        self.view.open(source)
        self.view.set_findings(
            FindingBox(Rect(box.x, box.y, box.w, box.h), finding_word(box.label), box.confidence)
            for box in trial.boxes
        )
        text = self.tr("%n detection(s) in {seconds} s", "", len(trial.boxes))
        self.summary.setText(text.format(seconds=QLocale().toString(trial.seconds, "f", 2)))

    def _on_failed(self, error: Exception) -> None:
        self.choose.setEnabled(True)
        self.summary.setText(str(error) if isinstance(error, ImageError) else sentence(error))

    def done(self, result: int) -> None:
        self.view.open(None)
        super().done(result)


def _open_and_try(session: Session, model_id: str, picture: Path) -> tuple[ImageSource, ModelTrial]:
    return open_image(picture), session.detection.try_model(model_id, picture)
