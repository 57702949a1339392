from __future__ import annotations

import os
from pathlib import Path

import pytest

from desktop.folder_watch import listing
from desktop.folder_watch.listing import list_photos


def write_files(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def names(folder: Path) -> list[str]:
    return [file.name for file in list_photos(folder).files]


def test_photos_in_nested_folders_are_found_and_nothing_else(tmp_path: Path) -> None:
    write_files(
        tmp_path, "DCIM/100CANON/IMG_1.JPG", "DCIM/101CANON/机身.heic", "a.png", "notes.txt", "video.mp4"
    )
    write_files(tmp_path, "._a.png", ".Trashes/b.jpg", "@eaDir/c.jpg", "$RECYCLE.BIN/d.jpg")
    assert names(tmp_path) == ["DCIM/100CANON/IMG_1.JPG", "DCIM/101CANON/机身.heic", "a.png"]


def test_raw_file_beside_its_jpeg_is_left_out(tmp_path: Path) -> None:
    write_files(
        tmp_path, "IMG_1.CR2", "IMG_1.jpg", "IMG_2.CR2", "other/IMG_1.NEF", "IMG_3.HEIC", "img_3.JPEG"
    )
    assert names(tmp_path) == ["IMG_1.jpg", "IMG_2.CR2", "img_3.JPEG", "other/IMG_1.NEF"]


def test_cyclic_links_are_not_followed(tmp_path: Path) -> None:
    write_files(tmp_path, "one/a.jpg")
    (tmp_path / "one" / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "two").symlink_to(tmp_path / "one", target_is_directory=True)
    (tmp_path / "nowhere.jpg").symlink_to(tmp_path / "gone.jpg")
    assert len(names(tmp_path)) == 1


def test_listing_stops_at_the_limit_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MAX_FILES", 3)
    write_files(tmp_path, *(f"{number}.jpg" for number in range(5)))
    photos = list_photos(tmp_path)
    assert (len(photos.files), photos.is_truncated) == (3, True)


def test_missing_folder_is_an_error_but_a_missing_subfolder_is_not(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        list_photos(tmp_path / "gone")
    write_files(tmp_path, "a.jpg", "locked/b.jpg")
    (tmp_path / "locked").chmod(0)
    try:
        expected = ["a.jpg"] if os.geteuid() else ["a.jpg", "locked/b.jpg"]
        assert names(tmp_path) == expected
    finally:
        (tmp_path / "locked").chmod(0o755)


def test_long_listing_can_be_cancelled(tmp_path: Path) -> None:
    class EndedError(Exception):
        pass

    def end() -> None:
        raise EndedError

    write_files(tmp_path, *(f"{number}.jpg" for number in range(250)))
    with pytest.raises(EndedError):
        list_photos(tmp_path, end)
