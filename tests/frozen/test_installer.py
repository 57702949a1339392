"""Tests the installer for Debian and Ubuntu, and the licences in the bundle."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from resources.packaging.slim import is_elf
from shared import __version__
from shared.paths import program_folder
from tests.frozen.programs import (
    FreshUser,
    check_fresh_user,
    make_read_only,
    public_folder,
    run_service,
    run_tool,
)
from tests.frozen.upgrades import check_kept, earlier_data

pytestmark = pytest.mark.frozen

LICENCES = program_folder() / "dist" / "walkaround" / "_internal" / "licences"

debian = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="made on Debian and Ubuntu")


def test_the_licence_of_every_part_is_in_the_bundle() -> None:
    lines = (LICENCES / "NOTICE.txt").read_text("utf-8").splitlines()[6:]
    listed = [line.split("  ")[0] for line in lines if not line.startswith("  ")]
    folders = {path.name for path in LICENCES.iterdir() if path.is_dir()}
    assert set(filter(None, listed)) == folders
    assert {"PySide6_Essentials", "opencv-python-headless", "onnxruntime", "dlib-bin", "Python"} <= folders
    for folder in folders:
        assert any(text.stat().st_size for text in (LICENCES / folder).iterdir()), folder


@pytest.mark.parametrize("unwanted", ["readline", "gtk"])
def test_bundle_has_no_forbidden_part(unwanted: str) -> None:
    assert [path.name for path in LICENCES.iterdir() if unwanted in path.name] == []


@pytest.fixture(scope="module")
def installer() -> Path:
    packages = sorted((program_folder() / "dist").glob(f"walkaround_{__version__}_*.deb"))
    assert packages, "build it first: make installer"
    return packages[-1]


@pytest.fixture(scope="module")
def installed(installer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The installed files, in a temporary folder."""
    folder = tmp_path_factory.mktemp("installed")
    run_tool("dpkg-deb", "-x", installer, folder)
    return folder


@debian
def test_package_states_its_name_and_dependencies(installer: Path) -> None:
    def field(name: str) -> str:
        return run_tool("dpkg-deb", "-f", installer, name).strip()

    assert field("Package") == "walkaround"
    assert field("Version") == __version__
    needs = {each.split()[0] for each in field("Depends").split(", ")}
    assert {"libc6", "libegl1", "libgl1", "libxcb1"} <= needs
    assert "libc6 (>= 2." in field("Depends")
    # Every one of them is there to be had: the machine that built it has them all.
    for package in needs:
        assert "ok installed" in run_tool("dpkg-query", "-W", "-f=${Status}", package), package


@debian
def test_every_needed_library_is_bundled_or_in_a_dependency(installer: Path, installed: Path) -> None:
    libraries = [path for path in installed.rglob("*") if path.is_file() and is_elf(path)]
    needed = set(re.findall(r"^\s+NEEDED\s+(\S+)$", run_tool("objdump", "-p", *libraries), re.MULTILINE))
    packages = [each.split()[0] for each in run_tool("dpkg-deb", "-f", installer, "Depends").split(", ")]
    inside = {path.name for path in installed.rglob("*.so*")}
    named = {Path(line).name for line in run_tool("dpkg-query", "-L", *packages).splitlines()}
    assert needed
    assert needed - inside - named == set()


@debian
def test_files_belong_to_root_and_only_root_can_write(installer: Path) -> None:
    for line in run_tool("dpkg-deb", "-c", installer).splitlines():
        rights, owner = line.split()[:2]
        assert owner == "root/root", line
        assert rights[0] == "l" or (rights[5] != "w" and rights[8] != "w"), line
        assert rights[0] == "l" or rights[7] == "r", line


@debian
def test_installed_program_answers(installed: Path, tmp_path: Path) -> None:
    command = installed / "usr" / "bin" / "walkaround"
    assert command.readlink() == Path("/opt/walkaround/walkaround")
    bare = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    program = installed / "opt" / "walkaround" / "walkaround"
    # Through a link, as on the PATH: the program must find what lies beside it.
    link = tmp_path / "walkaround"
    link.symlink_to(program)
    assert run_tool(link, "--version", env=bare, cwd=tmp_path) == f"walkaround {__version__}\n"
    assert "built-in face model" in run_tool(link, "doctor", env=bare, cwd=tmp_path)


