"""Edits one detection model and creates its next version."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, QLocale, Qt
from PySide6.QtWidgets import QDoubleSpinBox, QFormLayout, QHBoxLayout, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.client.http.errors import Invalid
from desktop.client.session import Session
from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.localization.detection_terms import kind_name, model_description, model_word
from desktop.messages.error_messages import sentence
from desktop.pages.catalogue.forms import EntryForm
from desktop.pages.catalogue.models.class_table import ClassTable, fraction_box
from desktop.pages.catalogue.models.trial_dialog import TrialDialog
from desktop.pages.catalogue.saving import save_model
from desktop.pages.common.files.file_dialogs import Purpose, open_picture
from desktop.pages.common.forms.form import Form
from desktop.pages.common.lists.list_section import NOTHING
from desktop.widgets import Button, Combo, Field, TextArea, grow_height, label
from shared.wire.detection import DetectionModel, ModelKind, ModelUpdate, ModelVersion, Severity


class ModelForm(EntryForm):
    """Edits a model.

    Changes of thresholds, failing classes and input create the next version of the model; changes of the name
    and the description do not.
    """

    def __init__(self, context: Context, entry: DetectionModel, parent: QWidget | None = None) -> None:
        super().__init__(context, QCoreApplication.translate("Catalogue", "Detection model"), parent)
        self.setMinimumWidth(620)
        self._entry = entry
        # The facts and the classes are side by side, because below each other they would not fit on a screen.
        self._columns = QHBoxLayout()
        self._columns.setSpacing(32)
        self.body.addLayout(self._columns)
        self.body = QVBoxLayout()
        self.body.setSpacing(14)
        self._columns.addLayout(self.body, 1)
        self.add("model_name", Field(self.tr("Name")))
        self.add("model_description", Field(self.tr("Description"), TextArea(2)))
        self.fields["model_name"].set_text(model_word(entry.model_id, entry.model_name))
        self.fields["model_description"].set_text(model_description(entry))
        # The name of the built-in model is translated and cannot be edited.
        self.fields["model_name"].setEnabled(entry.kind is not ModelKind.REFERENCE_DIFFERENCE)
        self._add_facts()
        self.body.addStretch(1)
        self.confidence: QDoubleSpinBox | None = None
        self.fail_confidence: QDoubleSpinBox | None = None
        self.classes: ClassTable | None = None
        self.input_fields: dict[str, Combo] = {}
        if entry.kind is ModelKind.REFERENCE_DIFFERENCE:
            self.setMinimumWidth(860)
            self._columns.addWidget(self._class_table(), 1)
        elif entry.kind is not ModelKind.BACKBONE:
            self._add_rules()

    def _add_facts(self) -> None:
        entry, settings = self._entry, self._entry.settings
        facts = [(self.tr("Type"), kind_name(entry.kind)), (self.tr("Version"), str(entry.version))]
        if settings.get("width") and settings.get("height"):
            facts.append((self.tr("Input size"), f"{settings['width']} × {settings['height']} px"))
        if entry.size is not None:
            facts.append((self.tr("Size"), QLocale().formattedDataSize(entry.size)))
        facts += [
            (self.tr("Added at"), format_minute(entry.created_at)),
            (self.tr("Added by"), self._added_by_text()),
            (self.tr("Status"), self.tr("Enabled") if entry.enabled else self.tr("Disabled")),
        ]
        if entry.sha256:
            half = len(entry.sha256) // 2
            facts.append((self.tr("Hash (SHA-256)"), f"{entry.sha256[:half]}\n{entry.sha256[half:]}"))
        grid = QFormLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        for name, text in facts:
            fact_label = label(text, wrap=True)
            fact_label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addRow(label(name, "dim"), fact_label)
        self.body.addLayout(grid)

    def _added_by_text(self) -> str:
        entry = self._entry
        if entry.kind is ModelKind.REFERENCE_DIFFERENCE:
            return NOTHING
        if entry.added_by is None:
            return self.tr("Command line")
        return entry.added_by_name or self.tr("Deleted user")

    def _add_rules(self) -> None:
        self.setMinimumWidth(1080)
        column = QVBoxLayout()
        column.setSpacing(14)
        self._columns.addLayout(column, 1)
        settings = self._entry.settings
        self.confidence = fraction_box(float(settings.get("confidence", 0.25)))
        self.fail_confidence = fraction_box(float(settings.get("fail_confidence", 0.4)))
        grid = QFormLayout()
        grid.setHorizontalSpacing(16)
        for title, box in (
            (self.tr("Minimum confidence to show"), self.confidence),
            (self.tr("Minimum confidence to fail"), self.fail_confidence),
        ):
            box.setAccessibleName(title)
            grid.addRow(label(title, "label"), box)
        keys = ["values", "colour", "fit"]
        if self._entry.kind is ModelKind.NMS_INSIDE:
            keys.append("corners")
        self._add_input_fields(grid, keys)
        column.addLayout(grid)
        column.addWidget(self._class_table(), 1)
        self.trial = Button(self.tr("Try a picture…"))
        self.trial.clicked.connect(self._try_picture)
        column.addWidget(self.trial, 0, Qt.AlignmentFlag.AlignLeft)
        hint = self.tr("Changes on this side create a new version. Existing results keep their version.")
        column.addWidget(label(hint, "small", wrap=True))
        for box in (self.confidence, self.fail_confidence):
            box.valueChanged.connect(lambda _: self.mark_changed())

    def _try_picture(self) -> None:
        picture = open_picture(self, self.tr("Try a picture"), Purpose.PHOTOS)
        if picture is not None:
            TrialDialog(self._context, self._entry, picture, self).open()

    def _class_table(self) -> ClassTable:
        self.classes = ClassTable(self._entry)
        self.classes.changed.connect(self.mark_changed)
        run(
            self._context.session.detection.labels,
            owner=self,
            done=self.classes.show_severities,
            failed=lambda error: self.banner.show_message(sentence(error), "error"),
        )
        return self.classes

    def _add_input_fields(self, grid: QFormLayout, keys: Sequence[str] = ("values", "colour", "fit")) -> None:
        """Add the fields `keys` that say how a photo is converted for the model and how its boxes are read.

        A model's file does not state this reliably.
        """
        for key, title, choices in (
            (
                "values",
                self.tr("Pixel values"),
                {
                    "unit": self.tr("0 to 1"),
                    "raw": self.tr("0 to 255"),
                    "imagenet": self.tr("ImageNet normalization"),
                },
            ),
            ("colour", self.tr("Colour order"), {"rgb": "RGB", "bgr": "BGR"}),
            (
                "fit",
                self.tr("Image placement"),
                {
                    "centre": self.tr("Centred, padded"),
                    "corner": self.tr("Top left, padded"),
                    "stretch": self.tr("Stretched"),
                },
            ),
            (
                "corners",
                self.tr("Box corners"),
                {"xyxy": "x1, y1, x2, y2", "yxyx": self.tr("y1, x1, y2, x2 (TensorFlow)")},
            ),
        ):
            if key not in keys:
                continue
            combo = Combo(title)
            combo.set_choices(choices.items())
            combo.set_value(self._entry.settings.get(key))
            combo.picked.connect(lambda _: self.mark_changed())
            self.input_fields[key] = combo
            grid.addRow(label(title, "label"), combo)

    def settings(self) -> dict[str, Any]:
        """The settings that differ from the model's settings."""
        stored, values = self._entry.settings, dict[str, Any]()
        if self.confidence is not None and self.fail_confidence is not None:
            values["confidence"] = self.confidence.value()
            values["fail_confidence"] = self.fail_confidence.value()
            assert self.classes is not None
            values |= self.classes.rules()
        defaults: dict[str, Any] = {
            "confidence": 0.25,
            "fail_confidence": 0.4,
            "per_label": {},
            "fail_labels": None,
        }
        for key, combo in self.input_fields.items():
            values[key] = combo.value()
            # For a setting that is not stored, the first choice is shown.
            defaults[key] = combo.itemData(0)
        return {name: value for name, value in values.items() if stored.get(name, defaults[name]) != value}

    def change(self) -> ModelUpdate:
        """The edited name and description. Translated texts that were not edited are not changed."""
        entry, name, description = self._entry, self.text("model_name"), self.text("model_description")
        return ModelUpdate(
            model_name=entry.model_name if name == model_word(entry.model_id, entry.model_name) else name,
            model_description=entry.model_description
            if description == (model_description(entry) or None)
            else description,
        )

    def work(self) -> Callable[[], Any] | None:
        if self.text("model_name") is None:
            self.show_field_error("model_name", self.tr("Enter a name for the model."))
            return None
        duplicate = self.classes.duplicate_name() if self.classes is not None else ""
        if duplicate:
            text = self.tr("Two classes have the name {name}. Rename one of them.").format(name=duplicate)
            self.banner.show_message(text, "error")
            return None
        severities = {} if self.classes is None else self.classes.severities()
        return partial(
            _save,
            self._context.session,
            self._entry,
            self.change(),
            self.settings(),
            self.names(),
            severities,
        )

    def names(self) -> list[str] | None:
        """The names of the classes if they differ from the model's; else None."""
        if self.classes is None or self._entry.kind is ModelKind.REFERENCE_DIFFERENCE:
            return None
        names = self.classes.names()
        return None if names == self._entry.labels else names


