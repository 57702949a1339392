"""Commands: defined once, live while their owner is visible, keys editable, never in the way of typing."""

from __future__ import annotations

import ast
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

import desktop
from desktop.commands.bindings import Commands
from desktop.commands.registry import COMMANDS
from desktop.context import Context
from desktop.preferences import Preferences
from desktop.widgets import Combo
from shared.record.codes import Role
from shared.system.paths import resource_path
from tests.desktop.conftest import make_payload


def show_window(qtbot: QtBot, *children: QWidget) -> QWidget:
    window = QWidget()
    row = QHBoxLayout(window)
    for child in children:
        row.addWidget(child)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def test_ids_are_unique_and_icons_exist() -> None:
    for id_, command in COMMANDS.items():
        assert command.id == id_
        if command.icon:
            assert resource_path("icons", f"{command.icon}.svg").is_file(), id_
        for key in command.keys:
            assert QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText), (id_, key)


def test_commands_have_the_common_keys_of_similar_programs() -> None:
    wanted = {
        "R": "tool.rectangle",
        "V": "tool.select",
        "Esc": "tool.select",
        "F": "view.fit",
        "1": "view.actual",
        "+": "view.zoom_in",
        "-": "view.zoom_out",
        "Ctrl+D": "edit.duplicate",
        "Ctrl+C": "edit.copy",
        "Ctrl+V": "edit.paste",
        "Ctrl+Z": "edit.undo",
        "Ctrl+Shift+Z": "edit.redo",
        "Ctrl+Y": "edit.redo",
        "D": "item.next",
        "PgDown": "item.next",
        "A": "item.previous",
        "PgUp": "item.previous",
        "Tab": "finding.next",
        "Y": "item.pass",
        "X": "item.fail",
        "U": "item.unsure",
        "Ctrl+Return": "record.finish",
        "H": "view.regions",
        "L": "view.labels",
        "F1": "help",
        "?": "keys",
        "Ctrl+K": "palette",
        "Ctrl+N": "record.new",
        "/": "search",
        "Ctrl+R": "item.detect",
    }
    for key, id_ in wanted.items():
        assert key in COMMANDS[id_].keys, key
    assert "Delete" in COMMANDS["edit.delete"].keys


def test_no_key_has_two_commands_on_a_page(admin: Context) -> None:
    twice = [
        (id_, key, other.id)
        for id_ in COMMANDS
        for key in admin.commands.keys(id_)
        for other in admin.commands.conflicts(id_, key)
    ]
    assert twice == []


def test_commands_of_different_pages_or_focus_do_not_conflict() -> None:
    met = {
        ("item.pass", "item.fail"): True,
        ("item.pass", "record.new"): False,
        ("item.pass", "keys"): True,
        ("compare.flip", "finding.accept"): True,
        ("compare.flip", "move.left"): True,
        ("compare.flip", "item.pass"): True,
    }
    for (first, second), meet in met.items():
        assert (
            COMMANDS[first].may_conflict_with(COMMANDS[second])
            is COMMANDS[second].may_conflict_with(COMMANDS[first])
            is meet
        )


def test_a_command_works_while_its_owner_is_visible(qtbot: QtBot, admin: Context) -> None:
    done: list[str] = []
    first, second = QWidget(), QWidget()
    _window = show_window(qtbot, first, second)
    second.hide()
    admin.commands.bind("view.fit", lambda: done.append("first"), first)
    admin.commands.bind("view.fit", lambda: done.append("second"), second)
    qtbot.keyClick(first, Qt.Key.Key_F)
    first.hide()
    second.show()
    qtbot.keyClick(second, Qt.Key.Key_F)
    second.hide()
    assert not admin.commands.run("view.fit")
    assert done == ["first", "second"]


def test_a_command_ends_with_its_owner(qtbot: QtBot, admin: Context) -> None:
    owner = QWidget()
    _window = show_window(qtbot, owner)
    admin.commands.bind("view.fit", lambda: None, owner)
    assert admin.commands.is_possible("view.fit")
    owner.deleteLater()
    qtbot.waitUntil(lambda: not admin.commands.is_possible("view.fit"))


