"""The choice of a reference image for a record that has none."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.imaging.conversion import prepare_upload
from desktop.imaging.decoding.errors import ImageError
from desktop.pages.workbench.photos import reference_choice
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture
from tests.narrowing import not_none


def test_image_is_set_for_its_record_if_another_one_is_opened_meanwhile(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = workbench.session.records
    first = make_record(workbench.session, boxes=(), image=False)
    second = make_record(workbench.session, boxes=(), image=False)
    path = tmp_path / "left wing root.png"
    path.write_bytes(picture())
    may_upload = threading.Event()

    def prepare_later(source: Path) -> object:
        assert may_upload.wait(20)
        return prepare_upload(source)

    monkeypatch.setattr(reference_choice, "prepare_upload", prepare_later)
    choice = workbench.page.photos.reference
    workbench.open(first, qtbot.waitUntil)
    choice.add(path)
    upload = not_none(choice._task)
    assert not choice._bar.isHidden()
    workbench.open(second, qtbot.waitUntil)
    assert choice._bar.isHidden()
    may_upload.set()
    qtbot.waitUntil(lambda: upload.is_finished)
    first_image = not_none(records.get(first).value.reference_image_id)
    assert records.get(second).value.reference_image_id is None
    choice.add(path)
    qtbot.waitUntil(lambda: records.get(second).value.reference_image_id is not None)
    assert records.get(first).value.reference_image_id == first_image


def test_image_that_cannot_be_set_after_its_record_was_left_says_nothing_in_the_next(
    workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_record(workbench.session, boxes=(), image=False)
    second = make_record(workbench.session, boxes=(), image=False)
    may_upload = threading.Event()

    def fail_later(_source: Path) -> object:
        assert may_upload.wait(20)
        raise ImageError("The picture is damaged.")

    monkeypatch.setattr(reference_choice, "prepare_upload", fail_later)
    choice = workbench.page.photos.reference
    workbench.open(first, qtbot.waitUntil)
    choice.add(tmp_path / "left wing root.png")
    upload = not_none(choice._task)
    workbench.open(second, qtbot.waitUntil)
    may_upload.set()
    qtbot.waitUntil(lambda: upload.is_finished)
    qtbot.wait(50)
    assert not choice._error.text()
    choice.add(tmp_path / "left wing root.png")
    qtbot.waitUntil(lambda: bool(choice._error.text()))
