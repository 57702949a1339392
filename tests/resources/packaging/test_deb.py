"""Tests the package for Debian with a small bundle: an update leaves an open program its files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.crash import start_program_again
from resources.packaging import deb, sbom
from shared.system import paths
from shared.system.paths import newer_program

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="made on Debian and Ubuntu")


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle whose program is `sleep`."""
    folder = tmp_path / "bundle"
    licences = folder / "_internal" / "licences"
    licences.mkdir(parents=True)
    shutil.copy2(shutil.which("sleep") or "", folder / "walkaround")
    (licences / "NOTICE.txt").write_text("parts", "utf-8")
    (licences / sbom.FILE_NAME).write_text("{}", "utf-8")
    return folder


class Machine:
    """A folder that dpkg installs into as if it were the whole machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "opt" / "walkaround"
        for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log"):
            (root / folder).mkdir(parents=True)
        (root / "var/lib/dpkg/status").touch()

    def dpkg(self, *arguments: str | Path) -> None:
        path = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
        force = ("--force-not-root", "--force-depends", "--force-script-chrootless")
        run = subprocess.run(
            ["dpkg", f"--root={self.root}", *force, *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": path},
        )
        assert run.returncode == 0, run.stderr

    @property
    def folders(self) -> set[str]:
        return {path.name for path in self.home.iterdir()}


def install(machine: Machine, bundle: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deb, "__version__", version)
    monkeypatch.setattr(deb, "find_dependencies", lambda _bundle: ["libc6"])
    (bundle / "_internal" / "version.txt").unlink(missing_ok=True)
    (bundle / "_internal" / "version.txt").write_text(version)
    machine.dpkg("--install", deb.build_installer(bundle, machine.root))


def test_open_program_keeps_its_files_until_it_is_closed(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(tmp_path / "root")
    install(machine, bundle, "1.0", monkeypatch)
    assert machine.folders == {"files", "1.0", "current"}
    command = machine.root / "usr/bin/walkaround"
    assert command.readlink() == Path("/opt/walkaround/current/walkaround")
    with subprocess.Popen([machine.home / "current" / "walkaround", "600"]) as process:
        try:
            program = Path(f"/proc/{process.pid}/exe").readlink()
            install(machine, bundle, "1.1", monkeypatch)
            assert (program.parent / "_internal" / "version.txt").read_text() == "1.0"
            assert (machine.home / "current" / "_internal" / "version.txt").read_text() == "1.1"
        finally:
            process.kill()
    # The same version again, for example after a build of it was corrected.
    install(machine, bundle, "1.1", monkeypatch)
    assert machine.folders == {"files", "1.1-2", "current"}
    machine.dpkg("--remove", "walkaround")
    assert not machine.home.exists()


def test_program_finds_the_version_that_was_installed_over_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("1.0", "1.1"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "walkaround").touch()
    current = tmp_path / "current"
    current.symlink_to("1.0")
    monkeypatch.setattr(sys, "executable", str(current.resolve() / "walkaround"))
    assert newer_program() is None
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert newer_program() is None
    current.unlink()
    current.symlink_to("1.1")
    assert newer_program() == current / "walkaround"
    started: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_options: started.append(command))
    start_program_again(None, None)
    assert started == [[str(current / "walkaround"), "run"]]
    # The open program itself keeps starting its own version, for example of the service.
    assert paths.program_command()[0] == str(tmp_path / "1.0" / "walkaround")
