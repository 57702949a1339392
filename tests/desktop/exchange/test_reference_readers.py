"""What the formats' own programs say of the same files: pycocotools of COCO, labelme of labelme."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from desktop.exchange.data.content import ExportedPicture
from desktop.exchange.formats import coco
from desktop.exchange.formats.archive import unpack
from desktop.exchange.registry import read_regions
from tests.desktop.exchange.test_formats import sample
from tests.pictures import draw_gradient, encode_picture

LABELME = os.environ.get("WALKAROUND_TEST_LABELME")
"""The Python of an environment with labelme, which brings Qt 5: kept apart from ours (.ci/labelme)."""

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


def labelme(script: str, *arguments: str) -> str:
    if LABELME is None:
        pytest.skip("names no environment with labelme: .ci/labelme makes one")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    run = subprocess.run(
        [LABELME, "-c", script, *arguments],
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
    (tmp_path / WING.name).write_bytes(encode_picture(draw_gradient(WING.width, WING.height)))
    labelme(SAVE, str(path), json.dumps(shapes))
    expected = json.loads(labelme(READ, str(path)))
    drafts = read_regions(path.read_bytes(), path.name, WING)
    assert [draft.name for draft in drafts] == [label for label, *_ in expected]
    for draft, (_, *box) in zip(drafts, expected, strict=True):
        got = (draft.rect.x, draft.rect.y, draft.rect.right, draft.rect.bottom)
        assert got == pytest.approx(box, abs=1.01)