def test_a_condition_is_checked_when_the_key_is_pressed(qtbot: QtBot, admin: Context) -> None:
    done: list[int] = []
    allowed = False
    owner = QWidget()
    _window = show_window(qtbot, owner)
    admin.commands.bind("view.fit", lambda: done.append(1), owner, enabled=lambda: allowed)
    qtbot.keyClick(owner, Qt.Key.Key_F)
    assert done == []
    allowed = True
    qtbot.keyClick(owner, Qt.Key.Key_F)
    assert done == [1]


def test_a_command_needs_its_permission(qtbot: QtBot, context: Context) -> None:
    owner = QWidget()
    _window = show_window(qtbot, owner)
    context.commands.bind("record.new", lambda: None, owner)
    context.payload = make_payload(Role.VIEWER)
    assert not context.commands.run("record.new")
    context.payload = make_payload(Role.INSPECTOR)
    assert context.commands.run("record.new")


@pytest.mark.parametrize("editor", [QLineEdit, QPlainTextEdit], ids=lambda kind: kind.__name__)
def test_single_keys_do_not_act_while_typing(qtbot: QtBot, admin: Context, editor: type[QWidget]) -> None:
    done: list[str] = []
    field, canvas = editor(), QPushButton()
    window = show_window(qtbot, field, canvas)
    for id_ in ("item.pass", "item.fail", "edit.delete", "search", "keys", "view.zoom_in", "edit.undo"):
        admin.commands.bind(id_, partial(done.append, id_), window)
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    for letter in "yx/?+":
        qtbot.keyClicks(field, letter)
    qtbot.keyClick(field, Qt.Key.Key_Delete)
    qtbot.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert done == []
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_Y)
    assert done == ["item.pass"]


def test_single_keys_do_not_act_on_a_closed_choice(qtbot: QtBot, admin: Context) -> None:
    done: list[int] = []
    combo = Combo("Model")
    combo.set_choices([(1, "OCR"), (2, "YOLO")])
    window = show_window(qtbot, combo)
    admin.commands.bind("item.pass", lambda: done.append(1), window)
    combo.setFocus()
    qtbot.waitUntil(combo.hasFocus)
    qtbot.keyClick(combo, Qt.Key.Key_Y)
    assert done == []
    assert combo.value() == 2


def test_tab_acts_on_the_canvas_only(qtbot: QtBot, admin: Context) -> None:
    done: list[int] = []
    canvas, first, second = QWidget(), QLineEdit(), QLineEdit()
    canvas.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    _window = show_window(qtbot, canvas, first, second)
    admin.commands.bind("finding.next", lambda: done.append(1), canvas)
    canvas.setFocus()
    qtbot.waitUntil(canvas.hasFocus)
    qtbot.keyClick(canvas, Qt.Key.Key_Tab)
    assert done == [1]
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Tab)
    assert done == [1]
    assert second.hasFocus()


