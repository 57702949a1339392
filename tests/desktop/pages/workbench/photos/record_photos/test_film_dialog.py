"""Tests that frames of a film become photos of the record."""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.client.http.errors import Forbidden
from desktop.imaging.decoding.errors import ImageError
from desktop.imaging.film import Film
from desktop.pages.workbench.photos.record_photos import films
from desktop.pages.workbench.photos.record_photos.film_dialog import FilmDialog
from desktop.pages.workbench.photos.record_photos.films import FilmsDialog
from desktop.widgets import Confirm
from shared.record.codes import Verdict
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture
from tests.desktop.pages.workbench.photos.test_drag_and_drop import drop
from tests.films import make_film
from tests.narrowing import not_none

_SOON = 60_000


def test_frames_of_a_film_become_photos_of_the_record(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_film(tmp_path / "borescope.avi")
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    monkeypatch.setattr(films, "open_file", lambda *_: path)
    workbench.context.commands.run("record.film")
    dialog = not_none(workbench.page.findChild(FilmDialog))
    qtbot.waitUntil(lambda: dialog.strip.count() == 24, timeout=_SOON)
    dialog.strip.itemClicked.emit(not_none(dialog.strip.item(12)))
    assert dialog.slider.value() == 20
    assert dialog.time.text() == "00:02.000 / 00:04.000"
    for number in (20, 21):
        qtbot.waitUntil(dialog.take.isEnabled, timeout=_SOON)
        dialog.slider.setValue(number)
        qtbot.waitUntil(partial(is_shown, dialog, number), timeout=_SOON)
        with qtbot.waitSignal(dialog.taken, timeout=_SOON):
            dialog.take.click()
    dialog.close()
    photos = workbench.page.photos.record_photos.photo_list
    qtbot.waitUntil(lambda: len(photos.photos) == 2, timeout=_SOON)
    stored = workbench.session.files.download(photos.photos[0].file_id)
    assert hashlib.sha256(path.read_bytes()).hexdigest().encode() in stored
    assert b"of borescope.avi" in stored
    names = {photo.file.filename for photo in photos.photos}
    assert names == {"borescope.avi 00-02.000.jpg", "borescope.avi 00-02.100.jpg"}


def test_a_frame_becomes_a_photo_of_the_chosen_item(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    path = make_film(tmp_path / "borescope.avi")
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    item = workbench.session.items.all(record_id)[1]
    workbench.page.open_record.choose(item.item_id)
    workbench.page.photos.record_photos.films.show(path)
    dialog = not_none(workbench.page.findChild(FilmDialog))
    assert dialog.of_item.text() == "For item 2"
    dialog.of_item.setChecked(True)
    qtbot.waitUntil(dialog.take.isEnabled, timeout=_SOON)
    with qtbot.waitSignal(dialog.taken, timeout=_SOON):
        dialog.take.click()
    dialog.close()
    qtbot.waitUntil(lambda: len(workbench.session.items.photos(item.item_id)) == 1, timeout=_SOON)
    assert workbench.page.photos.record_photos.photo_list.photos == []


def test_the_shown_frame_is_taken_while_the_next_one_is_read(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = FilmDialog(make_film(tmp_path / "borescope.avi"))
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(dialog.take.isEnabled, timeout=_SOON)
    dialog.slider.setValue(30)
    with qtbot.waitSignal(dialog.taken, timeout=_SOON) as taken:
        dialog.take.click()
    assert taken.args[0].name == "borescope.avi 00-00.000.jpg"


def test_a_frame_that_cannot_be_taken_can_be_taken_again(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = FilmDialog(make_film(tmp_path / "borescope.avi"))
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(dialog.take.isEnabled, timeout=_SOON)

    def refuse(_film: Film, _number: int) -> None:
        raise ImageError("Cannot read the film.")

    with monkeypatch.context() as patch:
        patch.setattr(Film, "take", refuse)
        dialog.take.click()
        qtbot.waitUntil(lambda: "Cannot read the film." in shown_text(dialog), timeout=_SOON)
    assert dialog.take.isEnabled()
    with qtbot.waitSignal(dialog.taken, timeout=_SOON):
        dialog.take.click()


def test_a_film_that_is_refused_can_be_kept_again(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    workbench.page.photos.record_photos.films.show(make_film(tmp_path / "borescope.avi"))
    dialog = not_none(workbench.page.findChild(FilmDialog))
    qtbot.waitUntil(dialog.keep.isEnabled, timeout=_SOON)

    def refuse(*_: object) -> None:
        raise Forbidden("Films are not allowed.")

    with monkeypatch.context() as patch:
        patch.setattr(workbench.session.films, "add", refuse)
        dialog.keep.click()
        assert dialog.count.text() == "Uploading film…"
        qtbot.waitUntil(dialog.keep.isEnabled, timeout=_SOON)
    assert dialog.count.text() == ""
    dialog.keep.click()
    qtbot.waitUntil(lambda: dialog.count.text() == "Film kept", timeout=_SOON)
    assert not dialog.keep.isEnabled()
    dialog.close()


def test_a_dropped_film_is_shown(workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path) -> None:
    path = make_film(tmp_path / "drone.mp4")
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    drop(workbench.page, data)
    qtbot.waitUntil(lambda: workbench.page.findChild(FilmDialog) is not None, timeout=_SOON)
    dialog = not_none(workbench.page.findChild(FilmDialog))
    qtbot.waitUntil(dialog.take.isEnabled, timeout=_SOON)
    dialog.close()


def test_a_question_about_a_used_photo_waits_for_the_film_dropped_with_it(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    session, window = workbench.session, workbench.page.window()
    photo, film = tmp_path / "used.png", make_film(tmp_path / "drone.avi")
    photo.write_bytes(picture(5))
    session.photos.add(make_record(session), session.files.upload(photo).file_id)
    workbench.open(make_record(session), qtbot.waitUntil)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in (photo, film)])
    drop(workbench.page, data)
    photos = workbench.page.photos.record_photos
    qtbot.waitUntil(lambda: photos.queue.failures != [], timeout=_SOON)
    dialog = not_none(workbench.page.findChild(FilmDialog))
    qtbot.waitUntil(dialog.take.isEnabled, timeout=_SOON)
    assert window.findChild(Confirm, "used-photos") is None
    dialog.close()
    qtbot.waitUntil(lambda: window.findChild(Confirm, "used-photos") is not None, timeout=_SOON)
    assert not workbench.page.findChildren(FilmDialog)
    not_none(window.findChild(Confirm, "used-photos")).confirm_button.click()
    qtbot.waitUntil(lambda: len(photos.photo_list.photos) == 1, timeout=_SOON)


def test_a_damaged_film_says_why(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "broken.mp4"
    path.write_bytes(b"\0\0\0\x18ftypisom" * 9)
    dialog = FilmDialog(path)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: "broken.mp4" in shown_text(dialog), timeout=_SOON)
    assert not dialog.take.isEnabled()


def test_a_film_is_kept_listed_opened_saved_and_removed(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_film(tmp_path / "孔探.avi")
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    controller = workbench.page.photos.record_photos.films
    controller.show(path)
    dialog = not_none(workbench.page.findChild(FilmDialog))
    qtbot.waitUntil(dialog.keep.isEnabled, timeout=_SOON)
    dialog.keep.click()
    assert not dialog.keep.isEnabled()
    dialog.close()
    listed = open_list(workbench, qtbot, films_shown=1)
    assert not_none(listed.list.item(0)).text().startswith("孔探.avi\n")
    assert hashlib.sha256(path.read_bytes()).hexdigest() in not_none(listed.list.item(0)).toolTip()
    saved = tmp_path / "saved.avi"
    monkeypatch.setattr(films, "choose_file", lambda *_: (saved, ".avi"))
    listed.save.click()
    qtbot.waitUntil(listed.save.isEnabled, timeout=_SOON)
    assert saved.read_bytes() == path.read_bytes()
    with qtbot.waitSignal(listed.opened, timeout=_SOON) as opened:
        listed.open_button.click()
    copy = opened.args[0]
    again = not_none(workbench.page.findChild(FilmDialog))
    assert not again.keep.isVisible()
    qtbot.waitUntil(again.take.isEnabled, timeout=_SOON)
    with qtbot.waitSignal(again.taken, timeout=_SOON) as taken:
        again.take.click()
    assert taken.args[0].name == "孔探.avi 00-00.000.jpg"
    again.close()
    qtbot.waitUntil(lambda: not copy.parent.exists(), timeout=_SOON)
    listed = open_list(workbench, qtbot, films_shown=1)
    monkeypatch.setattr(films, "confirm", lambda *_: True)
    listed.remove.click()
    qtbot.waitUntil(lambda: listed.list.count() == 0, timeout=_SOON)
    assert not listed.open_button.isEnabled()
    listed.close()


def test_films_of_a_sealed_record_are_only_shown(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    session, record_id = workbench.session, make_record(workbench.session)
    session.films.add(record_id, session.files.upload(make_film(tmp_path / "a.avi")).file_id)
    for item in session.items.all(record_id):
        session.items.set_verdict(item.item_id, Verdict.PASSED)
    session.records.finish(record_id)
    workbench.open(record_id, qtbot.waitUntil)
    listed = open_list(workbench, qtbot, films_shown=1)
    assert not listed.remove.isVisible()
    assert not listed.add.isVisible()
    with qtbot.waitSignal(listed.opened, timeout=_SOON):
        listed.open_button.click()
    dialog = not_none(workbench.page.findChild(FilmDialog))
    qtbot.waitUntil(lambda: dialog.film is not None, timeout=_SOON)
    assert not dialog.take.isVisible()
    assert not dialog.keep.isVisible()
    dialog.close()


def open_list(workbench: WorkbenchDriver, qtbot: QtBot, films_shown: int) -> FilmsDialog:
    record_id = workbench.page.open_record.record_id
    qtbot.waitUntil(lambda: len(workbench.session.films.list(record_id)) == films_shown, timeout=_SOON)
    workbench.context.commands.run("record.films")
    dialogs = [each for each in workbench.page.findChildren(FilmsDialog) if each.isVisible()]
    qtbot.waitUntil(lambda: dialogs[-1].list.count() == films_shown, timeout=_SOON)
    return dialogs[-1]


def is_shown(dialog: FilmDialog, number: int) -> bool:
    return dialog.shown_number == number


def shown_text(dialog: FilmDialog) -> str:
    return " ".join(each.text() for each in dialog.findChildren(QLabel) if each.isVisible())
