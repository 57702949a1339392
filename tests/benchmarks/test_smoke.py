"""Runs every benchmark in small sizes and checks its figures."""

from __future__ import annotations

import importlib
import json
import math
import subprocess
import sys
from typing import Any

import pytest

from benchmarks.__main__ import NAMES
from benchmarks.figures import ROOT
from benchmarks.objects import roc_area

# The options for a small run, and the expected figures.
SMALL: dict[str, tuple[str, set[str]]] = {
    "canvas": (
        "--megapixels 2 --frames 16 --regions 40",
        {
            "first picture of 2 MP",
            "40 regions, hit test, p95",
            "journal append, p95",
        },
    ),
    "workbench": (
        "--items 12 --regions 40 --megapixels 1 --steps 3 --photos 2 --width 800 --findings 6 --settle 0.1",
        {
            "longest stall while opening",
            "going to the next item",
            "longest stall while importing 40 regions",
            "longest stall while detecting",
            "longest stall at the command language.zh_CN",
            "report of 6 findings",
            "longest stall while exporting",
        },
    ),
    "start": (
        "--times 1 --sources",
        {"start of the sources to login", "first start of the sources to login, fresh user"},
    ),
    "working_day": (
        "--records 2 --items 2 --width 800 --settle 0.1",
        {
            "memory at the login page",
            "memory with the first record open",
            "memory at the end",
            "growth over the second half",
            "longest stall of the day",
        },
    ),
    "service": (
        "--records 300 --days 400 --connections 2 --seconds 0.2 --databases sqlite",
        {
            "sqlite: record by id",
            "sqlite: search by task, pages 1 to 10",
            "sqlite: search by status, pages 1 to 50",
            "sqlite: search without filter, last page",
            "sqlite: list of 10 items",
            "sqlite: create with audit entry",
            "sqlite: chart records",
            "sqlite: chart agreement",
        },
    ),
    "detection": (
        "--width 640 --detectors nano --queued 2 --photos 4 --kills 1",
        {"photos with exactly one finished result after 1 kills"},
    ),
    "reference_difference": (
        "--pairs 1 --megapixels 1 --times 1",
        {
            "F, aligned: all",
            "F, all: all",
            "strangers that pass",
            "F, bilevel reference and photo: all",
            "strangers of a bilevel reference that pass",
            "1 MP with alignment",
        },
    ),
    "disturbances": (
        "--pairs 1 --only highlights --only bands",
        {"F under highlights: photographs", "F under bands: drawn surfaces"},
    ),
    "face": (
        "--logins 2 --templates 500 --bomb 7200",
        {
            "login, engine dlib",
            "search over 500 templates, cosine, 512 numbers",
            "memory over idle: truncated JPEG",
        },
    ),
}


# Benchmarks of photos that the user has: `make bench` cannot run them.
NEED_PHOTOS = ("objects", "refusals", "variation")


def run_benchmark(name: str, arguments: str) -> list[dict[str, Any]]:
    run = subprocess.run(
        # A benchmark that crashes says where each of its threads was.
        [sys.executable, "-X", "faulthandler", "-m", f"benchmarks.{name}", *arguments.split()],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


# Records have Chinese names, which reports print.
_NEEDS = {"workbench": pytest.mark.cjk, "working_day": pytest.mark.cjk, "service": pytest.mark.wrk}


@pytest.mark.benchmark
@pytest.mark.slow(120)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=_NEEDS[name]) if name in _NEEDS else name for name in NAMES]
)
def test_benchmark_prints_its_figures(name: str) -> None:
    arguments, expected = SMALL[name]
    lines = run_benchmark(name, arguments)
    assert expected <= {line["figure"] for line in lines}
    for line in lines:
        if "skipped" not in line:
            assert math.isfinite(line["value"]), line
            assert isinstance(line["unit"], str), line
            assert all(math.isfinite(line[key]) for key in ("goal", "floor", "ratio") if key in line), line


@pytest.mark.parametrize(
    ("positive", "negative", "share"),
    [([3, 4], [1, 2], 1), ([1], [2, 3], 0), ([2], [2], 0.5), ([1, 3], [2], 0.5), ([3, 3, 1], [1, 2], 0.75)],
)
def test_area_is_the_share_of_pairs_in_order(
    positive: list[float], negative: list[float], share: float
) -> None:
    assert roc_area(positive, negative) == pytest.approx(share)


def test_make_bench_runs_every_benchmark() -> None:
    programs = {
        path.stem
        for path in (ROOT / "benchmarks").glob("*.py")
        if path.stem != "__main__" and "def main(arguments: Sequence[str]" in path.read_text("utf-8")
    }
    assert programs - set(NEED_PHOTOS) == set(NAMES) == set(SMALL)


@pytest.mark.parametrize("name", NEED_PHOTOS)
def test_benchmark_without_photos_says_what_it_needs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(f"benchmarks.{name}").main([])
    assert ended.value.code == 2
    assert "arguments are required: --" in capsys.readouterr().err
