"""The detection models of the catalogue in a real window against the real service."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QLabel
from pytestqt.qtbot import QtBot

from desktop.client.http.errors import Invalid, Stale
from desktop.context import Context
from desktop.localization.detection_terms import BUILT_IN_LABELS, model_description
from desktop.pages.catalogue.models.class_table import FAILS, SEVERITY, THRESHOLD
from desktop.pages.catalogue.models.model_form import KindForm, ModelForm
from desktop.pages.catalogue.models.section import ModelSection
from desktop.pages.catalogue.models.trial_dialog import TrialDialog
from desktop.widgets import Combo
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.wire.detection import REFERENCE_DIFFERENCE, ModelKind, ModelUpdate, Severity
from tests.desktop.children import child
from tests.desktop.pages.catalogue.driver import open_catalogue
from tests.narrowing import as_instance, not_none
from tests.service.detection.graphs import spots_model
from tests.service.detection.models.test_registry import ambiguous_model, unclear_detr

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _yes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.pages.common.lists.list_section.confirm", lambda *_: True)


def test_the_builtin_model_is_disabled_and_enabled_again(context: Context, qtbot: QtBot) -> None:
    page = open_catalogue(context, qtbot, "models")
    section = as_instance(page.sections["models"], ModelSection)
    assert not_none(section.selected_entry()).model_id == REFERENCE_DIFFERENCE
    assert section.remove.text() == "Disable"
    with qtbot.waitSignal(page.toast):
        section.remove.click()
    qtbot.waitUntil(lambda: section.remove.text() == "Enable")
    models = context.session.detection.models()
    assert not next(m for m in models if m.model_id == REFERENCE_DIFFERENCE).enabled
    context.session.detection.update_model(REFERENCE_DIFFERENCE, ModelUpdate(enabled=True))


def test_file_that_is_not_a_model_gives_reason(context: Context, qtbot: QtBot, tmp_path: Path) -> None:
    page = open_catalogue(context, qtbot, "models")
    section = as_instance(page.sections["models"], ModelSection)
    bad = tmp_path / "detector.onnx"
    bad.write_bytes(b"not a model")
    section.send(bad)
    (line,) = section.uploads.rows()
    qtbot.waitUntil(line.retry.isVisible)
    assert line.status_text() == "The ONNX model is incomplete. Export it again."
    assert section.table.rows_model.rowCount() == 1


def test_ambiguous_model_is_added_after_a_question_and_superseded(
    context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    page = open_catalogue(context, qtbot, "models")
    section = as_instance(page.sections["models"], ModelSection)
    section.send(ambiguous_model(tmp_path / "rivets.onnx"))
    qtbot.waitUntil(lambda: section.findChild(KindForm) is not None)
    kind_form = child(section, KindForm)
    assert kind_form.kind is not None
    assert [kind_form.kind.itemData(n) for n in range(kind_form.kind.count())] == [
        ModelKind.YOLO,
        ModelKind.YOLOX,
    ]
    assert not section.uploads.rows()
    assert kind_form.activation is None
    kind_form.kind.set_value(ModelKind.YOLOX)
    kind_form.save.click()
    qtbot.waitUntil(lambda: section.findChild(ModelForm) is not None)
    form = child(section, ModelForm)
    assert {"YOLOX", "1"} <= {text.text() for text in form.findChildren(QLabel)}
    assert form.settings() == {}
    not_none(form.confidence).setValue(0.6)
    row = as_instance(not_none(form.classes).table.cellWidget(0, THRESHOLD), QDoubleSpinBox)
    row.setValue(0.75)
    assert {key: combo.value() for key, combo in form.input_fields.items()} == {
        "values": "raw",
        "colour": "bgr",
        "fit": "corner",
    }
    form.input_fields["values"].set_value("unit")
    with qtbot.waitSignal(form.saved) as saved:
        form.save.click()
    saved_model = saved.args[0]
    assert (saved_model.version, saved_model.settings["confidence"]) == (2, 0.6)
    assert (saved_model.settings["values"], saved_model.settings["colour"]) == ("unit", "bgr")
    assert list(saved_model.settings["per_label"].values()) == [0.75]


def test_classes_can_be_named_and_keep_their_thresholds(
    context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    detection = context.session.detection
    model = detection.add_model(ambiguous_model(tmp_path / "unnamed.onnx"), "unnamed", kind=ModelKind.YOLOX)
    assert model.labels[:2] == ["class 0", "class 1"]
    form = ModelForm(context, model)
    qtbot.addWidget(form)
    form.show()
    classes = not_none(form.classes)
    qtbot.waitUntil(lambda: classes.table.cellWidget(0, SEVERITY).isEnabled())
    as_instance(classes.table.cellWidget(0, THRESHOLD), QDoubleSpinBox).setValue(0.6)
    as_instance(classes.table.cellWidget(1, FAILS), QCheckBox).setChecked(False)
    QGuiApplication.clipboard().setText("裂纹\ndent\n")
    classes.paste.click()
    as_instance(classes.table.cellWidget(0, SEVERITY), Combo).set_value("critical")
    with qtbot.waitSignal(form.saved) as saved:
        form.save.click()
    now = saved.args[0]
    assert (now.version, now.labels[:2]) == (2, ["裂纹", "dent"])
    assert now.labels[2:] == model.labels[2:]
    assert now.settings["per_label"] == {"裂纹": 0.6}
    assert now.settings["fail_labels"] == ["裂纹", *model.labels[2:]]
    assert detection.labels()["裂纹"] is Severity.CRITICAL
    again = ModelForm(context, now)
    qtbot.addWidget(again)
    shown = not_none(again.classes)
    qtbot.waitUntil(lambda: shown.table.cellWidget(0, SEVERITY).isEnabled())
    assert (again.names(), again.settings(), shown.severities()) == (None, {}, {})
    not_none(shown.table.item(1, 0)).setText("裂纹")
    assert again.work() is None
    assert "裂纹" in again.banner.text()
    not_none(shown.table.item(1, 0)).setText("  ")
    assert not_none(again.names())[1] == "class 1"


def test_the_built_in_model_has_severities(context: Context, qtbot: QtBot) -> None:
    detection = context.session.detection
    model = next(model for model in detection.models() if model.model_id == REFERENCE_DIFFERENCE)
    form = ModelForm(context, model)
    qtbot.addWidget(form)
    form.show()
    classes = not_none(form.classes)
    qtbot.waitUntil(lambda: classes.table.cellWidget(0, SEVERITY).isEnabled())
    assert not classes.table.cellWidget(0, THRESHOLD).isVisible()
    as_instance(classes.table.cellWidget(BUILT_IN_LABELS.index("dent"), SEVERITY), Combo).set_value("minor")
    classes.add_button.click()
    added = classes.table.rowCount() - 1
    not_none(classes.table.item(added, 0)).setText("漏油")
    as_instance(classes.table.cellWidget(added, SEVERITY), Combo).set_value("major")
    with qtbot.waitSignal(form.saved):
        form.save.click()
    severities = detection.labels()
    assert (severities["dent"], severities["漏油"]) == (Severity.MINOR, Severity.MAJOR)
    again = ModelForm(context, model)
    qtbot.addWidget(again)
    shown = not_none(again.classes)
    qtbot.waitUntil(lambda: "漏油" in shown.names())
    assert shown.severities() == {}
    assert detection.models()[0].version == model.version


def test_form_asks_for_confidence_function_that_the_file_does_not_define(
    context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    page = open_catalogue(context, qtbot, "models")
    section = as_instance(page.sections["models"], ModelSection)
    section.send(unclear_detr(tmp_path / "queries.onnx"))
    qtbot.waitUntil(lambda: section.findChild(KindForm) is not None)
    kind_form = child(section, KindForm)
    assert kind_form.kind is None
    assert kind_form.activation is not None
    assert [kind_form.activation.itemData(n) for n in range(kind_form.activation.count())] == [
        "sigmoid",
        "softmax",
    ]
    kind_form.activation.set_value("softmax")
    kind_form.save.click()
    qtbot.waitUntil(lambda: section.findChild(ModelForm) is not None)
    added = next(model for model in context.session.detection.models() if model.model_name == "queries")
    assert (added.kind, added.settings["activation"]) == (ModelKind.DETR, "softmax")


def test_one_answer_may_raise_the_next_question(context: Context, qtbot: QtBot) -> None:
    sent = []

    def send(kind: ModelKind | None, activation: str | None) -> object:
        sent.append((kind, activation))
        if activation is None:
            raise Invalid("无法判断", details={"kinds": [], "activations": ["sigmoid", "softmax"]})
        return "made"

    invalid = Invalid(details={"kinds": ["yolo", "detr"], "activations": []})
    form = KindForm(context, "m.onnx", invalid, send)
    qtbot.addWidget(form)
    form.show()
    not_none(form.kind).set_value(ModelKind.DETR)
    form.submit()
    qtbot.waitUntil(lambda: form.activation is not None)
    with qtbot.waitSignal(form.saved):
        form.submit()
    assert sent == [(ModelKind.DETR, None), (ModelKind.DETR, "sigmoid")]


def test_list_shows_who_added_a_model(context: Context, qtbot: QtBot) -> None:
    model = context.session.detection.models()[0]
    other = {"kind": ModelKind.YOLO, "added_by": "0b2c", "settings": {}}
    for change, author in (
        ({**other, "added_by_name": "王工"}, "王工"),
        ({**other, "added_by": None}, "Command line"),
        (other, "Deleted user"),
    ):
        form = ModelForm(context, model.model_copy(update=change))
        qtbot.addWidget(form)
        assert author in {text.text() for text in form.findChildren(QLabel)}
        assert "0b2c" not in {text.text() for text in form.findChildren(QLabel)}


def test_concurrent_rename_of_model_is_not_overwritten(context: Context, qtbot: QtBot) -> None:
    detection = context.session.detection
    model = detection.models()[0]
    form = ModelForm(context, model)
    qtbot.addWidget(form)
    form.show()
    detection.update_model(model.model_id, ModelUpdate(model_description="theirs"))
    form.fields["model_description"].set_text("mine")
    form.submit()
    qtbot.waitUntil(lambda: bool(form.fields["model_description"].error()))
    assert "theirs" in form.fields["model_description"].error()
    assert detection.tagged_model(model.model_id).value.model_description == "theirs"
    tag = detection.tagged_model(model.model_id).etag
    with qtbot.waitSignal(form.saved):
        form.submit()
    assert detection.tagged_model(model.model_id).value.model_description == "mine"
    with pytest.raises(Stale):
        detection.update_model(model.model_id, ModelUpdate(model_description="late"), tag)


def test_texts_of_built_in_model_are_translated(context: Context, qtbot: QtBot) -> None:
    detection = context.session.detection
    model = next(model for model in detection.models() if model.model_id == REFERENCE_DIFFERENCE)
    delivered = "将照片与参考图上的区域对齐后比对，无需训练"
    model = model.model_copy(update={"model_description": delivered})
    form = ModelForm(context, model)
    qtbot.addWidget(form)
    assert form.fields["model_description"].text().startswith("Compares the photo")
    assert form.fields["model_name"].text() == "Reference difference"
    sent = form.change()
    assert (sent.model_name, sent.model_description) == (model.model_name, delivered)
    edited = model.model_copy(update={"model_description": "ours"})
    assert model_description(edited) == "ours"


def test_picture_shows_what_a_new_model_finds(
    context: Context, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = context.session.detection.add_model(spots_model(tmp_path / "spots.onnx"), "spots")
    shade = np.full((640, 640, 3), 10, np.uint8)
    shade[96:128, 320:352] = 250
    path = tmp_path / "裂纹.png"
    path.write_bytes(cv2.imencode(".png", shade)[1].tobytes())
    monkeypatch.setattr("desktop.pages.catalogue.models.model_form.open_picture", lambda *_: path)
    form = ModelForm(context, model)
    qtbot.addWidget(form)
    form.show()
    form.trial.click()
    dialog = child(form, TrialDialog)
    qtbot.waitUntil(dialog.choose.isEnabled)
    assert dialog.summary.text().startswith("1 detection")
    (found,) = dialog.view._finding_layer.boxes
    assert (found.rect, found.label) == (Rect(320, 96, 32, 32), "class 0")
    dialog.accept()


def test_trial_says_why_a_picture_cannot_be_used(context: Context, qtbot: QtBot, tmp_path: Path) -> None:
    model = context.session.detection.add_model(spots_model(tmp_path / "spots.onnx"), "spots")
    path = tmp_path / "notes.txt"
    path.write_text("no picture")
    dialog = TrialDialog(context, model, path)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(dialog.choose.isEnabled)
    assert "image" in dialog.summary.text()
