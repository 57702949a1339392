"""The folder of contents: what is kept is whole, and on the disk."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from service.files.blobs import BlobFolder, Incoming


def written(folder: BlobFolder, data: bytes) -> Incoming:
    incoming = folder.incoming()
    incoming.write(data)
    incoming.finish()
    return incoming


@pytest.mark.skipif(os.name != "posix", reason="a folder cannot be synced there")
def test_a_content_is_on_the_disk_before_it_has_its_name_and_so_is_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = BlobFolder(tmp_path)
    happened: list[object] = []
    synced, replaced = os.fsync, Path.replace

    def sync(handle: int) -> None:
        state = os.fstat(handle)
        happened.append("folder" if stat.S_ISDIR(state.st_mode) else state.st_size)
        synced(handle)

    def replace(self: Path, target: Path) -> Path:
        happened.append("named")
        return replaced(self, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", replace)
    path = folder.keep(written(folder, b"picture"))
    assert happened == [7, "named", "folder"]
    assert path.read_bytes() == b"picture"


def test_the_same_content_is_stored_once_and_a_torn_one_is_mended(tmp_path: Path) -> None:
    folder = BlobFolder(tmp_path)
    path = folder.keep(written(folder, b"picture"))
    before = path.stat().st_ino
    assert folder.keep(written(folder, b"picture")) == path
    assert path.stat().st_ino == before
    # As a disk leaves it that lost its power.
    path.write_bytes(b"pic")
    assert folder.keep(written(folder, b"picture")).read_bytes() == b"picture"
    assert list((tmp_path / "incoming").iterdir()) == []
