"""Reads what labelling programs really write: other encodings, names, layouts, predictions and packages."""

from __future__ import annotations

import io
import json
import unicodedata
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest

from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.data.imported_regions import ExchangeError, ImportedRegions, Reason
from desktop.exchange.registry import read_regions

CRACK = ("crack", 100, 200, 300, 400)
DENT = ("dent", 1000, 1000, 50, 60)
MIDDLE = (1800, 1350, 400, 300)
"""The box 0.5 0.5 0.1 0.1 on the picture."""
RESOURCE_FORK = b"\x00\x05\x16\x07\xb0\xe2\xff"


def read(data: bytes | str, file_name: str, picture: str = "ref.jpg") -> ImportedRegions:
    content = data if isinstance(data, bytes) else data.encode("utf-8")
    return read_regions(content, file_name, ExportedPicture(picture, 4000, 3000))


def boxes(regions: ImportedRegions) -> list[tuple[Any, ...]]:
    return [
        (
            region.name,
            *(round(side, 6) for side in (region.rect.x, region.rect.y, region.rect.w, region.rect.h)),
        )
        for region in regions
    ]


Content = bytes | str


def archive_of(files: Mapping[str, Content]) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as target:
        for path, content in files.items():
            target.writestr(path, content)
    return output.getvalue()


def coco(file_name: str = "ref.jpg", crack: str = "crack") -> str:
    return json.dumps(
        {
            "images": [
                {"id": 7, "file_name": file_name, "width": 4000, "height": 3000},
                {"id": 8, "file_name": "other.jpg", "width": 100, "height": 100},
            ],
            "categories": [{"id": 0, "name": crack}, {"id": 5, "name": "dent"}],
            "annotations": [
                {"image_id": 7, "category_id": 0, "bbox": [100, 200, 300, 400]},
                {"image_id": 7, "category_id": 5, "bbox": [1000, 1000, 50, 60]},
                {"image_id": 8, "category_id": 0, "bbox": [1, 1, 5, 5]},
            ],
        },
        ensure_ascii=False,
    )


def cvat(shapes: str, name: str = "ref.jpg", declared: str = "utf-8") -> str:
    return (
        f'<?xml version="1.0" encoding="{declared}"?>\n<annotations><image id="0" name="{name}" width="4000" '
        f'height="3000">{shapes}</image><image id="1" name="b.jpg" width="1" height="1"/></annotations>'
    )


def cvat_box(label: str = "crack", more: str = "") -> str:
    return f'<box label="{label}" {more} xtl="100" ytl="200" xbr="400" ybr="600"/>'


@pytest.mark.parametrize("name", ["images/ref.jpg", "images\\ref.jpg", "C:\\a\\ref.jpg", "REF.JPG"])
def test_picture_is_found_in_any_folder_and_case(name: str) -> None:
    assert boxes(read(coco(name), "a.json")) == [CRACK, DENT]
    assert boxes(read(cvat(cvat_box(), name), "a.xml")) == [CRACK]


def test_composed_and_decomposed_names_are_the_same() -> None:
    written = unicodedata.normalize("NFD", "Übersicht.jpg")
    target = unicodedata.normalize("NFC", "Übersicht.jpg")
    assert boxes(read(coco(written), "a.json", target)) == [CRACK, DENT]
    assert boxes(read(cvat(cvat_box(), written), "a.xml", target)) == [CRACK]
    labels = {f"labels/{written.removesuffix('.jpg')}.txt": "0 .5 .5 .1 .1", "labels/b.txt": "0 .1 .1 .1 .1"}
    assert boxes(read(archive_of({**labels, "classes.txt": "crack"}), "a.zip", target)) == [
        ("crack", *MIDDLE)
    ]


def test_labels_of_a_converted_photo_have_its_former_name() -> None:
    labels = {"labels/IMG_1.txt": "0 .5 .5 .1 .1", "labels/b.txt": "0 .1 .1 .1 .1", "classes.txt": "crack\n"}
    assert boxes(read(archive_of(labels), "a.zip", "IMG_1.HEIC.jpg")) == [("crack", *MIDDLE)]
    assert boxes(read(coco("IMG_1.HEIC"), "a.json", "IMG_1.HEIC.jpg")) == [CRACK, DENT]


