"""Runs tests of the widgets in both themes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from desktop.theme import Mode, theme_manager


@pytest.fixture(params=[Mode.LIGHT, Mode.DARK])
def mode(request: pytest.FixtureRequest, qtbot: QtBot) -> Iterator[Mode]:
    theme_manager().set_mode(request.param)
    yield request.param
    theme_manager().set_mode(Mode.SYSTEM)
