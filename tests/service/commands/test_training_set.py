"""Tests training sets of corrected photos: split by aircraft, reproducible, in two formats."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import update
from starlette.testclient import TestClient

from service.commands.training_set import SPLITS, CorrectedPhoto, main, split
from service.db.database import Database
from service.inspection.tables import ITEM
from service.settings import Settings
from shared import samples
from tests.service.answers import read_body
from tests.service.detection.dispatch.test_jobs import encode, upload

SHARES = (Fraction("0.8"), Fraction("0.1"), Fraction("0.1"))

pytestmark = pytest.mark.both_databases


def photo(name: str, *groups: str) -> CorrectedPhoto:
    return CorrectedPhoto(name, "image/png", 8, 8, groups, (), 0)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sets(st.sampled_from("ABCDEFGHIJ"), min_size=1, max_size=2), min_size=1, max_size=60))
def test_each_photo_is_in_one_split_and_no_aircraft_in_two(of: list[set[str]]) -> None:
    photos = [photo(f"{number:03}", *sorted(groups)) for number, groups in enumerate(of)]
    parts = split(photos, SHARES)
    hashes = [corrected.sha256 for part in parts.values() for corrected in part]
    assert sorted(hashes) == [corrected.sha256 for corrected in photos]
    groups = [{group for corrected in part for group in corrected.groups} for part in parts.values()]
    assert sum(map(len, groups)) == len(set().union(*groups))
    assert split(photos[::-1], SHARES) == parts


def test_splits_have_approximately_their_shares() -> None:
    photos = [photo(f"{number:03}", f"aircraft {number % 50}") for number in range(200)]
    assert [len(part) for part in split(photos, SHARES).values()] == [160, 20, 20]
    only = split(photos, (Fraction(1), Fraction(0), Fraction(0)))
    assert [len(only[name]) for name in SPLITS] == [200, 0, 0]


def box(x: int, label: str = "crack", **more: Any) -> dict[str, Any]:
    points = {"x1": x, "y1": 10, "x2": x + 20, "y2": 30}
    return {"label": label, "confidence": 0.5 + x / 1000, "points": points, **more}


class Records:
    """Records of aircraft with corrected findings."""

    def __init__(self, client: TestClient, database: Database) -> None:
        self.client = client
        self.database = database
        self.number = 0

    def post(self, path: str, **body: Any) -> Any:
        content = read_body(self.client.post(path, json=body))
        return content.get("data", content)

    def task(self, aircraft: str) -> str:
        plane = self.post("/api/catalogue/aircraft", aircraft_name=aircraft)["aircraft_id"]
        return str(self.post("/api/catalogue/tasks", task_name=aircraft, aircraft_id=plane)["task_id"])

    def photo(self, task_id: str, findings: Sequence[Any], left: Sequence[Any] | None) -> str:
        """A photo with the findings of a detection, and those that a person left; None: not corrected."""
        self.number += 1
        file = upload(
            self.client, f"{self.number}.png", encode(samples.draw_panel(160, 120, self.number).image)
        )
        record = self.post("/api/inspection/create", task_id=task_id)["inspection_id"]
        item = self.post("/api/inspection_item/create", item_name="a", inspection_id=record)["item_id"]
        entry = {
            "inputImage": {"file_id": file["file_id"]},
            "resultImage": {"boxes": list(findings)},
            "isPassed": not findings,
            "progress": "done",
            "version": 1,
            "job_id": str(self.number),
        }
        stored = update(ITEM).where(ITEM.c.item_id == item)
        stored = stored.values(result=json.dumps([entry]), detected=True)
        self.database.write_now(lambda session: session.execute(stored))
        if left is not None:
            self.post(f"/api/inspection_item/{item}/boxes", of_version=1, boxes=list(left))
        return str(file["sha256"])


@pytest.fixture
def hashes(client: TestClient, database: Database) -> dict[str, str]:
    site = Records(client, database)
    first, second = site.task("B-1001"), site.task("B-1002")
    return {
        "kept": site.photo(
            first, [box(0), box(60)], [box(0, origin="model"), box(100, "dent", origin="person")]
        ),
        "rejected": site.photo(first, [box(0), box(60)], []),
        "other aircraft": site.photo(second, [box(0)], [box(0, "corrosion", origin="model")]),
        "no aircraft": site.photo("elsewhere", [], [box(30, "dent", origin="person")]),
        "untouched": site.photo(first, [box(0)], None),
    }


def pictures_by_split(folder: Path) -> dict[str, str]:
    """The split of each picture in `folder`, by the start of its hash."""
    return {path.stem: path.parent.name for path in folder.glob("*/*.png")}


def test_training_set_in_coco_format(
    settings: Settings, hashes: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "coco"
    arguments = ["training-set", "--out", str(out), "--format", "coco", "--split", "0.5/0.25/0.25"]
    assert main(arguments, settings) == 0
    output = capsys.readouterr().out.splitlines()
    assert output[0] == (
        "train: 2 photos of 1 aircraft and 0 records without one, 2 findings (crack 1, dent 1), "
        "1 photos without any, 3 rejected findings as background"
    )
    where = pictures_by_split(out / "images")
    of = {kind: where.get(sha256[:24]) for kind, sha256 in hashes.items()}
    assert of["kept"] == of["rejected"] == "train"
    assert {of["other aircraft"], of["no aircraft"]} == {"val", "test"}
    assert of["untouched"] is None
    boxes = {}
    for name in SPLITS:
        document = json.loads((out / "annotations" / f"{name}.json").read_text("utf-8"))
        assert [entry["name"] for entry in document["categories"]] == ["corrosion", "crack", "dent"]
        assert {Path(entry["file_name"]).stem for entry in document["images"]} == {
            stem for stem, part in where.items() if part == name
        }
        boxes[name] = sorted((entry["category_id"], entry["bbox"]) for entry in document["annotations"])
    assert boxes["train"] == [(2, [0, 10, 20, 20]), (3, [100, 10, 20, 20])]
    assert main(arguments, settings) == 1
    assert "not an empty folder" in capsys.readouterr().err


def test_training_set_in_yolo_format_is_reproducible(
    settings: Settings, hashes: dict[str, str], tmp_path: Path
) -> None:
    sets = []
    for name in ("first", "second"):
        out = tmp_path / name
        assert main(["training-set", "--out", str(out), "--format", "yolo"], settings) == 0
        sets.append({path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()})
    assert sets[0] == sets[1]
    texts = {path.stem: data.decode() for path, data in sets[0].items() if path.suffix == ".txt"}
    assert texts[hashes["rejected"][:24]] == ""
    assert [row.split()[0] for row in texts[hashes["kept"][:24]].splitlines()] == ["1", "2"]
    assert len([path for path in sets[0] if path.parts[0] == "images"]) == 4
    text = sets[0][Path("data.yaml")].decode()
    assert text.startswith("train: images/train\nval: images/val\nnames:\n")
    assert '  1: "crack"\n' in text


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_export_without_corrections_is_reported(
    settings: Settings, client: TestClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert client is not None
    arguments = ["training-set", "--out", str(tmp_path / "out"), "--format", "yolo"]
    assert main(arguments, settings) == 1
    assert "nothing to train with" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()
    for wrong in ("1", "0.5/0.5/0.5", "0/0.5/0.5", "a/b/c", "1/0/0/0"):
        with pytest.raises(SystemExit):
            main([*arguments, "--split", wrong], settings)