def test_gbk_is_read_where_utf_8_fails() -> None:
    assert boxes(read(coco(crack="裂纹").encode("gbk"), "a.json"))[0][0] == "裂纹"
    assert boxes(read(cvat(cvat_box("裂纹"), declared="gbk").encode("gbk"), "a.xml"))[0][0] == "裂纹"
    labels: dict[str, Content] = {
        "classes.txt": "裂纹\n凹坑\n".encode("gbk"),
        "labels/ref.txt": "1 .5 .5 .1 .1",
    }
    assert boxes(read(archive_of(labels), "a.zip")) == [("凹坑", *MIDDLE)]


def test_gbk_names_inside_an_archive_are_read() -> None:
    # Without the flag of UTF-8, zipfile writes ASCII names only: the bytes are put in afterwards.
    data = archive_of({"labels/LLLL.txt": "0 .5 .5 .1 .1", "labels/b.txt": "0 .1 .1 .1 .1"})
    data = data.replace(b"LLLL", "左翼".encode("gbk"))
    assert boxes(read(data, "a.zip", "左翼.jpg")) == [("", *MIDDLE)]


@pytest.mark.parametrize(
    "extra",
    ["__MACOSX/labels/._ref.txt", "__MACOSX/._a.json", "._data.yaml", "README.roboflow.txt", "LICENSE.txt"],
)
def test_other_files_of_an_archive_do_not_spoil_it(extra: str) -> None:
    yolo: dict[str, Content] = {
        "labels/ref.txt": "0 .5 .5 .1 .1",
        "classes.txt": "crack\n",
        extra: RESOURCE_FORK,
    }
    assert boxes(read(archive_of(yolo), "a.zip")) == [("crack", *MIDDLE)]
    assert boxes(read(archive_of({"annotations/i.json": coco(), extra: RESOURCE_FORK}), "a.zip")) == [
        CRACK,
        DENT,
    ]
    assert boxes(read(archive_of({"a.xml": cvat(cvat_box()), extra: RESOURCE_FORK}), "a.zip")) == [CRACK]


def test_one_of_several_splits_names_the_picture() -> None:
    splits = {"annotations/train.json": coco("a.jpg"), "annotations/val.json": coco()}
    assert boxes(read(archive_of(splits), "a.zip")) == [CRACK, DENT]
    labels = {"train/labels/ref.txt": "0 .5 .5 .1 .1", "val/labels/ref.txt": "0 .5 .5 .1 .1"}
    assert boxes(read(archive_of({**labels, "classes.txt": "crack"}), "a.zip")) == [("crack", *MIDDLE)]
    with pytest.raises(ExchangeError) as refused:
        read(archive_of({**labels, "val/labels/ref.txt": "0 .1 .1 .1 .1"}), "a.zip")
    assert refused.value.reason is Reason.WHICH_PICTURE


@pytest.mark.parametrize(
    ("row", "is_outline"),
    [
        ("0 .45 .45 .55 .45 .55 .55 .45 .55 .87 7", True),
        ("0 .45 .45 .55 .45 .55 .55 .87 7", True),
        ("0 .5 .5 .1 .1 .87", False),
        ("0 .5 .5 .1 .1 .87 5", False),
        ("0.0 .5 .5 .1 .1", False),
        ("0 .45 .45 .55 .45 .55 .55 .45 .55", True),
        ("0 .45 .45 .55 .45 .55 .55 .45 .55 .87", True),
        ("0 .45 .45 .55 .45 .55 .55 .87", True),
        ("0 .5 .5 .1 .1 .46 .47 2", False),
        ("0 .5 .5 .1 .1 .46 .47 2 .54 .53 1", False),
        ("0 .5 .5 .1 .1 .46 .47 2 .54 .53 1 .9", False),
    ],
)
def test_number_of_values_says_what_a_row_of_yolo_is(row: str, is_outline: bool) -> None:
    regions = read(row, "ref.txt")
    assert boxes(regions) == [("", *MIDDLE)]
    assert regions.bounding_box_count == is_outline


