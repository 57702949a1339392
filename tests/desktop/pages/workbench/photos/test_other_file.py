"""Items that are marked on another image: shown on that image, and moved to the record's."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from desktop.client import Session
from shared.wire.inspection import ItemCreate
from tests.desktop.pages.workbench.driver import BOXES, HEIGHT, WIDTH, WorkbenchDriver, make_record, picture
from tests.narrowing import not_none, reread

PLACE = (0.3, 0.3, 0.2, 0.1)


def add_item_on_other_file(session: Session, record_id: str, name: str = "尾翼.png") -> str:
    """An item on a file that is not the record's reference image; its id."""
    stored = session.files.upload(picture(7), name)
    x, y, w, h = PLACE
    info = {"download_url": stored.download_url, "filename": name, "ipfs_cid": stored.ipfs_cid}
    place = {"point": {"x": x, "y": y, "w": w, "h": h}, "fileInfo": info}
    body = {"item_name": "尾翼", "inspection_id": record_id, "model_id": "reference-difference"}
    return session.items.create(ItemCreate.model_validate({**body, "item_point": place})).value.item_id


def names_on_view(desk: WorkbenchDriver) -> list[str]:
    return [region.label for region in desk.page.canvas.view.store]


def test_the_canvas_shows_the_picture_that_the_chosen_item_names(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session)
    item_id = add_item_on_other_file(workbench.session, record_id)
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    assert names_on_view(workbench) == ["条目1", "条目2", "条目3"]
    assert not page.photos.other_file_banner.isVisible()
    assert page.canvas.view.mm_per_pixel == 0.5
    page.items.go_to(item_id)
    assert names_on_view(workbench) == []
    qtbot.waitUntil(lambda: names_on_view(workbench) == ["尾翼"])
    (region,) = page.canvas.view.store
    assert (region.rect.x, region.rect.w) == (PLACE[0] * WIDTH, PLACE[2] * WIDTH)
    assert (region.rect.y, region.rect.h) == (PLACE[1] * HEIGHT, PLACE[3] * HEIGHT)
    assert reread(page.canvas.view.mm_per_pixel) is None
    assert page.photos.other_file_banner.isVisible()
    assert "尾翼.png" in page.photos.other_file_banner.text()
    page.items.go_to(page.open_record.rows[0].item_id)
    qtbot.waitUntil(lambda: len(names_on_view(workbench)) == len(BOXES))
    assert not page.photos.other_file_banner.isVisible()


def test_items_on_other_files_are_drawn_on_the_reference_image_in_one_step(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session)
    item_id = add_item_on_other_file(workbench.session, record_id)
    workbench.open(record_id, qtbot.waitUntil)
    workbench.page.items.go_to(item_id)
    qtbot.waitUntil(lambda: names_on_view(workbench) == ["尾翼"])
    workbench.page.photos.other_file_banner.action_chosen.emit()
    qtbot.waitUntil(lambda: len(names_on_view(workbench)) == len(BOXES) + 1)
    assert not workbench.page.photos.other_file_banner.isVisible()
    qtbot.waitUntil(lambda: workbench.saved)
    record = workbench.session.records.get(record_id).value
    stored = not_none(workbench.session.items.get(item_id).value.item_point).model_dump(exclude_unset=True)
    image = workbench.session.catalogue.reference_images.get(str(record.reference_image_id))
    assert stored["fileInfo"]["ipfs_cid"] == image.ipfs_cid
    assert stored["point"]["x"] == PLACE[0]
    workbench.context.commands.run("edit.undo")
    qtbot.waitUntil(lambda: names_on_view(workbench) == ["尾翼"])


def test_record_without_a_reference_image_shows_the_images_of_its_items(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session, boxes=(), image=False)
    add_item_on_other_file(workbench.session, record_id)
    page = workbench.page
    page.enter({"record_id": record_id})
    qtbot.waitUntil(lambda: names_on_view(workbench) == ["尾翼"])
    assert page.canvas.centre.currentWidget() is page.canvas.view
    assert "尾翼.png" in page.photos.other_file_banner.text()
    workbench.draw(0.6, 0.6, 0.8, 0.8)
    qtbot.waitUntil(lambda: workbench.saved)
    drawn = not_none(workbench.session.items.all(record_id)[-1].item_point).model_dump(exclude_unset=True)
    assert drawn["fileInfo"]["filename"] == "尾翼.png"


def test_item_on_another_file_has_a_thumbnail_before_it_is_chosen(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session)
    item_id = add_item_on_other_file(workbench.session, record_id)
    workbench.open(record_id, qtbot.waitUntil)
    model = workbench.page.items.panel.model
    qtbot.waitUntil(lambda: item_id in model._pictures)
    assert names_on_view(workbench) == ["条目1", "条目2", "条目3"]
    assert workbench.page.open_record.current != item_id


def test_lost_picture_of_an_item_does_not_hide_the_others(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    x, y, w, h = PLACE
    info = {"download_url": "/api/files/no-such-file/content", "filename": "lost.png"}
    place = {"point": {"x": x, "y": y, "w": w, "h": h}, "fileInfo": info}
    body = {"item_name": "没有图", "inspection_id": record_id, "item_point": place}
    workbench.session.items.create(ItemCreate.model_validate(body))
    item_id = add_item_on_other_file(workbench.session, record_id)
    workbench.open(record_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: item_id in workbench.page.items.panel.model._pictures)
