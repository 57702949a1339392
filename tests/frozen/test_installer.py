"""The installer for Debian and Ubuntu, and the licences that go along with the bundle."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from resources.packaging.slim import is_elf
from shared import __version__
from shared.system.paths import program_folder
from tests.e2e.demo_output import check_demo_output
from tests.frozen.programs import FreshUser, check_fresh_user, make_read_only, output, public_folder, running
from tests.frozen.upgrades import check_kept, earlier_data

pytestmark = [pytest.mark.frozen, pytest.mark.slow]

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
def test_no_part_is_one_that_must_not_be(unwanted: str) -> None:
    assert [path.name for path in LICENCES.iterdir() if unwanted in path.name] == []


@pytest.fixture(scope="module")
def installer() -> Path:
    packages = sorted((program_folder() / "dist").glob(f"walkaround_{__version__}_*.deb"))
    assert packages, "build it first: make installer"
    return packages[-1]


@pytest.fixture(scope="module")
def installed(installer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files as they lie after an installation, below a folder of our own."""
    folder = tmp_path_factory.mktemp("installed")
    output("dpkg-deb", "-x", installer, folder)
    return folder


@debian
def test_it_says_what_it_is_and_needs(installer: Path) -> None:
    def field(name: str) -> str:
        return output("dpkg-deb", "-f", installer, name).strip()

    assert field("Package") == "walkaround"
    assert field("Version") == __version__
    needs = {each.split()[0] for each in field("Depends").split(", ")}
    assert {"libc6", "libegl1", "libgl1", "libxcb1"} <= needs
    assert "libc6 (>= 2." in field("Depends")
    # Every one of them is there to be had: the machine that built it has them all.
    for package in needs:
        assert "ok installed" in output("dpkg-query", "-W", "-f=${Status}", package), package


@debian
def test_every_library_that_is_needed_is_in_it_or_in_a_package_that_it_names(
    installer: Path, installed: Path
) -> None:
    libraries = [path for path in installed.rglob("*") if path.is_file() and is_elf(path)]
    needed = set(re.findall(r"^\s+NEEDED\s+(\S+)$", output("objdump", "-p", *libraries), re.MULTILINE))
    packages = [each.split()[0] for each in output("dpkg-deb", "-f", installer, "Depends").split(", ")]
    inside = {path.name for path in installed.rglob("*.so*")}
    named = {Path(line).name for line in output("dpkg-query", "-L", *packages).splitlines()}
    assert needed
    assert needed - inside - named == set()


@debian
def test_everything_belongs_to_root_and_only_root_may_write(installer: Path) -> None:
    for line in output("dpkg-deb", "-c", installer).splitlines():
        rights, owner = line.split()[:2]
        assert owner == "root/root", line
        assert rights[0] == "l" or (rights[5] != "w" and rights[8] != "w"), line
        assert rights[0] == "l" or rights[7] == "r", line


@debian
def test_the_installed_program_answers(installed: Path, tmp_path: Path) -> None:
    command = installed / "usr" / "bin" / "walkaround"
    assert command.readlink() == Path("/opt/walkaround/current/walkaround")
    bare = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    program = installed / "opt" / "walkaround" / "files" / "walkaround"
    # Through a link, as on the PATH: the program must find what lies beside it.
    link = tmp_path / "walkaround"
    link.symlink_to(program)
    assert output(link, "--version", env=bare, cwd=tmp_path) == f"walkaround {__version__}\n"
    assert "built-in face model" in output(link, "doctor", env=bare, cwd=tmp_path)


@debian
def test_the_menu_shows_it_with_its_icon(installed: Path) -> None:
    entry = installed / "usr" / "share" / "applications" / "walkaround.desktop"
    if shutil.which("desktop-file-validate") is None:
        pytest.skip("needs desktop-file-validate")
    assert output("desktop-file-validate", entry) == ""
    lines = dict(line.split("=", 1) for line in entry.read_text("utf-8").splitlines() if "=" in line)
    assert (installed / "usr/bin" / lines["Exec"]).is_symlink()
    icon = installed / "usr/share/icons/hicolor/scalable/apps" / f"{lines['Icon']}.svg"
    assert icon.read_bytes() == (program_folder() / "resources/icons/walkaround.svg").read_bytes()


@debian
def test_the_service_is_there_for_systemd_and_starts_only_when_it_is_enabled(
    installer: Path, installed: Path, tmp_path: Path
) -> None:
    unit = installed / "usr/lib/systemd/system/walkaround.service"
    assert unit.read_bytes() == (program_folder() / "resources/packaging/walkaround.service").read_bytes()
    assert list(installed.rglob("*.wants")) == []
    output("dpkg-deb", "-e", installer, tmp_path / "control")
    assert {file.name for file in (tmp_path / "control").iterdir()} == {"control", "postinst", "prerm"}
    assert "Documentation=file:///usr/share/doc/walkaround/deploy.md" in unit.read_text("utf-8")
    assert (installed / "usr/share/doc/walkaround/deploy.md").is_file()


