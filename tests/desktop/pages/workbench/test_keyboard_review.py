"""Findings are accepted, deleted, labelled and graded, and items decided, without the mouse."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from desktop.pages.workbench.results.label_editor import LabelEditor
from desktop.preferences import ReviewView
from shared.record.codes import Verdict
from shared.wire.detection import Severity
from tests.desktop.pages.workbench.canvas.test_photo_view import give
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.desktop.pages.workbench.results.test_correcting import CRACK, REGION, STAIN
from tests.narrowing import not_none

pytestmark = pytest.mark.slow

KEY = Qt.Key
LONG = 60_000


def press(*keys: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press keys where the focus is, as a person does who cannot see which widget has it."""
    for key in keys:
        QTest.keyClick(not_none(QApplication.focusWidget()), key, modifiers)


@pytest.fixture
def desk(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    """The page with the photo of the first item, which has two findings."""
    workbench.context.preferences.values.review_view = ReviewView.PHOTO
    # Other tests give labels a severity, on the same service.
    workbench.session.detection.set_severities(dict.fromkeys(("crack", "stain"), None))
    record_id = make_record(workbench.session, REGION)
    give(workbench.session, record_id)
    workbench.open(record_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: workbench.page.canvas.photo.source is not None, timeout=LONG)
    workbench.page.canvas.photo.setFocus()
    return workbench


def test_keys_accept_grade_label_and_delete_a_finding(desk: WorkbenchDriver) -> None:
    findings = desk.page.inspector.findings
    press(KEY.Key_Tab, KEY.Key_Q)
    assert [finding.accepted for finding in findings.shown_findings] == [True, False]
    press(KEY.Key_Tab, KEY.Key_9)
    assert [finding.severity for finding in findings.shown_findings] == [None, Severity.CRITICAL]
    assert findings.shown_findings[1].accepted
    press(KEY.Key_9)
    assert findings.shown_findings[1].severity is None
    press(KEY.Key_B)
    assert isinstance(QApplication.focusWidget(), LabelEditor)
    QTest.keyClicks(not_none(QApplication.focusWidget()), "loose rivet")
    press(KEY.Key_Return)
    assert findings.shown_findings[1].label == "loose rivet"
    press(KEY.Key_Tab, KEY.Key_W)
    assert [finding.label for finding in findings.shown_findings] == ["loose rivet"]
    assert findings.list.current == 0
    press(KEY.Key_W)
    assert findings.shown_findings == []
    press(KEY.Key_Z, modifiers=Qt.KeyboardModifier.ControlModifier)
    assert [finding.label for finding in findings.shown_findings] == ["loose rivet"]


def test_tab_in_the_list_of_items_walks_through_the_findings_too(desk: WorkbenchDriver) -> None:
    page = desk.page
    items = page.items.panel.list
    items.setFocus()
    press(KEY.Key_Tab, KEY.Key_Q)
    assert [finding.accepted for finding in page.inspector.findings.shown_findings] == [True, False]
    press(KEY.Key_Tab)
    assert page.inspector.findings.list.current == 1
    press(KEY.Key_W, KEY.Key_W)
    assert page.inspector.findings.shown_findings == []
    # An item without findings has nothing to stop at.
    items.setFocus()
    press(KEY.Key_Tab)
    assert not items.hasFocus()


def test_severity_of_a_finding_is_saved_with_it(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    item_id = page.open_record.edits.service_id(page.open_record.current)
    press(KEY.Key_Tab, KEY.Key_8)
    press(KEY.Key_D)
    qtbot.waitUntil(lambda: desk.saved, timeout=LONG)
    entry = desk.session.items.get(item_id).value.result[-1]
    boxes = entry.model_dump()["resultImage"]["boxes"]
    assert [box.get("severity") for box in boxes] == ["major", None]
    # Grading it again alone is a change, too.
    press(KEY.Key_A, KEY.Key_Tab, KEY.Key_7, KEY.Key_D)
    qtbot.waitUntil(
        lambda: (
            desk.session.items.get(item_id)
            .value.result[-1]
            .model_dump()["resultImage"]["boxes"][0]["severity"]
            == "minor"
        ),
        timeout=LONG,
    )


def test_without_a_chosen_finding_the_key_says_so(desk: WorkbenchDriver) -> None:
    toasts: list[str] = []
    desk.page.toast.connect(toasts.append)
    press(KEY.Key_Q)
    assert toasts == ["Select a finding first (Tab)."]


def test_tab_and_keys_work_while_both_pictures_are_compared(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    qtbot.waitUntil(lambda: page.photos.pairing.pair is not None, timeout=LONG)
    press(KEY.Key_C)
    qtbot.waitUntil(page.canvas.compare.hasFocus, timeout=LONG)
    assert page.canvas.compare.viewport.top >= page.canvas.comparing.bar.geometry().bottom()
    press(KEY.Key_Tab, KEY.Key_Tab, KEY.Key_Q)
    assert [finding.accepted for finding in page.inspector.findings.shown_findings] == [False, True]
    press(KEY.Key_Tab, modifiers=Qt.KeyboardModifier.ShiftModifier)
    assert page.inspector.findings.list.current == 0
    press(KEY.Key_F6)
    assert not page.canvas.compare.hasFocus()


def test_list_of_findings_has_a_menu(desk: WorkbenchDriver) -> None:
    findings = desk.page.inspector.findings.list
    place = QPoint(60, findings.row_px + 4)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, findings.mapToGlobal(place))
    QApplication.sendEvent(findings, event)
    (menu,) = findings.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    texts = [action.text() for action in menu.actions()]
    assert texts[:3] == ["Accept finding\tQ", "Relabel finding\tB", "Delete finding\tW"]
    assert texts[4:7] == ["Severity: minor\t7", "Severity: major\t8", "Severity: critical\t9"]
    assert findings.current == 1
    menu.actions()[5].trigger()
    assert findings.findings[1].severity is Severity.MAJOR
    menu.close()


def test_sixty_items_are_reviewed_without_the_mouse(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.context.preferences.values.review_view = ReviewView.PHOTO
    boxes = tuple((0.02 + 0.09 * (n % 10), 0.05 + 0.15 * (n // 10), 0.07, 0.1) for n in range(60))
    record_id = make_record(workbench.session, boxes)
    give(workbench.session, record_id, boxes=((CRACK, STAIN),) * 60)
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    qtbot.waitUntil(lambda: page.canvas.photo.source is not None, timeout=LONG)
    page.canvas.photo.setFocus()
    for number in range(1, 61):
        qtbot.waitUntil(lambda: page.photos.pairing.of_item, timeout=LONG)
        assert page.open_record.number == number
        press(KEY.Key_Tab, KEY.Key_Q, KEY.Key_9, KEY.Key_Tab, KEY.Key_W)
        press(KEY.Key_X)
        QTest.keyClicks(not_none(QApplication.focusWidget()), "crack")
        press(KEY.Key_Return, KEY.Key_N)
    qtbot.waitUntil(lambda: workbench.saved, timeout=LONG)
    assert page.open_record.counters.undecided == 0
    for item in workbench.session.items.all(record_id):
        newest = [entry.model_dump() for entry in item.result]
        assert newest[-1]["verdict"]["value"] == Verdict.FAILED.value
        kept = newest[-2]["resultImage"]["boxes"]
        assert [(box["label"], box["severity"], box["accepted"]) for box in kept] == [
            ("crack", "critical", True)
        ]