def test_changed_keys_are_saved(qtbot: QtBot, admin: Context, preferences: Preferences) -> None:
    done: list[int] = []
    owner = QWidget()
    _window = show_window(qtbot, owner)
    commands = admin.commands
    commands.bind("view.fit", lambda: done.append(1), owner)
    commands.set_keys("view.fit", ["Ctrl+G"])
    qtbot.keyClick(owner, Qt.Key.Key_F)
    assert done == []
    qtbot.keyClick(owner, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    assert done == [1]
    assert Commands(Preferences(preferences.path), lambda _: True).keys("view.fit") == ("Ctrl+G",)
    commands.set_keys("view.fit", None)
    assert commands.keys("view.fit") == ("F",)
    assert preferences.values.shortcuts == {}


def test_a_key_is_removed_from_the_command_that_had_it(admin: Context) -> None:
    commands = admin.commands
    assert [other.id for other in commands.conflicts("view.fit", "Y")] == ["item.pass"]
    assert [other.id for other in commands.conflicts("record.new", "Y")] == []
    commands.set_keys("view.fit", ["Y"])
    assert commands.keys("item.pass") == ()
    commands.set_keys("item.pass", None)
    assert commands.keys("view.fit") == ()


def test_menu_shows_icons_keys_and_enabled_commands(qtbot: QtBot, admin: Context) -> None:
    done: list[int] = []
    owner = QWidget()
    _window = show_window(qtbot, owner)
    admin.commands.bind("edit.undo", lambda: done.append(1), owner)
    menu = admin.commands.menu(["edit.undo", "", "edit.redo"], owner)
    undo, line, redo = menu.actions()
    assert undo.text().startswith("Undo\t")
    assert line.isSeparator()
    assert (undo.isEnabled(), redo.isEnabled()) == (True, False)
    assert not undo.icon().isNull()
    undo.trigger()
    assert done == [1]
    menu.deleteLater()


def test_a_focus_handler_replaces_the_handler_while_its_area_has_the_focus(
    qtbot: QtBot, admin: Context
) -> None:
    done: list[str] = []
    canvas, strip, thumb = QPushButton(), QWidget(), QPushButton()
    QHBoxLayout(strip).addWidget(thumb)
    window = show_window(qtbot, canvas, strip)
    commands = admin.commands
    commands.bind("edit.delete", lambda: done.append("region"), window)
    commands.bind_within("edit.delete", lambda: done.append("photo"), strip)
    for widget in (canvas, thumb):
        widget.setFocus()
        qtbot.keyClick(widget, Qt.Key.Key_Delete)
    assert done == ["region", "photo"]
    commands.set_keys("edit.delete", [])
    qtbot.keyClick(thumb, Qt.Key.Key_Delete)
    assert done == ["region", "photo"]
    assert commands.run("edit.delete")
    strip.deleteLater()
    qtbot.waitUntil(lambda: not isValid(strip))
    assert commands.run("edit.delete")
    assert done == ["region", "photo", "photo", "region"]


def test_the_focused_one_of_two_owners_runs_the_command(qtbot: QtBot, admin: Context) -> None:
    done: list[str] = []
    first, second = QPushButton(), QPushButton()
    _window = show_window(qtbot, first, second)
    for name, widget in (("one", first), ("two", second)):
        admin.commands.bind("move.left", partial(done.append, name), widget)
    second.setFocus()
    qtbot.keyClick(second, Qt.Key.Key_Left)
    assert admin.commands.run("move.left")
    assert done == ["two", "two"]


def test_tooltip_names_the_key(admin: Context) -> None:
    assert admin.commands.tooltip("view.fit") == "Fit to window  (F)"
    admin.commands.set_keys("view.fit", [])
    assert admin.commands.tooltip("view.fit") == "Fit to window"
    assert admin.commands.keys_text("view.fit") == ""


OPENING_DIALOGS = {
    *("keys", "finish.rules", "doctor", "about", "record.new", "record.export", "record.from_picture"),
    *("record.import", "inspection.export", "entry.new", "user.new", "webhook.new", "details.pdf"),
    *("inspection.hand_over", "report.template"),
    *("details.html", "details.reopen", "item.photo", "item.camera", "item.phone", "record.photos"),
    *(
        "record.camera",
        "record.film",
        "record.films",
        "record.phone",
        "record.watch",
        "record.review",
        "item.versions",
        "item.trend",
    ),
    *("item.memory", "record.finish", "record.report", "regions.import", "record.template"),
}


def test_commands_that_open_a_dialog_end_in_an_ellipsis() -> None:
    assert {id_ for id_, command in COMMANDS.items() if command.title.endswith("…")} == OPENING_DIALOGS


def test_buttons_are_named_like_their_commands() -> None:
    """A button with the name of a command that opens a dialog opens it too, so it has the ellipsis."""
    plain = {command.title.removesuffix("…") for command in COMMANDS.values() if command.title.endswith("…")}
    buttons = {
        argument.args[0].value
        for path in Path(desktop.__file__).parent.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Button"
        for argument in call.args[:1]
        if isinstance(argument, ast.Call) and argument.args and isinstance(argument.args[0], ast.Constant)
    }
    assert len(buttons) > 80
    assert buttons & plain == set()
