"""Tests `walkaround detect` on files: one pair, a region, a batch with a pair that cannot be compared."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from service.detection.cli import main
from service.settings import Settings
from shared import samples
from shared.images.cv import cv2
from shared.samples import View
from tests.service.detection.graphs import brightness_model


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "home")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a reference, a damaged photo of it and a file that is not a picture."""
    scene = samples.draw_scene(640, 480, 3, kinds=("added",), view=View(rotation=2, noise=2))
    place = tmp_path / "图片"
    place.mkdir()
    for name, image in (("reference.png", scene.reference), ("photo.png", scene.photo)):
        (place / name).write_bytes(bytes(cv2.imencode(".png", image)[1]))
    (place / "broken.png").write_bytes((place / "photo.png").read_bytes()[:4000])
    return place


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_one_pair(folder: Path, settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    pair = ["--reference", str(folder / "reference.png"), "--photo", str(folder / "photo.png")]
    assert main(["detect", *pair], settings) == 0
    (line,) = lines(capsys.readouterr().out)
    (box,) = line["boxes"]
    assert set(box) == {"label", "confidence", "x1", "y1", "x2", "y2"}
    assert line["passed"] is False
    assert line["alignment"]["inliers"] > 10
    assert line["seconds"] > 0
    x, y = box["x1"], box["y1"]
    empty = f"0,0,{max(x - 30, 40)},480" if x > 320 else f"{box['x2'] + 30},0,{600 - box['x2']},480"
    assert main(["detect", *pair, "--region", empty], settings) == 0
    assert lines(capsys.readouterr().out)[0]["boxes"] == [], (x, y)


def test_each_line_of_a_batch_has_its_result(folder: Path, settings: Settings, tmp_path: Path) -> None:
    pairs = folder / "pairs.csv"
    pairs.write_text(
        "reference,photo\nreference.png,photo.png\nreference.png,broken.png\nreference.png,none.png\n"
        "reference.png,reference.png\n",
        "utf-8",
    )
    out = tmp_path / "out.jsonl"
    assert main(["detect", "--batch", str(pairs), "--out", str(out)], settings) == 0
    results = lines(out.read_text("utf-8"))
    assert [line["photo"] for line in results] == ["photo.png", "broken.png", "none.png", "reference.png"]
    assert [line.get("error") for line in results] == [None, "image_unreadable", "file_lost", None]
    assert [line["passed"] for line in results] == [False, None, None, True]
    assert results[2]["message"] == "no such file: none.png"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no column reference and no photo"),
        ("reference,picture\na,b\n", "no column photo"),
        ("reference;photo\na.png;b.png\n", "no column reference and no photo"),
    ],
)
def test_wrong_table_is_reported_before_any_comparison(
    settings: Settings, capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, message: str
) -> None:
    batch, out = tmp_path / "pairs.csv", tmp_path / "out.jsonl"
    batch.write_text(text, "utf-8")
    assert main(["detect", "--batch", str(batch), "--out", str(out)], settings) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_incomplete_line_does_not_stop_the_others(
    folder: Path, settings: Settings, tmp_path: Path, encoding: str
) -> None:
    (folder / "reference.png").rename(folder / "参考 1.png")
    text = "reference,photo\r\n参考 1.png,\r\n参考 1.png\r\n,photo.png\r\n\r\n参考 1.png,参考 1.png,more\r\n"
    pairs, out = folder / "对.csv", tmp_path / "out.jsonl"
    pairs.write_bytes(text.encode(encoding))
    assert main(["detect", "--batch", str(pairs), "--out", str(out)], settings) == 0
    results = lines(out.read_text("utf-8"))
    assert [line.get("error") for line in results] == ["line_incomplete"] * 3 + [None]
    assert [line.get("message") for line in results][:3] == [
        "line 2 has no photo",
        "line 3 has no photo",
        "line 4 has no reference",
    ]
    assert [(line["reference"], line["photo"]) for line in results[2:]] == [
        (None, "photo.png"),
        ("参考 1.png", "参考 1.png"),
    ]
    assert results[3]["passed"] is True
    assert {"boxes", "alignment", "seconds"} <= results[0].keys()


