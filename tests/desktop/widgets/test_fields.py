"""Tests input fields."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.widgets import (
    Button,
    ButtonKind,
    Combo,
    Field,
    PasswordField,
    SearchField,
    TextArea,
    move_toggles_after,
)
from tests.desktop.widgets.kit import show_widget


def test_error_keeps_the_typed_text_and_is_hidden_by_the_next_key(qtbot: QtBot) -> None:
    field = Field("Username")
    show_widget(qtbot, field)
    qtbot.keyClicks(field.editor, "zhangsan")
    field.set_error("There is no such user.")
    assert (field.text(), field.error()) == ("zhangsan", "There is no such user.")
    assert field.editor.accessibleDescription() == "There is no such user."
    with qtbot.waitSignal(field.changed):
        qtbot.keyClicks(field.editor, "x")
    assert (field.text(), field.error()) == ("zhangsanx", "")


def test_button_beside_a_label_does_not_move_the_editors_of_a_row(qtbot: QtBot) -> None:
    row = QWidget()
    column = QVBoxLayout(row)
    with_button, without = Field("Aircraft"), Field("Scale")
    with_button.add_action(Button("New aircraft…", kind=ButtonKind.LINK))
    without.reserve_action()
    column.addWidget(with_button)
    column.addWidget(without)
    show_widget(qtbot, row)
    assert with_button.action is not None
    assert with_button.editor.y() == without.editor.y()
    assert with_button.action.geometry().bottom() < with_button.editor.y()


@pytest.mark.parametrize("editor", ["line", "area", "combo"])
def test_a_field_holds_any_editor(qtbot: QtBot, editor: str) -> None:
    combo = Combo("Model")
    combo.set_choices([(1, "one"), (2, "two")])
    field = Field("Model", {"line": None, "area": TextArea(2), "combo": combo}[editor], placeholder="…")
    qtbot.addWidget(field)
    changes: list[int] = []
    field.changed.connect(lambda: changes.append(1))
    field.set_text("two")
    assert field.text() == "two"
    assert field.editor.accessibleName() == "Model"
    assert changes == []


def test_password_is_visible_only_on_request_until_clear(qtbot: QtBot) -> None:
    field = PasswordField("Password")
    show_widget(qtbot, field)
    line = field._line
    qtbot.keyClicks(line, "secret-word")
    assert line.displayText() != "secret-word"
    qtbot.mouseClick(field.toggle, Qt.MouseButton.LeftButton)
    assert line.displayText() == "secret-word"
    field.clear()
    assert (field.text(), line.echoMode()) == ("", line.EchoMode.Password)


def test_tab_visits_the_passwords_before_their_toggles(qtbot: QtBot) -> None:
    both = QWidget()
    column = QVBoxLayout(both)
    first, second = PasswordField("Password"), PasswordField("Confirm password")
    column.addWidget(first)
    column.addWidget(second)
    button = Button("Save")
    column.addWidget(button)
    move_toggles_after(button, first, second)
    show_widget(qtbot, both)
    both.activateWindow()
    first.setFocus()
    qtbot.waitUntil(first._line.hasFocus)
    qtbot.keyClicks(first._line, "secret-word")
    qtbot.keyClick(first._line, Qt.Key.Key_Tab)
    assert second._line.hasFocus()
    qtbot.keyClicks(QApplication.focusWidget(), "secret-word")
    assert (first.text(), second.text()) == ("secret-word", "secret-word")
    reached = []
    for _ in range(3):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    assert reached == [button, first.toggle, second.toggle]
    first.toggle.setFocus()
    qtbot.keyClicks(first.toggle, "typed")
    assert first.text() == "secret-word"
    qtbot.keyClick(first.toggle, Qt.Key.Key_Return)
    assert first._line.displayText() == "secret-word"


def test_search_is_emitted_once_after_a_pause_or_at_enter(qtbot: QtBot) -> None:
    field = SearchField("Name, aircraft, inspector")
    show_widget(qtbot, field)
    texts: list[str] = []
    field.searched.connect(texts.append)
    qtbot.keyClicks(field, "wing")
    assert texts == []
    qtbot.waitUntil(lambda: texts == ["wing"])
    qtbot.keyClicks(field, "s")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert texts == ["wing", "wings"]
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert texts == ["wing", "wings"]
    assert not field._key.isVisible()


def test_chosen_value_stays_if_it_still_exists_and_ignores_the_wheel(qtbot: QtBot) -> None:
    combo = Combo("Status")
    qtbot.addWidget(combo)
    combo.set_choices([(None, "Any"), ("passed", "Passed")])
    combo.set_value("passed")
    combo.set_choices([(None, "Any status"), ("failed", "Failed"), ("passed", "Passed")])
    assert (combo.value(), combo.currentText()) == ("passed", "Passed")
    combo.set_value("gone")
    assert combo.value() is None
    assert isinstance(combo, QComboBox)
