"""The picture that a file of regions was drawn on, in the file or beside it."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from desktop.exchange.data.imported_regions import ExchangeError, Reason
from desktop.exchange.found_picture import FoundPicture, find_picture

PICTURE = b"\x89PNG\r\n\x1a\n"


def write_json(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document), "utf-8")
    return path


def write_zip(path: Path, **files: bytes) -> Path:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    path.write_bytes(buffer.getvalue())
    return path


def test_embedded_picture_of_labelme_is_found(tmp_path: Path) -> None:
    data = base64.b64encode(PICTURE).decode()
    document = {"shapes": [], "imagePath": "..\\photos\\wing.png", "imageData": data}
    assert find_picture(write_json(tmp_path / "a.json", document)) == FoundPicture("wing.png", PICTURE)


@pytest.mark.parametrize("data", [None, "", "no base64!"])
def test_picture_beside_a_labelme_document_is_found(tmp_path: Path, data: str | None) -> None:
    picture = tmp_path / "wing.png"
    picture.write_bytes(PICTURE)
    document: dict[str, Any] = {"shapes": [], "imagePath": "/elsewhere/wing.png", "imageData": data}
    assert find_picture(write_json(tmp_path / "a.json", document)) == FoundPicture(
        "wing.png", picture.resolve()
    )


def test_picture_of_a_coco_dataset_is_found_in_its_images_folder(tmp_path: Path) -> None:
    picture = tmp_path / "images" / "wing.jpg"
    picture.parent.mkdir()
    picture.write_bytes(PICTURE)
    document = {"images": [{"file_name": "wing.jpg"}], "annotations": []}
    assert find_picture(write_json(tmp_path / "a.json", document)) == FoundPicture(
        "wing.jpg", picture.resolve()
    )


def test_reference_image_of_a_walkaround_export_is_found(tmp_path: Path) -> None:
    (tmp_path / "wing.png").write_bytes(PICTURE)
    path = write_json(tmp_path / "a.json", {"format": "walkaround", "reference": {"filename": "wing.png"}})
    picture = find_picture(path)
    assert picture is not None
    assert picture.name == "wing.png"


@pytest.mark.parametrize("folder", [".", "../images", "../JPEGImages"])
def test_picture_with_the_stem_of_a_yolo_label_file_is_found(tmp_path: Path, folder: str) -> None:
    labels = tmp_path / "labels"
    labels.mkdir()
    (labels / folder).mkdir(exist_ok=True)
    (labels / folder / "wing.jpeg").write_bytes(PICTURE)
    path = labels / "wing.txt"
    path.write_text("0 0.5 0.5 0.1 0.1")
    picture = find_picture(path)
    assert picture is not None
    assert picture.name == "wing.jpeg"


def test_no_picture_is_found_among_several(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes(PICTURE)
    document = {"images": [{"file_name": "a.png"}, {"file_name": "b.png"}], "annotations": []}
    assert find_picture(write_json(tmp_path / "c.json", document)) is None
    assert find_picture(write_zip(tmp_path / "c.zip", **{"a.png": PICTURE, "b.png": PICTURE})) is None


def test_picture_of_the_regions_is_found_in_an_archive(tmp_path: Path) -> None:
    files = {"images/regions/wing.png": PICTURE, "images/findings/today.png": b"x"}
    assert find_picture(write_zip(tmp_path / "a.zip", **files)) == FoundPicture("wing.png", PICTURE)


def test_picture_name_cannot_leave_the_folders(tmp_path: Path) -> None:
    inner = tmp_path / "inner" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "secret.png").write_bytes(PICTURE)
    document: dict[str, Any] = {"shapes": [], "imagePath": "../../secret.png", "imageData": None}
    assert find_picture(write_json(inner / "a.json", document)) is None


def test_a_damaged_file_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{")
    with pytest.raises(ExchangeError) as caught:
        find_picture(path)
    assert caught.value.reason is Reason.UNREADABLE


def test_picture_is_found_in_other_case_and_in_the_folders_of_datasets(tmp_path: Path) -> None:
    labels, pictures = tmp_path / "labels" / "train", tmp_path / "images" / "train"
    labels.mkdir(parents=True)
    pictures.mkdir(parents=True)
    (labels / "IMG_1.txt").write_text("0 .5 .5 .1 .1")
    (pictures / "IMG_1.JPG").write_bytes(b"x")
    found = find_picture(labels / "IMG_1.txt")
    assert found is not None
    assert found.name == "IMG_1.JPG"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '[{"data": {"image": "/data/upload/1/1b2c3d4e-wing.png"}, "annotations": []}]'),
        ("a.json", '{"images": [{"file_name": "https://host/wing.png?key=1/2"}], "annotations": []}'),
        ("a.json", '{"images": [{"file_name": "wing_png.rf.0123abcd.jpg"}], "annotations": []}'),
        ("a.xml", "<annotation><filename>wing.png</filename></annotation>"),
        ("a.xml", '<annotations><image id="0" name="left/wing.png" width="1" height="1"/></annotations>'),
    ],
)
def test_picture_is_found_by_any_name_that_programs_give_it(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "wing.png").write_bytes(PICTURE)
    (tmp_path / "tail.png").write_bytes(PICTURE)
    (tmp_path / name).write_text(text, "utf-8")
    picture = find_picture(tmp_path / name)
    assert picture is not None
    assert picture.name == "wing.png"
