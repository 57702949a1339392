from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop.folder_watch import scan as scan_module
from desktop.folder_watch.scan import FolderScan, ScanResult
from desktop.folder_watch.seen_photos import SeenPhotos
from shared.content import sha256
from tests.pictures import camera_photo

START = datetime(2026, 5, 1, 8, tzinfo=UTC)


class Watched:
    """A folder that is looked at, and a clock that goes on by 2 s between looks."""

    def __init__(self, home: Path) -> None:
        self.home, self.folder = home, home / "card"
        self.folder.mkdir()
        self.seen = SeenPhotos(home / "seen.db")
        self.clock = 0.0
        self.scan = self.new_scan()

    def new_scan(self, folder: Path | None = None, record_id: str = "r1") -> FolderScan:
        return FolderScan(folder or self.folder, record_id, START, self.seen)

    def put(self, name: str, data: bytes, minutes: float = 60) -> Path:
        """Write a file that was changed so long after the start."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        at = (START + timedelta(minutes=minutes)).timestamp()
        os.utime(path, (at, at))
        return path

    def look(self, most: int = 8, seconds: float = 2.0, **options: object) -> ScanResult:
        self.clock += seconds
        return self.scan.find_photos(most, now=lambda: self.clock, **options)  # type: ignore[arg-type]

    def names(self, **options: object) -> list[str]:
        return [photo.name for photo in self.look(**options).photos]  # type: ignore[arg-type]


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def photo(number: int = 0, taken: str | None = None) -> bytes:
    return camera_photo({0x010F: f"camera {number}"}, {0x9003: taken} if taken else None)


def test_a_photo_is_given_once_it_is_whole(watched: Watched) -> None:
    whole = photo()
    watched.put("a.jpg", whole[:300])
    assert watched.look().writing == 1
    watched.put("a.jpg", whole, 61)
    assert watched.look().writing == 1
    assert watched.look(seconds=0.5).writing == 1
    (found_photo,) = watched.look().photos
    assert (found_photo.name, found_photo.sha256) == ("a.jpg", sha256(whole))
    assert watched.look().photos == ()


def test_a_file_that_does_not_open_is_said_and_tried_again_when_it_changes(watched: Watched) -> None:
    watched.put("a.jpg", b"not a picture")
    watched.look()
    assert watched.look().damaged == 1
    watched.put("a.jpg", photo(), 61)
    watched.look()
    assert watched.names() == ["a.jpg"]
    assert watched.look().damaged == 0


def test_a_content_is_given_once_whatever_it_is_called(watched: Watched) -> None:
    watched.put("a.jpg", photo(1))
    watched.put("sub/copy of a.jpg", photo(1))
    watched.put("b.jpg", photo(2))
    watched.look()
    assert watched.names(known=frozenset({sha256(photo(2))})) == ["a.jpg"]


def test_a_card_that_is_read_again_gives_nothing_twice(watched: Watched) -> None:
    watched.put("DCIM/a.jpg", photo(1))
    watched.look()
    (found_photo,) = watched.look().photos
    watched.seen.remember_taken("r1", found_photo.sha256)
    watched.seen.close()

    # After a restart, in another reader, and under another name.
    again = watched.home / "again"
    shutil.copytree(watched.folder, again)
    (again / "DCIM" / "a.jpg").rename(again / "DCIM" / "renamed.jpg")
    watched.seen = SeenPhotos(watched.home / "seen.db")
    watched.scan = watched.new_scan(again)
    watched.look()
    assert watched.names() == []
    # Another record may have it.
    watched.scan = watched.new_scan(again, "r2")
    watched.look()
    assert watched.names() == ["DCIM/renamed.jpg"]
    watched.seen.close()


def test_what_never_arrived_is_given_again_after_a_restart(watched: Watched) -> None:
    watched.put("a.jpg", photo())
    watched.look()
    assert watched.names() == ["a.jpg"]
    watched.scan = watched.new_scan()
    watched.look()
    (found_photo,) = watched.look().photos
    watched.scan.put_back(found_photo)
    assert watched.names() == ["a.jpg"]


def test_older_photos_are_counted_until_they_are_wanted(watched: Watched) -> None:
    watched.put("old.jpg", photo(1), minutes=-60)
    watched.put("new.jpg", photo(2))
    # Copied after the start, but taken the day before.
    watched.put("copied.jpg", photo(3, "2026:04:30 01:00:00"))
    watched.look()
    look = watched.look()
    assert ([new_photo.name for new_photo in look.photos], look.older) == (["new.jpg"], 2)
    assert watched.look().older == 2
    assert watched.names(older_too=True) == ["copied.jpg", "old.jpg"]
    assert watched.look(older_too=True).older == 0


def test_clocks_that_differ_a_little_make_no_older_photo(watched: Watched) -> None:
    watched.put("a.jpg", photo(), minutes=-4)
    watched.look()
    assert watched.names() == ["a.jpg"]


def test_a_few_are_given_at_a_time(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        watched.put(f"{number}.jpg", photo(number))
    watched.look()
    look = watched.look(most=4)
    assert (len(look.photos), look.more) == (4, 2)
    assert watched.look(most=0).more == 2
    monkeypatch.setattr(scan_module, "_MOST_READS", 1)
    look = watched.look()
    assert (len(look.photos), look.more) == (1, 1)


def test_nothing_in_the_folder_is_changed(watched: Watched) -> None:
    path = watched.put("a.jpg", photo())
    before = path.stat()
    watched.look()
    watched.look()
    after = path.stat()
    assert (before.st_mtime_ns, before.st_size, before.st_ino) == (
        after.st_mtime_ns,
        after.st_size,
        after.st_ino,
    )
    assert [entry.name for entry in watched.folder.iterdir()] == ["a.jpg"]


def test_a_folder_that_vanishes_is_an_error_and_goes_on_when_it_is_back(watched: Watched) -> None:
    watched.put("a.jpg", photo())
    watched.look()
    hidden = watched.folder.rename(watched.home / "hidden")
    with pytest.raises(OSError, match="card"):
        watched.look()
    hidden.rename(watched.folder)
    assert watched.names() == ["a.jpg"]


def test_the_empty_folder_that_a_card_leaves_behind_is_away(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounted = True
    monkeypatch.setattr(
        os.path, "ismount", lambda path: (Path(path) == watched.folder and mounted) or str(path) == "/"
    )
    watched.scan = watched.new_scan()
    watched.look()
    mounted = False
    with pytest.raises(OSError, match="card"):
        watched.look()


def test_a_damaged_memory_of_photos_is_begun_again(tmp_path: Path) -> None:
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
