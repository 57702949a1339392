"""Tests the portable archive of a small bundle."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
from pathlib import Path

import pytest

from resources.packaging import portable, sbom
from resources.packaging.system import BuildError, build_time, run_build

needs_xz = pytest.mark.skipif(shutil.which("xz") is None, reason="needs xz")


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(portable, "find_dependencies", lambda _bundle: ["libc6 (>= 2.34)", "libshape0"])
    folder = tmp_path / "bundle"
    licences = folder / "_internal" / "licences"
    licences.mkdir(parents=True)
    (folder / "walkaround").write_bytes(b"\x7fELF")
    (folder / "walkaround").chmod(0o755)
    (licences / "NOTICE.txt").write_text("parts", "utf-8")
    (licences / sbom.FILE_NAME).write_text("{}", "utf-8")
    (folder / "_internal" / "机.txt").write_bytes(bytes(1_000_000))
    (folder / "_internal" / "link").symlink_to("机.txt")
    return folder


@needs_xz
def test_same_bundle_gives_the_same_bytes(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")

    def digest() -> str:
        return hashlib.sha256(portable.build_archive(bundle, tmp_path).read_bytes()).hexdigest()

    first = digest()
    for path in bundle.rglob("*"):
        os.utime(path, (1, 1), follow_symlinks=False)
    (bundle / "_internal" / "机.txt").chmod(0o600)
    assert digest() == first
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000001")
    assert digest() != first


@needs_xz
def test_archive_holds_links_and_names_as_they_are(bundle: Path, tmp_path: Path) -> None:
    path = portable.build_archive(bundle, tmp_path)
    with tarfile.open(path) as archive:
        entries = {entry.name.partition("/")[2]: entry for entry in archive}
    assert {"_internal/机.txt", "NOTICE.txt", "README.txt", "CHANGELOG.md", "LICENSE", sbom.FILE_NAME} <= set(
        entries
    )
    assert entries["_internal/link"].linkname == "机.txt"
    assert entries["walkaround"].mode == 0o755
    assert entries["_internal/机.txt"].mode == 0o644
    assert {entry.uname for entry in entries.values()} == {"root"}


@needs_xz
def test_readme_lists_the_packages_that_the_libraries_need(bundle: Path, tmp_path: Path) -> None:
    with tarfile.open(portable.build_archive(bundle, tmp_path)) as archive:
        readme = archive.extractfile(f"{portable.archive_name()}/README.txt")
        assert readme is not None
        assert "apt install libc6 libshape0 fonts-noto-cjk\n" in readme.read().decode()


def test_folder_without_a_program_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BuildError, match="make package"):
        portable.build_archive(tmp_path, tmp_path)
    arguments = ["--bundle", str(tmp_path), "--out", str(tmp_path)]
    assert run_build(portable.build_archive, "resources.packaging.portable", "", arguments) == 1
    assert "make package" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_build_time_is_the_time_of_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert build_time() == build_time() > 1_500_000_000
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "12")
    assert build_time() == 12
