from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.folder_watch import cards
from desktop.folder_watch.cards import Card, CardFinder, card_at, mounted_cards


def test_volume_with_a_dcim_folder_is_a_card(tmp_path: Path) -> None:
    assert card_at(tmp_path, "EOS_DIGITAL") is None
    (tmp_path / "DCIM").mkdir()
    assert card_at(tmp_path, "EOS_DIGITAL") == Card("EOS_DIGITAL", tmp_path / "DCIM")
    assert card_at(tmp_path, str(tmp_path)) == Card(tmp_path.name, tmp_path / "DCIM")
    assert all(card.folder.is_dir() for card in mounted_cards())


def test_card_is_reported_once_until_it_is_removed(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, qapp: object
) -> None:
    card = Card("EOS_DIGITAL", Path("/media/EOS_DIGITAL/DCIM"))
    mounted = [card]
    monkeypatch.setattr(cards, "mounted_cards", lambda: list(mounted))
    finder = CardFinder(qapp)  # type: ignore[arg-type]
    finder._next.setInterval(1)
    events: list[tuple[str, Card]] = []
    finder.appeared.connect(lambda it: events.append(("in", it)))
    finder.removed.connect(lambda it: events.append(("out", it)))
    finder.start()
    qtbot.waitUntil(lambda: events == [("in", card)])
    mounted.clear()
    qtbot.waitUntil(lambda: events == [("in", card), ("out", card)])
    mounted.append(card)
    qtbot.waitUntil(lambda: events[2:] == [("in", card)])
    finder.stop()
    finder.deleteLater()
