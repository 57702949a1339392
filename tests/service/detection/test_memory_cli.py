"""Tests `walkaround memory` on files: created from photos, shown, and used by `walkaround detect`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from service.detection.cli import main as detect_main
from service.detection.memory_cli import main
from service.settings import Settings
from shared import samples
from shared.images.cv import cv2
from shared.samples import View


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "home")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A reference image, three photos on which a lamp is lit, and a file that is not a picture."""
    panel = samples.draw_panel(320, 320, 11).image
    write(tmp_path / "reference.png", panel)
    lit = panel.copy()
    cv2.circle(lit, (230, 90), 18, (90, 220, 250), -1, cv2.LINE_AA)
    for number in range(3):
        photo, _ = samples.photograph(lit, View(light=0.1, noise=2), number)
        write(tmp_path / f"photo{number}.png", photo)
    (tmp_path / "broken.png").write_bytes(b"nothing")
    return tmp_path


def write(path: Path, image: samples.Image) -> None:
    path.write_bytes(bytes(cv2.imencode(".png", image)[1]))


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def make(folder: Path, *photos: str) -> list[str]:
    where = ["--reference", str(folder / "reference.png"), "--out", str(folder / "region.memory")]
    return ["memory", "make", *where, *(str(folder / name) for name in photos)]


def test_differences_of_passed_photos_are_suppressed_and_reported(
    folder: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(make(folder, "photo0.png", "photo1.png", "broken.png"), settings) == 0
    written = lines(capsys)
    assert [line["differences"] for line in written] == [1, 1, None]
    assert written[2]["error"] == "image_unreadable"
    assert main(["memory", "show", str(folder / "region.memory")], settings) == 0
    (shown,) = lines(capsys)
    assert shown["region"] == [0, 0, 320, 320]
    assert [photo["differences"] for photo in shown["photos"]] == [1, 1]
    pair = ["--reference", str(folder / "reference.png"), "--photo", str(folder / "photo2.png")]
    assert detect_main(["detect", *pair], settings) == 0
    (without,) = lines(capsys)
    assert "suppressed" not in without
    assert detect_main(["detect", *pair, "--memory", str(folder / "region.memory")], settings) == 0
    (line,) = lines(capsys)
    assert (line["boxes"], line["passed"]) == ([], True)
    (suppressed,) = line["suppressed"]
    assert {key: suppressed[key] for key in without["boxes"][0]} == without["boxes"][0]
    assert suppressed["left"] < 0.5
    assert sorted(suppressed["photos"]) == sorted(photo["sha256"] for photo in shown["photos"])


def test_without_a_comparable_photo_no_memory_is_written(
    folder: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(make(folder, "broken.png", "none.png"), settings) == 1
    assert [line["error"] for line in lines(capsys)] == ["image_unreadable", "file_lost"]
    assert not (folder / "region.memory").exists()


def test_a_file_other_than_a_memory_is_refused(
    folder: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["memory", "show", str(folder / "broken.png")], settings) == 1
    assert "not a file of known variations" in capsys.readouterr().err
    pair = ["--reference", str(folder / "reference.png"), "--photo", str(folder / "photo2.png")]
    assert detect_main(["detect", *pair, "--memory", str(folder / "broken.png")], settings) == 1
    assert "not a file of known variations" in capsys.readouterr().err
    assert main(["memory", "show", str(folder / "none.memory")], settings) == 1
    assert capsys.readouterr().err
