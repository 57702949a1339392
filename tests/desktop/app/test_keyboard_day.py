"""A working day without a mouse: from the login to the finished record, every step by the focus or a key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from desktop.app.window import MainWindow
from desktop.pages.login import LoginPage
from desktop.pages.records.new_record import NewRecordDialog
from desktop.pages.workbench import WorkbenchPage
from desktop.theme import Mode
from desktop.widgets import answers_by_program
from desktop.widgets.dialogs import Confirm
from shared.images.cv import cv2
from shared.record.codes import Status, Verdict
from shared.samples import View, draw_panel, photograph
from shared.wire.catalogue import TemplateRegion
from shared.wire.inspection import Point
from tests.desktop.app.every_dialog import Served, settle
from tests.desktop.app.test_all_pages import _looks, running_service_with_data, window
from tests.desktop.pages.workbench.driver import HEIGHT, WIDTH
from tests.service_process import ADMIN

pytestmark = pytest.mark.slow

__all__ = ["running_service_with_data", "window"]

KEY = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier


def focus() -> QWidget:
    """Where the next key goes; a person who works by keyboard is never without one."""
    widget = QApplication.focusWidget()
    assert widget is not None, "the focus is lost"
    assert widget.isVisible(), f"the focus is on {widget}, which cannot be seen"
    assert widget.isEnabled(), f"the focus is on {widget}, which cannot be used"
    return widget


def press(key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
    QTest.keyClick(focus(), key, modifier)
    QApplication.processEvents()


def write(text: str) -> None:
    assert not isinstance(focus(), QAbstractButton)
    QTest.keyClicks(focus(), text)


def tab_to(wanted: QWidget) -> None:
    """Tab until the focus is there."""
    for _ in range(80):
        now = focus()
        if now is wanted or now is wanted.focusProxy():
            return
        press(KEY.Key_Tab)
    raise AssertionError(f"Tab does not lead to {wanted.objectName() or wanted}")


def back_to(window: MainWindow, qtbot: QtBot) -> None:
    """The window below a dialog that closed gets active again: here nothing manages windows."""
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is None)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)


def agree(title: str) -> None:
    """Answer the next question with yes, by Enter alone; it runs a loop of its own."""

    def look() -> None:
        question = QApplication.activeModalWidget()
        if not isinstance(question, Confirm) or not question.isActiveWindow():
            QTimer.singleShot(20, look)
            return
        try:
            assert question.windowTitle() == title
            assert question.confirm_button.hasFocus()
            press(KEY.Key_Return)
        finally:
            # A question that stays would wait forever.
            if question.isVisible():
                question.reject()

    QTimer.singleShot(20, look)


@pytest.fixture(autouse=True)
def _program_answers() -> Iterator[None]:
    """`agree` answers the questions."""
    with answers_by_program():
        yield


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """The panel with a crack, photographed a little askew."""
    image = draw_panel(WIDTH, HEIGHT, 1).image.copy()
    line = np.array([[150, 90], [170, 110], [190, 115], [210, 140]], np.int32)
    cv2.polylines(image, [line], isClosed=False, color=(30, 30, 30), thickness=3, lineType=cv2.LINE_AA)
    taken, _ = photograph(image, View(rotation=1.5, scale=0.98))
    path = tmp_path / "today.jpg"
    path.write_bytes(cv2.imencode(".jpg", taken)[1].tobytes())
    return path


def log_in(window: MainWindow, qtbot: QtBot) -> None:
    login = window.page
    assert isinstance(login, LoginPage)
    form = login.password_form
    qtbot.waitUntil(lambda: form.user_name.editor.hasFocus())
    write(ADMIN[0])
    press(KEY.Key_Tab)
    write(ADMIN[1])
    press(KEY.Key_Return)
    qtbot.waitUntil(lambda: window.page is not None and window.page.page_id == "records")


def make_record(window: MainWindow, qtbot: QtBot) -> WorkbenchPage:
    press(KEY.Key_N, CTRL)
    dialog = window.findChild(NewRecordDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isActiveWindow)
    qtbot.waitUntil(lambda: dialog.task.count() > 0 and dialog.reference.count() > 0)
    write("by keyboard")
    press(KEY.Key_Tab)
    press(KEY.Key_Down)
    press(KEY.Key_Tab)
    press(KEY.Key_Down)
    press(KEY.Key_Tab)
    qtbot.waitUntil(lambda: "template" in dialog.source.currentText())
    tab_to(dialog.create_button)
    press(KEY.Key_Return)
    qtbot.waitUntil(lambda: window.page is not None and window.page.page_id == "workbench")
    back_to(window, qtbot)
    page = window.page
    assert isinstance(page, WorkbenchPage)
    return page


@_looks(("en", Mode.DARK))
def test_a_whole_day_without_a_mouse(
    window: MainWindow,
    running_service_with_data: Served,
    qtbot: QtBot,
    photo: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = running_service_with_data.session
    record = session.records.get(running_service_with_data.record_id).value
    regions = [
        TemplateRegion(
            item_name=name, model_id="reference-difference", point=Point(x=x, y=0.1, w=0.25, h=0.3)
        )
        for name, x in (("crack here", 0.1), ("nothing here", 0.6))
    ]
    assert record.reference_image_id is not None
    session.catalogue.reference_images.set_template(record.reference_image_id, regions)

    log_in(window, qtbot)
    page = make_record(window, qtbot)
    qtbot.waitUntil(lambda: len(page.open_record.rows) == 2 and page.canvas.view.source is not None)
    qtbot.waitUntil(page.canvas.view.hasFocus)

    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_args, **_more: ([str(photo)], ""))
    press(KEY.Key_I, CTRL)
    first, second = (row.item_id for row in page.open_record.rows)
    qtbot.waitUntil(lambda: page.photos.pairing.pair is not None)
    press(KEY.Key_R, CTRL)
    qtbot.waitUntil(
        lambda: page.open_record.rows[0].findings > 0 and not page.results.detecting.running_items
    )
    # What was found is on the photo, which gets the focus of the reference image.
    qtbot.waitUntil(page.canvas.photo.hasFocus, timeout=60_000)
    press(KEY.Key_Tab)
    assert page.inspector.findings.list.current == 0

    # Against the model: the reason is asked for, and typed at once.
    press(KEY.Key_Y)
    assert page.inspector.verdict.reason.hasFocus()
    write("only dirt")
    press(KEY.Key_Return)
    assert page.canvas.comparing.canvas.hasFocus()
    qtbot.waitUntil(lambda: page.open_record.rows[0].status == "passed")
    press(KEY.Key_X)
    assert page.open_record.rows[0].status == "failed"

    press(KEY.Key_F2)
    write("crack by the door")
    press(KEY.Key_Return)
    assert page.canvas.comparing.canvas.hasFocus()
    assert page.open_record.rows[0].name == "crack by the door"
    press(KEY.Key_N)
    assert page.open_record.current == second
    press(KEY.Key_Y)
    press(KEY.Key_A)
    assert page.open_record.current == first

    # Round the page and back to the picture.
    press(KEY.Key_F6)
    assert not page.canvas.comparing.canvas.hasFocus()
    tab_to(page.inspector.verdict.buttons[Verdict.FAILED])
    press(KEY.Key_Return)
    assert page.open_record.rows[0].status == "failed"
    press(KEY.Key_Escape)
    assert page.canvas.comparing.canvas.hasFocus()

    document = page.open_record.document
    assert document is not None
    agree("Finish record?")
    press(KEY.Key_Return, CTRL)
    qtbot.waitUntil(lambda: document.record.end_time is not None)
    assert session.records.get(page.open_record.record_id).value.inspection_status is Status.FAILED
    back_to(window, qtbot)
    assert page.canvas.comparing.canvas.hasFocus()

    report = tmp_path / "report.pdf"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args, **_more: (str(report), ""))
    monkeypatch.setattr("desktop.pages.workbench.results.part.show_folder", lambda _path: None)
    press(KEY.Key_P, CTRL)
    # On a busy machine its progress is in front for a moment.
    qtbot.waitUntil(lambda: str(report) in window.toast.text())
    assert report.exists()
    back_to(window, qtbot)
    press(KEY.Key_Left, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: window.page is not None and window.page.page_id == "records")
    settle(qtbot)
    assert focus().objectName() == "records-table"
    press(KEY.Key_L, CTRL | SHIFT)
    assert window.page is not None
    assert window.page.page_id == "login"
