"""Items as regions on the canvas: only changes are recomputed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from desktop.canvas.model.regions import Region, RegionChange, RegionStep, RegionStore
from desktop.record.document import Document, ItemView
from desktop.record.item_rows import ItemRows
from desktop.record.region_link import ReferenceFile, RegionLink
from tests.desktop.record.test_document import document
from tests.narrowing import not_none


def _create_link(count: int) -> tuple[Document, ItemRows, RegionLink]:
    doc, link = document(), RegionLink(RegionStore())
    doc.load_items([_item(number) for number in range(count)], [])
    link.record_file = link.file = ReferenceFile({"download_url": "u"})
    link.size = (1000, 1000)
    return doc, ItemRows(), link


def _item(number: int) -> ItemView:
    point: dict[str, Any] = {"point": {"x": number / 10, "y": 0.1, "w": 0.05, "h": 0.05}}
    return ItemView(f"i{number}", f"Item {number}", item_point=point)


def _show(doc: Document, rows: ItemRows, link: RegionLink) -> list[Region]:
    link.show(doc.items, rows.rows_of(doc.items, {}))
    return list(link.store)


def test_only_removed_new_and_changed_regions_are_recomputed() -> None:
    doc, rows, link = _create_link(4)
    before = _show(doc, rows, link)
    renamed = not_none(doc.change("i2", "rename", {"item_name": "crack"}))
    doc.apply([renamed, doc.make("draw", _item(5).fields(), "i5")])
    after = {region.id: region for region in _show(doc, rows, link)}
    assert [after[old.id] is old for old in before] == [True, True, False, True]
    assert (after["i2"].label, after["i5"].number) == ("crack", 5)
    doc.apply([not_none(doc.remove("i0", "remove"))])
    left = {region.id: region.number for region in _show(doc, rows, link)}
    assert left == {"i1": 1, "i2": 2, "i3": 3, "i5": 4}


def test_appearance_of_a_region_is_kept_while_its_item_is_unchanged() -> None:
    doc, rows, link = _create_link(3)
    before = _show(doc, rows, link)
    hidden = replace(before[1], hidden=True)
    change = RegionChange((before[1],), (hidden,), RegionStep.HIDE)
    assert link.edits(doc, change, iter(()), None) == []
    assert [region.hidden for region in _show(doc, rows, link)] == [False, True, False]
    # A name changes the row; the look stays.
    doc.apply([not_none(doc.change("i1", "rename", {"item_name": "crack"}))])
    assert [region.hidden for region in _show(doc, rows, link)] == [False, True, False]


def test_new_picture_size_recomputes_every_region() -> None:
    doc, rows, link = _create_link(2)
    before = _show(doc, rows, link)
    link.size = (2000, 1000)
    assert [region.rect.w for region in _show(doc, rows, link)] == [2 * old.rect.w for old in before]
