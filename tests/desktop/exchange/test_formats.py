"""What each format says, and what reading one refuses."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from dataclasses import replace
from typing import Any

import pytest

from desktop.exchange.data import imported_regions
from desktop.exchange.data.column_terms import CHINESE, EARLIER_TITLES, ColumnTerms
from desktop.exchange.data.content import ExportedPicture, Inspection
from desktop.exchange.data.imported_regions import ExchangeError, ImportedRegion, Reason, item_creates
from desktop.exchange.formats import archive, coco, csv_table, walkaround_json, yolo
from desktop.exchange.formats.archive import pack, unpack
from desktop.exchange.registry import FORMATS, READABLE_PATTERNS, ExportFormat, find_reader, read_regions
from shared.record.geometry import Rect
from tests.desktop.exchange.samples import PHOTO, REFERENCE, box, detection, inspection, item

VERDICT = {
    "isPassed": True,
    "progress": "done",
    "version": 2,
    "verdict": {
        "value": "passed",
        "reason": "只是反光",
        "by": "u",
        "by_name": "王芳",
        "at": "2026-03-01T09:00:00Z",
    },
}


def sample() -> Inspection:
    first = detection(
        box("裂纹", Rect(10.25, 20, 30, 40.5), 0.87),
        box("凹坑", Rect(600, 470, 100, 100)),
        box("空", Rect(5, 5, 0, 9)),
    )
    return inspection(
        item(1, {"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4}, first, VERDICT, description="翼根, 下面\n第二行"),
        item(2, {"x": 100, "y": 80, "w": 2000, "h": 10, "angle": 3}, detection(), item_name="=1+1"),
        item(3, None, item_name="条目 1"),
    )


def check_refused(
    reason: Reason, data: bytes, name: str = "x.json", target: ExportedPicture = REFERENCE
) -> None:
    with pytest.raises(ExchangeError) as caught:
        read_regions(data, name, target)
    assert caught.value.reason is reason


# -- JSON


def without_model_names(whole: Inspection) -> Inspection:
    """What JSON keeps: the built-in model is named by its id alone."""
    named = {"model_name": None, "model_description": None}
    items = (
        item.model_copy(update=named) if item.model_id == "reference-difference" else item
        for item in whole.items
    )
    return replace(whole, items=tuple(items))


def test_json_contains_codes_instead_of_translations() -> None:
    entry = detection(provenance={"model_id": "reference-difference", "model_name": "参考差分"})
    plain = inspection(item(1, {"x": 0, "y": 0, "w": 0.5, "h": 0.5}, entry, item_name="a"))
    text = walkaround_json.write(plain).decode()
    assert "参考差分" not in text
    assert "进行中" not in text
    assert json.loads(text)["record"]["inspection_status"] == "in_progress"
    assert walkaround_json.read_inspection(text.encode()).record == plain.record


WORDS = ColumnTerms(
    headings=CHINESE,
    outcome={"passed": "通过", "failed": "未通过", "undecided": "待定"},
    label={"dent": "凹陷", "crack": "裂纹"}.__getitem__,
    severity={"major": "严重"}.__getitem__,
    model=lambda _id, _name: "参考图比对",
)


def test_table_in_the_language_of_the_user_can_be_read_back() -> None:
    drawn = {**box("dent", Rect(10, 20, 100, 60), 1.0), "origin": "person", "by": "l", "by_name": "李四"}
    finding = {**box("crack", Rect(0, 0, 4, 4), 0.5), "severity": "major"}
    alignment = {"homography": [[2, 0, 0], [0, 2, 0], [0, 0, 1]]}
    entry = detection(
        drawn, finding, correction={"by": "u"}, provenance={"alignment": alignment}, isPassed=False
    )
    whole = inspection(
        item(1, {"x": 0.1, "y": 0.1, "w": 0.5, "h": 0.5}, entry),
        reference=replace(REFERENCE, mm_per_pixel=0.5),
    )
    table = list(csv.DictReader(io.StringIO(csv_table.write(whole, WORDS).decode("utf-8-sig"))))
    first, second = table
    assert (first["检测模型"], first["结果"], first["判定"]) == ("参考图比对", "", "待定")
    assert (first["缺陷标签"], first["置信度"], first["标注人"]) == ("凹陷", "", "李四")
    assert (first["宽度 mm"], first["高度 mm"]) == ("25.0", "15.0")
    assert (second["缺陷标签"], second["严重程度"], second["置信度"]) == ("裂纹", "严重", "0.5")
    assert set(csv_table.COLUMNS) == set(CHINESE)
    (draft,) = read_regions(csv_table.write(whole, WORDS), "x.csv", REFERENCE)
    assert (draft.name, draft.rect) == ("条目 1", Rect(100, 80, 500, 400))


def test_a_table_with_the_titles_of_an_earlier_version_is_read() -> None:
    whole = inspection(item(1, {"x": 0.1, "y": 0.1, "w": 0.5, "h": 0.5}))
    earlier = CHINESE | {code: title for title, code in EARLIER_TITLES.items()}
    assert earlier["item_name"] == "检测条目"
    (draft,) = read_regions(csv_table.write(whole, replace(WORDS, headings=earlier)), "x.csv", REFERENCE)
    assert (draft.name, draft.rect) == ("条目 1", Rect(100, 80, 500, 400))


def test_datasets_include_pictures_at_the_paths_that_they_name() -> None:
    whole = sample()
    for module in (coco, yolo):
        paths = module.pictures(whole)
        assert len(set(paths.values())) > 1
        texts = module.files(whole)
        if module is yolo:
            stems = {
                path.replace("/labels/", "/images/").rsplit(".", 1)[0] for path in texts if "labels" in path
            }
            assert {path.rsplit(".", 1)[0] for path in paths} == stems
        else:
            for part in ("regions", "findings"):
                named = {
                    f"images/{part}/{image['file_name']}"
                    for image in json.loads(texts[f"{part}.json"])["images"]
                }
                assert named == {path for path in paths if f"/{part}/" in path}


def test_json_round_trip_loses_nothing() -> None:
    whole = sample()
    again = walkaround_json.read_inspection(walkaround_json.write(whole))
    assert again == without_model_names(whole)
    assert [item.model_dump() for item in again.items] == [
        item.model_dump() for item in without_model_names(whole).items
    ]
    document = json.loads(walkaround_json.write(whole))
    assert document["items"][0]["result"][1]["verdict"]["reason"] == "只是反光"
    assert document["items"][1]["item_point"]["point"] == {"x": 100, "y": 80, "w": 2000, "h": 10, "angle": 3}
    assert document["reference"] == {
        "filename": "机身.png",
        "width": 1000,
        "height": 800,
        "ipfs_cid": "bcid",
        "mm_per_pixel": None,
    }


def test_json_regions_scale_to_another_image_and_keep_names_and_models() -> None:
    target = ExportedPicture("new.png", 500, 400)
    (first, second) = read_regions(walkaround_json.write(sample()), "x.json", target)
    assert first == ImportedRegion(
        "条目 1", Rect(50, 80, 150, 160), "翼根, 下面\n第二行", "reference-difference"
    )
    assert second.rect == Rect(50, 40, 450, 5)


def test_json_with_null_as_photo_is_read() -> None:
    document = json.loads(walkaround_json.write(sample()))
    document["photos"]["i3"] = None
    assert walkaround_json.read_inspection(json.dumps(document).encode()) == without_model_names(sample())


# -- CSV


def rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_csv_has_a_row_for_each_finding_and_each_item_without_findings() -> None:
    table = rows(csv_table.write(sample()))
    assert [(row["number"], row["label"]) for row in table] == [
        ("1", "裂纹"),
        ("1", "凹坑"),
        ("1", "空"),
        ("2", ""),
        ("3", ""),
    ]
    first = table[0]
    assert (first["x1"], first["y1"], first["x2"], first["y2"]) == ("10.25", "20.0", "40.25", "60.5")
    assert (first["passed"], first["opinion"], first["verdict"]) == ("passed", "failed", "passed")
    assert (first["decided_by"], first["reason"], first["version"]) == ("王芳", "只是反光", "1")
    assert first["description"] == "翼根, 下面\n第二行"
    assert (first["region_x"], first["region_w"]) == ("100.0", "300.0")
    assert (first["photo"], first["photo_width"], first["photo_height"]) == ("照片.jpg", "640", "480")
    assert (first["reference"], first["reference_width"], first["reference_height"]) == (
        "机身.png",
        "1000",
        "800",
    )
    assert (table[4]["photo"], table[4]["decided_by"]) == ("", "")
    assert table[3]["item_name"] == "'=1+1"
    assert table[4]["region_x"] == ""


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "'"])
def test_no_cell_is_a_formula_and_names_are_read_back(start: str) -> None:
    name = f"{start}cmd|' /C calc'!A0"
    data = csv_table.write(inspection(item(1, {"x": 0, "y": 0, "w": 0.5, "h": 0.5}, item_name=name)))
    assert rows(data)[0]["item_name"] == f"'{name}"
    (draft,) = csv_table.regions(data, REFERENCE)
    assert draft.name == name


def test_simple_table_of_another_program_is_read() -> None:
    data = b"item_name,region_x,region_y,region_w,region_h\nA,1,2,3,4\nA,5,6,7,8\nB,x,,,\n"
    assert [draft.rect for draft in csv_table.regions(data, REFERENCE)] == [
        Rect(1, 2, 3, 4),
        Rect(5, 6, 7, 8),
    ]


# -- COCO


def test_coco_is_two_datasets() -> None:
    files = {name: json.loads(text) for name, text in unpack(coco.write(sample()), ".json").items()}
    regions, findings = files[coco.REGIONS], files[coco.FINDINGS]
    (image,) = regions["images"]
    assert (image["file_name"], image["width"], image["height"]) == ("机身.png", 1000, 800)
    assert [entry["name"] for entry in regions["categories"]] == ["条目 1", "=1+1"]
    assert regions["annotations"][0]["bbox"] == [100, 160, 300, 320]
    assert regions["annotations"][0]["area"] == 300 * 320
    # Cut at the right edge of the picture.
    assert regions["annotations"][1]["bbox"] == [100, 80, 900, 10]
    assert [entry["file_name"] for entry in findings["images"]] == ["0001-照片.jpg", "0002-照片.jpg"]
    assert [entry["name"] for entry in findings["categories"]] == ["裂纹", "凹坑"]
    assert [entry["bbox"] for entry in findings["annotations"]] == [[10.25, 20, 30, 40.5], [600, 470, 40, 10]]
    assert [entry["score"] for entry in findings["annotations"]] == [0.87, 0.5]
    for dataset in (regions, findings):
        # A crowd would be left out of every measure.
        assert {entry["iscrowd"] for entry in dataset["annotations"]} == {0}
        ids = [entry["id"] for entry in dataset["annotations"]]
        assert len(set(ids)) == len(ids)
        assert {entry["image_id"] for entry in dataset["annotations"]} <= {
            entry["id"] for entry in dataset["images"]
        }


def shared_photo() -> Inspection:
    """The sample, its items with one photo."""
    return replace(
        sample(), photos=dict.fromkeys(sample().photos, ExportedPicture("照片.jpg", 640, 480, "bphoto"))
    )


def test_shared_photo_is_one_picture_with_the_findings_of_all_items() -> None:
    whole = shared_photo()
    dataset = json.loads(coco.files(whole)[coco.FINDINGS])
    assert [entry["file_name"] for entry in dataset["images"]] == ["0001-照片.jpg"]
    assert {entry["image_id"] for entry in dataset["annotations"]} == {dataset["images"][0]["id"]}
    labels = [path for path in yolo.files(whole) if path.startswith("findings/labels/")]
    assert labels == ["findings/labels/0001-照片.txt"]
    for module in (coco, yolo):
        assert len([path for path in module.pictures(whole) if "findings" in path]) == 1


def coco_text(images: list[Any], annotations: list[Any], categories: Any = ()) -> bytes:
    return json.dumps({"images": images, "annotations": annotations, "categories": list(categories)}).encode()


def test_coco_of_another_program_is_read_for_the_matching_picture() -> None:
    images = [
        {"id": 7, "file_name": "other.png", "width": 10, "height": 10},
        {"id": 9, "file_name": "机身.png", "width": 500, "height": 400},
    ]
    annotations = [
        {"id": 1, "image_id": 7, "category_id": 1, "bbox": [0, 0, 5, 5]},
        {"id": 2, "image_id": 9, "category_id": 1, "bbox": [10, 20, 30, 40]},
        {"id": 3, "image_id": 9, "category_id": 5, "bbox": [490, 0, 100, 10]},
        {"id": 4, "image_id": 9, "category_id": 1, "bbox": []},
    ]
    data = coco_text(images, annotations, [{"id": 1, "name": "rivet"}])
    assert read_regions(data, "instances.json", REFERENCE) == [
        ImportedRegion("rivet", Rect(20, 40, 60, 80)),
        ImportedRegion("", Rect(980, 0, 20, 20)),
    ]
    check_refused(Reason.WHICH_PICTURE, data, target=ExportedPicture("unknown.png", 100, 100))
    check_refused(Reason.NO_REGIONS, coco_text([], []))
    check_refused(Reason.UNREADABLE, b'{"images": {}, "annotations": []}')
    check_refused(Reason.UNREADABLE, coco_text([1], []))
    check_refused(Reason.UNREADABLE, coco_text([{"id": 1}], [5]))
    check_refused(Reason.UNREADABLE, coco_text([{"id": 1}], [], [5]))


def test_coco_keeps_regions_unscaled_without_picture_size() -> None:
    box = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 20, 30, 40]}
    for width, height in ((0, 400), (500, 0), (None, None)):
        data = coco_text([{"id": 1, "width": width, "height": height}], [box])
        assert read_regions(data, "x.json", REFERENCE) == [ImportedRegion("", Rect(10, 20, 30, 40))]


def test_archive_without_regions_is_not_coco() -> None:
    with pytest.raises(ExchangeError) as caught:
        coco.regions(pack({"findings.json": "{}"}), REFERENCE)
    assert caught.value.reason is Reason.UNREADABLE


def test_finding_smaller_than_a_pixel_is_exported() -> None:
    whole = inspection(item(1, None, detection(box("点", Rect(3, 4, 0.5, 0.25)))))
    findings = json.loads(unpack(coco.write(whole), ".json")[coco.FINDINGS])
    assert [annotation["bbox"] for annotation in findings["annotations"]] == [[3, 4, 0.5, 0.25]]


# -- YOLO


def test_yolo_is_two_datasets() -> None:
    files = unpack(yolo.write(sample()), "")
    assert set(files) == {
        "regions/classes.txt",
        "regions/data.yaml",
        "regions/labels/机身.txt",
        "findings/classes.txt",
        "findings/data.yaml",
        "findings/labels/0001-照片.txt",
        "findings/labels/0002-照片.txt",
    }
    assert files["regions/classes.txt"] == "条目 1\n=1+1\n"
    assert files["regions/data.yaml"].endswith('names:\n  0: "条目 1"\n  1: "=1+1"\n')
    assert files["regions/labels/机身.txt"].splitlines()[0] == (
        "0 0.250000000000 0.400000000000 0.300000000000 0.400000000000"
    )
    assert len(files["findings/labels/0001-照片.txt"].splitlines()) == 2
    # A picture without findings is a sample too.
    assert files["findings/labels/0002-照片.txt"] == ""


@pytest.mark.parametrize(
    "names",
    [
        "names: ['a b', 'c: d']",
        'names: ["a b", "c: d"]',
        "names:\n  0: a b\n  1: 'c: d'\nnc: 2",
        'names:\n- a b\n- "c: d"\n',
        "nc: 2\nnames: {0: 'a b', 1: 'c: d'}",
    ],
)
def test_yolo_of_other_programs_is_read(names: str) -> None:
    data = pack({"data.yaml": names, "labels/train/机身.txt": "1 0.5 0.5 0.2 0.1\n0 .1 .1 .1 .1 0.9\n"})
    first, second = read_regions(data, "set.zip", REFERENCE)
    assert (first.name, second.name) == ("c: d", "a b")
    rect = first.rect
    assert (rect.x, rect.y, rect.w, rect.h) == pytest.approx((400, 360, 200, 80))


@pytest.mark.parametrize(
    "names",
    [
        # Each of them took minutes, gigabytes, or an error that nobody caught.
        "names: [\n" * 20_000,
        "names:\n- x" + " " * 200_000 + "y",
        "names: [" + "1," * 20_000_000 + "]",
        f"names:\n  {'9' * 5000}: x",
        "names: {" + "9" * 5000 + ": 'x'}",
        "names: " + "[" * 5000 + "]",
    ],
    ids=["many beginnings", "many blanks", "many names", "a long number", "a long key", "deep"],
)
def test_names_in_hostile_yaml_are_read_in_linear_time(names: str) -> None:
    (draft,) = read_regions(pack({"data.yaml": names, "labels/机身.txt": "7 .5 .5 1 1"}), "s.zip", REFERENCE)
    assert draft == ImportedRegion("", Rect(0, 0, 1000, 800))


def test_single_label_file_has_no_names() -> None:
    (draft,) = read_regions(b"3 0.5 0.5 1 1\n\n", "机身.txt", REFERENCE)
    assert draft == ImportedRegion("", Rect(0, 0, 1000, 800))


def test_yolo_reads_the_label_file_of_the_picture() -> None:
    labels = {"labels/a.txt": "0 .5 .5 .5 .5", "labels/机身.txt": "0 .5 .5 1 1", "classes.txt": "x\n"}
    (draft,) = read_regions(pack(labels), "set.zip", REFERENCE)
    assert draft == ImportedRegion("x", Rect(0, 0, 1000, 800))
    check_refused(Reason.WHICH_PICTURE, pack(labels), "set.zip", ExportedPicture("b.png", 10, 10))


def test_yolo_archive_is_read_for_a_picture_with_another_name() -> None:
    (first, second) = read_regions(yolo.write(sample()), "set.zip", ExportedPicture("new.png", 500, 400))
    assert (first.name, second.name) == ("条目 1", "=1+1")
    assert (first.rect.x, first.rect.w) == pytest.approx((50, 150))


# -- all


@pytest.mark.parametrize(
    "export_format", [export_format for export_format in FORMATS if export_format.format_id != "yolo"]
)
def test_models_and_descriptions_survive_a_round_trip(export_format: ExportFormat) -> None:
    whole = inspection(
        item(1, {"x": 0, "y": 0, "w": 0.5, "h": 0.5}, description="翼根", model_id="m7"),
        item(2, {"x": 0, "y": 0, "w": 0.2, "h": 0.5}, model_id=None),
    )
    drafts = read_regions(export_format.write(whole), export_format.file_name("x"), REFERENCE)
    assert [(draft.description, draft.model_id) for draft in drafts] == [("翼根", "m7"), (None, None)]


def test_damaged_or_foreign_file_is_refused() -> None:
    check_refused(Reason.UNREADABLE, b"")
    check_refused(Reason.UNREADABLE, b"\xff\xfe")
    check_refused(Reason.UNREADABLE, b"[1]")
    check_refused(Reason.UNREADABLE, b"[" * 100_000)
    check_refused(Reason.UNREADABLE, b"{}")
    check_refused(Reason.UNREADABLE, json.dumps({"format": walkaround_json.FORMAT, "version": 99}).encode())
    check_refused(Reason.UNREADABLE, json.dumps({"format": walkaround_json.FORMAT, "version": 1}).encode())
    for side in ("Infinity", "NaN", "9" * 400, "-1", "0", "null"):
        whole = walkaround_json.write(sample()).replace(b'"width": 1000', b'"width": ' + side.encode(), 1)
        assert whole != walkaround_json.write(sample())
        check_refused(Reason.UNREADABLE, whole)
    check_refused(Reason.UNREADABLE, b"a,b\n1,2\n", "x.csv")
    check_refused(Reason.UNREADABLE, b'item_name,"region_x', "x.csv")
    check_refused(Reason.UNREADABLE, b"hello\n", "x.txt")
    check_refused(Reason.UNREADABLE, b"0 nan 0 1 1\n", "x.txt")
    check_refused(Reason.UNREADABLE, b"PK nothing", "x.zip")
    check_refused(Reason.UNREADABLE, pack({"readme.md": "x"}), "x.zip")
    for export_format in FORMATS:
        check_refused(
            Reason.NO_REGIONS, export_format.write(inspection(item(1, None))), export_format.file_name("x")
        )
    damaged = bytearray(coco.write(sample()))
    damaged[60:90] = bytes(30)
    check_refused(Reason.UNREADABLE, bytes(damaged), "x.zip")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_LZMA) as archive_of_others:
        archive_of_others.writestr("regions.json", "{}" * 1000)
    damaged = bytearray(packed.getvalue())
    damaged[46:56] = b"\xff" * 10
    check_refused(Reason.UNREADABLE, bytes(damaged), "x.zip")


def test_regions_outside_the_picture_are_left_out() -> None:
    data = b"item_name,region_x,region_y,region_w,region_h\n,-5,-5,10,10\n,1000,0,5,5\n,0,-9,5,9\n"
    assert [draft.rect for draft in csv_table.regions(data, REFERENCE)] == [Rect(0, 0, 5, 5)]


def test_files_beyond_the_limits_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"0 .5 .5 .1 .1\n" * (imported_regions.MAX_REGIONS + 1)
    check_refused(Reason.TOO_LARGE, data, "x.txt")
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("regions.json", bytes(2_000_000))
    monkeypatch.setattr(archive, "MAX_BYTES", 1_000_000)
    check_refused(Reason.TOO_LARGE, bomb.getvalue(), "x.zip")


def test_without_a_reference_image_findings_are_still_written() -> None:
    whole = inspection(
        item(1, {"x": 0.1, "y": 0.1, "w": 0.1, "h": 0.1}, detection(box("x", Rect(1, 2, 3, 4)))),
        reference=None,
    )
    assert rows(csv_table.write(whole))[0]["region_x"] == ""
    files = unpack(coco.write(whole), ".json")
    assert json.loads(files[coco.REGIONS])["images"] == []
    assert len(json.loads(files[coco.FINDINGS])["annotations"]) == 1
    assert "regions/labels/机身.txt" not in unpack(yolo.write(whole), ".txt")
    (draft,) = walkaround_json.regions(walkaround_json.write(whole), PHOTO)
    assert draft.rect == Rect(64, 48, 64, 48)


def test_exporting_the_same_inspection_again_gives_the_same_bytes() -> None:
    for export_format in FORMATS:
        assert export_format.write(sample()) == export_format.write(sample())


def test_format_suggests_a_file_name() -> None:
    names = [export_format.file_name('左翼/早班: "1"') for export_format in FORMATS]
    assert names == [
        "左翼_早班_ _1_.json",
        "左翼_早班_ _1_.csv",
        "左翼_早班_ _1_-coco.zip",
        "左翼_早班_ _1_-yolo.zip",
        "左翼_早班_ _1_-cvat.zip",
    ]
    assert {f"*{export_format.suffix}" for export_format in FORMATS} <= set(READABLE_PATTERNS)
    assert FORMATS[0].file_name("..") == "inspection.json"
    assert find_reader(b'{"images": [], "annotations": []}', "x") is coco.regions


def test_names_that_the_service_would_refuse_are_cleaned() -> None:
    long = ImportedRegion("长" * 300, Rect(0, 0, 5, 5), "x\x00y", "m" * 300)
    blank = ImportedRegion(" \x00", Rect(0, 0, 5, 5))
    broken = ImportedRegion("\ud800", Rect(0, 0, 5, 5))
    first, second, third = item_creates([long, blank, broken], "r", REFERENCE, None, iter(["Item A"]))
    assert (len(first.item_name), first.description, len(first.model_id or "")) == (255, "xy", 255)
    assert (second.item_name, second.model_id) == ("Item A", None)
    assert third.item_name == "?"
