"""Tests that a cache is kept below its limit by deleting the least recently used files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from shared.system.cache_limit import trim_cache


@pytest.fixture(params=["files", "folders"])
def paths(request: pytest.FixtureRequest, tmp_path: Path) -> list[Path]:
    """Four files of 10 bytes, used at intervals of a second; the first was used last."""
    paths = []
    for age in range(4):
        path = tmp_path / f"file{age}"
        if request.param == "files":
            path.write_bytes(bytes(10))
        else:
            path.mkdir()
            (path / "a").write_bytes(bytes(4))
            (path / "b").write_bytes(bytes(6))
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
        paths.append(path)
    return paths


def remaining_paths(paths: list[Path]) -> list[int]:
    return [age for age, path in enumerate(paths) if path.exists()]


@pytest.mark.parametrize(("limit", "stay"), [(40, [0, 1, 2, 3]), (39, [0, 1, 2]), (20, [0, 1]), (0, [])])
def test_least_recently_used_files_are_deleted_until_the_rest_fits(
    paths: list[Path], limit: int, stay: list[int]
) -> None:
    trim_cache(paths, limit)
    assert remaining_paths(paths) == stay


def test_kept_file_stays_and_counts_towards_the_limit(paths: list[Path]) -> None:
    trim_cache(paths, 10, keep=paths[3])
    assert remaining_paths(paths) == [3]


def test_before_delete_is_called_while_the_file_exists(paths: list[Path]) -> None:
    calls = []
    trim_cache(paths, 20, before_delete=lambda path: calls.append((path, path.exists())))
    assert calls == [(paths[3], True), (paths[2], True)]


def test_missing_and_undeletable_files_are_ignored(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path | str, *_: object, **__: object) -> None:
        raise PermissionError(13, "in use", str(path))

    def remove(path: Path, unlink: Callable[[Path], None] = Path.unlink) -> None:
        refuse(path) if path == paths[3] else unlink(path)

    missing = paths[0].with_name("gone")
    if paths[3].is_dir():
        monkeypatch.setattr("shutil.rmtree", refuse)
        trim_cache([missing, *paths], 20)
        assert remaining_paths(paths) == [0, 1, 2, 3]
    else:
        monkeypatch.setattr(Path, "unlink", remove)
        trim_cache([missing, *paths], 20)
        assert remaining_paths(paths) == [0, 3]
