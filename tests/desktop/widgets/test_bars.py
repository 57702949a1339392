"""Tests the bars around a page."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from desktop.connection.local_service import ServiceState
from desktop.theme import Mode
from desktop.widgets import (
    Button,
    IconLabel,
    Logo,
    PageHeader,
    ProgressBar,
    Rail,
    RailEntry,
    SaveMark,
    SaveState,
    StatusBar,
    TopBar,
    service_text,
    service_tone,
)
from tests.desktop.widgets.kit import show_widget


def test_rail_marks_one_page_and_has_accessible_names(qtbot: QtBot) -> None:
    rail = Rail()
    show_widget(qtbot, rail)
    rail.set_entries(
        [RailEntry("records", "list", "Records"), RailEntry("people", "people", "Administration")]
    )
    rail.mark_page("people")
    assert [button.isChecked() for button in rail._ids] == [False, True]
    assert [button.accessibleName() for button in rail._ids] == ["Records", "Administration"]
    rail.mark_page("workbench")
    assert not any(button.isChecked() for button in rail._ids)
    with qtbot.waitSignal(rail.page_chosen) as signal:
        next(iter(rail._ids)).click()
    assert signal.args == ["records"]
    assert rail.width() == 56


@pytest.mark.parametrize("state", list(ServiceState))
def test_every_state_of_the_service_has_a_text_and_a_colour(qtbot: QtBot, state: ServiceState) -> None:
    assert service_text(state).startswith("Service")
    assert service_tone(state) in {"passed", "undecided", "failed"}


def test_top_bar_shows_breadcrumbs_that_open_pages(qtbot: QtBot) -> None:
    bar = TopBar()
    show_widget(qtbot, bar)
    bar.set_crumbs([("Records", "records"), ("B-1234", ""), ("Left wing root", "")])
    bar.set_crumbs([("Records", "records"), ("Left wing root", "")])
    bar.set_status("in_progress")
    assert bar.chip.text == "In progress"
    links: list[Button] = []

    def one_link() -> bool:
        links[:] = [button for button in bar.findChildren(Button) if button.isVisible()]
        return [link.text() for link in links] == ["Records"]

    qtbot.waitUntil(one_link)
    with qtbot.waitSignal(bar.crumb_chosen) as signal:
        links[0].click()
    assert signal.args == ["records"]
    bar.set_status("")
    assert not bar.chip.isVisible()
    assert bar.height() == 48


def test_save_mark_shows_the_number_of_unsent_edits(qtbot: QtBot) -> None:
    mark = SaveMark()
    qtbot.addWidget(mark)
    texts = set()
    for state in SaveState:
        mark.show_state(state, 2)
        texts.add(mark.text())
        assert mark.accessibleName() == mark.text()
    assert len(texts) == len(SaveState)


def test_headers_and_status_bar(qtbot: QtBot, mode: Mode) -> None:
    header = PageHeader("Records", "53")
    header.add_action(Button("Export"))
    bar = StatusBar()
    for widget in (header, bar, Logo(), IconLabel("check", "passed"), ProgressBar("Progress")):
        show_widget(qtbot, widget)
        assert not widget.grab().isNull()
    bar.show_texts("file.jpg", "x 1 y 2")
    assert bar.height() == 26
