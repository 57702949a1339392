"""A folder watched from the workbench: found, sent, matched, offered; older photos, removal, restart."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.folder_watch import Card, WatchState, cards, scan, watcher
from desktop.pages.workbench.photos import folder_watch as watching
from desktop.preferences import Preferences
from desktop.widgets import Button
from shared.images.cv import cv2
from shared.record.codes import Verdict
from shared.samples import View, draw_panel, photograph
from tests.desktop.children import click_button, has_button
from tests.desktop.pages.workbench.driver import HEIGHT, WIDTH, WorkbenchDriver, make_record, picture
from tests.narrowing import reread

pytestmark = pytest.mark.slow

_SOON = 60_000


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "_MIN_INTERVAL_MS", 50)
    monkeypatch.setattr(watcher, "_REST_FACTOR", 1)
    monkeypatch.setattr(scan, "_STABLE_SECONDS", 0.04)


@pytest.fixture(scope="module")
def askew() -> bytes:
    image, _ = photograph(draw_panel(WIDTH, HEIGHT, 1).image, View(rotation=2, scale=0.97))
    return bytes(cv2.imencode(".jpg", image)[1])


@pytest.fixture
def card(tmp_path: Path) -> Path:
    folder = tmp_path / "CARD" / "DCIM"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def open_workbench(workbench: WorkbenchDriver, qtbot: QtBot) -> Iterator[WorkbenchDriver]:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    yield workbench
    workbench.page.photos.folder_watch.stop()


def put(folder: Path, name: str, data: bytes, hours: float = 1) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    at = (datetime.now(UTC) + timedelta(hours=hours)).timestamp()
    os.utime(path, (at, at))
    return path


def names(session: Session, record_id: str) -> list[str]:
    return sorted(photo.file.filename or "" for photo in session.photos.list(record_id))


def test_new_photos_are_sent_and_offered_to_the_items_that_they_show(
    open_workbench: WorkbenchDriver, qtbot: QtBot, card: Path, askew: bytes
) -> None:
    page, record_id = open_workbench.page, open_workbench.page.open_record.record_id
    page.photos.folder_watch.watch(card)
    assert page.photos.folder_watch.bar.isVisible()
    qtbot.waitUntil(lambda: page.photos.folder_watch.watcher.last_scan is not None)
    put(card, "100CANON/IMG_1.JPG", askew)
    tray = page.photos.record_photos.tray
    qtbot.waitUntil(lambda: tray.accept.isVisible(), timeout=_SOON)
    assert tray.accept.text() == "Accept for 3 item(s)"
    (thumbnail,) = tray.state.thumbnails
    assert thumbnail.state.startswith("3 item(s) · ")
    bar = page.photos.folder_watch.bar
    qtbot.waitUntil(lambda: "1 photo(s) added." in bar.text())
    assert "“DCIM”" in bar.text()
    assert names(open_workbench.session, record_id) == ["IMG_1.JPG"]

    click_button(bar, "Stop watching")
    assert not bar.isVisible()
    assert page.photos.folder_watch.watcher.state is WatchState.OFF


def test_more_photos_than_are_sent_at_a_time_all_arrive(
    open_workbench: WorkbenchDriver, qtbot: QtBot, card: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_MAX_QUEUED", 2)
    for number in range(5):
        put(card, f"{number}.png", picture(20 + number))
    most = 0

    def count() -> None:
        nonlocal most
        most = max(
            most,
            open_workbench.page.photos.record_photos.queue.count(open_workbench.page.open_record.record_id),
        )

    open_workbench.page.photos.record_photos.queue.changed.connect(count)
    open_workbench.page.photos.folder_watch.watch(card)
    qtbot.waitUntil(
        lambda: "5 photo(s) added." in open_workbench.page.photos.folder_watch.bar.text(), timeout=_SOON
    )
    assert most == 2
    open_workbench.page.photos.record_photos.queue.changed.disconnect(count)


def test_older_photos_need_confirmation(open_workbench: WorkbenchDriver, qtbot: QtBot, card: Path) -> None:
    put(card, "old.png", picture(31), hours=-5)
    put(card, "older.png", picture(32), hours=-50)
    bar = open_workbench.page.photos.folder_watch.bar
    open_workbench.page.photos.folder_watch.watch(card)
    qtbot.waitUntil(lambda: has_button(bar, "Include 2 older photo(s)"))
    assert names(open_workbench.session, open_workbench.page.open_record.record_id) == []
    click_button(bar, "Include 2 older photo(s)")
    qtbot.waitUntil(lambda: "2 photo(s) added." in bar.text(), timeout=_SOON)
    assert not any("older" in button.text() for button in bar.findChildren(Button) if button.isVisible())
    assert names(open_workbench.session, open_workbench.page.open_record.record_id) == [
        "old.png",
        "older.png",
    ]


def test_removed_card_is_reported_and_watched_again(
    open_workbench: WorkbenchDriver, qtbot: QtBot, card: Path
) -> None:
    bar = open_workbench.page.photos.folder_watch.bar
    open_workbench.page.photos.folder_watch.watch(card)
    qtbot.waitUntil(lambda: open_workbench.page.photos.folder_watch.watcher.last_scan is not None)
    hidden = card.rename(card.parent / "hidden")
    qtbot.waitUntil(lambda: "cannot be read" in bar.text())
    put(hidden, "a.png", picture(33))
    hidden.rename(card)
    qtbot.waitUntil(lambda: "1 photo(s) added." in bar.text(), timeout=_SOON)


def test_a_photo_that_was_removed_from_the_record_is_not_offered_again(
    open_workbench: WorkbenchDriver, qtbot: QtBot, card: Path
) -> None:
    page, record_id = open_workbench.page, open_workbench.page.open_record.record_id
    put(card, "a.png", picture(34))
    page.photos.folder_watch.watch(card)
    qtbot.waitUntil(lambda: "1 photo(s) added." in page.photos.folder_watch.bar.text(), timeout=_SOON)
    (photo,) = open_workbench.session.photos.list(record_id)
    open_workbench.session.photos.delete(record_id, photo.photo_id, confirmed=True)
    page.photos.record_photos.photo_list.read()
    qtbot.waitUntil(lambda: not page.photos.record_photos.photo_list.photos)

    copied = card.parent / "again"
    shutil.copytree(card, copied)
    put(copied, "b.png", picture(35))
    page.photos.folder_watch.watch(copied)
    qtbot.waitUntil(lambda: "1 photo(s) added." in page.photos.folder_watch.bar.text(), timeout=_SOON)
    assert names(open_workbench.session, record_id) == ["b.png"]


def test_the_folder_is_offered_for_the_next_record(
    open_workbench: WorkbenchDriver, qtbot: QtBot, card: Path
) -> None:
    page, bar = open_workbench.page, open_workbench.page.photos.folder_watch.bar
    page.photos.folder_watch.watch(card)
    open_workbench.open(make_record(open_workbench.session), qtbot.waitUntil)
    assert reread(page.photos.folder_watch.watcher.state) is WatchState.OFF
    qtbot.waitUntil(lambda: has_button(bar, "Watch for new photos"))
    assert bar.text() == "Folder “DCIM” was watched last. Watch it for this record, too?"
    assert Preferences(open_workbench.context.preferences.path).values.watched_folder == str(card)
    click_button(bar, "Watch for new photos")
    assert page.photos.folder_watch.watcher.state is WatchState.WATCHING
    page.photos.folder_watch.stop()

    open_workbench.open(make_record(open_workbench.session), qtbot.waitUntil)
    qtbot.waitUntil(lambda: has_button(bar, "Close"))
    click_button(bar, "Close")
    assert not bar.isVisible()
    assert open_workbench.context.preferences.values.watched_folder == ""


def test_inserted_card_can_be_watched_with_one_click(
    open_workbench: WorkbenchDriver, qtbot: QtBot, card: Path
) -> None:
    watch, bar = open_workbench.page.photos.folder_watch, open_workbench.page.photos.folder_watch.bar
    inserted = Card("EOS_DIGITAL", card)
    watch.cards.appeared.emit(inserted)
    assert bar.text() == "Memory card “EOS_DIGITAL” has a folder with photos."
    watch.cards.removed.emit(inserted)
    assert not bar.isVisible()
    watch.cards.appeared.emit(inserted)
    click_button(bar, "Watch for new photos")
    assert watch.watcher.state is WatchState.WATCHING


def test_card_is_offered_for_the_next_record_unless_it_was_refused(
    open_workbench: WorkbenchDriver, qtbot: QtBot, card: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bar = open_workbench.page.photos.folder_watch.bar
    monkeypatch.setattr(cards, "mounted_cards", lambda: [Card("EOS_DIGITAL", card)])
    open_workbench.page.photos.folder_watch.cards._next.setInterval(1)
    open_workbench.page.photos.folder_watch.cards.stop()
    open_workbench.page.photos.folder_watch.cards.start()
    qtbot.waitUntil(lambda: has_button(bar, "Watch for new photos"))
    open_workbench.open(make_record(open_workbench.session), qtbot.waitUntil)
    qtbot.waitUntil(lambda: has_button(bar, "Watch for new photos"))
    click_button(bar, "Close")
    open_workbench.open(make_record(open_workbench.session), qtbot.waitUntil)
    assert not bar.isVisible()


def test_a_sealed_record_is_not_watched_for(
    open_workbench: WorkbenchDriver, qtbot: QtBot, card: Path
) -> None:
    notices: list[str] = []
    open_workbench.page.photos.folder_watch.notice.connect(notices.append)
    open_workbench.page.photos.folder_watch.watch(card)
    session, record_id = open_workbench.session, open_workbench.page.open_record.record_id
    for item in session.items.all(record_id):
        session.items.set_verdict(item.item_id, Verdict.PASSED)
    session.records.finish(record_id)
    open_workbench.page.reload()
    qtbot.waitUntil(lambda: open_workbench.page.photos.folder_watch.watcher.state is WatchState.OFF)
    assert notices == ["The record is sealed. The folder is no longer watched."]