def test_key_points_have_the_shape_of_the_dataset() -> None:
    files = {
        "data.yaml": "kpt_shape: [2, 2]\nnames: [rivet]\n",
        "labels/ref.txt": "0 .5 .5 .1 .1 .4 .4 .6 .6",
    }
    assert boxes(read(archive_of(files), "a.zip")) == [("rivet", *MIDDLE)]


@pytest.mark.parametrize(
    ("names", "first"),
    [
        ("path: ../d\r\nnames:\r\n  0: crack\r\n  1: dent\r\n", "crack"),
        ("nc: 2\r\nnames:\r\n- crack\r\n- dent\r\n", "crack"),
        ("names:  # class names\n  0: crack # thin\n\n  # second\n  1: dent\n", "crack"),
        ("names:\n  '0': crack\n  '1': dent\n", "crack"),
        ("names: {0: crack, 1: dent}\n", "crack"),
        ("names: [crack, 'dent']\n", "crack"),
        ("names: ['crack [a]', 'dent, b']\n", "crack [a]"),
    ],
)
def test_yaml_is_read_as_yaml(names: str, first: str) -> None:
    files: dict[str, Content] = {
        "data.yaml": names,
        "labels/ref.txt": "0 .5 .5 .1 .1",
        "images/ref.jpg": b"x",
    }
    assert boxes(read(archive_of(files), "a.zip")) == [(first, *MIDDLE)]


@pytest.mark.parametrize(
    ("table", "x"),
    [
        ('name,x,y,w,h\ncrack,"1,234",200,300,400\n', 1234),
        ('name,x,y,w,h\ncrack,"1,234.5",200,300,400\n', 1234.5),
        ('name;x;y;w;h\ncrack;"1.234,5";200;300;400\n', 1234.5),
        ("name;x;y;w;h\ncrack;1.234;200,5;300;400\n", 1234),
        ("name;x;y;w;h\ncrack;12,5;200;300;400\n", 12.5),
        ("name,x,y,w,h\ncrack,12.345,200,300,400\n", 12.345),
        ("name;x;y;w;h\ncrack;1\u202f234,5;200;300;400\n", 1234.5),
        ("name;x;y;w;h\ncrack;1\u00a0234,5;200;300;400\n", 1234.5),
        ("name;x;y;w;h\ncrack;1'234.5;200;300;400\n", 1234.5),
    ],
)
def test_numbers_follow_the_convention_of_the_table(table: str, x: float) -> None:
    assert boxes(read(table, "a.csv"))[0][1] == x


def test_shape_that_is_outside_its_track_is_not_there() -> None:
    regions = read(cvat(cvat_box() + cvat_box("gone", 'outside="1"')), "a.xml")
    assert (boxes(regions), regions.left_out) == ([CRACK], 0)


def test_shapes_that_are_not_regions_are_counted_by_reason() -> None:
    rectangle = {"label": "crack", "points": [[100, 200], [400, 600]], "shape_type": "rectangle"}
    shapes: list[dict[str, Any]] = [
        rectangle,
        {"label": "empty", "points": [], "shape_type": "polygon"},
        {"label": "spot", "points": [[100, 200]], "shape_type": "point"},
        {**rectangle, "points": [[-90, -90], [-10, -10]]},
    ]
    size = {"imagePath": "ref.jpg", "imageWidth": 4000, "imageHeight": 3000}
    regions = read(json.dumps({"shapes": shapes, **size}), "ref.json")
    assert boxes(regions) == [CRACK]
    assert (regions.left_out, regions.without_area, regions.outside) == (3, 2, 1)


