"""Reads the guide and presses in the window what it names, by the visible text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QWidget,
)

from desktop.demo.driver.demo_run import DemoRun
from desktop.demo.driver.window_driver import (
    choose_files,
    click,
    click_in_dialog,
    find_widget,
    press_keys,
    process_events,
    type_text,
    wait_until,
)
from desktop.pages.workbench import WorkbenchPage
from desktop.widgets import answers_by_program
from desktop.widgets.dialogs import Confirm
from shared.system.paths import resource_path

SECONDS = 150.0
WidgetT = TypeVar("WidgetT", bound=QWidget)


@cache
def translations() -> dict[str, set[str]]:
    """The Chinese of each English text."""
    found: dict[str, set[str]] = {}
    for message in ET.parse(resource_path("translations", "walkaround_zh_CN.ts")).iter("message"):
        found.setdefault(message.findtext("source") or "", set()).add(message.findtext("translation") or "")
    return found


@cache
def bold_names(language: str, topic: str) -> set[str]:
    """What a page of the guide has in bold."""
    page = resource_path("guide", language, f"{topic}.md").read_text("utf-8")
    return set(re.findall(r"\*\*(.+?)\*\*", page))


class Reader:
    """A user who has one page of the guide open and presses what it names."""

    def __init__(self, demo: DemoRun) -> None:
        self.demo, self.topic = demo, ""

    def open(self, topic: str) -> None:
        """Open a page of the guide."""
        self.topic = topic

    def go(self, page: str) -> None:
        """Go to a page of the window by its keys."""
        press_keys(self.demo.desktop.window, self.demo.first_key(f"go.{page}"))
        wait_until(lambda: self.demo.is_in_front(page), f"{page} is in front", SECONDS)
        process_events()

    def name(self, english: str) -> str:
        """What the open page calls a control in the reader's language."""
        assert english in bold_names("en", self.topic), f"{self.topic} does not name {english}"
        if self.demo.texts.language == "en":
            return english
        named = translations()[english] & bold_names("zh_CN", self.topic)
        assert named, f"{self.topic} does not name {translations()[english]}"
        return next(iter(named))

    # -- what a reader does

    def press(self, english: str) -> None:
        """Press the button, tab or entry of an open menu with this visible name."""
        name = self.name(english)
        press = wait_until(lambda: self.find_control(name), f"{name} can be pressed", SECONDS)
        assert press is not None
        with answers_by_program():
            press()
        process_events()

    def press_and_confirm(self, english: str) -> None:
        """Press a control that asks, and confirm."""
        click_in_dialog(Confirm, lambda: self.press(english), lambda question: question.confirm_button)

    def choose_file(self, english: str, path: Path) -> None:
        """Press a control that asks for a file or folder, and choose one."""
        choose_files(lambda: self.press(english), [path])

    def from_menu(self, english: str) -> None:
        """Press an entry of the workbench's menu "More"."""
        click(find_widget(QAbstractButton, self.demo.page(WorkbenchPage), "record-more"))
        self.press(english)

    def see(self, english: str) -> None:
        """Wait until the name is shown."""
        name = self.name(english)
        wait_until(
            lambda: name in set().union(*map(_texts, self._shown(QWidget))), f"{name} is shown", SECONDS
        )

    def write(self, english: str, text: str) -> None:
        """Type into the field with this label."""
        name = self.name(english)
        field = wait_until(lambda: self._find_field(name), f"the field {name} is shown", SECONDS)
        assert field is not None
        if isinstance(field, QDoubleSpinBox):
            field.selectAll()
            QTest.keyClicks(field, text)
        else:
            type_text(field, text)

    def close_dialog(self) -> None:
        """Wait for a dialog and close it."""
        wait_until(open_dialogs, "a dialog opens", SECONDS)[0].close()
        process_events()

    # -- what a reader sees

    def _shown(self, kind: type[WidgetT]) -> list[WidgetT]:
        """The visible widgets of the window in front; a window that was replaced does not count."""
        modal = QApplication.activeModalWidget()
        windows = [modal] if modal is not None else [*open_dialogs(), self.demo.desktop.window]
        return [widget for window in windows for widget in window.findChildren(kind) if widget.isVisible()]

    def find_control(self, name: str) -> Callable[[], object] | None:
        """How to press the enabled control with this name; None if there is none."""
        for menu in QApplication.topLevelWidgets():
            if isinstance(menu, QMenu) and menu.isVisible() and (entry := _find_entry(menu, name)):
                return partial(_choose_entry, entry)
        buttons = self._shown(QAbstractButton)
        found = next((button for button in buttons if button.isEnabled() and name in _texts(button)), None)
        return None if found is None else partial(QTest.mouseClick, found, Qt.MouseButton.LeftButton)

    def _find_field(self, name: str) -> QWidget | None:
        """The editor beside this label, or with this text in it while it is empty."""
        for label in self._shown(QLabel):
            buddy: QWidget | None = label.buddy()
            if label.text() == name and buddy is not None and buddy.isEnabled():
                return buddy
        editors: list[QLineEdit | QPlainTextEdit] = [*self._shown(QLineEdit), *self._shown(QPlainTextEdit)]
        return next((editor for editor in editors if editor.placeholderText() == name), None)


def open_dialogs() -> list[QDialog]:
    """The dialogs that are shown."""
    widgets = QApplication.topLevelWidgets()
    return [widget for widget in widgets if isinstance(widget, QDialog) and widget.isVisible()]


def _texts(widget: QWidget) -> set[str]:
    """What a person can read of a widget: its text without a count, or the name of an icon."""
    text = widget.text() if isinstance(widget, QAbstractButton | QLabel) else ""
    return {re.sub(r"\s+\d+$", "", text.replace("&&", "&")), widget.accessibleName()} - {""}


def _find_entry(menu: QMenu, name: str) -> QAction | None:
    for entry in menu.actions():
        below = entry.menu()
        if isinstance(below, QMenu):
            if found := _find_entry(below, name):
                return found
        elif entry.text().split("\t")[0] == name and entry.isEnabled():
            return entry
    return None


def _choose_entry(entry: QAction) -> None:
    entry.trigger()
    while (menu := QApplication.activePopupWidget()) is not None:
        menu.close()
        process_events()
