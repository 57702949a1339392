"""The catalogue in a real window against the real service."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.client.errors import Stale
from desktop.context import Context
from desktop.detection_words import model_description
from desktop.pages.catalogue import CataloguePage
from desktop.pages.catalogue.cards import Cards
from desktop.pages.catalogue.forms import AircraftForm, FlightForm, ReferenceForm, TaskForm
from desktop.pages.catalogue.measuring import Measuring
from desktop.pages.catalogue.model_form import KindForm, ModelForm
from desktop.pages.catalogue.references import ReferenceSection
from desktop.pages.catalogue.uploads import Uploads
from desktop.pages.chooser import PAGE, Chooser
from desktop.pages.moments import minute, typed_minute
from desktop.preferences import Preferences
from shared.codes import Role
from shared.cv import cv2
from shared.samples import panel
from shared.wire.catalogue import AircraftWrite, FlightWrite, ReferenceImage, ReferenceImageWrite, TaskWrite
from shared.wire.detection import REFERENCE_DIFFERENCE, ModelKind, ModelUpdate
from tests.desktop.conftest import make_payload
from tests.service.detection.test_models import ambiguous_model
from tests.service_app import ADMIN
from tests.service_process import first_admin, service_process

WAIT = 10_000


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with service_process(tmp_path_factory.mktemp("catalogue") / "data") as url:
        first_admin(url)
        yield url


@pytest.fixture
def context(service: str, tmp_path: Path, qtbot: QtBot) -> Iterator[Context]:
    session = Session(service)
    payload = session.account.login(*ADMIN)
    context = Context(session, Preferences(tmp_path / "preferences.json"))
    context.enter(payload)
    yield context
    session.close()


@pytest.fixture
def page(context: Context, qtbot: QtBot) -> CataloguePage:
    return opened(context, qtbot)


@pytest.fixture(autouse=True)
def _yes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.pages.section.confirm", lambda *_: True)


def opened(context: Context, qtbot: QtBot, section: str = "aircraft") -> CataloguePage:
    page = CataloguePage(context)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    page.opened({"section": section})
    settled(page, qtbot)
    return page


def settled(page: CataloguePage, qtbot: QtBot) -> None:
    """Wait for the answer to what the section in front asked last."""
    section = page.sections[page.in_front]
    qtbot.waitUntil(lambda: section._asked is not None and section._asked.finished, timeout=WAIT)


def picture(path: Path, width: int = 320, height: int = 200) -> Path:
    shade = np.full((height, width, 3), len(path.name) * 7 % 200, np.uint8)
    path.write_bytes(cv2.imencode(".png", shade)[1].tobytes())
    return path


def names(page: CataloguePage, section: str) -> list[str]:
    model = page.sections[section].table.rows_model
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def test_an_aircraft_is_made_found_changed_and_deleted(page: CataloguePage, qtbot: QtBot) -> None:
    section = page.sections["aircraft"]
    section.new.click()
    form = section.findChild(AircraftForm)
    form.submit()
    assert form.fields["aircraft_name"].error()
    form.fields["aircraft_name"].set_text("B-1234 · 波音 787")
    form.fields["registration"].set_text("B-1234")
    with qtbot.waitSignal(form.saved, timeout=WAIT):
        form.submit()
    settled(page, qtbot)
    assert names(page, "aircraft") == ["B-1234 · 波音 787"]
    assert page.focusWidget() is section.table

    page._context.session.catalogue.aircraft.create(AircraftWrite(aircraft_name="B-9999"))
    section.search.setText("波音")
    qtbot.keyClick(section.search, Qt.Key.Key_Return)
    settled(page, qtbot)
    assert names(page, "aircraft") == ["B-1234 · 波音 787"]

    made = section.chosen()
    section.edit_chosen()
    form = next(found for found in section.findChildren(AircraftForm) if found.isVisible())
    form.fields["aircraft_type"].set_text("Boeing 787-9")
    with qtbot.waitSignal(form.saved, timeout=WAIT):
        form.submit()
    now = page._context.session.catalogue.aircraft.get(made.aircraft_id)
    assert (now.aircraft_type, now.registration) == ("Boeing 787-9", "B-1234")

    settled(page, qtbot)
    with qtbot.waitSignal(section.toast, timeout=WAIT):
        section.delete_chosen()
    qtbot.waitUntil(lambda: not names(page, "aircraft"), timeout=WAIT)
    assert section.stack.currentWidget() is not section.stack.content


def test_what_others_refer_to_is_not_deleted_and_the_sentence_says_why(
    page: CataloguePage, qtbot: QtBot
) -> None:
    catalogue = page._context.session.catalogue
    aircraft = catalogue.aircraft.create(AircraftWrite(aircraft_name="B-2087"))
    catalogue.flights.create(FlightWrite(flight_number="MU5102", aircraft_id=aircraft.aircraft_id))
    section = page.sections["aircraft"]
    section.reload(aircraft.aircraft_id)
    settled(page, qtbot)
    assert section.chosen().aircraft_name == "B-2087"
    with qtbot.waitSignal(page.toast, timeout=WAIT) as said:
        section.delete_chosen()
    assert "B-2087" in said.args[0]
    assert "1 flight" in said.args[0]
    assert catalogue.aircraft.get(aircraft.aircraft_id)


def test_a_flight_keeps_what_was_typed_until_the_time_is_right(context: Context, qtbot: QtBot) -> None:
    aircraft = context.session.catalogue.aircraft.create(AircraftWrite(aircraft_name="B-1301 C919"))
    page = opened(context, qtbot, "flights")
    section = page.sections["flights"]
    section.make()
    form = section.findChild(FlightForm)
    form.fields["flight_number"].set_text("CZ3456")
    form.fields["scheduled_at"].set_text("tomorrow")
    chooser = form.fields["aircraft_id"].editor
    assert isinstance(chooser, Chooser)
    qtbot.waitUntil(lambda: chooser.findText("B-1301 C919") >= 0, timeout=WAIT)
    chooser.setEditText("no such aircraft")
    form.submit()
    assert form.fields["scheduled_at"].error()
    form.fields["scheduled_at"].set_text("2026-05-31 14:30")
    form.submit()
    assert form.fields["aircraft_id"].error()
    assert form.fields["flight_number"].text() == "CZ3456"
    chooser.setEditText("B-1301 C919")
    with qtbot.waitSignal(form.saved, timeout=WAIT) as saved:
        form.submit()
    flight = saved.args[0]
    assert flight.aircraft_id == aircraft.aircraft_id
    assert flight.scheduled_at == datetime(2026, 5, 31, 14, 30).astimezone(UTC)


def test_a_change_of_one_field_leaves_what_somebody_else_changed(context: Context, qtbot: QtBot) -> None:
    tasks = context.session.catalogue.tasks
    made = tasks.create(TaskWrite(task_name="航后", description="旧"))
    page = opened(context, qtbot, "tasks")
    section = page.sections["tasks"]
    section.reload(made.task_id)
    settled(page, qtbot)
    section.edit_chosen()
    tasks.update(made.task_id, TaskWrite(task_name="航后", description="别人写的"))
    form = section.findChild(TaskForm)
    form.fields["task_name"].set_text("航后绕机")
    with qtbot.waitSignal(form.saved, timeout=WAIT):
        form.submit()
    now = tasks.get(made.task_id)
    assert (now.task_name, now.description) == ("航后绕机", "别人写的")


def test_a_dropped_picture_becomes_a_reference_image_with_a_scale(
    context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    page = opened(context, qtbot, "references")
    section = page.sections["references"]
    assert isinstance(section, ReferenceSection)
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(picture(tmp_path / "左翼根部.png")))])
    section.dropEvent(
        QDropEvent(
            QPoint(5, 5),
            Qt.DropAction.CopyAction,
            dropped,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
    )
    qtbot.waitUntil(lambda: section.findChild(ReferenceForm) is not None, timeout=WAIT)
    form = section.findChild(ReferenceForm)
    assert form.fields["reference_image_name"].text() == "左翼根部"
    form.fields["mm_per_pixel"].set_text("0")
    form.submit()
    wrong = form.fields["mm_per_pixel"]
    assert wrong.error()
    qtbot.waitUntil(lambda: wrong._error.height() >= wrong._error.heightForWidth(wrong._error.width()))
    assert wrong._error.y() >= wrong.editor.geometry().bottom()
    form.fields["mm_per_pixel"].set_text("0,42")
    with qtbot.waitSignal(form.saved, timeout=WAIT) as saved:
        form.submit()
    settled(page, qtbot)
    entry = saved.args[0]
    assert (entry.mm_per_pixel, entry.width, entry.height) == (0.42, 320, 200)
    assert not section.uploads.lines()
    qtbot.waitUntil(lambda: not section.cards.cards.without_picture(), timeout=WAIT)
    index = section.cards.cards.index(0)
    assert "320 × 200 px" in index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert not section.grab().isNull()


def test_a_file_that_is_no_picture_says_so_and_can_be_tried_again(
    context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    page = opened(context, qtbot, "references")
    section = page.sections["references"]
    bad = tmp_path / "notes.png"
    bad.write_text("no picture")
    section.send([bad])
    (line,) = section.uploads.lines()
    qtbot.waitUntil(line.again.isVisible, timeout=WAIT)
    assert line.said() == "This file is no picture. Choose a JPEG, PNG, WebP, TIFF or BMP file."
    picture(bad)
    before = context.session.catalogue.reference_images.list().pagination.total
    with qtbot.waitSignal(section.uploads.arrived, timeout=WAIT):
        line.again.click()
    assert context.session.catalogue.reference_images.list().pagination.total == before + 1
    for form in section.findChildren(ReferenceForm):
        form.done(0)


def test_an_upload_shows_how_far_it_is_and_ends_when_it_is_cancelled(
    context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    ended = threading.Event()

    def endless(_path: Path, count: Callable[[int, int], None]) -> object:
        try:
            while True:
                count(1, 2)
                time.sleep(0.005)
        finally:
            ended.set()

    uploads = Uploads(context, endless)
    qtbot.addWidget(uploads)
    uploads.show()
    line = uploads.add(tmp_path / "big.png")
    qtbot.waitUntil(lambda: line._bar.value() == 50, timeout=WAIT)
    with qtbot.assertNotEmitted(uploads.arrived):
        line.stop.click()
        qtbot.waitUntil(ended.is_set, timeout=WAIT)
    assert not uploads.lines()


def test_the_builtin_model_is_disabled_and_enabled_again(context: Context, qtbot: QtBot) -> None:
    page = opened(context, qtbot, "models")
    section = page.sections["models"]
    assert section.chosen().model_id == REFERENCE_DIFFERENCE
    assert section.remove.text() == "Disable"
    with qtbot.waitSignal(page.toast, timeout=WAIT):
        section.remove.click()
    qtbot.waitUntil(lambda: section.remove.text() == "Enable", timeout=WAIT)
    models = context.session.detection.models()
    assert not next(m for m in models if m.model_id == REFERENCE_DIFFERENCE).enabled
    context.session.detection.update_model(REFERENCE_DIFFERENCE, ModelUpdate(enabled=True))


def test_a_file_that_is_no_model_says_why(context: Context, qtbot: QtBot, tmp_path: Path) -> None:
    page = opened(context, qtbot, "models")
    section = page.sections["models"]
    bad = tmp_path / "detector.onnx"
    bad.write_bytes(b"not a model")
    section.send(bad)
    (line,) = section.uploads.lines()
    qtbot.waitUntil(line.again.isVisible, timeout=WAIT)
    assert line.said() == "This is no complete ONNX model. Export it anew."
    assert section.table.rows_model.rowCount() == 1


def test_a_model_of_several_kinds_is_asked_about_shown_and_superseded(
    context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    page = opened(context, qtbot, "models")
    section = page.sections["models"]
    section.send(ambiguous_model(tmp_path / "rivets.onnx"))
    qtbot.waitUntil(lambda: section.findChild(KindForm) is not None, timeout=30_000)
    asked = section.findChild(KindForm)
    assert [asked.kind.itemData(n) for n in range(asked.kind.count())] == [ModelKind.YOLO, ModelKind.YOLOX]
    assert not section.uploads.lines()
    asked.kind.set_value(ModelKind.YOLOX)
    asked.save.click()
    qtbot.waitUntil(lambda: section.findChild(ModelForm) is not None, timeout=30_000)
    form = section.findChild(ModelForm)
    assert {"YOLOX", "1"} <= {said.text() for said in form.findChildren(QLabel)}
    assert form.settings() == {}
    form.confidence.setValue(0.6)
    row = form.table.cellWidget(0, 1)
    row.setValue(0.75)
    with qtbot.waitSignal(form.saved, timeout=WAIT) as saved:
        form.save.click()
    made = saved.args[0]
    assert (made.version, made.settings["confidence"]) == (2, 0.6)
    assert list(made.settings["per_label"].values()) == [0.75]


def test_what_somebody_else_wrote_meanwhile_is_shown_and_not_overwritten(
    context: Context, qtbot: QtBot
) -> None:
    aircraft = context.session.catalogue.aircraft
    made = aircraft.create(AircraftWrite(aircraft_name="B-7000", registration="B-7000"))
    form = AircraftForm(context, made)
    qtbot.addWidget(form)
    form.show()
    aircraft.update(made.aircraft_id, AircraftWrite(aircraft_name="B-7000 theirs", aircraft_type="787"))
    form.fields["registration"].set_text("B-7001")
    with qtbot.waitSignal(form.saved, timeout=WAIT) as saved:
        form.submit()
    both = saved.args[0]
    assert (both.aircraft_name, both.registration, both.aircraft_type) == ("B-7000 theirs", "B-7001", "787")

    again = AircraftForm(context, both)
    qtbot.addWidget(again)
    again.show()
    aircraft.update(made.aircraft_id, AircraftWrite(aircraft_name="B-7000 once more"))
    again.fields["aircraft_name"].set_text("mine")
    again.submit()
    qtbot.waitUntil(lambda: bool(again.fields["aircraft_name"].error()), timeout=WAIT)
    assert "B-7000 once more" in again.fields["aircraft_name"].error()
    assert aircraft.get(made.aircraft_id).aircraft_name == "B-7000 once more"
    with qtbot.waitSignal(again.saved, timeout=WAIT) as saved:
        again.submit()
    assert saved.args[0].aircraft_name == "mine"


@pytest.mark.parametrize("insists", [True, False])
def test_what_somebody_changed_meanwhile_is_shown_before_it_is_deleted(
    context: Context, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, insists: bool
) -> None:
    aircraft = context.session.catalogue.aircraft
    made = aircraft.create(AircraftWrite(aircraft_name=f"B-81{insists}"))
    page = opened(context, qtbot)
    section = page.sections["aircraft"]
    section.reload(made.aircraft_id)
    settled(page, qtbot)
    qtbot.waitUntil(lambda: section.chosen() is not None, timeout=WAIT)
    assert section.chosen().aircraft_id == made.aircraft_id
    aircraft.update(made.aircraft_id, AircraftWrite(aircraft_name=made.aircraft_name, aircraft_type="787-9"))
    asked: list[str] = []

    def confirm(_parent: object, title: str, text: str, _verb: str) -> bool:
        asked.append(title + text)
        return insists

    monkeypatch.setattr("desktop.pages.catalogue.deleting.confirm", confirm)
    section.delete_chosen()
    qtbot.waitUntil(lambda: bool(asked), timeout=WAIT)
    assert "787-9" in asked[0]
    if insists:
        qtbot.waitUntil(lambda: made.aircraft_name not in names(page, "aircraft"), timeout=WAIT)
    else:
        settled(page, qtbot)
        assert aircraft.get(made.aircraft_id).aircraft_type == "787-9"
        aircraft.delete(made.aircraft_id)


def test_a_name_of_a_model_that_somebody_changed_meanwhile_is_not_overwritten(
    context: Context, qtbot: QtBot
) -> None:
    detection = context.session.detection
    model = detection.models()[0]
    form = ModelForm(context, model)
    qtbot.addWidget(form)
    form.show()
    detection.update_model(model.model_id, ModelUpdate(model_description="theirs"))
    form.fields["model_description"].set_text("mine")
    form.submit()
    qtbot.waitUntil(lambda: bool(form.fields["model_description"].error()), timeout=WAIT)
    assert "theirs" in form.fields["model_description"].error()
    assert detection.tagged_model(model.model_id).value.model_description == "theirs"
    tag = detection.tagged_model(model.model_id).etag
    with qtbot.waitSignal(form.saved, timeout=WAIT):
        form.submit()
    assert detection.tagged_model(model.model_id).value.model_description == "mine"
    with pytest.raises(Stale):
        detection.update_model(model.model_id, ModelUpdate(model_description="late"), tag)


def test_the_scale_is_measured_on_the_picture(context: Context, qtbot: QtBot) -> None:
    good, data = cv2.imencode(".png", panel(400, 300, 3).image)
    assert good
    stored = context.session.files.upload(bytes(data), "wing.png")
    body = ReferenceImageWrite(reference_image_name="左翼根部", file_id=stored.file_id)
    made = context.session.catalogue.reference_images.create(body)
    form = ReferenceForm(context, made)
    qtbot.addWidget(form)
    form.show()
    form.measure.click()
    dialog = form.findChild(Measuring)
    qtbot.waitUntil(lambda: dialog.view.source is not None, timeout=WAIT)
    assert not dialog.use.isEnabled()
    ends = [QPointF(*dialog.view.viewport.to_view(x, 150)).toPoint() for x in (100, 300)]
    QTest.mousePress(dialog.view, Qt.MouseButton.LeftButton, pos=ends[0])
    QTest.mouseMove(dialog.view, ends[1])
    QTest.mouseRelease(dialog.view, Qt.MouseButton.LeftButton, pos=ends[1])
    dialog.length.setValue(50)
    assert dialog.pixels == pytest.approx(200, abs=2)
    dialog.use.click()
    assert float(form.fields["mm_per_pixel"].text()) == pytest.approx(0.25, rel=0.02)
    with qtbot.waitSignal(form.saved, timeout=WAIT) as saved:
        form.submit()
    assert saved.args[0].mm_per_pixel == pytest.approx(0.25, rel=0.02)


def test_who_may_only_read_sees_the_list_and_nothing_to_change_it(context: Context, qtbot: QtBot) -> None:
    context.session.catalogue.aircraft.create(AircraftWrite(aircraft_name="B-0001"))
    context.payload = make_payload(Role.VIEWER)
    page = opened(context, qtbot)
    section = page.sections["aircraft"]
    assert names(page, "aircraft")
    assert not section.new.isVisible()
    assert not section.edit.isVisible()
    section.edit_chosen()
    section.make()
    assert not section.findChildren(AircraftForm)


def test_a_service_out_of_reach_is_said_and_tried_again(context: Context, qtbot: QtBot, service: str) -> None:
    page = opened(context, qtbot)
    section = page.sections["aircraft"]
    section.table.show_rows([])
    context.session._transport._patience = 0.0
    context.session.rebase("http://127.0.0.1:9")
    section.reload()
    qtbot.waitUntil(lambda: section.stack.currentWidget() is not section.stack.content, timeout=WAIT)
    settled(page, qtbot)
    button = section.stack.currentWidget().button
    context.session.rebase(service)
    button.click()
    settled(page, qtbot)
    assert section.stack.currentWidget() is section.stack.content


def test_cards_are_worked_by_keyboard(context: Context, qtbot: QtBot, tmp_path: Path) -> None:
    session = context.session
    for name in ("a.png", "bb.png"):
        stored = session.files.upload(picture(tmp_path / name))
        session.catalogue.reference_images.create(
            ReferenceImageWrite(reference_image_name=name, file_id=stored.file_id)
        )
    page = opened(context, qtbot, "references")
    cards = page.sections["references"].cards
    assert cards.chosen.reference_image_name == "bb.png"
    qtbot.keyClick(cards, Qt.Key.Key_Right)
    assert cards.chosen.reference_image_name == "a.png"
    with qtbot.waitSignal(cards.picked):
        qtbot.keyClick(cards, Qt.Key.Key_Return)
    form = page.sections["references"].findChild(ReferenceForm)
    assert form.isVisible()
    form.done(0)


def test_typing_a_part_of_a_name_finds_it_at_the_service(qtbot: QtBot) -> None:
    asked: list[str] = []

    def find(text: str, page: int) -> list[tuple[str, str]]:
        asked.append(text)
        return [("a1", "B-1234 Boeing")] if text == "boe" else []

    chooser = Chooser("Aircraft", find)
    qtbot.addWidget(chooser)
    chooser.show()
    chooser.begin(("a9", "B-9999"))
    assert chooser.chosen() == "a9"
    chooser.activateWindow()
    chooser.setFocus()
    chooser.lineEdit().selectAll()
    qtbot.keyClicks(chooser.lineEdit(), "boe")
    with pytest.raises(ValueError, match="nothing"):
        chooser.chosen()
    qtbot.waitUntil(lambda: chooser.completer().popup().isVisible(), timeout=WAIT)
    assert asked == ["", "boe"]
    assert chooser.lineEdit().text() == "boe"
    chooser.completer().popup().hide()
    chooser.setEditText("B-1234 Boeing")
    assert chooser.chosen() == "a1"
    typed = chooser.typed()
    other = Chooser("Aircraft", find)
    qtbot.addWidget(other)
    other.begin(None)
    other.restore(typed)
    assert other.chosen() == "a1"
    other.setEditText("")
    assert other.chosen() is None


def test_the_end_of_the_list_brings_more(qtbot: QtBot) -> None:
    every = [(str(number), f"plane {number}") for number in range(2 * PAGE + 10)]

    def find(text: str, page: int) -> list[tuple[str, str]]:
        return every[(page - 1) * PAGE : page * PAGE]

    chooser = Chooser("Aircraft", find)
    qtbot.addWidget(chooser)
    chooser.show()
    chooser.begin(None)
    qtbot.waitUntil(lambda: chooser.count() == PAGE, timeout=WAIT)
    chooser.showPopup()
    for expected in (2 * PAGE, len(every), len(every)):
        bar = chooser.view().verticalScrollBar()
        bar.setValue(0)
        bar.setValue(bar.maximum())
        qtbot.waitUntil(lambda number=expected: chooser.count() == number, timeout=WAIT)
    chooser.hidePopup()
    with qtbot.waitSignal(chooser.settled):
        chooser.setCurrentIndex(len(every) - 1)
        chooser.activated.emit(len(every) - 1)
    assert chooser.chosen() == every[-1][0]
    assert chooser.currentText() == "plane 109"


def test_of_two_of_one_name_the_chosen_one_counts(qtbot: QtBot) -> None:
    chooser = Chooser("Aircraft", lambda _text, _page: [("1", "B-1234"), ("2", "B-1234")])
    qtbot.addWidget(chooser)
    chooser.begin(None)
    qtbot.waitUntil(lambda: chooser.count() == 2, timeout=WAIT)
    chooser.setCurrentIndex(1)
    assert chooser.chosen() == "2"
    chooser.refresh()
    qtbot.wait(50)
    assert chooser.chosen() == "2"


@pytest.mark.parametrize("text", ["2026-05-31 14:30", "2026/05/31 14:30", " 2026-05-31 14:30 "])
def test_a_minute_is_read_back_as_it_was_written(text: str) -> None:
    assert minute(typed_minute(text)) == "2026-05-31 14:30"


@pytest.mark.parametrize("text", ["31.5.", "14:30", "2026-13-01", "0001-01-01"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        typed_minute(text)


def test_a_long_name_of_an_aircraft_leaves_the_size_on_the_card(qtbot: QtBot) -> None:
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    nothing = dict.fromkeys(("download_url", "filename", "ipfs_cid", "mime_type", "size"))
    cards = Cards("Cards")
    qtbot.addWidget(cards)
    cards.resize(260, 300)

    def drawn(aircraft: str, width: int | None = 24_000) -> QImage:
        entry = ReferenceImage(
            reference_image_name="Wing",
            file_id="f",
            reference_image_id="r",
            aircraft_name=aircraft,
            width=width,
            height=15_000,
            created_at=moment,
            updated_at=moment,
            **nothing,
        )
        cards.cards.show([entry])
        cards.show()
        QApplication.processEvents()
        image = cards.grab().toImage()
        return image.copy(image.width() - 120, 0, 120, image.height())

    assert drawn("B") == drawn("A name that is longer than the card is wide " * 2)
    assert drawn("B") != drawn("B", None)


def test_what_is_said_of_the_built_in_model_is_of_the_language(context: Context, qtbot: QtBot) -> None:
    detection = context.session.detection
    model = next(model for model in detection.models() if model.model_id == REFERENCE_DIFFERENCE)
    delivered = "把照片与参考图上的标记区域对齐后比较，无需训练"
    model = model.model_copy(update={"model_description": delivered})
    form = ModelForm(context, model)
    qtbot.addWidget(form)
    assert form.fields["model_description"].text().startswith("Compares the photo")
    assert form.fields["model_name"].text() == "Reference difference"
    sent = form.change()
    assert (sent.model_name, sent.model_description) == (model.model_name, delivered)
    own = model.model_copy(update={"model_description": "ours"})
    assert model_description(own) == "ours"