def test_mask_without_a_box_gives_its_bounding_box() -> None:
    runs = [200 * 3000 + 100, *[100, 2900] * 199, 100]
    annotation = {
        "image_id": 1,
        "category_id": 1,
        "bbox": [],
        "segmentation": {"counts": runs, "size": [3000, 4000]},
    }
    packed = {**annotation, "segmentation": {"counts": "PPYo1", "size": [3000, 4000]}}
    document = {
        "images": [{"id": 1, "file_name": "ref.jpg", "width": 4000, "height": 3000}],
        "categories": [{"id": 1, "name": "crack"}],
        "annotations": [annotation, packed],
    }
    regions = read(json.dumps(document), "a.json")
    assert (boxes(regions), regions.without_area) == ([("crack", 200, 100, 200, 100)], 1)


def test_annotations_of_a_turned_picture_are_refused() -> None:
    shape = {"label": "crack", "points": [[100, 200], [400, 600]], "shape_type": "rectangle"}
    turned = {"shapes": [shape], "imagePath": "ref.jpg", "imageWidth": 3000, "imageHeight": 4000}
    smaller = {**turned, "imageWidth": 801, "imageHeight": 600}
    with pytest.raises(ExchangeError) as refused:
        read(json.dumps(turned), "ref.json")
    assert refused.value.reason is Reason.OTHER_PROPORTIONS
    assert len(read(json.dumps(smaller), "ref.json")) == 1


VOC = (
    "<annotation><filename>{name}</filename><size><width>4000</width><height>3000</height></size><object>"
    "<name>crack</name><bndbox><xmin>100</xmin><ymin>200</ymin><xmax>400</xmax><ymax>600</ymax></bndbox>"
    "</object></annotation>"
)


def test_pascal_voc_is_read() -> None:
    assert boxes(read(VOC.format(name="ref.jpg"), "a.xml")) == [CRACK]
    files = {"Annotations/ref.xml": VOC.format(name="ref.jpg"), "Annotations/b.xml": VOC.format(name="b.jpg")}
    assert boxes(read(archive_of(files), "a.zip")) == [CRACK]


def test_archive_of_labelme_is_read() -> None:
    shape = {"label": "crack", "points": [[100, 200], [400, 600]], "shape_type": "rectangle"}
    document = {"shapes": [shape], "imagePath": "ref.jpg", "imageWidth": 4000, "imageHeight": 3000}
    other = {**document, "imagePath": "b.jpg", "shapes": []}
    files: dict[str, Content] = {
        "ref.json": json.dumps(document),
        "b.json": json.dumps(other),
        "ref.jpg": b"x",
    }
    assert boxes(read(archive_of(files), "a.zip")) == [CRACK]


def test_label_studio_is_read() -> None:
    value = {
        "x": 2.5,
        "y": 20 / 3,
        "width": 7.5,
        "height": 40 / 3,
        "rotation": 0,
        "rectanglelabels": ["crack"],
    }
    shape = {"type": "rectanglelabels", "original_width": 4000, "original_height": 3000, "value": value}
    spot = {**shape, "type": "keypointlabels", "value": {"x": 1, "y": 1, "keypointlabels": ["spot"]}}
    task = {
        "data": {"image": "/data/upload/1/8a7b-ref.jpg"},
        "annotations": [{"result": [], "was_cancelled": False}, {"result": [shape, spot]}],
    }
    other = {"data": {"image": "/data/upload/1/9c-b.jpg"}, "annotations": []}
    regions = read(json.dumps([other, task]), "a.json")
    assert (boxes(regions), regions.without_area) == ([CRACK], 1)


@pytest.mark.parametrize(
    "name",
    [
        "https://host/a/ref.jpg?token=1/2",
        "/data/local-files/?d=wing/ref.jpg",
        "r%65f.jpg",
        "images/1b2c3d4e-ref.jpg",
        "ref_jpg.rf.0123456789abcdef0123456789abcdef.jpg",
    ],
)
def test_names_that_programs_make_of_a_picture_are_its_names(name: str) -> None:
    assert boxes(read(coco(name), "a.json")) == [CRACK, DENT]
    stem = name.rpartition("/")[2].removesuffix(".jpg")
    labels: dict[str, Content] = {
        f"labels/{stem}.txt": "0 .5 .5 .1 .1",
        "labels/b.txt": "0 .1 .1 .1 .1",
        "classes.txt": "crack",
    }
    if "?" not in name:
        assert boxes(read(archive_of(labels), "a.zip")) == [("crack", *MIDDLE)]