class KindForm(Form):
    """Asks for what a model's file does not state: its kind, and how classes are converted to confidences."""

    def __init__(
        self,
        context: Context,
        name: str,
        invalid: Invalid,
        send: Callable[[ModelKind | None, str | None], Any],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(context, self.tr("Model type"), self.tr("Add model"), parent)
        self._send = send
        self._name = name
        self.kind: Combo | None = None
        self.activation: Combo | None = None
        self._add_choices(invalid)

    @staticmethod
    def can_resolve(error: object) -> bool:
        """Whether the service refused a model for a reason that this form can resolve."""
        return isinstance(error, Invalid) and bool(_possible_kinds(error) or _possible_activations(error))

    def _add_choices(self, invalid: Invalid) -> None:
        kinds, activations = _possible_kinds(invalid), _possible_activations(invalid)
        if kinds and self.kind is None:
            hint = self.tr("The output format of {name} is ambiguous. Select how it was exported.")
            self.body.addWidget(label(hint.format(name=self._name), wrap=True))
            self.kind = Combo(self.tr("Type"))
            self.kind.set_choices((kind, kind_name(kind)) for kind in kinds)
            self.add("kind", Field(self.tr("Type"), self.kind))
        if activations and self.activation is None:
            hint = self.tr(
                "{name} does not say how class outputs are converted to confidences. Select the function."
            )
            self.body.addWidget(label(hint.format(name=self._name), wrap=True))
            self.activation = Combo(self.tr("Confidence function"))
            labels = {
                "sigmoid": self.tr("Sigmoid (RT-DETR, Deformable DETR and later)"),
                "softmax": self.tr("Softmax (DETR, with a no-object class)"),
            }
            self.activation.set_choices(
                (function, labels.get(function, function)) for function in activations
            )
            self.add("activation", Field(self.tr("Confidence function"), self.activation))

    def work(self) -> Callable[[], Any] | None:
        kind = None if self.kind is None else ModelKind(str(self.kind.value()))
        activation = None if self.activation is None else str(self.activation.value())
        return partial(self._send, kind, activation)

    def _on_failed(self, error: Exception) -> None:
        super()._on_failed(error)
        if isinstance(error, Invalid):
            # With one choice made, the service may ask for the other.
            self._add_choices(error)
            grow_height(self)


def _possible_kinds(invalid: Invalid) -> list[ModelKind]:
    values = invalid.details.get("kinds")
    return [kind for kind in ModelKind if isinstance(values, list) and kind.value in values]


def _possible_activations(invalid: Invalid) -> list[str]:
    values = invalid.details.get("activations")
    return [str(value) for value in values] if isinstance(values, list) else []


def _save(
    session: Session,
    entry: DetectionModel,
    change: ModelUpdate,
    settings: dict[str, Any],
    names: list[str] | None,
    severities: Mapping[str, Severity | None],
) -> Any:
    model = save_model(session.detection, entry, change)
    if settings or names is not None:
        version = ModelVersion(settings=settings)
        if names is not None:
            version = ModelVersion(settings=settings, labels=names)
        model = session.detection.supersede_model(entry.model_id, version)
    if severities:
        session.detection.set_severities(severities)
    return model