class Machine:
    """A folder that dpkg installs into as if it were the whole machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for each in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log"):
            (folder / each).mkdir(parents=True)
        (folder / "var/lib/dpkg/status").touch()

    def install(self, package: Path) -> None:
        # Its dependencies are those of this machine, which that folder does not have. dpkg looks for ldconfig
        # in folders that the search path of an ordinary user does not contain.
        options = f"--root={self.folder}", "--force-depends", "--force-not-root", "--force-script-chrootless"
        search_path = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
        output("dpkg", *options, "--install", package, env={**os.environ, "PATH": search_path})

    def version(self) -> str:
        form = "-f=${Version} ${Status}"
        return output("dpkg-query", f"--admindir={self.folder}/var/lib/dpkg", "-W", form, "walkaround")

    @property
    def program(self) -> Path:
        return self.folder / "opt" / "walkaround" / "current" / "walkaround"


def other_version(installer: Path, version: str, inside: Path, folder: Path) -> Path:
    """A package of this version, whose program in `inside` only prints its version. 0.1.0 had no scripts."""
    stage = folder / version
    control, program = stage / "DEBIAN", stage / inside
    stage.mkdir()
    output("dpkg-deb", "-e", installer, control)
    (program / "_internal").mkdir(parents=True)
    (program / "_internal" / f"only-{version}.txt").touch()
    (program / "walkaround").write_text(f"#!/bin/sh\necho walkaround {version}\n")
    (program / "walkaround").chmod(0o755)
    text = (control / "control").read_text("utf-8")
    (control / "control").write_text(re.sub(r"(?m)^Version: .*$", f"Version: {version}", text), "utf-8")
    (control / "md5sums").unlink(missing_ok=True)
    for script in (control / "postinst", control / "prerm"):
        if version == "0.1.0":
            script.unlink()
        else:
            script.write_text(script.read_text("utf-8").replace(__version__, version), "utf-8")
    package = folder / f"walkaround_{version}.deb"
    output("dpkg-deb", "--root-owner-group", "-Znone", "--build", stage, package)
    return package


FILES = Path("opt/walkaround/files")


@pytest.fixture(scope="module")
def upgraded(installer: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine on which this version was installed over version 0.1.0, where nobody may write into it."""
    with public_folder() as folder:
        machine = Machine(folder)
        before = other_version(installer, "0.1.0", FILES.parent, tmp_path_factory.mktemp("before"))
        machine.install(before)
        assert machine.version() == "0.1.0 install ok installed"
        assert (folder / "opt/walkaround/_internal/only-0.1.0.txt").exists()
        machine.install(installer)
        make_read_only(machine.program.parent)
        yield machine


@debian
def test_it_replaces_the_version_before_whole(upgraded: Machine) -> None:
    assert upgraded.version() == f"{__version__} install ok installed"
    assert not (upgraded.folder / "opt/walkaround/_internal").exists()
    assert output(upgraded.program, "--version") == f"walkaround {__version__}\n"


@debian
def test_data_of_the_version_before_is_kept(upgraded: Machine) -> None:
    with public_folder() as folder:
        user = FreshUser(folder)
        before = earlier_data(user.data)
        user.take_ownership()
        with running([upgraded.program], user.data, user.options):
            pass
        check_kept(user.data, before)


@debian
def test_fresh_user_starts_what_is_installed(upgraded: Machine) -> None:
    check_fresh_user(upgraded.program)


@pytest.fixture(scope="module")
def machine(installer: Path) -> Iterator[Machine]:
    """A machine on which this version is installed."""
    with public_folder() as folder:
        machine = Machine(folder)
        machine.install(installer)
        yield machine


@debian
def test_a_program_that_is_open_works_on_after_an_update(
    machine: Machine, installer: Path, tmp_path: Path
) -> None:
    """The newer version lacks what is loaded later: the page for phones, detection, the report."""
    out = tmp_path / "out"
    bare = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    command: list[str | Path] = [machine.program, "demo", "--out", out]
    options: dict[str, Any] = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "encoding": "utf-8",
    }
    with subprocess.Popen(command, cwd=tmp_path, env=bare, **options) as demo:
        try:
            assert demo.stdout is not None
            lines = list(takewhile(lambda line: "add an inspector" not in line, demo.stdout))
            # The service and the workers go on. Only the window waits for the update.
            demo.send_signal(signal.SIGSTOP)
            machine.install(other_version(installer, "9.9.9", FILES, tmp_path))
            demo.send_signal(signal.SIGCONT)
            said = "".join([*lines, demo.stdout.read()])
        finally:
            demo.kill()
    assert demo.returncode == 0, said
    check_demo_output(out)
    assert output(machine.program, "--version") == "walkaround 9.9.9\n"
    # The next installation removes what no program runs from.
    assert (machine.program.parent.parent / __version__).is_dir()
    machine.install(other_version(installer, "9.9.10", FILES, tmp_path))
    assert not (machine.program.parent.parent / __version__).exists()
