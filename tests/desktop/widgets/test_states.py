"""Tests the states of a page, banners and confirmations."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.widgets import (
    Banner,
    Confirm,
    EmptyState,
    ErrorState,
    NoPermissionState,
    StateStack,
    label,
)
from desktop.widgets.states import LOADING_DELAY_MS
from tests.desktop.widgets.kit import show_widget


def test_loading_is_visible_only_after_a_delay(qtbot: QtBot) -> None:
    stack = StateStack(label("content"))
    show_widget(qtbot, stack)
    stack.show_loading()
    assert stack.currentWidget() is stack.loading
    assert not stack.loading._sentence.isVisible()
    qtbot.waitUntil(stack.loading._sentence.isVisible, timeout=LOADING_DELAY_MS + 2000)
    stack.show_content()
    assert stack.currentWidget() is stack.content
    qtbot.wait(1)
    assert not stack.loading._delay.isActive()


def test_states_show_a_sentence_and_one_button(qtbot: QtBot) -> None:
    done: list[str] = []
    stack = StateStack(label("content"))
    show_widget(qtbot, stack)
    stack.show_empty("list", "No records yet.", "New record", lambda: done.append("new"))
    empty = stack.currentWidget()
    assert isinstance(empty, EmptyState)
    assert empty.accessibleName() == empty._sentence.text() == "No records yet."
    assert empty.button is not None
    empty.button.click()
    stack.show_error("The service cannot be reached.", lambda: done.append("again"))
    failed = stack.currentWidget()
    assert isinstance(failed, ErrorState)
    failed.button.click()
    assert done == ["new", "again"]
    stack.show_no_permission()
    assert isinstance(stack.currentWidget(), NoPermissionState)
    assert stack.count() == 3  # content, loading, the one in front: those before are gone


def test_a_banner_stays_until_it_is_closed(qtbot: QtBot) -> None:
    holder = QWidget()
    column = QVBoxLayout(holder)
    banner = Banner()
    column.addWidget(banner)
    show_widget(qtbot, holder)
    assert not banner.isVisible()
    banner.show_message("Two edits wait.", "warn", "Send now")
    assert banner.isVisible()
    assert banner.accessibleName() == "Two edits wait."
    with qtbot.waitSignal(banner.action_chosen):
        banner._action.click()
    with qtbot.waitSignal(banner.closed):
        banner._close_button.click()
    assert not banner.isVisible()


def test_confirmation_names_the_verb_and_defaults_to_cancel(qtbot: QtBot) -> None:
    dialog = Confirm(None, "Delete record?", "Its 6 items go with it.", "Delete record")
    show_widget(qtbot, dialog)
    assert dialog.confirm_button.text() == "Delete record"
    assert dialog.cancel_button.isDefault()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.result() == QDialog.DialogCode.Rejected
    assert dialog.cancel_button.text() == "Cancel"
    again = Confirm(None, "Delete?", "Gone.", "Delete", danger=True)
    show_widget(qtbot, again)
    again.confirm_button.click()
    assert again.result() == QDialog.DialogCode.Accepted


@pytest.mark.parametrize("is_possible", [True, False])
def test_confirmation_of_a_harmless_action_is_answered_by_enter(qtbot: QtBot, is_possible: bool) -> None:
    dialog = Confirm(None, "Finish?", "All passed.", "Finish", danger=False, dismiss="Keep open")
    dialog.confirm_button.setEnabled(is_possible)
    show_widget(qtbot, dialog)
    assert dialog.cancel_button.text() == "Keep open"
    assert dialog.focusWidget() is (dialog.confirm_button if is_possible else dialog.cancel_button)
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.result() == int(is_possible)
