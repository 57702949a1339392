"""The question before photos are lost looks like the other dialogs, and follows the upload."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.app.window import MainWindow
from desktop.context import Context, Unsent
from desktop.theme import stylesheet, theme_manager
from desktop.widgets import Confirm, PageFactory, answers_by_program
from shared.record.codes import Role
from tests.desktop.app.test_window import Login, Records
from tests.desktop.conftest import make_payload
from tests.narrowing import as_instance


@pytest.fixture
def window(qtbot: QtBot, context: Context) -> Iterator[MainWindow]:
    window = MainWindow(context, [PageFactory(kind, kind) for kind in (Login, Records)])
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    context.enter(make_payload(Role.ADMIN))
    yield window
    window.close()


def test_question_is_styled_and_ends_with_the_last_upload(window: MainWindow, context: Context) -> None:
    waiting = 2
    texts: list[str] = []
    sheets: list[str] = []

    def tell(unsent: Unsent) -> None:
        unsent.photos += waiting

    def upload() -> None:
        nonlocal waiting
        dialog = as_instance(QApplication.activeModalWidget(), Confirm)
        texts.append(dialog.text.text())
        sheets.append(dialog.styleSheet())
        waiting -= 1
        if waiting:
            QTimer.singleShot(500, upload)

    context.unsent_requested.connect(tell)
    QTimer.singleShot(100, upload)
    with answers_by_program():
        assert window.close()
    assert [text.split("(")[0] for text in texts] == ["2 photo", "1 photo"]
    assert set(sheets) == {stylesheet(theme_manager().theme)}
