from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop.folder_watch import scan as scan_module
from desktop.folder_watch.scan import FolderScan, ScanResult
from desktop.folder_watch.seen_photos import SeenPhotos
from shared.record.content import sha256
from tests.pictures import camera_photo

START = datetime(2026, 5, 1, 8, tzinfo=UTC)


class WatchedFolder:
    """A watched folder, with a clock that advances by 2 s between scans."""

    def __init__(self, home: Path) -> None:
        self.home, self.folder = home, home / "card"
        self.folder.mkdir()
        self.seen = SeenPhotos(home / "seen.db")
        self.clock = 0.0
        self.scan = self.new_scan()

    def new_scan(self, folder: Path | None = None, record_id: str = "r1") -> FolderScan:
        return FolderScan(folder or self.folder, record_id, START, self.seen)

    def write_file(self, name: str, data: bytes, minutes: float = 60) -> Path:
        """Write a file that was changed so long after the start."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        at = (START + timedelta(minutes=minutes)).timestamp()
        os.utime(path, (at, at))
        return path

    def scan_again(self, most: int = 8, seconds: float = 2.0, **options: object) -> ScanResult:
        self.clock += seconds
        return self.scan.find_photos(most, clock=lambda: self.clock, **options)  # type: ignore[arg-type]

    def names(self, **options: object) -> list[str]:
        return [photo.name for photo in self.scan_again(**options).photos]  # type: ignore[arg-type]


@pytest.fixture
def watched_folder(tmp_path: Path) -> WatchedFolder:
    return WatchedFolder(tmp_path)


def photo(number: int = 0, taken: str | None = None) -> bytes:
    return camera_photo({0x010F: f"camera {number}"}, {0x9003: taken} if taken else None)


def test_photo_is_found_once_it_is_complete(watched_folder: WatchedFolder) -> None:
    whole = photo()
    watched_folder.write_file("a.jpg", whole[:300])
    assert watched_folder.scan_again().incomplete == 1
    watched_folder.write_file("a.jpg", whole, 61)
    assert watched_folder.scan_again().incomplete == 1
    assert watched_folder.scan_again(seconds=0.5).incomplete == 1
    (found_photo,) = watched_folder.scan_again().photos
    assert (found_photo.name, found_photo.sha256) == ("a.jpg", sha256(whole))
    assert watched_folder.scan_again().photos == ()


def test_damaged_file_is_counted_and_read_again_when_it_changes(watched_folder: WatchedFolder) -> None:
    watched_folder.write_file("a.jpg", b"not a picture")
    watched_folder.scan_again()
    assert watched_folder.scan_again().damaged == 1
    watched_folder.write_file("a.jpg", photo(), 61)
    watched_folder.scan_again()
    assert watched_folder.names() == ["a.jpg"]
    assert watched_folder.scan_again().damaged == 0


def test_content_is_found_only_once_under_any_name(watched_folder: WatchedFolder) -> None:
    watched_folder.write_file("a.jpg", photo(1))
    watched_folder.write_file("sub/copy of a.jpg", photo(1))
    watched_folder.write_file("b.jpg", photo(2))
    watched_folder.scan_again()
    assert watched_folder.names(known_hashes=frozenset({sha256(photo(2))})) == ["a.jpg"]


def test_photos_of_a_card_are_found_only_once(watched_folder: WatchedFolder) -> None:
    watched_folder.write_file("DCIM/a.jpg", photo(1))
    watched_folder.scan_again()
    (found_photo,) = watched_folder.scan_again().photos
    watched_folder.seen.remember_taken("r1", found_photo.sha256)
    watched_folder.seen.close()

    # After a restart, in another reader, and under another name.
    again = watched_folder.home / "again"
    shutil.copytree(watched_folder.folder, again)
    (again / "DCIM" / "a.jpg").rename(again / "DCIM" / "renamed.jpg")
    watched_folder.seen = SeenPhotos(watched_folder.home / "seen.db")
    watched_folder.scan = watched_folder.new_scan(again)
    watched_folder.scan_again()
    assert watched_folder.names() == []
    # Another record may have it.
    watched_folder.scan = watched_folder.new_scan(again, "r2")
    watched_folder.scan_again()
    assert watched_folder.names() == ["DCIM/renamed.jpg"]
    watched_folder.seen.close()


def test_photo_that_was_not_uploaded_is_found_again_after_a_restart(watched_folder: WatchedFolder) -> None:
    watched_folder.write_file("a.jpg", photo())
    watched_folder.scan_again()
    assert watched_folder.names() == ["a.jpg"]
    watched_folder.scan = watched_folder.new_scan()
    watched_folder.scan_again()
    (found_photo,) = watched_folder.scan_again().photos
    watched_folder.scan.put_back(found_photo)
    assert watched_folder.names() == ["a.jpg"]


def test_older_photos_are_only_counted_until_they_are_confirmed(watched_folder: WatchedFolder) -> None:
    watched_folder.write_file("old.jpg", photo(1), minutes=-60)
    watched_folder.write_file("new.jpg", photo(2))
    # Copied after the start, but taken the day before.
    watched_folder.write_file("copied.jpg", photo(3, "2026:04:30 01:00:00"))
    watched_folder.scan_again()
    result = watched_folder.scan_again()
    assert ([new_photo.name for new_photo in result.photos], result.older) == (["new.jpg"], 2)
    assert watched_folder.scan_again().older == 2
    assert watched_folder.names(older_too=True) == ["copied.jpg", "old.jpg"]
    assert watched_folder.scan_again(older_too=True).older == 0


def test_photo_within_the_clock_tolerance_is_not_older(watched_folder: WatchedFolder) -> None:
    watched_folder.write_file("a.jpg", photo(), minutes=-4)
    watched_folder.scan_again()
    assert watched_folder.names() == ["a.jpg"]


def test_number_of_photos_of_a_scan_is_limited(
    watched_folder: WatchedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        watched_folder.write_file(f"{number}.jpg", photo(number))
    watched_folder.scan_again()
    result = watched_folder.scan_again(most=4)
    assert (len(result.photos), result.remaining) == (4, 2)
    assert watched_folder.scan_again(most=0).remaining == 2
    monkeypatch.setattr(scan_module, "_MAX_READS", 1)
    result = watched_folder.scan_again()
    assert (len(result.photos), result.remaining) == (1, 1)


def test_scan_changes_nothing_in_the_folder(watched_folder: WatchedFolder) -> None:
    path = watched_folder.write_file("a.jpg", photo())
    before = path.stat()
    watched_folder.scan_again()
    watched_folder.scan_again()
    after = path.stat()
    assert (before.st_mtime_ns, before.st_size, before.st_ino) == (
        after.st_mtime_ns,
        after.st_size,
        after.st_ino,
    )
    assert [entry.name for entry in watched_folder.folder.iterdir()] == ["a.jpg"]


def test_missing_folder_is_an_error_until_it_is_back(watched_folder: WatchedFolder) -> None:
    watched_folder.write_file("a.jpg", photo())
    watched_folder.scan_again()
    hidden = watched_folder.folder.rename(watched_folder.home / "hidden")
    with pytest.raises(OSError, match="card"):
        watched_folder.scan_again()
    hidden.rename(watched_folder.folder)
    assert watched_folder.names() == ["a.jpg"]


def test_empty_mount_point_of_a_removed_card_is_an_error(
    watched_folder: WatchedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounted = True
    monkeypatch.setattr(
        os.path, "ismount", lambda path: (Path(path) == watched_folder.folder and mounted) or str(path) == "/"
    )
    watched_folder.scan = watched_folder.new_scan()
    watched_folder.scan_again()
    mounted = False
    with pytest.raises(OSError, match="card"):
        watched_folder.scan_again()


def test_damaged_database_of_seen_photos_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "seen.db").write_bytes(b"no database" * 200)
    seen = SeenPhotos(tmp_path / "seen.db")
    seen.remember_taken("r1", "abc")
    assert seen.is_taken("r1", "abc")
    seen.close()
    blocked = tmp_path / "file"
    blocked.write_text("")
    seen = SeenPhotos(blocked / "seen.db")
    seen.remember_taken("r1", "abc")
    assert seen.is_taken("r1", "abc")
    seen.close()
