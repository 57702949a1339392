"""The picture that a file of regions was drawn on, in the file or beside it."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from desktop.exchange.data.errors import ExchangeError, Reason
from desktop.exchange.found_picture import FoundPicture, found_picture

PICTURE = b"\x89PNG\r\n\x1a\n"


def written(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document), "utf-8")
    return path


def packed(path: Path, **files: bytes) -> Path:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    path.write_bytes(out.getvalue())
    return path


def test_a_document_of_labelme_holds_its_picture(tmp_path: Path) -> None:
    data = base64.b64encode(PICTURE).decode()
    document = {"shapes": [], "imagePath": "..\\photos\\wing.png", "imageData": data}
    assert found_picture(written(tmp_path / "a.json", document)) == FoundPicture("wing.png", PICTURE)


@pytest.mark.parametrize("data", [None, "", "no base64!"])
def test_a_document_of_labelme_names_the_picture_beside_it(tmp_path: Path, data: str | None) -> None:
    picture = tmp_path / "wing.png"
    picture.write_bytes(PICTURE)
    document: dict[str, Any] = {"shapes": [], "imagePath": "/elsewhere/wing.png", "imageData": data}
    assert found_picture(written(tmp_path / "a.json", document)) == FoundPicture(
        "wing.png", picture.resolve()
    )


def test_a_coco_dataset_names_the_picture_in_its_folder_of_images(tmp_path: Path) -> None:
    picture = tmp_path / "images" / "wing.jpg"
    picture.parent.mkdir()
    picture.write_bytes(PICTURE)
    document = {"images": [{"file_name": "wing.jpg"}], "annotations": []}
    assert found_picture(written(tmp_path / "a.json", document)) == FoundPicture(
        "wing.jpg", picture.resolve()
    )


def test_an_export_of_walkaround_names_its_reference_image(tmp_path: Path) -> None:
    (tmp_path / "wing.png").write_bytes(PICTURE)
    path = written(tmp_path / "a.json", {"format": "walkaround", "reference": {"filename": "wing.png"}})
    picture = found_picture(path)
    assert picture is not None
    assert picture.name == "wing.png"


@pytest.mark.parametrize("folder", [".", "../images"])
def test_a_label_file_of_yolo_is_named_like_its_picture(tmp_path: Path, folder: str) -> None:
    labels = tmp_path / "labels"
    labels.mkdir()
    (labels / folder).mkdir(exist_ok=True)
    (labels / folder / "wing.jpeg").write_bytes(PICTURE)
    path = labels / "wing.txt"
    path.write_text("0 0.5 0.5 0.1 0.1")
    picture = found_picture(path)
    assert picture is not None
    assert picture.name == "wing.jpeg"


def test_several_pictures_are_not_guessed_between(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes(PICTURE)
    document = {"images": [{"file_name": "a.png"}, {"file_name": "b.png"}], "annotations": []}
    assert found_picture(written(tmp_path / "c.json", document)) is None
    assert found_picture(packed(tmp_path / "c.zip", **{"a.png": PICTURE, "b.png": PICTURE})) is None


def test_an_archive_holds_the_picture_of_its_regions(tmp_path: Path) -> None:
    files = {"images/regions/wing.png": PICTURE, "images/findings/today.png": b"x"}
    assert found_picture(packed(tmp_path / "a.zip", **files)) == FoundPicture("wing.png", PICTURE)


def test_a_name_never_leads_out_of_the_folders(tmp_path: Path) -> None:
    inner = tmp_path / "inner" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "secret.png").write_bytes(PICTURE)
    document: dict[str, Any] = {"shapes": [], "imagePath": "../../secret.png", "imageData": None}
    assert found_picture(written(inner / "a.json", document)) is None


def test_a_damaged_file_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{")
    with pytest.raises(ExchangeError) as caught:
        found_picture(path)
    assert caught.value.reason is Reason.UNREADABLE
