"""Tests the scripts for Windows and macOS, which cannot run here."""

from __future__ import annotations

import plistlib
import re
import struct
from pathlib import Path
from typing import Any

import pytest
import yaml
from PySide6.QtGui import QImage

from resources.packaging.icons import SIZES, write_icons
from resources.packaging.macos.properties import build_mac_properties
from shared import __version__
from shared.system.paths import program_folder

PACKAGING = program_folder() / "resources" / "packaging"
SCRIPTS = [
    PACKAGING / "windows" / "walkaround.iss",
    PACKAGING / "macos" / "disk-image",
    program_folder() / ".ci" / "windows.yml",
    program_folder() / ".ci" / "macos.yml",
]
MADE = ("build", "dist", ".venv")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_script_says_that_it_was_not_run_and_names_no_address(script: Path) -> None:
    text = script.read_text("utf-8")
    assert re.search(r"(?i)not run where th(e|is) project is", text)
    assert not re.search(r"https?:|ftp:|curl |wget |Invoke-WebRequest", text)


@pytest.mark.parametrize("script", SCRIPTS[2:], ids=lambda path: path.name)
def test_steps_name_files_and_modules_of_the_project(script: Path) -> None:
    document: dict[str, Any] = yaml.safe_load(script.read_text("utf-8"))
    (job,) = document["jobs"].values()
    run = "\n".join(step["run"] for step in job["steps"] if "run" in step)
    files = re.findall(r"(?<![\w./$-])((?:resources|tests|shared|service)/[\w./-]+\.\w+|tasks\.py)", run)
    assert re.search(r"python tasks\.py (?:\w+ )*package\b", run)
    for name in files:
        assert (program_folder() / name).is_file(), name
    for module in re.findall(r"-m (resources\.[\w.]+)", run):
        assert (program_folder() / f"{module.replace('.', '/')}.py").is_file(), module
    assert (
        "resources/packaging/windows/walkaround.iss" in run or "resources/packaging/macos/disk-image" in run
    )


def test_inno_setup_takes_files_of_the_project() -> None:
    script = SCRIPTS[0]
    lines = [line for line in script.read_text("utf-8").splitlines() if not line.startswith(";")]
    for path in re.findall(r"\.\.\\\.\.\\\.\.\\([\w.\\]+)", "\n".join(lines)):
        assert path.split("\\")[0] in MADE or (program_folder() / path.replace("\\", "/")).is_file(), path
    text = "\n".join(lines)
    # All versions are the same program for Windows.
    assert text.count("AppId=") == 1
    assert "UninstallDelete" not in text
    assert {"Setup", "Languages", "Files", "Icons", "InstallDelete", "Run"} <= set(
        re.findall(r"^\[(\w+)\]$", text, re.M)
    )
    assert text.count("#if") == text.count("#endif")


def test_macos_asks_for_the_camera_in_both_languages() -> None:
    properties = plistlib.loads(plistlib.dumps(build_mac_properties()))
    assert properties["CFBundleShortVersionString"] == __version__
    assert "摄像头" in properties["NSCameraUsageDescription"]
    assert "camera" in properties["NSCameraUsageDescription"]
    rights = plistlib.loads((PACKAGING / "macos" / "entitlements.plist").read_bytes())
    assert rights["com.apple.security.device.camera"] is True


def test_icons_have_every_size_that_windows_asks_for(tmp_path: Path, qapp: object) -> None:
    write_icons(tmp_path)
    data = (tmp_path / "walkaround.ico").read_bytes()
    assert struct.unpack_from("<HHH", data) == (0, 1, len(SIZES))
    for number, side in enumerate(SIZES):
        *_, length, at = struct.unpack_from("<BBBBHHII", data, 6 + 16 * number)
        image = QImage.fromData(data[at : at + length])
        assert (image.width(), image.height()) == (side, side)
        assert image.pixelColor(side // 2, side // 2).alpha() == 255
    assert QImage(str(tmp_path / "walkaround.png")).width() == 1024