def test_a_date_before_a_name_is_another_picture() -> None:
    document = json.loads(coco("20260315-ref.jpg"))
    with pytest.raises(ExchangeError) as refused:
        read(json.dumps(document), "a.json")
    assert refused.value.reason is Reason.WHICH_PICTURE


def test_turned_box_of_a_coco_file_of_cvat_becomes_the_box_around_it() -> None:
    document = json.loads(coco())
    document["annotations"][0]["attributes"] = {"occluded": False, "rotation": 90.0}
    document["annotations"][1]["attributes"] = {"occluded": False, "rotation": 0.0}
    turned, dent = read(json.dumps(document), "a.json")
    assert [round(number) for number in (turned.rect.x, turned.rect.y, turned.rect.w, turned.rect.h)] == [
        *(50, 250, 400, 300)
    ]
    assert (turned.is_bounding_box, dent.is_bounding_box) == (True, False)


def test_numbers_of_coco_may_be_texts() -> None:
    document = json.loads(coco())
    for annotation in document["annotations"]:
        annotation |= {"image_id": str(annotation["image_id"]), "category_id": str(annotation["category_id"])}
    document["annotations"].append({"bbox": [1, 1, 2, 2]})
    document["categories"].append({"id": 9})
    assert boxes(read(json.dumps(document), "a.json")) == [CRACK, DENT]


