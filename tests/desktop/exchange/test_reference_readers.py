"""What other programs read in the same files, and what is read in theirs.

pycocotools reads COCO, labelme its own files, supervision YOLO and COCO, and datumaro, CVAT's library, CVAT.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.formats import coco
from desktop.exchange.formats.archive import unpack
from desktop.exchange.registry import FORMATS, read_regions
from tests.desktop.exchange.test_formats import sample
from tests.pictures import encode_picture, gradient_pixels

READERS = os.environ.get("WALKAROUND_TEST_READERS")
"""The Python of an environment with these programs, which bring Qt 5: kept apart from ours (.ci/readers)."""

WING = ExportedPicture("wing.png", 400, 300)

SAVE = """
import json, sys
from labelme import LabelFile
path, shapes = sys.argv[1], json.loads(sys.argv[2])
whole = [{"flags": {}, "description": "", "group_id": None, "mask": None, **shape} for shape in shapes]
size = {"image_height": 300, "image_width": 400}
LabelFile().save(filename=path, shapes=whole, image_path="wing.png", other_data={}, flags={}, **size)
"""

READ = """
import json, sys
from labelme import LabelFile
from labelme.utils import shape_to_mask
boxes = []
for shape in LabelFile(sys.argv[1]).shapes:
    kind = shape["shape_type"]
    if kind in ("rectangle", "linestrip", "points"):
        xs, ys = zip(*shape["points"])
        box = [min(xs), min(ys), max(xs), max(ys)]
    else:
        drawn = shape_to_mask((300, 400), shape["points"], kind)
        ys, xs = drawn.nonzero()
        box = [int(xs.min()), int(ys.min()), int(xs.max()), int(ys.max())]
    boxes.append([shape["label"], *box])
print(json.dumps(boxes))
"""


READ_DATASETS = """
import json, sys
from pathlib import Path
import datumaro
import supervision
root, found = Path(sys.argv[1]), {}
def boxes(dataset):
    names = dataset.classes
    return [
        [Path(path).name, [[names[number], *box] for number, box in zip(marks.class_id, marks.xyxy.tolist())]]
        for path, _, marks in dataset
    ]
for part in ("regions", "findings"):
    yolo, coco, read = root / "yolo" / part, root / "coco", supervision.DetectionDataset
    paths = [str(yolo / name) for name in ("images", "labels", "data.yaml")]
    found[f"yolo {part}"] = boxes(read.from_yolo(*paths))
    found[f"coco {part}"] = boxes(read.from_coco(str(coco / "images" / part), str(coco / f"{part}.json")))
    dataset = datumaro.Dataset.import_from(str(root / "cvat" / f"{part}.xml"), "cvat")
    labels = [label.name for label in dataset.categories()[datumaro.AnnotationType.label]]
    found[f"cvat {part}"] = [
        [item.id, [[labels[mark.label], *mark.points] for mark in item.annotations]] for item in dataset
    ]
print(json.dumps(found))
"""

WRITE_DATASETS = """
import sys
from pathlib import Path
import numpy
import datumaro
from datumaro import Bbox, Dataset, DatasetItem, Image
wing, tail = [Bbox(100, 20, 30, 40, label=1), Bbox(200, 50, 60, 70, label=0)], [Bbox(1, 2, 3, 4, label=0)]
media = Image.from_numpy(numpy.zeros((300, 400, 3), "uint8"))
items = [
    DatasetItem(name, subset="train", media=media, annotations=marks)
    for name, marks in (("wing", wing), ("tail", tail))
]
for kind in sys.argv[2:]:
    dataset = Dataset.from_iterable(items, categories=["凹坑", "crack"])
    dataset.export(str(Path(sys.argv[1]) / kind), kind, save_media=True)
