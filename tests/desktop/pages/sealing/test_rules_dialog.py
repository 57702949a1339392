"""The rules for finishing: an administrator sets them, everyone else reads them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.app.window import MainWindow
from desktop.context import Context
from desktop.pages.common.forms.passwords import PasswordPrompt
from desktop.pages.sealing.rules_dialog import RulesDialog
from desktop.widgets import PageFactory
from shared.record.codes import Role
from shared.wire.seal import InspectionPolicy
from tests.desktop.app.test_window import Login, Records
from tests.desktop.children import child
from tests.desktop.conftest import make_payload
from tests.desktop.pages.fake_service import FakeService, failure_answer, open_fake_context, success_answer
from tests.narrowing import not_none


@pytest.fixture(autouse=True)
def _off_again(context: Context) -> Iterator[None]:
    yield
    rules = InspectionPolicy(four_eyes=False, requires_inspection=False, required_coverage=0.95)
    context.session.records.set_policy(rules)


def open_dialog(context: Context, qtbot: QtBot) -> RulesDialog:
    dialog = RulesDialog(context, None)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def click(dialog: RulesDialog) -> None:
    place = dialog.four_eyes.rect().topLeft() + dialog.four_eyes.rect().center() / 8
    place.setY(dialog.four_eyes.rect().center().y())
    QTest.mouseClick(dialog.four_eyes, Qt.MouseButton.LeftButton, pos=place)


def test_an_administrator_sets_the_four_eyes_rule(context: Context, qtbot: QtBot) -> None:
    dialog = open_dialog(context, qtbot)
    qtbot.waitUntil(dialog.four_eyes.isEnabled)
    assert not dialog.four_eyes.isChecked()
    click(dialog)
    qtbot.waitUntil(lambda: dialog.message.text() == "Saved.")
    assert context.session.records.policy().four_eyes
    reopened_dialog = open_dialog(context, qtbot)
    qtbot.waitUntil(reopened_dialog.four_eyes.isEnabled)
    assert reopened_dialog.four_eyes.isChecked()
    click(reopened_dialog)
    qtbot.waitUntil(lambda: reopened_dialog.message.text() == "Saved.")
    assert not context.session.records.policy().four_eyes


def test_an_administrator_sets_the_rules_of_inspection(context: Context, qtbot: QtBot) -> None:
    dialog = open_dialog(context, qtbot)
    qtbot.waitUntil(dialog.requires_inspection.isEnabled)
    assert (dialog.requires_inspection.isChecked(), dialog.coverage.value()) == (False, 95)
    dialog.requires_inspection.click()
    qtbot.waitUntil(dialog.requires_inspection.isEnabled)
    dialog.coverage.setValue(80)
    dialog.coverage.editingFinished.emit()
    qtbot.waitUntil(dialog.coverage.isEnabled)
    policy = context.session.records.policy()
    assert (policy.requires_inspection, policy.required_coverage, policy.four_eyes) == (True, 0.8, False)
    assert dialog.message.text() == "Saved."


def test_users_without_the_right_read_the_rule(context: Context, qtbot: QtBot) -> None:
    context.session.records.set_policy(InspectionPolicy(four_eyes=True))
    context.payload = make_payload(Role.INSPECTOR)
    dialog = open_dialog(context, qtbot)
    qtbot.waitUntil(dialog.four_eyes.isChecked)
    assert not dialog.four_eyes.isEnabled()
    assert "Only an administrator" in dialog.message.text()
    click(dialog)
    assert dialog.four_eyes.isChecked()
    assert context.session.records.policy().four_eyes


def test_old_login_needs_the_password_and_cancel_changes_nothing(qtbot: QtBot) -> None:
    fake_service = FakeService()
    fake_service.answers["/api/inspection/policy"] = lambda request: (
        success_answer({"four_eyes": False})
        if request.method == "GET"
        else failure_answer(403, "password_login_needed")
    )
    with open_fake_context(fake_service) as context:
        context.session.account.login("zhang", "p")
        context.enter(make_payload(Role.ADMIN))
        dialog = open_dialog(context, qtbot)
        qtbot.waitUntil(dialog.four_eyes.isEnabled)
        click(dialog)
        qtbot.waitUntil(lambda: dialog.findChild(PasswordPrompt) is not None)
        child(dialog, PasswordPrompt).reject()
        qtbot.waitUntil(dialog.four_eyes.isEnabled)
        assert not dialog.four_eyes.isChecked()
        assert dialog.message.text()


def test_failed_reading_can_be_retried(qtbot: QtBot) -> None:
    fake_service = FakeService()
    fake_service.answers["/api/inspection/policy"] = failure_answer(503, "unavailable")
    with open_fake_context(fake_service) as context:
        context.session.account.login("zhang", "p")
        context.enter(make_payload(Role.ADMIN))
        dialog = open_dialog(context, qtbot)
        qtbot.waitUntil(dialog.retry.isVisible)
        assert not dialog.four_eyes.isEnabled()
        fake_service.answers["/api/inspection/policy"] = success_answer({"four_eyes": True})
        dialog.retry.click()
        qtbot.waitUntil(dialog.four_eyes.isChecked)
        assert not dialog.retry.isVisible()


def test_the_settings_lead_to_the_rules(context: Context, qtbot: QtBot) -> None:
    window = MainWindow(context, [PageFactory(kind, kind) for kind in (Login, Records)])
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.rail.settings.click()
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    menu = not_none(QApplication.activePopupWidget())
    action = next(action for action in menu.actions() if action.text().startswith("Finishing rules"))
    menu.close()
    action.trigger()
    qtbot.waitUntil(lambda: window.findChild(RulesDialog) is not None)
    child(window, RulesDialog).accept()
    window.close()
