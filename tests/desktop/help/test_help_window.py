"""F1: the window of the guide opens on the page for where the person is."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

import desktop
from desktop.app.application import build_pages
from desktop.app.window import MainWindow
from desktop.commands.registry import COMMANDS
from desktop.context import Context
from desktop.help import Guide, HelpWindow, find_topic
from desktop.help.guide import _DIALOG_TOPICS, CONTENTS, START
from desktop.help.window import GuideBrowser
from desktop.localization.language import Language
from desktop.theme import Mode, theme_manager
from desktop.widgets import Dialog
from desktop.widgets.dialogs import BaseDialog

TOPICS = {topic for part in CONTENTS for topic in part.topics}
# Questions over the page or dialog that they are about, whose page of the guide they have.
PLAIN = {"BaseDialog", "CameraDialog", "Confirm", "Dialog", "FilmStripDialog", "Form"}


@pytest.fixture
def window(qtbot: QtBot, context: Context) -> Iterator[MainWindow]:
    window = MainWindow(context, build_pages(context, lambda _url: None))
    window.show()
    yield window
    window.close()
    window.deleteLater()


def dialogs() -> set[type[QDialog]]:
    for module in pkgutil.walk_packages(desktop.__path__, "desktop."):
        importlib.import_module(module.name)

    def below(kind: type[QDialog]) -> set[type[QDialog]]:
        return {kind}.union(*(below(child) for child in kind.__subclasses__()))

    return {kind for kind in below(BaseDialog) if kind.__module__.startswith("desktop.")}


def test_every_page_has_its_topic(context: Context) -> None:
    for factory in build_pages(context, lambda _url: None):
        page = factory.create()
        assert find_topic(page) in TOPICS - {START}, page.page_id
        page.deleteLater()


def test_every_dialog_has_a_topic() -> None:
    kinds = dialogs()
    assert len(kinds) > 25
    listed = {
        kind.__name__ for kind in kinds if any(base.__name__ in _DIALOG_TOPICS for base in kind.__mro__)
    }
    assert {kind.__name__ for kind in kinds} - listed == PLAIN
    assert set(_DIALOG_TOPICS.values()) <= TOPICS


def test_listed_dialogs_exist_and_every_dialog_answers_f1() -> None:
    dialogs()

    def below(kind: type[QDialog]) -> set[type[QDialog]]:
        return {kind}.union(*(below(child) for child in kind.__subclasses__()))

    ours = {kind for kind in below(QDialog) if kind.__module__.startswith("desktop.")}
    assert {kind.__name__ for kind in ours if not issubclass(kind, BaseDialog)} == set()
    assert set(_DIALOG_TOPICS) <= {kind.__name__ for kind in ours}


def test_f1_on_the_login_page_opens_its_page_and_again_reuses_the_window(
    qtbot: QtBot, window: MainWindow
) -> None:
    assert COMMANDS["help"].keys == ("F1",)
    window._context.commands.run("help")
    shown = window.assistance.help
    assert shown is not None
    assert shown.isVisible()
    assert not shown.isModal()
    assert shown.topic == "log-in"
    shown.open_topic("backups")
    window._context.commands.run("help")
    assert window.assistance.help is shown
    assert shown.topic == "log-in"


def test_f1_in_a_dialog_opens_a_window_that_it_does_not_block(qtbot: QtBot, window: MainWindow) -> None:
    class ReopenDialog(Dialog):
        pass

    dialog = ReopenDialog(window)
    dialog.open()
    qtbot.keyClick(dialog, Qt.Key.Key_F1)
    shown = window.assistance.help
    assert shown is not None
    assert shown.parentWidget() is dialog
    assert shown.topic == "finish"
    shown.close()
    dialog.close()


@pytest.fixture
def guide_window(qtbot: QtBot, context: Context) -> HelpWindow:
    window = HelpWindow(None, context.commands, "en")
    qtbot.addWidget(window)
    window.open_topic(START)
    return window


def test_back_and_forward(guide_window: HelpWindow) -> None:
    assert not guide_window.back.isEnabled()
    guide_window.open_topic("records")
    guide_window.browser.anchorClicked.emit(QUrl("workbench.md"))
    assert guide_window.topic == "workbench"
    guide_window.go_back()
    guide_window.go_back()
    assert guide_window.topic == START
    guide_window.go_forward()
    assert guide_window.topic == "records"
    assert guide_window.forward.isEnabled()
    guide_window.open_topic("no such page")
    assert guide_window.topic == START
    assert not guide_window.forward.isEnabled()


def test_contents_and_search(guide_window: HelpWindow) -> None:
    def rows() -> list[str]:
        return [
            guide_window.contents.item(row).text().strip() for row in range(guide_window.contents.count())
        ]

    assert len(rows()) == len(TOPICS) + len(CONTENTS)
    current = guide_window.contents.currentItem()
    assert current is not None
    assert current.text().strip() == Guide("en").title(START)
    guide_window.search.setText("fingerprint")
    assert rows()[0].startswith("Where the service is")
    guide_window.contents.itemClicked.emit(guide_window.contents.item(0))
    assert guide_window.topic == "server"
    guide_window.search.setText("xylophone")
    assert rows() == ["Nothing found"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_page_is_rendered_with_its_pictures(qtbot: QtBot, context: Context, language: str) -> None:
    spoken = Language()
    shown = HelpWindow(None, context.commands, language)
    qtbot.addWidget(shown)
    for topic in sorted(TOPICS):
        shown.open_topic(topic)
        text = shown.browser.toPlainText()
        assert text.startswith(shown.guide.title(topic)), topic
        assert "**" not in text, topic
        assert "| " not in text.replace(" | ", ""), topic
    picture = shown.browser.loadResource(
        QTextDocument.ResourceType.ImageResource.value, f"../pictures/{language}/workbench.png"
    )
    assert not picture.isNull()  # type: ignore[attr-defined]
    spoken.end()


def test_page_of_the_keys_follows_the_preferences(qtbot: QtBot, context: Context) -> None:
    context.commands.set_keys("palette", ["Ctrl+J"])
    shown = HelpWindow(None, context.commands, "en")
    qtbot.addWidget(shown)
    shown.open_topic("keys")
    text = shown.browser.toPlainText()
    assert "Ctrl+J" in text
    assert all(context.commands.title(id_) in text for id_ in COMMANDS)


def test_theme_repaints_the_page_and_keeps_it(qtbot: QtBot, guide_window: HelpWindow) -> None:
    guide_window.open_topic("keys")
    theme_manager().set_mode(Mode.DARK)
    try:
        assert guide_window.topic == "keys"
        assert guide_window.browser.toPlainText().startswith("Keyboard shortcuts")
    finally:
        theme_manager().set_mode(Mode.LIGHT)


def test_line_that_names_the_readers_is_upright(qtbot: QtBot) -> None:
    browser = GuideBrowser(Guide("zh_CN"))
    qtbot.addWidget(browser)
    browser.show_topic("records")
    line = browser.document().begin().next()
    assert line.text().startswith("适用于")
    cursor = QTextCursor(line)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
    assert not cursor.charFormat().fontItalic()