"""


@pytest.fixture
def read_coco(tmp_path: Path) -> Any:
    reader = pytest.importorskip("pycocotools.coco", reason="pip install pycocotools")

    def read(text: str) -> Any:
        path = tmp_path / "dataset.json"
        path.write_text(text, "utf-8")
        return reader.COCO(str(path))

    return read


def test_pycocotools_reads_the_datasets_that_are_written(read_coco: Any) -> None:
    texts = unpack(coco.write(sample()), ".json")
    for name, boxes in ((coco.REGIONS, 2), (coco.FINDINGS, 2)):
        dataset = read_coco(texts[name])
        assert len(dataset.getAnnIds()) == boxes
        for annotation in dataset.loadAnns(dataset.getAnnIds()):
            (image,) = dataset.loadImgs(annotation["image_id"])
            (category,) = dataset.loadCats(annotation["category_id"])
            x, y, w, h = annotation["bbox"]
            assert 0 <= x < x + w <= image["width"]
            assert 0 <= y < y + h <= image["height"]
            assert annotation["area"] == pytest.approx(w * h)
            assert category["name"]
    results = read_coco(texts[coco.FINDINGS])
    scored = [
        {key: entry[key] for key in ("image_id", "category_id", "bbox", "score")}
        for entry in results.dataset["annotations"]
    ]
    assert len(results.loadRes(scored).getAnnIds()) == len(scored)


def test_polygon_box_equals_that_of_pycocotools(read_coco: Any) -> None:
    masks = pytest.importorskip("pycocotools.mask")
    shapes: list[Any] = [
        [[10, 20, 60, 20, 60, 90, 10, 90]],
        [[100.5, 50, 180, 70.25, 140, 120]],
        [[200, 200, 220, 200, 220, 230], [300, 210, 340, 215, 320, 260]],
    ]
    document = {
        "images": [{"id": 1, "file_name": WING.name, "width": WING.width, "height": WING.height}],
        "categories": [{"id": 1, "name": "dent", "supercategory": ""}],
        "annotations": [
            {"id": number, "image_id": 1, "category_id": 1, "iscrowd": 0, "segmentation": shape}
            for number, shape in enumerate(shapes, 1)
        ],
    }
    text = json.dumps(document)
    dataset = read_coco(text)
    drafts = read_regions(text.encode(), "x.json", WING)
    annotations = dataset.loadAnns(dataset.getAnnIds())
    assert len(drafts) == len(annotations)
    for draft, annotation in zip(drafts, annotations, strict=True):
        expected = masks.toBbox(dataset.annToRLE(annotation))
        got = (draft.rect.x, draft.rect.y, draft.rect.w, draft.rect.h)
        # Theirs counts whole pixels.
        assert got == pytest.approx(expected, abs=1.01)


def run_elsewhere(script: str, *arguments: str) -> str:
    if READERS is None:
        pytest.skip("names no environment with other readers: .ci/readers makes one")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    run = subprocess.run(
        [READERS, "-c", script, *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env=environment,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.slow(20)
def test_shape_places_equal_those_of_labelme(tmp_path: Path) -> None:
    path = tmp_path / "翼根.json"
    shapes = [
        {"label": "凹坑", "shape_type": "rectangle", "points": [[100, 60], [20, 10]]},
        {"label": "crack", "shape_type": "polygon", "points": [[150, 100], [220, 110], [190, 180]]},
        {"label": "hole", "shape_type": "circle", "points": [[300, 200], [310, 220]]},
        {"label": "scratch", "shape_type": "linestrip", "points": [[30, 200], [60, 240], [90, 210]]},
    ]
    (tmp_path / WING.name).write_bytes(encode_picture(gradient_pixels(WING.width, WING.height)))
    run_elsewhere(SAVE, str(path), json.dumps(shapes))
    expected = json.loads(run_elsewhere(READ, str(path)))
    drafts = read_regions(path.read_bytes(), path.name, WING)
    assert [draft.name for draft in drafts] == [label for label, *_ in expected]
    for draft, (_, *box) in zip(drafts, expected, strict=True):
        got = (draft.rect.x, draft.rect.y, draft.rect.right, draft.rect.bottom)
        assert got == pytest.approx(box, abs=1.01)


@pytest.mark.slow(20)
def test_other_programs_read_the_datasets_with_their_pictures(tmp_path: Path) -> None:
    for export_format in FORMATS:
        if export_format.files is not None and export_format.pictures is not None:
            folder = tmp_path / export_format.format_id
            for name, text in export_format.files(sample()).items():
                write(folder / name, text.encode("utf-8"))
            for name, picture in export_format.pictures(sample()).items():
                write(folder / name, encode_picture(gradient_pixels(picture.width, picture.height)))
    found = json.loads(run_elsewhere(READ_DATASETS, str(tmp_path)))
    regions = [["条目 1", 100, 160, 400, 480], ["=1+1", 100, 80, 1000, 90]]
    findings = [["裂纹", 10.25, 20, 40.25, 60.5], ["凹坑", 600, 470, 640, 480]]
    for kind in ("yolo", "coco", "cvat"):
        ((_, boxes),) = found[f"{kind} regions"]
        assert [box[0] for box in boxes] == [box[0] for box in regions]
        assert [box[1:] for box in boxes] == pytest.approx(np.array([box[1:] for box in regions]), abs=0.01)
        (first, boxes), (second, none) = found[f"{kind} findings"]
        assert (first[:7], second[:7], none) == ("0001-照片", "0002-照片", [])
        assert [box[0] for box in boxes] == [box[0] for box in findings]
        assert [box[1:] for box in boxes] == pytest.approx(np.array([box[1:] for box in findings]), abs=0.01)


@pytest.mark.slow(20)
def test_datasets_of_another_program_are_read(tmp_path: Path) -> None:
    kinds, wing = ["coco", "cvat", "voc_detection", "yolo"], ExportedPicture("wing.jpg", 400, 300)
    run_elsewhere(WRITE_DATASETS, str(tmp_path), *kinds)
    for kind in kinds:
        data = Path(shutil.make_archive(str(tmp_path / f"{kind}-file"), "zip", tmp_path / kind)).read_bytes()
        found = {draft.name: draft.rect for draft in read_regions(data, "x.zip", wing)}
        assert found.keys() == {"crack", "凹坑"}, kind
        for name, box in (("crack", (100, 20, 30, 40)), ("凹坑", (200, 50, 60, 70))):
            rect = found[name]
            assert (rect.x, rect.y, rect.w, rect.h) == pytest.approx(box, abs=0.01), kind


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
