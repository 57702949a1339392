"""Tests that dialogs have the height of their content, and popups round corners."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QLabel, QMenu, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.app.shortcut_sheet import ShortcutDialog
from desktop.context import Context
from desktop.pages.common.forms.passwords import PasswordPrompt
from desktop.pages.login.service_choice import ServerDialog
from desktop.theme import theme_manager
from desktop.widgets import Combo, Dialog, Field, label
from tests.desktop.app.appearance_checks import cut, overlapping

LONG = (
    "A sentence that is much longer than the dialog is wide, so that it needs several lines to be read. " * 2
)


def show_dialog(qtbot: QtBot, dialog: QDialog) -> QDialog:
    qtbot.addWidget(dialog)
    theme_manager().apply_to(dialog)
    dialog.open()
    return dialog


def check_complete(qtbot: QtBot, dialog: QDialog) -> None:
    """Check that no label is cut off and no widgets overlap."""
    layout = dialog.layout()
    assert layout is not None
    qtbot.waitUntil(lambda: dialog.height() >= layout.totalHeightForWidth(dialog.width()))
    assert not cut(dialog)
    assert not overlapping(dialog)


def test_dialog_grows_for_a_sentence_that_appears_later(qtbot: QtBot) -> None:
    dialog = Dialog()
    column = QVBoxLayout(dialog)
    sentence, field = label("", "error", wrap=True), Field("Name")
    for part in (field, sentence, label("below")):
        column.addWidget(part)
    show_dialog(qtbot, dialog)
    before = dialog.height()
    sentence.setText(LONG)
    field.set_error(LONG)
    qtbot.waitUntil(lambda: dialog.height() > before)
    check_complete(qtbot, dialog)


def test_message_about_a_wrong_password_is_shown_completely(context: Context, qtbot: QtBot) -> None:
    dialog = PasswordPrompt(context)
    show_dialog(qtbot, dialog)
    dialog.password.set_error(LONG)
    check_complete(qtbot, dialog)


def test_message_about_a_wrong_address_is_shown_completely(context: Context, qtbot: QtBot) -> None:
    dialog = ServerDialog("http://somewhere.example.com", context.preferences)
    show_dialog(qtbot, dialog)
    dialog.address.set_error(LONG)
    check_complete(qtbot, dialog)


def test_message_about_a_used_key_is_shown_completely(context: Context, qtbot: QtBot) -> None:
    dialog = ShortcutDialog(None, context.commands, "item.pass")
    show_dialog(qtbot, dialog)
    dialog.warning.setText(LONG)
    check_complete(qtbot, dialog)


def test_dialog_below_another_one_is_covered(context: Context, qtbot: QtBot) -> None:
    behind = Dialog()
    QVBoxLayout(behind).addWidget(QLabel("behind"))
    show_dialog(qtbot, behind)
    before = behind.grab().toImage()
    front = PasswordPrompt(context, behind)
    show_dialog(qtbot, front)
    assert behind.grab().toImage() != before
    front.reject()
    qtbot.waitUntil(lambda: behind.grab().toImage() == before)


def test_popups_have_round_corners(qtbot: QtBot) -> None:
    combo = Combo("Status")
    qtbot.addWidget(combo)
    combo.set_choices([(None, "Any"), ("a", "A")])
    combo.show()
    combo.showPopup()
    popup = combo.view().window()
    assert not popup.mask().isEmpty()
    assert not popup.mask().contains(popup.rect().topLeft())
    combo.hidePopup()


def test_menus_have_round_corners(context: Context, qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    menu = context.commands.menu(["palette", "keys"], parent)
    assert isinstance(menu, QMenu)
    menu.resize(menu.sizeHint())
    menu.show()
    assert not menu.mask().contains(menu.rect().topLeft())
    menu.close()