@debian
def test_menu_has_an_entry_with_an_icon(installed: Path) -> None:
    entry = installed / "usr" / "share" / "applications" / "walkaround.desktop"
    if shutil.which("desktop-file-validate") is None:
        pytest.skip("needs desktop-file-validate")
    assert run_tool("desktop-file-validate", entry) == ""
    lines = dict(line.split("=", 1) for line in entry.read_text("utf-8").splitlines() if "=" in line)
    assert (installed / "usr/bin" / lines["Exec"]).is_symlink()
    icon = installed / "usr/share/icons/hicolor/scalable/apps" / f"{lines['Icon']}.svg"
    assert icon.read_bytes() == (program_folder() / "resources/icons/walkaround.svg").read_bytes()


@debian
def test_systemd_unit_is_installed_and_disabled(installer: Path, installed: Path, tmp_path: Path) -> None:
    unit = installed / "usr/lib/systemd/system/walkaround.service"
    assert unit.read_bytes() == (program_folder() / "resources/packaging/walkaround.service").read_bytes()
    assert list(installed.rglob("*.wants")) == []
    run_tool("dpkg-deb", "-e", installer, tmp_path / "control")
    assert [file.name for file in (tmp_path / "control").iterdir()] == ["control"]
    assert "Documentation=file:///usr/share/doc/walkaround/deploy.md" in unit.read_text("utf-8")
    assert (installed / "usr/share/doc/walkaround/deploy.md").is_file()


class Machine:
    """A folder that dpkg uses as the root of a machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for each in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log"):
            (folder / each).mkdir(parents=True)
        (folder / "var/lib/dpkg/status").touch()

    def install(self, package: Path) -> None:
        # Its dependencies are those of this machine, which that folder does not have.
        run_tool("dpkg", f"--root={self.folder}", "--force-depends", "--force-not-root", "--install", package)

    def version(self) -> str:
        form = "-f=${Version} ${Status}"
        return run_tool("dpkg-query", f"--admindir={self.folder}/var/lib/dpkg", "-W", form, "walkaround")

    @property
    def program(self) -> Path:
        return self.folder / "opt" / "walkaround" / "walkaround"


def build_previous_version(installer: Path, folder: Path) -> Path:
    """Build a package of version 0.1.0 without programs, with a file that later versions do not have."""
    stage = folder / "before"
    control, inside = stage / "DEBIAN", stage / "opt" / "walkaround" / "_internal"
    stage.mkdir()
    run_tool("dpkg-deb", "-e", installer, control)
    inside.mkdir(parents=True)
    (inside / "gone.txt").write_text("of the version before")
    (inside.parent / "walkaround").write_text("#!/bin/sh\necho walkaround 0.1.0\n")
    text = (control / "control").read_text("utf-8")
    (control / "control").write_text(re.sub(r"(?m)^Version: .*$", "Version: 0.1.0", text), "utf-8")
    (control / "md5sums").unlink(missing_ok=True)
    package = folder / "walkaround_0.1.0.deb"
    run_tool("dpkg-deb", "--root-owner-group", "-Znone", "--build", stage, package)
    return package


@pytest.fixture(scope="module")
def upgraded(installer: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine with this version installed over version 0.1.0, in read-only folders."""
    with public_folder() as folder:
        machine = Machine(folder)
        machine.install(build_previous_version(installer, tmp_path_factory.mktemp("before")))
        assert machine.version() == "0.1.0 install ok installed"
        assert (machine.program.parent / "_internal" / "gone.txt").exists()
        machine.install(installer)
        make_read_only(machine.program.parent)
        yield machine


@debian
def test_upgrade_replaces_all_files(upgraded: Machine) -> None:
    assert upgraded.version() == f"{__version__} install ok installed"
    assert not (upgraded.program.parent / "_internal" / "gone.txt").exists()
    assert run_tool(upgraded.program, "--version") == f"walkaround {__version__}\n"


@debian
def test_upgrade_keeps_the_data(upgraded: Machine) -> None:
    with public_folder() as folder:
        user = FreshUser(folder)
        before = earlier_data(user.data)
        user.take_ownership()
        with run_service([upgraded.program], user.data, user.options):
            pass
        check_kept(user.data, before)


@debian
def test_new_user_starts_the_installed_program(upgraded: Machine) -> None:
    check_fresh_user(upgraded.program)
