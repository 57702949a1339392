"""The guard against tests that write outside their temporary folders."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.isolation import refuse_writes_outside


def _by_descriptor(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.unlink(path.name, dir_fd=folder)
    finally:
        os.close(folder)


def _through_a_link(path: Path) -> None:
    link = path.parents[1] / "inside" / "link"
    link.symlink_to(path)
    link.write_text("x")


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_text("x"),
        lambda path: path.open("r+").close(),
        lambda path: os.close(os.open(path, os.O_RDWR)),
        lambda path: sqlite3.connect(path),
        lambda path: sqlite3.connect(f"file:{path}", uri=True),
        lambda path: path.unlink(),
        lambda path: path.rename(path.parents[1] / "inside" / "moved"),
        lambda path: (path.parent / "folder").mkdir(),
        lambda path: path.chmod(0o600),
        lambda path: os.truncate(path, 0),
        lambda path: (path.parent / "link").symlink_to(path),
        lambda path: shutil.copy(path, path.parent / "copy"),
        lambda path: shutil.rmtree(path.parent),
        _by_descriptor,
        _through_a_link,
    ],
)
def test_a_write_outside_is_refused(tmp_path: Path, write: Callable[[Path], object]) -> None:
    inside, file = tmp_path / "inside", tmp_path / "outside" / "file"
    inside.mkdir()
    file.parent.mkdir()
    file.write_text("kept")
    before = file.stat()
    with refuse_writes_outside(inside) as refused, pytest.raises(PermissionError, match="outside"):
        write(file)
    assert len(refused) == 1
    assert str(file.parent) in refused[0]
    assert [path.name for path in file.parent.iterdir()] == ["file"]
    assert file.read_text() == "kept"
    assert file.stat().st_mode == before.st_mode


def test_reading_outside_and_writing_inside_are_allowed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.write_text("kept")
    with refuse_writes_outside(inside) as refused:
        shutil.copy(outside, inside / "copy")
        (inside / "link").symlink_to(outside)
        (inside / "link").unlink()
        (inside / "copy").rename(inside / "moved")
        shutil.rmtree(inside)
        Path(os.devnull).write_text("x")
    assert refused == []


def test_home_and_temporary_folders_are_the_tests_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    ours = [Path(tempfile.gettempdir()).parent, tmp_path_factory.getbasetemp()]
    shown = "import pathlib, tempfile; print(pathlib.Path.home(), tempfile.gettempdir(), sep='\\n')"
    child = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    for place in [str(Path.home()), *child.stdout.splitlines()]:
        assert any(Path(place).is_relative_to(folder) for folder in ours), place
