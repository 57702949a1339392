"""A cache stays below its limit by dropping what was not used for longest."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from shared.unused import drop_unused


@pytest.fixture(params=["files", "folders"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> list[Path]:
    """Four of 10 bytes each, the first used last, a second apart."""
    paths = []
    for age in range(4):
        path = tmp_path / f"kept{age}"
        if request.param == "files":
            path.write_bytes(bytes(10))
        else:
            path.mkdir()
            (path / "a").write_bytes(bytes(4))
            (path / "b").write_bytes(bytes(6))
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
        paths.append(path)
    return paths


def left(paths: list[Path]) -> list[int]:
    return [age for age, path in enumerate(paths) if path.exists()]


@pytest.mark.parametrize(("limit", "stay"), [(40, [0, 1, 2, 3]), (39, [0, 1, 2]), (20, [0, 1]), (0, [])])
def test_the_longest_unused_go_until_the_rest_fits(kept: list[Path], limit: int, stay: list[int]) -> None:
    drop_unused(kept, limit)
    assert left(kept) == stay


def test_the_one_in_use_stays_and_counts(kept: list[Path]) -> None:
    drop_unused(kept, 10, keep=kept[3])
    assert left(kept) == [3]


def test_each_is_let_go_of_before_it_goes(kept: list[Path]) -> None:
    told = []
    drop_unused(kept, 20, let_go=lambda path: told.append((path, path.exists())))
    assert told == [(kept[3], True), (kept[2], True)]


def test_what_is_gone_already_or_cannot_go_is_passed_over(
    kept: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path | str, *_: object, **__: object) -> None:
        raise PermissionError(13, "in use", str(path))

    def remove(path: Path, own: Callable[[Path], None] = Path.unlink) -> None:
        refuse(path) if path == kept[3] else own(path)

    gone = kept[0].with_name("gone")
    if kept[3].is_dir():
        monkeypatch.setattr("shutil.rmtree", refuse)
        drop_unused([gone, *kept], 20)
        assert left(kept) == [0, 1, 2, 3]
    else:
        monkeypatch.setattr(Path, "unlink", remove)
        drop_unused([gone, *kept], 20)
        assert left(kept) == [0, 3]
