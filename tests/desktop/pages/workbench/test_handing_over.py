"""A record is handed over to another user from the workbench, by the command of the record's page."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.pages.common.handover import HandoverDialog
from shared.ids import new_id
from shared.record.codes import Role, Status
from shared.wire.inspection import RecordUpdate
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.desktop.pages.workbench.test_menus import popup, titles

COMMAND = "inspection.hand_over"


def test_record_is_handed_over_from_the_workbench(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    session, page, commands = workbench.session, workbench.page, workbench.context.commands
    user = session.users.create(new_id()[:20], "Walkaround-9", [Role.INSPECTOR], "李四")
    record_id = make_record(session)
    workbench.open(record_id, qtbot.waitUntil)
    page.top.more.click()
    menu = popup()
    assert "Hand over record…" in titles(menu)
    menu.close()

    assert commands.run(COMMAND)
    dialog = page.findChildren(HandoverDialog)[-1]
    qtbot.waitUntil(lambda: dialog.inspector.count() > 0, timeout=60_000)
    dialog.inspector.set_value(user.user_id)
    dialog.note.setPlainText("左侧还没看")
    with qtbot.waitSignal(page.toast, timeout=60_000) as told:
        QTest.mouseClick(dialog.confirm, Qt.MouseButton.LeftButton)
    assert told.args[0].startswith("Handed over to 李四")
    assert session.records.handovers(record_id)[0].note == "左侧还没看"


def test_void_record_is_not_handed_over(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    workbench.session.records.update(record_id, RecordUpdate(inspection_status=Status.CANCELLED))
    workbench.open(record_id, qtbot.waitUntil)
    assert not workbench.context.commands.run(COMMAND)
