"""The thumbnails of the list show the findings in the photo."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QPixmap
from pytestqt.qtbot import QtBot

from desktop.canvas.model.regions import RegionStore
from desktop.client.http.errors import Unreachable
from desktop.pages.workbench.items import crops
from desktop.pages.workbench.items.items_model import ItemsModel, Role
from desktop.pages.workbench.photos.photo_strip import PhotoStrip
from desktop.record.document import ItemView
from desktop.record.item_rows import row_of
from shared.images.cv import cv2
from shared.wire.inspection import FileInfo, ItemUpdate, Photo
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record


def _middle(workbench: WorkbenchDriver, place: int) -> QColor | None:
    model = workbench.page.items.panel.model
    picture = model.data(model.index(place), Role.PICTURE)
    if not isinstance(picture, QPixmap):
        return None
    return picture.toImage().pixelColor(picture.rect().center())


def _found(x: int) -> dict[str, object]:
    """The result image of a detection that found a dent at `x`."""
    points = {"x1": x, "y1": 100, "x2": x + 60, "y2": 160}
    return {"boxes": [{"label": "dent", "confidence": 0.9, "points": points}]}


def _add_detection(workbench: WorkbenchDriver, item_id: str, name: str, version: int, x: int) -> None:
    """Put a red photo with a green square at `x` and a detection that found the square into an item."""
    image = np.zeros((400, 600, 3), np.uint8)
    image[:, :, 2] = 255
    image[100:160, x : x + 60] = (0, 255, 0)
    stored = workbench.session.files.upload(cv2.imencode(".png", image)[1].tobytes(), name)
    entry = {
        "version": version,
        "isPassed": False,
        "progress": "done",
        "inputImage": {"download_url": stored.download_url, "ipfs_cid": stored.ipfs_cid},
        "resultImage": _found(x),
    }
    workbench.session.items.update(item_id, ItemUpdate.model_validate({"result": [entry]}), None)


def _green(colour: QColor | None) -> bool:
    return colour is not None and colour.green() > 200 and colour.red() < 80


def test_crop_shows_the_finding_or_else_the_reference(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    first = workbench.session.items.all(record_id)[0].item_id
    _add_detection(workbench, first, "one.png", 1, 200)
    workbench.open(record_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: _green(_middle(workbench, 0)))
    qtbot.waitUntil(lambda: _middle(workbench, 1) is not None)
    assert not _green(_middle(workbench, 1))


def test_crop_follows_new_and_removed_results(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    first = workbench.session.items.all(record_id)[0].item_id
    workbench.open(record_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: _middle(workbench, 0) is not None)
    assert not _green(_middle(workbench, 0))
    _add_detection(workbench, first, "two.png", 1, 300)
    workbench.page.reload()
    qtbot.waitUntil(lambda: _green(_middle(workbench, 0)))
    workbench.session.items.update(first, ItemUpdate.model_validate({"result": []}), None)
    workbench.page.reload()
    qtbot.waitUntil(lambda: not _green(_middle(workbench, 0)))
    assert _middle(workbench, 0) is not None


def test_missing_photo_leaves_the_crops_of_the_other_photos(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    first, second, _third = (item.item_id for item in workbench.session.items.all(record_id))
    lost = {"version": 1, "isPassed": False, "progress": "done", "resultImage": _found(200)}
    lost["inputImage"] = {"download_url": "/api/files/no-such-file/content", "filename": "lost.png"}
    workbench.session.items.update(first, ItemUpdate.model_validate({"result": [lost]}), None)
    _add_detection(workbench, second, "one.png", 1, 200)
    workbench.open(record_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: _green(_middle(workbench, 1)))
    qtbot.waitUntil(lambda: _middle(workbench, 0) is not None)


def test_crops_are_made_when_the_service_is_back(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(workbench.session)
    first = workbench.session.items.all(record_id)[0].item_id
    _add_detection(workbench, first, "one.png", 1, 200)
    monkeypatch.setattr(crops, "_RETRY_MS", 100)
    asked: list[object] = []

    def refuse(*arguments: object) -> object:
        asked.append(arguments)
        raise Unreachable

    with monkeypatch.context() as patch:
        patch.setattr(crops, "fetch_photo", refuse)
        workbench.open(record_id, qtbot.waitUntil)
        qtbot.waitUntil(lambda: bool(asked))
    qtbot.waitUntil(lambda: _green(_middle(workbench, 0)))


def test_thumbnails_of_another_record_are_dropped(qapp: object) -> None:
    strip = PhotoStrip()
    photo = Photo(
        photo_id="p",
        item_id="i",
        file=FileInfo(),
        file_id="f",
        added_by=None,
        added_by_name=None,
        created_at=datetime(2026, 1, 2, tzinfo=UTC),
    )
    assert strip.show_photos([photo], "", False) == [photo]
    strip.set_image(photo, QImage(8, 8, QImage.Format.Format_RGB32))
    assert strip.show_photos([photo], "", False) == []
    strip.clear()
    assert strip.show_photos([photo], "", False) == [photo]
    strip.deleteLater()


def test_painting_asks_for_a_picture_once_until_pictures_may_have_changed(qapp: object) -> None:
    model, wanted = ItemsModel(RegionStore()), list[str]()
    model.picture_wanted.connect(wanted.append)
    model.show([row_of(ItemView("a", "a"), 1, {})])
    for _ in range(2):
        model.data(model.index(0), Role.PICTURE)
    assert wanted == ["a"]
    model.ask_for_pictures()
    model.data(model.index(0), Role.PICTURE)
    assert wanted == ["a", "a"]
