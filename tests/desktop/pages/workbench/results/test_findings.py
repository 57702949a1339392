"""Texts of the list of findings: author instead of a confidence, severity, size in mm; labelling."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionComboBox
from pytestqt.qtbot import QtBot

from desktop.canvas.layers.finding_layer import FindingBox
from desktop.pages.workbench.results.findings import FindingList, finding_boxes
from desktop.pages.workbench.results.label_editor import LabelEditor
from desktop.record.item_rows import FindingContext
from shared.names import user_label
from shared.record.findings import Finding
from shared.record.geometry import Rect
from shared.wire.detection import Severity
from shared.wire.memory import MemoryReason
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.desktop.pages.workbench.results.test_correcting import CRACK, REGION, STAIN, add_result, labels
from tests.narrowing import not_none

LEFT = Qt.MouseButton.LeftButton
CRACK_RECT = Rect(420, 200, 30, 40)


@pytest.fixture
def desk(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    workbench.session.detection.set_severities({"crack": Severity.CRITICAL, "stain": None, "oil leak": None})
    record_id = make_record(workbench.session, REGION[:1])
    (item,) = workbench.session.items.all(record_id)
    boxes = [CRACK, {**STAIN, "severity": "minor"}]
    add_result(workbench.session, item.item_id, resultImage={"boxes": boxes})
    workbench.open(record_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: workbench.page.photos.pairing.finding_pair is not None)
    return workbench


def arrow(editor: LabelEditor) -> QPoint:
    option = QStyleOptionComboBox()
    editor.initStyleOption(option)
    part = QStyle.SubControl.SC_ComboBoxArrow
    return editor.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, editor).center()


def open_editor(desk: WorkbenchDriver, place: int) -> LabelEditor:
    box = desk.page.inspector.findings
    row = QPoint(60, place * box.list.row_px + 8)
    QTest.mouseDClick(box.list, LEFT, pos=row)
    editor = box.findChild(LabelEditor)
    assert isinstance(editor, LabelEditor)
    return editor


def test_severity_stands_below_the_label(qtbot: QtBot) -> None:
    findings = FindingList()
    qtbot.addWidget(findings)
    plain = Finding("stain", 0.6, Rect(0, 0, 9, 9))
    findings.show_findings([replace(plain, severity=Severity.MINOR), plain], -1)
    assert findings.accessibleDescription().split("; ") == ["stain 0.60, minor", "stain 0.60"]


def test_a_right_click_opens_the_menu_and_changes_no_finding(qtbot: QtBot) -> None:
    findings = FindingList()
    qtbot.addWidget(findings)
    findings.resize(300, 60)
    plain = Finding("stain", 0.6, Rect(0, 0, 9, 9))
    findings.show_findings([plain, plain], 1)
    accepted: list[int] = []
    chosen: list[int] = []
    findings.accept_wanted.connect(accepted.append)
    findings.chosen.connect(chosen.append)
    square, row = QPoint(8, 12), QPoint(60, findings.row_px + 12)
    for button in (Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton):
        QTest.mouseClick(findings, button, pos=square)
        QTest.mouseClick(findings, button, pos=row)
        QTest.mouseDClick(findings, button, pos=row)
    assert (accepted, chosen) == ([], [])
    QTest.mouseClick(findings, LEFT, pos=square)
    QTest.mouseClick(findings, LEFT, pos=row)
    assert (accepted, chosen) == ([0], [-1])


@pytest.mark.parametrize(
    ("reason", "word", "details"),
    [
        (MemoryReason.NEW_LINE, "Known variations: new thin line", "not this thin dark line"),
        (MemoryReason.LASTING, "Known variations: lasting change", "it is permanent or growing"),
        (MemoryReason.FAILED, "Known variations: failed before", "an item failed for a similar finding"),
        (MemoryReason.UNUSUAL, "Known variations: unusual look", "this place looks unlike all of them"),
        (MemoryReason.REST, "Known variations: partly explained", "not this part"),
    ],
)
def test_reason_of_a_memory_stands_below_the_label_and_in_the_tooltip(
    qtbot: QtBot, reason: MemoryReason, word: str, details: str
) -> None:
    findings = FindingList()
    qtbot.addWidget(findings)
    plain = Finding("crack", 0.9, Rect(0, 0, 9, 9))
    findings.show_findings([replace(plain, memory_reason=reason), plain], -1)
    assert findings.accessibleDescription() == f"crack 0.90, {word}; crack 0.90"
    tips = [findings.tip(QPoint(10, row * findings.row_px + 9)) for row in range(2)]
    assert details in tips[0].split("\n")[0]
    assert tips[1] == findings.toolTip()


def test_severity_and_size_stand_below_the_label(desk: WorkbenchDriver) -> None:
    crack, stain = desk.page.inspector.findings.shown_findings
    # 40 x 30 px and 40 x 40 px of the photo, which lies on the reference as it is, at 0.5 mm a px.
    assert (crack.severity, stain.severity) == (Severity.CRITICAL, Severity.MINOR)
    assert crack.size_mm == pytest.approx((20, 15))
    assert stain.size_mm == pytest.approx((20, 20))
    description = desk.page.inspector.findings.list.accessibleDescription()
    assert "crack 0.90, critical · 20 × 15 mm" in description
    assert desk.page.inspector.findings.list.height() >= 2 * desk.page.inspector.findings.list.row_px


def test_drawn_finding_shows_its_author(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    page.results.correcting._on_added(CRACK_RECT)
    not_none(QApplication.focusWidget()).clearFocus()
    user = not_none(desk.context.payload).user
    me = user_label(user.name, user.username)
    drawn = page.inspector.findings.shown_findings[0]
    assert (drawn.is_drawn, drawn.author) == (True, me)
    page.results.correcting.save()
    qtbot.waitUntil(lambda: desk.saved)
    drawn = next(finding for finding in page.inspector.findings.shown_findings if finding.is_drawn)
    assert drawn.author == me
    assert f"difference {me}" in page.inspector.findings.list.accessibleDescription()
    boxes = {box.label: box for box in finding_boxes(page.inspector.findings.shown_findings, -1)}
    assert boxes["difference"].text == f"difference · {me}"
    assert boxes["crack"].text == "crack 0.90"


def test_author_is_shown_in_place_of_a_confidence() -> None:
    assert FindingBox(CRACK_RECT, "dent", None, author="李四").text == "dent · 李四"
    assert FindingBox(CRACK_RECT, "", None, author="李四").text == "李四"
    assert FindingBox(CRACK_RECT, "dent").text == "dent"


def test_label_can_be_chosen_from_the_list(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    editor = open_editor(desk, 1)
    box = desk.page.inspector.findings
    assert box.rect().contains(editor.geometry())
    assert editor.height() >= editor.sizeHint().height()
    QTest.mouseClick(editor, LEFT, pos=arrow(editor))
    qtbot.waitUntil(lambda: editor.view().isVisible())
    assert labels(desk) == ["crack", "stain"]
    place = editor.findText("dent")
    assert place >= 0
    view = editor.view()
    # The list ignores clicks right after the one that opened it, whose release could choose a label.
    view.setCurrentIndex(editor.model().index(place, 0))
    QTest.keyClick(view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: labels(desk) == ["crack", "dent"])


def test_a_label_of_the_catalogue_brings_its_severity(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    desk.session.detection.set_severities({"oil leak": Severity.MAJOR})
    desk.page.reload()
    qtbot.waitUntil(lambda: "oil leak" in desk.page.results.correcting.labels())
    editor = open_editor(desk, 1)
    editor.setEditText("oil leak")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert labels(desk) == ["crack", "oil leak"]
    desk.page.results.correcting.save()
    qtbot.waitUntil(lambda: desk.saved)
    (item,) = desk.session.items.all(desk.page.open_record.record_id)
    boxes = item.result[-1].model_dump(mode="json")["resultImage"]["boxes"]
    assert [box.get("severity") for box in boxes] == [None, "major"]


def test_drawn_finding_shows_author_name_and_no_confidence(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    me = not_none(desk.context.payload).user
    by_me, by_other = FindingContext(me=(me.user_id, "me")), FindingContext(me=("other", "them"))
    drawn = Finding("dent", 1.0, CRACK_RECT, is_drawn=True, author_id=me.user_id)
    assert (by_me.author_name(drawn), by_other.author_name(drawn)) == ("me", "")
    assert by_me.author_name(replace(drawn, author_id="x", author_name="Wang")) == "Wang"
    desk.page.results.correcting._on_added(CRACK_RECT)
    desk.page.results.correcting.save()
    qtbot.waitUntil(lambda: desk.saved)
    assert desk.page.open_record.rows[0].best == 0.9


def test_the_field_for_a_label_closes_with_its_finding(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    open_editor(desk, 0).setEditText("oil leak")
    page.results.correcting.remove(0)
    qtbot.waitUntil(lambda: not page.inspector.findings.findChildren(LabelEditor), timeout=60_000)
    page.results.correcting.discard()
    open_editor(desk, 0).setEditText("oil leak")
    (item,) = desk.session.items.all(page.open_record.record_id)
    add_result(desk.session, item.item_id, resultImage={"boxes": [STAIN]})
    page.reload()
    qtbot.waitUntil(lambda: not page.inspector.findings.findChildren(LabelEditor), timeout=60_000)
    assert labels(desk) == ["stain"]


def test_a_label_belongs_to_its_finding_when_less_is_shown(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    box = desk.page.inspector.findings
    editor = open_editor(desk, 1)
    desk.page.results.correcting.remove(0)
    editor.setEditText("oil leak")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert [finding.label for finding in box.shown_findings] == ["oil leak"]