def test_an_onnx_file_as_the_model(
    folder: Path, settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    white = tmp_path / "white.png"
    white.write_bytes(bytes(cv2.imencode(".png", np.full((80, 80, 3), 250, np.uint8))[1]))
    model = brightness_model(tmp_path / "bright.onnx")
    assert main(["detect", "--photo", str(white), "--model", str(model)], settings) == 0
    (line,) = lines(capsys.readouterr().out)
    assert [box["label"] for box in line["boxes"]] == ["class 0"]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--photo", "p.png"],
        ["--photo", "p.png", "--batch", "b.csv"],
        ["--photo", "p.png", "--reference", "r.png", "--region", "1,2,3"],
        ["--photo", "p.png", "--reference", "r.png", "--region", "nan,0,1,1"],
        ["--photo", "p.png", "--reference", "r.png", "--region=-5,0,9,9"],
        ["--photo", "p.png", "--reference", "r.png", "--region", "0,0,0,9"],
        ["--photo", "p.png", "--reference", "r.png", "--sensitivity", "3"],
        ["--photo", "p.png", "--reference", "r.png", "--smallest", "nan"],
        ["--photo", "p.png", "--reference", "r.png", "--mm-per-pixel", "0"],
    ],
)
def test_wrong_use_is_reported(arguments: list[str], settings: Settings) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["detect", *arguments], settings)
    assert ended.value.code == 2


def test_unknown_model_is_reported(
    settings: Settings, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["detect", "--photo", "p.png", "--model", str(tmp_path / "none.onnx")], settings) == 1
    assert "there is no file" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe has no place in its file system")
def test_endless_input_is_refused(
    folder: Path, settings: Settings, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe.onnx"
    os.mkfifo(pipe)
    assert main(["model", "add", str(pipe)], settings) == 1
    assert "is no file" in capsys.readouterr().err
    assert main(["model", "add", str(tmp_path)], settings) == 1
    assert main(["model", "add", str(tmp_path / "none.onnx")], settings) == 1
    assert "No such file" in capsys.readouterr().err
    assert main(["detect", "--reference", str(folder / "reference.png"), "--photo", str(pipe)], settings) == 1
    assert lines(capsys.readouterr().out)[0]["error"] == "file_lost"


def test_unknown_model_and_setting_are_reported(
    folder: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    photo = str(folder / "photo.png")
    assert main(["detect", "--photo", photo, "--model", photo], settings) == 1
    assert "ONNX model is incomplete" in capsys.readouterr().err
    assert main(["detect", "--photo", photo, "--model", "some-id"], settings) == 1
    assert "there is no model some-id" in capsys.readouterr().err
    assert not settings.data_dir.exists()
    for text in ("{bad", "[1]"):
        assert main(["model", "add", photo, "--settings", text], settings) == 1
        assert "--settings is no JSON" in capsys.readouterr().err
    assert main(["model", "add", photo], settings) == 1
    assert "ONNX model is incomplete" in capsys.readouterr().err


def test_a_fixed_camera_compares_by_appearance(
    tmp_path: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    random = np.random.default_rng(4)
    surface = np.kron(random.integers(40, 200, (8, 8, 3)), np.ones((60, 60, 1))).astype(np.uint8)
    paths = []
    for number in range(5):
        image = cv2.add(surface, random.integers(0, 12, surface.shape).astype(np.uint8))
        if number == 4:
            image[300:420, 60:180] = random.integers(0, 256, (120, 120, 3))
        paths.append(tmp_path / f"{number}.png")
        paths[-1].write_bytes(bytes(cv2.imencode(".png", image)[1]))
    usual, broken = map(str, paths[3:])
    passed = ["--place", "fixed", "--reference", str(paths[0]), "--passed", *map(str, paths[:3])]

    assert main(["detect", *passed, "--photo", usual], settings) == 0
    assert main(["detect", *passed, "--photo", broken], settings) == 0
    assert main(["detect", *passed, "--photo", broken, "--region", "0,0,1,0.5"], settings) == 0
    first, second, upper = lines(capsys.readouterr().out)

    assert first["passed"] is True
    assert first["appearance"]["share"] > 0.02
    assert first["appearance"]["photos"] == 3
    assert second["passed"] is False
    assert second["appearance"]["share"] < 0.02
    assert second["alignment"] == {"homography": np.eye(3).tolist(), "set_by": "model"}
    box = second["boxes"][0]
    assert (box["x1"] + box["x2"]) / 2 == pytest.approx(120, abs=40)
    assert (box["y1"] + box["y2"]) / 2 == pytest.approx(360, abs=40)
    assert upper["passed"] is True


@pytest.mark.parametrize(
    "options",
    [["--passed", "a.png"], ["--place", "fixed"], ["--place", "near"]],
)
def test_options_for_appearance_fit_together(options: list[str], folder: Path, settings: Settings) -> None:
    pair = ["--reference", str(folder / "reference.png"), "--photo", str(folder / "photo.png")]
    with pytest.raises(SystemExit):
        main(["detect", *pair, "--model", "m.onnx", *options], settings)
