"""Lists the detection models: the built-in one and added ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QDialog

from desktop.client.http.errors import Invalid
from desktop.client.session import Session
from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.localization.detection_terms import finding_word, kind_name, model_description, model_word
from desktop.localization.language import join_words
from desktop.messages.error_messages import sentence
from desktop.pages.catalogue.models.model_form import KindForm, ModelForm
from desktop.pages.catalogue.reference_images.uploads import UploadRow, Uploads
from desktop.pages.common.files.file_dialogs import Purpose, open_file
from desktop.pages.common.forms.passwords import run_guarded
from desktop.pages.common.lists.list_section import NOTHING, TableSection
from desktop.widgets import Button, Column
from shared.record.codes import Permission
from shared.wire.common import Page as Listing
from shared.wire.common import pagination
from shared.wire.detection import DetectionModel, ModelKind, ModelUpdate


class ModelSection(TableSection[DetectionModel]):
    """The detection models. A model is disabled, never deleted, because results refer to it."""

    manage_permission: ClassVar[Permission] = Permission.MODEL_MANAGE
    empty_icon: ClassVar[str] = "finding"
    delete_command: ClassVar[str] = ""

    def __init__(self, context: Context) -> None:
        translate = QCoreApplication.translate
        super().__init__(
            context, translate("Catalogue", "Add model…"), translate("Catalogue", "Name, description")
        )
        self.uploads = Uploads(context, partial(_send_model, context.session))
        self.uploads.uploaded.connect(self._on_uploaded)
        self.uploads.failed.connect(self._on_refused)
        self.card_column.insertWidget(0, self.uploads)

    def make_remove_button(self) -> Button:
        return Button(self.tr("Disable"))

    def columns(self) -> list[Column[DetectionModel]]:
        return [
            Column(
                self.tr("Model"),
                self.name,
                stretch=True,
                kind="strong",
                second_line=model_description,
            ),
            Column(self.tr("Type"), lambda m: kind_name(m.kind), 170),
            Column(self.tr("Version"), lambda m: str(m.version), 80, kind="dim"),
            Column(
                self.tr("Labels"),
                lambda m: join_words(map(finding_word, m.labels)) or NOTHING,
                200,
                kind="dim",
            ),
            Column(self.tr("Size"), _size_text, 100, kind="dim"),
            Column(self.tr("Status"), self._status_text, 110, tone=lambda m: "" if m.enabled else "dim"),
            Column(self.tr("Added at"), lambda m: format_minute(m.created_at), 150, kind="dim"),
        ]

    def _status_text(self, model: DetectionModel) -> str:
        return self.tr("Enabled") if model.enabled else self.tr("Disabled")

    def fetch(self, number: int, size: int, text: str) -> Listing[DetectionModel]:
        term = text.casefold()
        models = [
            model
            for model in self._context.session.detection.models()
            if term in f"{self.name(model)} {model.model_description or ''}".casefold()
        ]
        start = (number - 1) * size
        page_info = pagination(number, size, len(models))
        return Listing[DetectionModel](data=models[start : start + size], pagination=page_info)

    def key(self, entry: DetectionModel) -> str:
        return entry.model_id

    def name(self, entry: DetectionModel) -> str:
        return model_word(entry.model_id, entry.model_name)

    def form(self, entry: DetectionModel | None) -> QDialog | None:
        return None if entry is None else ModelForm(self._context, entry, self)

    def update_buttons(self) -> None:
        super().update_buttons()
        model = self.selected_entry()
        is_enabled = model is None or model.enabled
        self.remove.setText(self.tr("Disable") if is_enabled else self.tr("Enable"))

    def delete_selected(self) -> None:
        """Disable the selected model, or enable it again."""
        model = self.selected_entry()
        if model is None or not self.may_edit:
            return
        change = ModelUpdate(enabled=not model.enabled)
        run_guarded(
            self._context,
            partial(self._context.session.detection.update_model, model.model_id, change),
            owner=self,
            done=self._on_model_updated,
            failed=lambda error: self.toast.emit(sentence(error)),
        )

    def _on_model_updated(self, model: DetectionModel) -> None:
        text = self.tr("{name} enabled.") if model.enabled else self.tr("{name} disabled.")
        self.toast.emit(text.format(name=model.model_name))
        self.reload(model.model_id)

    # -- uploads

    def open_new_form(self) -> None:
        """Ask for an ONNX file and upload it. The model gets the name of the file, which can be edited."""
        if not self.may_edit:
            return
        path = open_file(
            self, self.tr("Add detection model"), self.tr("ONNX models (*.onnx)"), Purpose.MODELS
        )
        if path is not None:
            self.send(path)

    def send(self, path: Path) -> None:
        """Upload the file of a model."""
        self.stack.show_content()
        self.uploads.add(path)

    def _on_refused(self, row: UploadRow, error: object) -> None:
        """Ask the user for what the file does not state, and upload it again."""
        if not isinstance(error, Invalid) or not KindForm.can_resolve(error):
            return
        row.cancel()
        form = KindForm(
            self._context,
            row.path.name,
            error,
            partial(_send_model, self._context.session, row.path, lambda _done, _all: None),
            self,
        )
        form.saved.connect(self._on_uploaded)
        form.finished.connect(form.deleteLater)
        form.open()

    def _on_uploaded(self, model: DetectionModel) -> None:
        self.search.clear()
        self.reload(model.model_id)
        self._open_form(self.form(model))


def _send_model(
    session: Session,
    path: Path,
    on_progress: Callable[[int, int], None],
    kind: ModelKind | None = None,
    activation: str | None = None,
) -> DetectionModel:
    settings = None if activation is None else {"activation": activation}
    name = path.stem[:255] or path.name
    return session.detection.add_model(path, name, kind=kind, settings=settings, progress=on_progress)


def _size_text(model: DetectionModel) -> str:
    return NOTHING if model.size is None else QLocale().formattedDataSize(model.size)
