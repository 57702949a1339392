"""The benchmark of objects on a small generated set."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import refusals, variation
from benchmarks.objects import main
from shared.images.cv import cv2

pytestmark = pytest.mark.slow


def draw_set(folder: Path) -> None:
    """A set in the layout of MVTec AD: tiles with noise, and bad photos with other contents in a corner."""
    tiles = np.kron(np.random.default_rng(4).integers(40, 200, (8, 8, 3)), np.ones((60, 60, 1)))
    for number, part in enumerate(("train/good", "test/good", "test/broken")):
        (folder / part).mkdir(parents=True)
        for index in range(4):
            random = np.random.default_rng(10 * number + index)
            image = (tiles + random.integers(0, 12, tiles.shape)).astype(np.uint8)
            if number == 2:
                image[300:420, 60:180] = random.integers(0, 256, (120, 120, 3))
            (folder / part / f"{index}.png").write_bytes(bytes(cv2.imencode(".png", image)[1]))


def test_the_figures_of_a_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw_set(tmp_path / "tiles")

    main(["--set", f"tiles={tmp_path / 'tiles'}", "--passed", "2", "--draws", "2"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    figures = {line["figure"]: line["value"] for line in lines}

    assert figures["tiles, 2 passed: area under the ROC curve"] == 1
    assert figures["tiles, 2 passed: bad that fail"] == 1
    assert figures["tiles, 2 passed: good that pass"] == 1
    assert figures["tiles, 2 passed: memory"] == 2 * 400 * 232 * 2


def test_a_folder_without_photos_is_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--set", f"nothing={tmp_path}"])

    (line,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert "lacks photos" in line["skipped"]


def test_what_is_remembered_of_a_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw_set(tmp_path / "tiles")

    variation.main(["--fixed", str(tmp_path / "tiles")])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    figures = {line["figure"]: line for line in lines}

    assert figures["fixed, 5 passed: false findings per good photo"]["photos"] == 4
    assert figures["fixed, 5 passed: bad that pass"]["of"] == 4
    assert figures["fixed, 5 passed: bad that pass"]["value"] == 0


def test_the_time_of_aligned_and_refused_photos(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw_set(tmp_path / "tiles")

    refusals.main(["--set", f"tiles={tmp_path / 'tiles'}", "--pairs", "1"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    photos = {line["figure"]: line["photos"] for line in lines}

    for kind in ("processor time", "wait"):
        of_kind = {figure: count for figure, count in photos.items() if kind in figure}
        assert sum(count for figure, count in of_kind.items() if figure.startswith("tiles")) == 11
        assert photos[f"other drawn surfaces: refused, {kind}, at most"] == 6
