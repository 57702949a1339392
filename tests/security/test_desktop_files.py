"""What the desktop keeps on the disk: for its owner alone, and never one picture in the place of another."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from desktop.imaging.decoding.decoder import Cancellation
from desktop.imaging.decoding.errors import ImageError
from desktop.imaging.sources.pyramid import PyramidCache
from desktop.imaging.sources.remote import TileCache
from desktop.journal import Journal
from desktop.logs import Logs
from desktop.preferences import Preferences
from desktop.record import loading
from shared import samples
from shared.images.cv import cv2
from shared.record.content import cid, sha256

FILE_ID = "11111111-2222-3333-4444-555555555555"
ADDRESS = f"/api/files/{FILE_ID}/content"


def png(side: int) -> bytes:
    return bytes(cv2.imencode(".png", samples.draw_panel(side, side).image)[1])


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps the profile of a person from the others itself")
@pytest.mark.parametrize("there_before", [False, True])
def test_other_users_of_the_machine_cannot_read_stored_files(
    tmp_path: Path, usual_umask: None, there_before: bool, qtbot: QtBot
) -> None:
    folders = {
        name: tmp_path / name / "inner" for name in ("pyramids", "tiles", "logs", "journal", "pictures")
    }
    if there_before:
        for folder in folders.values():
            folder.mkdir(parents=True, mode=0o755)
    pyramid = PyramidCache(folders["pyramids"])
    pyramid.make(png(300), pyramid.path(1, "a" * 64), lambda share: True, Cancellation())
    TileCache(folders["tiles"]).store("a" * 64, "preview", b"x")
    logs = Logs(folders["logs"], lambda _error: None)
    logging.getLogger("desktop").warning("something")
    logs.close()
    Journal.open(folders["journal"] / "user.journal").close()
    loading._store(png(64), folders["pictures"] / sha256(png(64)))
    Preferences(tmp_path / "preferences.json").change(user_name="chief")
    assert {name: f"{folder.stat().st_mode & 0o777:o}" for name, folder in folders.items()} == dict.fromkeys(
        folders, "700"
    )
    assert all(any(folder.iterdir()) for folder in folders.values())
    assert (tmp_path / "preferences.json").stat().st_mode & 0o077 == 0


class Service(QObject):
    """A session that gives one file, whatever is asked for, and a report that nobody reads."""

    base_url = "http://127.0.0.1:1"

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.files, self.content = self, content

    def download(self, file_id: str, progress: Any = None) -> bytes:
        return self.content

    def fetch(self, url: str, progress: Any = None) -> bytes:
        return self.content

    def check(self) -> None:
        pass

    def __call__(self, share: float) -> None:
        pass


def test_no_picture_is_stored_in_place_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "picture_folder", lambda: tmp_path)
    safe_name, damaged = png(64), png(80)
    # What an item says of its file is whatever someone sent: the address of one, the content id of another.
    content_id = cid(sha256(damaged))
    lying: Any = Service(safe_name)
    for url in (ADDRESS, "/api/files/somewhere/thumbnail"):
        with pytest.raises(ImageError, match="a different image"):
            loading.fetch_photo(lying, lying, content_id, "", url)
    with pytest.raises(ImageError, match="a different image"):
        loading.fetch_photo(lying, lying, content_id, FILE_ID)
    assert not list(tmp_path.iterdir())
    honest: Any = Service(damaged)
    assert loading.fetch_photo(honest, honest, content_id, FILE_ID).size == (80, 80)
    assert loading.fetch_photo(lying, lying, content_id, "", ADDRESS).size == (80, 80)
    # Without a content id there is nothing to compare with, and nobody else's place to take.
    assert loading.fetch_photo(lying, lying, None, "", ADDRESS).size == (64, 64)
    assert sorted(path.name.startswith("file-") for path in tmp_path.iterdir()) == [False, True]


@pytest.mark.parametrize("content_id", ["../../x", "/etc/passwd", "b" * 59, "", "b\0", "bafkrei/../../x"])
def test_no_content_id_leads_out_of_the_cache(content_id: str) -> None:
    path = loading.picture_path(content_id, "../../../home/someone/.bashrc")
    assert path.parent == loading.picture_folder()
    assert ".." not in path.name
