"""Regions in the forms in which other programs leave them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.imported_regions import ExchangeError, Reason
from desktop.exchange.formats.archive import pack
from desktop.exchange.registry import read_regions
from shared.record.geometry import Rect

WING = ExportedPicture("wing.jpg", 2400, 1500, "cid")
MIDDLE = Rect(1080, 675, 240, 150)


def read(data: bytes | str, name: str) -> list[tuple[str, Rect]]:
    raw = data.encode() if isinstance(data, str) else data
    return [(region.name, region.rect) for region in read_regions(raw, name, WING)]


def coco(*images: str, **annotation: Any) -> str:
    boxes = [{"id": 1, "image_id": 1, "category_id": 7, "iscrowd": 0, **annotation}]
    pictures = [
        {"id": n, "file_name": name, "width": 2400, "height": 1500} for n, name in enumerate(images, 1)
    ]
    categories = [{"id": 7, "name": "dent", "supercategory": ""}]
    return json.dumps({"images": pictures, "annotations": boxes, "categories": categories})


def labelme(*shapes: dict[str, Any], **more: Any) -> str:
    return json.dumps({"version": "5.4.1", "flags": {}, "shapes": shapes, "imagePath": "wing.jpg", **more})


def test_coco_is_found_anywhere_in_an_archive() -> None:
    archive = pack(
        {"annotations/instances_default.json": coco("wing.jpg", bbox=[1, 2, 3, 4]), "notes.json": "[1]"}
    )
    assert read(archive, "x.zip") == [("dent", Rect(1, 2, 3, 4))]
    same = {name: coco("wing.jpg", bbox=[1, 2, 3, 4]) for name in ("train.json", "val.json")}
    assert read(pack(same), "x.zip") == [("dent", Rect(1, 2, 3, 4))]
    two = pack({**same, "val.json": coco("wing.jpg", bbox=[1, 2, 3, 5])})
    with pytest.raises(ExchangeError) as check_refused:
        read(two, "x.zip")
    assert check_refused.value.reason is Reason.WHICH_PICTURE


@pytest.mark.parametrize("box", [{}, {"bbox": None}, {"bbox": []}])
def test_polygons_without_a_box_become_the_box_around_them(box: dict[str, Any]) -> None:
    polygons = [[10, 20, 40, 20, 40, 60], [30, 50, 50, 55, 35, 70]]
    assert read(coco("wing.jpg", segmentation=polygons, **box), "x.json") == [("dent", Rect(10, 20, 40, 50))]
    several: list[Any] = [[[1, 2, 3]], [["a", 2, 3, 4]], {"counts": []}, [[1, 2], 3]]
    for broken in several:
        with pytest.raises(ExchangeError) as check_refused:
            read(coco("wing.jpg", segmentation=broken, **box), "x.json")
        assert check_refused.value.reason is Reason.NO_REGIONS


@pytest.mark.parametrize(
    "names",
    [("obj.names", "dent\ncrack\n"), ("_darknet.labels", "dent\ncrack\n"), ("classes.txt", "dent\ncrack\n")],
)
def test_class_names_are_read_from_any_known_file(names: tuple[str, str]) -> None:
    archive = pack(
        {
            names[0]: names[1],
            "obj.data": "classes = 2\nnames = data/obj.names\n",
            "train.txt": "data/obj_train_data/other.jpg\n",
            "README.roboflow.txt": "Exported on a Tuesday",
            "README.dataset.txt": "# wings",
            "obj_train_data/other.txt": "1 0.5 0.5 0.1 0.1\n",
        }
    )
    assert read(archive, "x.zip") == [("crack", MIDDLE)]


def test_line_with_corners_becomes_their_bounding_box() -> None:
    assert read("0 0.45 0.45 0.55 0.45 0.55 0.55\n", "wing.txt")[0][1] == Rect(1080, 675, 240, 150)
    for odd in ("0 0.1 0.1 0.2", "0 0.1 0.1 0.2 0.2 0.3 x"):
        with pytest.raises(ExchangeError) as check_refused:
            read(odd, "wing.txt")
        assert check_refused.value.reason is Reason.UNREADABLE


def test_shapes_of_labelme_become_the_boxes_around_them() -> None:
    document = labelme(
        {
            "label": "dent",
            "shape_type": "rectangle",
            "points": [[300, 400], [100, 200]],
            "description": "old",
        },
        {"label": "crack", "shape_type": "polygon", "points": [[500, 500], [600, 500], [600, 700]]},
        {"label": "hole", "shape_type": "circle", "points": [[1000, 1000], [1030, 1040]]},
        {"label": "spot", "shape_type": "point", "points": [[10, 10]]},
        imageWidth=2400,
        imageHeight=1500,
    )
    assert read(document, "wing.json") == [
        ("dent", Rect(100, 200, 200, 200)),
        ("crack", Rect(500, 500, 100, 200)),
        ("hole", Rect(950, 950, 100, 100)),
    ]
    assert read_regions(document.encode(), "wing.json", WING)[0].description == "old"


def test_regions_outside_the_picture_are_counted() -> None:
    boxes = [[[10, 20], [30, 40]], [[2400, 20], [2500, 40]], [[10, -40], [30, 0]], [[2390, 20], [2500, 40]]]
    document = labelme(*({"label": "a", "points": points} for points in boxes))
    drafts = read_regions(document.encode(), "wing.json", WING)
    assert [draft.rect for draft in drafts] == [Rect(10, 20, 20, 20), Rect(2390, 20, 10, 20)]
    assert drafts.left_out == 2


def test_shapes_on_a_smaller_copy_are_scaled() -> None:
    document = labelme({"label": "dent", "points": [[10, 20], [30, 40]]}, imageWidth=1200, imageHeight=750)
    assert read(document, "wing.json") == [("dent", Rect(20, 40, 40, 40))]


@pytest.mark.parametrize("shape", [3, None, "x"])
def test_invalid_shape_is_refused(shape: Any) -> None:
    with pytest.raises(ExchangeError) as check_refused:
        read(labelme(shape), "wing.json")
    assert check_refused.value.reason is Reason.UNREADABLE


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("name,x,y,w,h\ndent,100,200,300,400\n", "dent"),
        ("Label;X;Y;Width;Height\ndent;100,0;200,0;300,0;400,0\n", "dent"),
        ("image,xmin,ymin,xmax,ymax,label\nany.jpg,100,200,400,600,dent\n", "dent"),
        ("filename,width,height,class,xmin,ymin,xmax,ymax\nw.jpg,4800,3000,dent,200,400,800,1200\n", "dent"),
        ("\ufeff名称\tx\ty\tw\th\n凹坑\t100\t200\t300\t400\n", "凹坑"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16"])
def test_tables_of_other_programs(table: str, name: str, encoding: str) -> None:
    text = table if encoding == "utf-8" else table.removeprefix("\ufeff")
    assert read(text.encode(encoding), "regions.csv") == [(name, Rect(100, 200, 300, 400))]


def test_table_of_several_pictures_is_read_for_the_picture_of_this_name() -> None:
    rows = "image,xmin,ymin,xmax,ymax,label\na/wing.jpg,1,2,3,4,dent\nb\\tail.jpg,5,6,7,8,crack\n"
    assert read(rows, "regions.csv") == [("dent", Rect(1, 2, 2, 2))]
    with pytest.raises(ExchangeError) as check_refused:
        read(rows.replace("wing", "nose"), "regions.csv")
    assert check_refused.value.reason is Reason.WHICH_PICTURE


@pytest.mark.parametrize("table", ["a,b\n1,2\n", "name,x,y\ndent,1,2\n", "x,y,w,h\n1,2,3,4\n"])
def test_a_table_without_regions_is_refused(table: str) -> None:
    with pytest.raises(ExchangeError) as check_refused:
        read(table, "regions.csv")
    assert check_refused.value.reason is Reason.UNREADABLE


def test_shapes_other_than_rectangles_are_counted() -> None:
    target = ExportedPicture("a.png", 100, 100)
    image = {"id": 1, "file_name": "a.png", "width": 100, "height": 100}
    square = [[10, 10, 30, 10, 30, 30, 10, 30]]
    shapes: list[dict[str, Any]] = [
        {"bbox": [10, 10, 20, 20], "segmentation": []},
        {"bbox": [10, 10, 20, 20], "segmentation": square},
        {"bbox": [10, 10, 20, 20], "segmentation": [[10, 10, 30, 10, 20, 30]]},
        {"bbox": [10, 10, 20, 20], "segmentation": {"counts": [4], "size": [100, 100]}},
        {"segmentation": [[10, 10, 30, 10, 30, 30, 10, 30], [40, 40, 50, 40, 50, 50]]},
    ]
    boxes = [{"image_id": 1, "category_id": 1, **shape} for shape in shapes]
    data = json.dumps({"images": [image], "annotations": boxes, "categories": []}).encode()
    assert read_regions(data, "a.json", target).bounding_box_count == 3
    points = [[10, 10], [30, 30]]
    marks = [{"label": "", "shape_type": kind, "points": points} for kind in ("rectangle", "circle")]
    data = json.dumps({"shapes": marks, "imageWidth": 100, "imageHeight": 100}).encode()
    assert read_regions(data, "a.json", target).bounding_box_count == 1
