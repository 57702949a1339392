"""The kit: words beside every colour, names for everything, keyboard, both themes, typed text that stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter, QTextDocument
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.embedded import ServiceState
from desktop.theme import Mode, look
from desktop.widgets import (
    Banner,
    Button,
    Chip,
    Column,
    Combo,
    Confirm,
    EmptyState,
    ErrorState,
    Field,
    FilterChips,
    IconButton,
    Kind,
    Line,
    Logo,
    NoPermissionState,
    PageHeader,
    PasswordField,
    ProgressBar,
    Rail,
    RailEntry,
    SaveMark,
    SaveState,
    SearchField,
    StateStack,
    StatusBar,
    Symbol,
    Table,
    TextArea,
    TopBar,
    chip_width,
    folded,
    icon,
    label,
    paint_chip,
    reveal_after,
    service_tone,
    service_word,
    status_word,
    tip,
)
from desktop.widgets.icons import drawing
from desktop.widgets.states import LOADING_AFTER_MS
from shared.codes import Status, Verdict
from shared.paths import resource

ICONS = sorted(path.stem for path in Path(resource("icons")).glob("*.svg") if path.stem != "walkaround")


@pytest.fixture(params=[Mode.LIGHT, Mode.DARK])
def mode(request: pytest.FixtureRequest, qtbot: QtBot) -> Iterator[Mode]:
    look().set_mode(request.param)
    yield request.param
    look().set_mode(Mode.SYSTEM)


def shown(qtbot: QtBot, widget: QWidget) -> QWidget:
    qtbot.addWidget(widget)
    widget.show()
    return widget


def colours(image: QImage) -> set[str]:
    return {
        image.pixelColor(x, y).name()
        for x in range(0, image.width(), 1)
        for y in range(0, image.height(), 2)
        if image.pixelColor(x, y).alpha() == 255
    }


# Icons


@pytest.mark.parametrize("name", ICONS)
def test_every_icon_draws_in_the_colour_asked_for(qtbot: QtBot, name: str) -> None:
    source = resource("icons", f"{name}.svg").read_text(encoding="utf-8")
    assert 'stroke="currentColor"' in source
    assert 'stroke-width="1.7"' in source
    image = drawing(name, "#ff0000", 72)
    inked = [
        image.pixelColor(x, y) for x in range(72) for y in range(72) if image.pixelColor(x, y).alpha() == 255
    ]
    assert inked
    assert {colour.name() for colour in inked} == {"#ff0000"}


def test_icons_are_crisp_at_every_scale(qtbot: QtBot) -> None:
    made = icon("plus")
    for ratio in (1.0, 1.25, 1.5, 2.0, 3.0):
        pixmap = made.pixmap(QSize(18, 18), ratio)
        assert pixmap.width() == round(18 * ratio)


def test_an_unknown_icon_is_an_error(qtbot: QtBot) -> None:
    with pytest.raises(FileNotFoundError):
        icon("unicorn")


# Buttons


@pytest.mark.parametrize("kind", list(Kind))
def test_every_button_paints_in_both_themes(qtbot: QtBot, mode: Mode, kind: Kind) -> None:
    button = Button("Finish", kind=kind, icon="check", keys="Y")
    shown(qtbot, button)
    assert button.accessibleName() == "Finish"
    theme = look().theme
    ground = {Kind.MAIN: theme.accent, Kind.PLAIN: theme.raised, Kind.PASSED: theme.ground("passed")}.get(
        kind
    )
    if ground:
        assert ground in colours(button.grab().toImage())


def test_a_verdict_button_is_solid_when_it_is_the_verdict(qtbot: QtBot, mode: Mode) -> None:
    button = Button("Failed", kind=Kind.FAILED, keys="X")
    shown(qtbot, button)
    assert look().theme.solid("failed") not in colours(button.grab().toImage())
    button.setChecked(True)
    assert look().theme.solid("failed") in colours(button.grab().toImage())


def test_keyboard_focus_is_seen_and_a_click_takes_none(qtbot: QtBot, mode: Mode) -> None:
    holder = QWidget()
    column = QVBoxLayout(holder)
    button, other = Button("Open"), Field("Name")
    column.addWidget(button)
    column.addWidget(other)
    shown(qtbot, holder)
    holder.activateWindow()
    other.setFocus()
    qtbot.waitUntil(other.editor.hasFocus)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert other.editor.hasFocus()
    before = button.grab().toImage()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert button.grab().toImage() != before


def test_an_icon_button_has_a_name(qtbot: QtBot) -> None:
    button = IconButton("ruler", "Measure", keys="M")
    qtbot.addWidget(button)
    assert (button.accessibleName(), button.toolTip()) == ("Measure", "Measure  (M)")
    assert button.sizeHint().width() == button.sizeHint().height()


# Pills


@pytest.mark.parametrize("status", [*Status, *Verdict])
def test_a_pill_always_has_a_word(qtbot: QtBot, status: str) -> None:
    chip = Chip()
    qtbot.addWidget(chip)
    chip.show_status(status)
    assert chip.text == chip.accessibleName() == status_word(status) != ""
    assert "_" not in chip.text
    assert chip.sizeHint().width() == chip_width(chip.text)


def test_an_unknown_status_shows_itself(qtbot: QtBot) -> None:
    assert status_word("postponed") == "postponed"


def test_a_delegate_paints_the_same_pill(qtbot: QtBot, mode: Mode) -> None:
    image = QImage(120, 30, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(look().theme.panel))
    painter = QPainter(image)
    assert paint_chip(painter, 4, 15, "passed", "Passed") == chip_width("Passed")
    painter.end()
    assert look().theme.ground("passed") in colours(image)


def test_filters_keep_what_is_on_and_tell_what_a_person_chose(qtbot: QtBot) -> None:
    chips = FilterChips("Filter")
    qtbot.addWidget(chips)
    chips.set_choices([("all", "All 6"), ("failed", "Failed 2")])
    assert chips.value() == "all"
    heard: list[str] = []
    chips.chosen.connect(heard.append)
    chips.set_value("failed")
    assert heard == []
    chips.set_choices([("all", "All 7"), ("failed", "Failed 3")])
    assert chips.value() == "failed"
    chips._buttons()[0].click()
    assert (heard, chips.value()) == (["all"], "all")
    chips.set_choices([("x", "X"), ("all", "All 7")])
    assert chips.value() == "all"
    chips.set_choices([("y", "Y")])
    assert chips.value() == "y"


# Fields


def test_an_error_keeps_what_was_typed_and_goes_with_the_next_key(qtbot: QtBot) -> None:
    field = Field("User name")
    shown(qtbot, field)
    qtbot.keyClicks(field.editor, "zhangsan")
    field.set_error("There is no such user.")
    assert (field.text(), field.error()) == ("zhangsan", "There is no such user.")
    assert field.editor.accessibleDescription() == "There is no such user."
    with qtbot.waitSignal(field.changed):
        qtbot.keyClicks(field.editor, "x")
    assert (field.text(), field.error()) == ("zhangsanx", "")


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


def test_a_password_is_hidden_until_asked_and_after_clear(qtbot: QtBot) -> None:
    field = PasswordField("Password")
    shown(qtbot, field)
    line = field._line
    qtbot.keyClicks(line, "secret-word")
    assert line.displayText() != "secret-word"
    qtbot.mouseClick(field.toggle, Qt.MouseButton.LeftButton)
    assert line.displayText() == "secret-word"
    field.clear()
    assert (field.text(), line.echoMode()) == ("", line.EchoMode.Password)


def test_tab_leads_from_a_password_to_the_next_field_and_then_to_the_words_that_show_it(qtbot: QtBot) -> None:
    both = QWidget()
    column = QVBoxLayout(both)
    first, second = PasswordField("Password"), PasswordField("Password once more")
    column.addWidget(first)
    column.addWidget(second)
    button = Button("Save")
    column.addWidget(button)
    reveal_after(button, first, second)
    shown(qtbot, both)
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


def test_search_tells_once_after_a_pause_or_at_enter(qtbot: QtBot) -> None:
    field = SearchField("Name, aircraft, executor")
    shown(qtbot, field)
    heard: list[str] = []
    field.searched.connect(heard.append)
    qtbot.keyClicks(field, "wing")
    assert heard == []
    qtbot.waitUntil(lambda: heard == ["wing"], timeout=2000)
    qtbot.keyClicks(field, "s")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert heard == ["wing", "wings"]
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert heard == ["wing", "wings"]
    assert not field._key.isVisible()


def test_a_choice_stays_when_it_is_still_offered_and_a_wheel_does_not_change_it(qtbot: QtBot) -> None:
    combo = Combo("Status")
    qtbot.addWidget(combo)
    combo.set_choices([(None, "Any"), ("passed", "Passed")])
    combo.set_value("passed")
    combo.set_choices([(None, "Any status"), ("failed", "Failed"), ("passed", "Passed")])
    assert (combo.value(), combo.currentText()) == ("passed", "Passed")
    combo.set_value("gone")
    assert combo.value() is None
    assert isinstance(combo, QComboBox)


# States


def test_loading_is_seen_only_when_it_takes_long(qtbot: QtBot) -> None:
    stack = StateStack(label("content"))
    shown(qtbot, stack)
    stack.show_loading()
    assert stack.currentWidget() is stack.loading
    assert not stack.loading._sentence.isVisible()
    qtbot.waitUntil(stack.loading._sentence.isVisible, timeout=LOADING_AFTER_MS + 2000)
    stack.loading.set_progress(40)
    assert stack.loading._bar.isVisible()
    stack.show_content()
    assert stack.currentWidget() is stack.content
    qtbot.wait(1)
    assert not stack.loading._delay.isActive()


def test_states_say_it_and_offer_one_thing(qtbot: QtBot) -> None:
    done: list[str] = []
    stack = StateStack(label("content"))
    shown(qtbot, stack)
    stack.show_empty("list", "No records yet.", "New record", lambda: done.append("new"))
    empty = stack.currentWidget()
    assert isinstance(empty, EmptyState)
    assert empty.accessibleName() == empty.sentence() == "No records yet."
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
    shown(qtbot, holder)
    assert not banner.isVisible()
    banner.say("Two edits wait.", "warn", "Send now")
    assert banner.isVisible()
    assert banner.accessibleName() == "Two edits wait."
    with qtbot.waitSignal(banner.acted):
        banner._action.click()
    with qtbot.waitSignal(banner.closed):
        banner._close_button.click()
    assert not banner.isVisible()


# Dialogs


def test_a_question_names_the_verb_and_defaults_to_no(qtbot: QtBot) -> None:
    dialog = Confirm(None, "Delete the record?", "Its 6 items go with it.", "Delete the record")
    shown(qtbot, dialog)
    assert dialog.act.text() == "Delete the record"
    assert dialog.harmless.isDefault()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.result() == QDialog.DialogCode.Rejected
    again = Confirm(None, "Delete?", "Gone.", "Delete", danger=True)
    shown(qtbot, again)
    again.act.click()
    assert again.result() == QDialog.DialogCode.Accepted


# Bars


def test_the_rail_marks_one_page_and_says_names(qtbot: QtBot) -> None:
    rail = Rail()
    shown(qtbot, rail)
    rail.set_entries([RailEntry("records", "list", "Records"), RailEntry("people", "people", "People")])
    rail.mark("people")
    assert [button.isChecked() for button in rail._ids] == [False, True]
    assert [button.accessibleName() for button in rail._ids] == ["Records", "People"]
    rail.mark("workbench")
    assert not any(button.isChecked() for button in rail._ids)
    with qtbot.waitSignal(rail.chosen) as heard:
        next(iter(rail._ids)).click()
    assert heard.args == ["records"]
    assert rail.width() == 56


@pytest.mark.parametrize("state", list(ServiceState))
def test_every_state_of_the_service_has_a_word_and_a_colour(qtbot: QtBot, state: ServiceState) -> None:
    assert service_word(state).startswith("Service")
    assert service_tone(state) in {"passed", "undecided", "failed"}


def test_the_top_bar_shows_where_and_leads_back(qtbot: QtBot) -> None:
    bar = TopBar()
    shown(qtbot, bar)
    bar.set_crumbs([("Records", "records"), ("B-1234", ""), ("Left wing root", "")])
    bar.set_crumbs([("Records", "records"), ("Left wing root", "")])
    bar.set_status("in_progress")
    assert bar.chip.text == "In progress"
    links: list[Button] = []

    def one_link() -> bool:
        links[:] = [button for button in bar.findChildren(Button) if button.isVisible()]
        return [link.text() for link in links] == ["Records"]

    qtbot.waitUntil(one_link)
    with qtbot.waitSignal(bar.crumb_chosen) as heard:
        links[0].click()
    assert heard.args == ["records"]
    bar.set_status("")
    assert not bar.chip.isVisible()
    assert bar.height() == 48


def test_the_save_mark_counts(qtbot: QtBot) -> None:
    mark = SaveMark()
    qtbot.addWidget(mark)
    texts = set()
    for state in SaveState:
        mark.show_state(state, 2)
        texts.add(mark.text())
        assert mark.accessibleName() == mark.text()
    assert len(texts) == 3


def test_headers_and_status_bar(qtbot: QtBot, mode: Mode) -> None:
    header = PageHeader("Records", "53")
    header.add_action(Button("Export"))
    bar = StatusBar()
    for widget in (header, bar, Logo(), Symbol("check", "passed"), ProgressBar("Progress")):
        shown(qtbot, widget)
        assert not widget.grab().isNull()
    bar.say("file.jpg", "x 1 y 2")
    assert bar.height() == 26


def test_progress_is_accent_under_way_and_quiet_when_full(qtbot: QtBot, mode: Mode) -> None:
    bar = ProgressBar("Progress")
    bar.resize(90, 5)
    qtbot.addWidget(bar)
    bar.setValue(40)
    assert look().theme.accent in colours(bar.grab().toImage())
    bar.setValue(100)
    assert look().theme.accent not in colours(bar.grab().toImage())
    assert look().theme.dim in colours(bar.grab().toImage())


def test_plain_text_stays_plain(qtbot: QtBot) -> None:
    made = label("<b>not markup</b>")
    qtbot.addWidget(made)
    assert made.textFormat() == Qt.TextFormat.PlainText


def test_the_columns_of_a_table_grow_and_shrink_together(qtbot: QtBot) -> None:
    table: Table[str] = Table("Things", [Column("Name", str, stretch=True), Column("Kind", str, 100)])
    qtbot.addWidget(table)
    table.resize(260, 200)
    table.show()
    assert table.columnWidth(1) == 70
    table.resize(400, 200)
    qtbot.waitUntil(lambda: table.columnWidth(1) == 100)
    table.resize(1200, 200)
    qtbot.waitUntil(lambda: table.columnWidth(1) > 250)
    assert table.columnWidth(0) > 2 * table.columnWidth(1)
    assert table.columnWidth(0) + table.columnWidth(1) == table.viewport().width()


def test_on_hover_names_are_no_markup(qtbot: QtBot) -> None:
    # Qt takes a tooltip that looks like HTML for HTML, and reads the pictures that it names.
    name = "<img src='file:///etc/hostname'> <b>0.5 < 1</b> &amp;  twice"

    def told(tooltip: str) -> str:
        document = QTextDocument()
        document.setHtml(tooltip)
        return document.toPlainText()

    table: Table[str] = Table("Things", [Column("Name", str, 60)])
    line, button = Line(name), IconButton("ruler", name)
    for widget in (table, line, button):
        qtbot.addWidget(widget)
    table.show_rows([name])
    line.resize(40, 20)
    line.setText(name)
    assert told(table.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole)) == name
    assert told(line.toolTip()) == name
    assert told(button.toolTip()) == name
    assert tip("A & B") == "A & B"


@pytest.mark.parametrize(
    "text", ["A name of several words, none of them long", "没有空格的很长的名称" * 3, "one"]
)
def test_a_folded_text_loses_nothing_and_keeps_within_its_width(qtbot: QtBot, text: str) -> None:
    metrics = QFontMetrics(QApplication.font())
    lines = folded(text, metrics, 120).split("\n")
    assert all(metrics.horizontalAdvance(line) <= 120 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert (len(lines) > 1) == (metrics.horizontalAdvance(text) > 120)
    assert folded("R & D\nx", metrics, 120) == "R && D\nx"
