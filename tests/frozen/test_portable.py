"""The portable archive: unpacked anywhere, for anyone, over an earlier version's data."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from resources.packaging import portable
from shared import __version__
from shared.system.paths import program_folder
from tests.frozen.programs import FreshUser, check_fresh_user, make_read_only, output, public_folder, running
from tests.frozen.upgrades import check_kept, earlier_data

pytestmark = [
    pytest.mark.slow,
    pytest.mark.frozen,
    pytest.mark.skipif(shutil.which("xz") is None, reason="needs xz"),
]


@pytest.fixture(scope="module")
def archive() -> Path:
    path = program_folder() / "dist" / f"{portable.archive_name()}.tar.xz"
    assert path.is_file(), "build it first: make portable"
    return path


@pytest.fixture(scope="module")
def unpacked(archive: Path) -> Iterator[Path]:
    """The folder of the archive, in a place of a name that is not ASCII where nobody may write."""
    with public_folder() as folder:
        output("tar", "-xJf", archive, "-C", folder)
        (only,) = folder.iterdir()
        make_read_only(only)
        yield only


def test_it_is_one_folder_with_what_a_person_wants_to_read(unpacked: Path) -> None:
    assert unpacked.name == portable.archive_name()
    names = {path.name for path in unpacked.iterdir()}
    assert names == {
        *("CHANGELOG.md", "LICENSE", "NOTICE.txt", "README.txt", "_internal", "sbom.cdx.json", "walkaround")
    }
    assert __version__ in (unpacked / "README.txt").read_text("utf-8")


def test_it_holds_the_bundle_and_no_trace_of_who_built_it(archive: Path) -> None:
    bundle = program_folder() / "dist" / "walkaround"
    with tarfile.open(archive) as packed:
        entries = {entry.name.partition("/")[2]: entry for entry in packed}
    for path in bundle.rglob("*"):
        entry = entries[path.relative_to(bundle).as_posix()]
        assert entry.issym() == path.is_symlink()
        assert entry.isdir() or entry.issym() or entry.size == path.stat().st_size
    assert {(each.uid, each.gid, each.uname, each.gname) for each in entries.values()} == {
        (0, 0, "root", "root")
    }
    assert len({each.mtime for each in entries.values()}) == 1
    assert {each.mode for each in entries.values()} <= {0o755, 0o644}


def test_fresh_user_starts_it_from_a_place_that_is_read_only(unpacked: Path) -> None:
    check_fresh_user(unpacked / "walkaround")


def test_data_of_an_earlier_version_is_kept(unpacked: Path) -> None:
    with public_folder() as folder:
        user = FreshUser(folder)
        before = earlier_data(user.data)
        user.take_ownership()
        with running([unpacked / "walkaround"], user.data, user.options):
            pass
        check_kept(user.data, before)
