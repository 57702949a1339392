"""The inspector folds in a narrow window, and a button in sight brings it back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record


@pytest.fixture
def desk(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    """The page with an empty record open."""
    # As in the window, whose least size does not depend on what the page needs.
    workbench.page.setMinimumSize(1, 1)
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    return workbench


@pytest.mark.parametrize(
    ("width", "folded"), [(712, True), (930, True), (952, False), (1266, False), (1920, False)]
)
def test_inspector_folds_by_the_width_of_the_window(
    desk: WorkbenchDriver, qtbot: QtBot, width: int, folded: bool
) -> None:
    desk.page.window().resize(width, 760)
    qtbot.waitUntil(lambda: desk.page.inspector.isHidden() is folded)


def test_button_unfolds_the_inspector(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    page.window().resize(900, 760)
    qtbot.waitUntil(page.inspector.isHidden)
    assert page.top.panel.isVisible()
    qtbot.mouseClick(page.top.panel, Qt.MouseButton.LeftButton)
    assert page.inspector.isVisible()
    page.window().resize(910, 760)
    assert page.inspector.isVisible(), "the user's choice holds when the window changes"
    qtbot.mouseClick(page.top.panel, Qt.MouseButton.LeftButton)
    assert page.inspector.isHidden()