@pytest.mark.parametrize(
    "table",
    [
        "sep=;\r\nname;x;y;w;h\r\ncrack;100;200;300;400\r\n",
        "Wing, left\n\nname,x,y,w,h\ncrack,100,200,300,400\n",
        "name|x|y|w|h\ncrack|100|200|300|400\n",
        "image_name,label_name,x1,y1,w,h\nref.jpg,crack,100,200,300,400\n",
        "filename,label,xmin,ymin,xmax,ymax\nref.jpg,crack,.025,.06666666667,.1,.2\n",
        "filename,label,width,height,xmin,ymin,xmax,ymax\nref.jpg,crack,2000,1500,.025,.06666666667,.1,.2\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
def test_tables_with_other_heads_and_units_are_read(table: str, encoding: str) -> None:
    assert boxes(read(table.encode(encoding), "a.csv")) == [CRACK]


def test_numbers_of_an_own_table_are_always_pixels() -> None:
    table = "item_name,region_x,region_y,region_w,region_h\ncrack,0,0,1,1\n"
    assert boxes(read(table, "a.csv")) == [("crack", 0, 0, 1, 1)]


@pytest.mark.parametrize("row", ["0 1800 1350 400 300", "1 1 893 90 148 538 -1 -1 -1 -1 0"])
def test_label_file_in_pixels_is_refused(row: str) -> None:
    with pytest.raises(ExchangeError) as refused:
        read(row, "ref.txt")
    assert refused.value.reason is Reason.UNREADABLE


def test_texts_of_a_yolo_archive_that_are_no_labels_are_passed_over() -> None:
    files: dict[str, Content] = {
        "any.txt": "0 .5 .5 .1 .1\n",
        "licence-of-the-pictures.txt": "Free for all",
        "lists/mine.txt": "images/any.jpg\n",
        "predefined_classes.txt": "crack\n",
    }
    assert boxes(read(archive_of(files), "a.zip")) == [("crack", *MIDDLE)]


def test_class_names_of_yaml_stay_texts() -> None:
    rows = "".join(f"{number} .5 .5 .1 .1\n" for number in range(4))
    files: dict[str, Content] = {"data.yaml": "names: [no, on, 1, 1e3]\n", "labels/ref.txt": rows}
    assert [region.name for region in read(archive_of(files), "a.zip")] == ["no", "on", "1", "1e3"]


def test_pascal_voc_without_a_size_is_read() -> None:
    size = "<size><width>4000</width><height>3000</height></size>"
    assert boxes(read(VOC.format(name="ref.jpg").replace(size, ""), "a.xml")) == [CRACK]


PERCENT = {"x": 2.5, "y": 20 / 3, "width": 7.5, "height": 40 / 3, "rotation": 0}


def label_studio(*results: dict[str, Any]) -> str:
    size = {"original_width": 4000, "original_height": 3000}
    shapes = [{"id": "a", **size, **result} for result in results]
    return json.dumps([{"data": {"image": "ref.jpg"}, "annotations": [{"result": shapes}]}])


def test_entries_of_label_studio_with_one_id_are_one_shape() -> None:
    text = label_studio(
        {"type": "rectangle", "value": PERCENT},
        {"type": "labels", "value": {**PERCENT, "labels": ["crack"]}},
        {"type": "taxonomy", "value": {**PERCENT, "taxonomy": [["metal"]]}},
        {"type": "choices", "id": "b", "value": {"choices": ["good light"]}},
        {"type": "relation", "from_id": "a", "to_id": "b", "id": "c"},
    )
    regions = read(text, "a.json")
    assert (boxes(regions), regions.left_out, regions.bounding_box_count) == ([CRACK], 0, 0)


@pytest.mark.parametrize(
    ("value", "box"),
    [
        ({**PERCENT, "rotation": 90}, (0, 200, 100, 300)),
        ({"x": 25, "y": 50, "radiusX": 5, "radiusY": 5, "rotation": 90}, (850, 1300, 300, 400)),
    ],
)
def test_turned_shapes_of_label_studio_are_turned_in_pixels(
    value: dict[str, Any], box: tuple[float, ...]
) -> None:
    regions = read(label_studio({"type": "any", "value": value}), "a.json")
    assert boxes(regions)[0][1:] == box
    assert regions.bounding_box_count == 1


def test_short_export_of_label_studio_is_read() -> None:
    shape = {**PERCENT, "rectanglelabels": ["crack"], "original_width": 4000, "original_height": 3000}
    tasks = [
        {"image": "/data/upload/1/8a7b6c5d-ref.jpg", "id": 1, "label": [shape], "annotator": 1},
        {"image": "/data/upload/1/8a7b6c5e-b.jpg", "id": 2, "label": [{**shape, "x": 0}]},
    ]
    assert boxes(read(json.dumps(tasks), "a.json")) == [CRACK]


def test_captions_and_key_points_of_coco_do_not_hide_its_boxes() -> None:
    document = json.loads(coco())
    captions = {**document, "annotations": [{"image_id": 7, "caption": "a wing"}]}
    points = {"image_id": 7, "category_id": 5, "bbox": [1, 1, 5, 5], "keypoints": [1, 1, 2]}
    files: dict[str, Content] = {
        "annotations/captions_train.json": json.dumps(captions),
        "annotations/instances_train.json": json.dumps(document),
        "annotations/person_keypoints_train.json": json.dumps({**document, "annotations": [points]}),
    }
    assert boxes(read(archive_of(files), "a.zip")) == [CRACK, DENT]
    files.pop("annotations/instances_train.json")
    files.pop("annotations/captions_train.json")
    assert boxes(read(archive_of(files), "a.zip")) == [("dent", 1, 1, 5, 5)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("labels/b.txt", "0 .5 .5 .1 .1"),
        ("b.xml", VOC.format(name="b.jpg")),
        ("b.json", '{"shapes": [{"label": "a", "points": [[1, 1], [5, 5]]}], "imagePath": "b.jpg"}'),
    ],
)
def test_marks_of_another_picture_are_not_those_of_a_picture_without_any(name: str, text: str) -> None:
    files: dict[str, Content] = {name: text, "images/b.jpg": b"x"}
    assert len(read(archive_of(files), "a.zip")) == 1
    with pytest.raises(ExchangeError) as refused:
        read(archive_of({**files, "images/ref.jpg": b"x"}), "a.zip")
    assert refused.value.reason is Reason.NO_REGIONS
