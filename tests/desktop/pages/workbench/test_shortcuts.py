"""Keys do what the command table defines, on every part of the workbench, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QKeyCombination
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.app.palette import Palette
from desktop.app.shortcut_sheet import ShortcutSheet
from desktop.canvas.views.pair_drawing import CompareMode
from desktop.commands.registry import COMMANDS
from desktop.pages.workbench.photos import photo_pair
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.desktop.pages.workbench.results.test_correcting import add_result

WORKBENCH_COMMANDS = [command for command in COMMANDS.values() if command.place == "workbench"]


def combination(key: str) -> QKeyCombination:
    # The stubs of PySide do not know that a key sequence can be indexed.
    return QKeySequence(key)[0]  # type: ignore[index, no-any-return]


def press(widget: QWidget, key: str) -> None:
    pressed = combination(key)
    QTest.keyClick(widget, pressed.key(), pressed.keyboardModifiers())


@pytest.fixture
def desk(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    """A record whose first item has a photo with findings."""
    record_id = make_record(workbench.session)
    add_result(workbench.session, workbench.session.items.all(record_id)[0].item_id)
    workbench.open(record_id, qtbot.waitUntil)
    strip, findings = workbench.page.inspector.photo.strip, workbench.page.inspector.findings.list
    qtbot.waitUntil(
        lambda: (
            workbench.page.photos.pairing.finding_pair is not None
            and workbench.page.photos.pairing.finding_pair.aligned
        )
    )
    qtbot.waitUntil(lambda: bool(strip.ids) and bool(findings.findings))
    return workbench


def snapshot(desk: WorkbenchDriver) -> object:
    """Everything that a key of the workbench could change at once."""
    page = desk.page
    view, pane, findings = page.canvas.view, page.inspector.photo.pane, page.inspector.findings.list
    return (
        desk.names,
        [row.status for row in page.open_record.rows],
        page.open_record.current,
        list(view.store),
        view.store.selected_ids,
        view.viewport,
        view.editor.tool,
        view.editor.is_snapping,
        (view.regions_shown, view.labels_shown, view.minimap_shown, view.tone),
        (pane.viewport, pane.mode, pane.mix),
        (page.canvas.compare.viewport, page.canvas.compare.mode, page.canvas.centre.currentWidget()),
        [(finding.box, finding.label, finding.accepted) for finding in findings.findings],
        findings.current,
        page.inspector.photo.strip.ids,
        page.inspector.isVisible(),
        page.open_record.edits.save_state.unsent_count,
    )


def thumb(desk: WorkbenchDriver) -> QWidget:
    return next(iter(desk.page.inspector.photo.strip._thumbs.values()))


PARTS: dict[str, Callable[[WorkbenchDriver], QWidget]] = {
    "canvas": lambda desk: desk.page.canvas.view,
    "pane": lambda desk: desk.page.inspector.photo.pane,
    "findings": lambda desk: desk.page.inspector.findings.list,
    "photo": thumb,
}

# The keys of a control: Tab moves the focus, Space presses a button, arrows choose in a list.
_FOCUS = {"Tab", "Shift+Tab", "Space"}
CONTROL_KEYS = {
    "canvas": _FOCUS,
    "pane": _FOCUS,
    "findings": {*_FOCUS, "Up", "Down", "Shift+Up", "Shift+Down"},
    "photo": _FOCUS,
}


@pytest.mark.parametrize("part", PARTS)
def test_a_command_without_a_key_cannot_be_reached_by_one(
    desk: WorkbenchDriver, qtbot: QtBot, part: str
) -> None:
    desk.page.canvas.shown_findings.choose(0)
    commands = desk.context.commands
    before = {command.id: command.keys for command in WORKBENCH_COMMANDS}
    for id_ in before:
        commands.set_keys(id_, [])
    widget = PARTS[part](desk)
    widget.setFocus()
    qtbot.waitUntil(widget.hasFocus)
    state = snapshot(desk)
    for id_, keys in before.items():
        for key in set(keys) - CONTROL_KEYS[part]:
            press(widget, key)
            assert snapshot(desk) == state, (id_, key)


def test_another_key_does_it_and_the_old_one_does_not(desk: WorkbenchDriver) -> None:
    page, commands = desk.page, desk.context.commands
    view = page.canvas.view
    view.setFocus()
    view.store.select([page.open_record.current])
    commands.set_keys("move.right", ["Ctrl+Shift+M"])
    x = view.store[page.open_record.current].rect.x
    press(view, "Right")
    assert view.store[page.open_record.current].rect.x == x
    press(view, "Ctrl+Shift+M")
    assert view.store[page.open_record.current].rect.x == pytest.approx(x + 1)
    commands.set_keys("edit.duplicate", ["Ctrl+Shift+D"])
    press(view, "Ctrl+D")
    assert len(desk.names) == 3
    press(view, "Ctrl+Shift+D")
    assert len(desk.names) == 4


def test_delete_on_a_photo_removes_the_photo_and_keeps_the_item(
    desk: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    titles: list[str] = []

    def agree(_window: object, title: str, *_texts: object) -> bool:
        titles.append(title)
        return True

    monkeypatch.setattr(photo_pair, "confirm", agree)
    strip, names = desk.page.inspector.photo.strip, desk.names
    thumb(desk).setFocus()
    press(thumb(desk), "Delete")
    assert titles == ["Remove photo?"]
    qtbot.waitUntil(lambda: not strip.ids)
    assert desk.names == names
    assert desk.saved


def test_keys_look_closer_where_the_focus_is(desk: WorkbenchDriver) -> None:
    view, pane = desk.page.canvas.view, desk.page.inspector.photo.pane
    for focused, other in ((pane, view), (view, pane)):
        focused.setFocus()
        before, still = focused.viewport.scale, other.viewport.scale
        press(focused, "+")
        assert focused.viewport.scale == pytest.approx(before * 1.25)
        assert other.viewport.scale == still
        press(focused, "F")
        assert focused.viewport.is_fitted


def test_arrows_and_space_work_on_the_pair_and_on_the_findings(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    pane, findings = desk.page.inspector.photo.pane, desk.page.inspector.findings.list
    pane.setFocus()
    pane.set_mode(CompareMode.OVERLAY)
    press(pane, "Right")
    press(pane, "Shift+Right")
    assert pane.mix == pytest.approx(0.8)
    assert not desk.context.commands.is_possible("compare.flip")
    pane.set_mode(CompareMode.BLINK)
    assert desk.context.commands.is_possible("compare.flip")
    desk.page.canvas.shown_findings.choose(0)
    findings.setFocus()
    qtbot.waitUntil(findings.hasFocus)
    assert not findings.findings[0].accepted
    press(findings, "Space")
    assert findings.findings[0].accepted


def test_help_and_palette_list_the_canvas_commands(desk: WorkbenchDriver) -> None:
    commands = desk.context.commands
    commands.set_keys("move.left", ["Ctrl+Shift+M"])
    sheet = ShortcutSheet(desk.page, commands)
    palette = Palette(desk.page, commands)
    for id_, keys in (
        ("move.left", "Ctrl+Shift+M"),
        ("tool.finish", "Return · Enter"),
        ("compare.flip", "Space"),
    ):
        assert sheet.shown_keys(id_) == keys
    assert {"move.left", "move.far_down", "tool.finish", "edit.delete"} <= set(palette.command_ids())
    sheet.deleteLater()
    palette.deleteLater()
