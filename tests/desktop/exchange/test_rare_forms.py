"""Reads rare forms of the formats that public reports show: other shapes, flat lists, several pictures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.desktop.exchange.test_foreign_files import CRACK, boxes, read

BOX = (100, 200, 300, 400)
OUTLINE = [100, 200, 400, 200, 400, 600, 100, 600]


def voc(shape: str, file_name: str = "<filename>ref.jpg</filename>") -> str:
    size = "<size><width>4000</width><height>3000</height></size>"
    return f"<annotation>{file_name}{size}<object><name>crack</name>{shape}</object></annotation>"


@pytest.mark.parametrize(
    ("shape", "is_box"),
    [
        ("<robndbox><cx>250</cx><cy>400</cy><w>300</w><h>400</h><angle>0</angle></robndbox>", False),
        ("<robndbox><cx>250</cx><cy>400</cy><w>400</w><h>300</h><angle>1.5707963</angle></robndbox>", False),
        (
            "<polygon><x1>100</x1><y1>200</y1><x2>400</x2><y2>600</y2><x3>100</x3><y3>600</y3></polygon>",
            False,
        ),
        ("<polygon><pt><x>100</x><y>600</y></pt><pt><x>400</x><y>200</y></pt></polygon>", False),
        ("<bndbox><xmax>400</xmax><xmin>100</xmin><ymax>600</ymax><ymin>200</ymin></bndbox>", True),
    ],
)
def test_shapes_of_pascal_voc(shape: str, is_box: bool) -> None:
    (region,) = regions = read(voc(shape), "ref.xml")
    assert region.name == "crack"
    assert boxes(regions)[0][1:] == pytest.approx(BOX, abs=0.01)
    assert region.is_bounding_box is not is_box


def test_pascal_voc_without_the_name_of_its_picture() -> None:
    box = "<bndbox><xmin>100</xmin><ymin>200</ymin><xmax>400</xmax><ymax>600</ymax></bndbox>"
    assert boxes(read(voc(box, ""), "ref.xml")) == [CRACK]


@pytest.mark.parametrize(
    "shape",
    [
        {"segmentation": OUTLINE},
        {"segmentation": [OUTLINE], "bbox": [0, 0, 0, 0]},
        {"segmentation": [OUTLINE], "bbox": []},
    ],
)
def test_a_polygon_of_coco_without_a_box(shape: dict[str, Any]) -> None:
    document = {
        "images": [{"id": 1, "file_name": "ref.jpg", "width": 4000, "height": 3000}],
        "categories": [{"id": 1, "name": "crack"}],
        "annotations": [{"image_id": 1, "category_id": 1, **shape}],
    }
    assert boxes(read(json.dumps(document), "a.json")) == [CRACK]


def test_points_of_a_volume_in_labelme() -> None:
    shape = {"label": "crack", "shape_type": "rectangle", "points": [[100, 200, 7], [400, 600, 7]]}
    assert boxes(read(json.dumps({"shapes": [shape], "imagePath": "ref.jpg"}), "ref.json")) == [CRACK]


def test_a_task_of_label_studio_with_several_pictures() -> None:
    def shape(name: str, **fields: Any) -> dict[str, Any]:
        place = {"x": 2.5, "y": 20 / 3, "width": 7.5, "height": 40 / 3}
        return {"id": name, "value": {**place, "rectanglelabels": [name]}, **fields}

    task = {
        "data": {"pages": ["/data/upload/1/cover.jpg", "/data/upload/1/ref.jpg"]},
        "annotations": [
            {"result": [shape("dent"), shape("rivet", item_index=0), shape("crack", item_index=1)]}
        ],
    }
    (crack,) = boxes(read(json.dumps([task]), "a.json"))
    assert crack == pytest.approx(CRACK)
    assert [name for name, *_ in boxes(read(json.dumps([task]), "a.json", "cover.jpg"))] == ["dent", "rivet"]


def test_ids_and_empty_entries_of_coco_that_scripts_write() -> None:
    document = {
        "images": [None, {"id": 1.0, "file_name": "ref"}, {"id": 2.0, "file_name": "other"}],
        "categories": [None, {"name": "no id"}, {"id": "3", "name": "crack"}],
        "annotations": [None, {"image_id": 1, "category_id": 3.0, "bbox": BOX}],
    }
    assert boxes(read(json.dumps(document), "a.json")) == [CRACK]


def test_a_table_in_the_code_page_of_western_windows() -> None:
    table = "filename,label,x,y,w,h\nref.jpg,fêlé,100,200,300,400\nref.jpg,é,100,200,300,400\n"
    assert [name for name, *_ in boxes(read(table.encode("cp1252"), "a.csv"))] == ["fêlé", "é"]
