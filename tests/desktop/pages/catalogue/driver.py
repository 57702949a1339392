"""The catalogue opened in a real window, for its tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot

from desktop.context import Context
from desktop.pages.catalogue import CataloguePage
from desktop.pages.common.lists.list_section import TableSection
from shared.images.cv import cv2
from tests.narrowing import as_instance


def open_catalogue(context: Context, qtbot: QtBot, section: str = "aircraft") -> CataloguePage:
    page = CataloguePage(context)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    page.enter({"section": section})
    wait_until_loaded(page, qtbot)
    return page


def wait_until_loaded(page: CataloguePage, qtbot: QtBot) -> None:
    """Wait for the response to the last request of the section in front."""
    section = page.sections[page.current_section]
    qtbot.waitUntil(lambda: section._task is not None and section._task.is_finished)


def picture(path: Path, width: int = 320, height: int = 200) -> Path:
    shade = np.full((height, width, 3), len(path.name) * 7 % 200, np.uint8)
    path.write_bytes(cv2.imencode(".png", shade)[1].tobytes())
    return path


def names(page: CataloguePage, section: str) -> list[str]:
    model = as_instance(page.sections[section], TableSection).table.rows_model
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]
