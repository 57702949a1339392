"""Tests stubs: OpenCV loads with them. A call of FFmpeg ends the process, one of libaom fails."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from resources.packaging.stubs import build_refusal, build_stubs
from resources.packaging.system import BuildError, needed_libraries
from shared.images.cv import cv2

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not all(map(shutil.which, ("objdump", "as", "ld"))),
    reason="stubs are built on Linux, with binutils",
)

OPENCV = next(Path(cv2.__file__).parent.glob("cv2*.so"))
LIBRARIES = OPENCV.parent.parent / "opencv_python_headless.libs"

OPENCV_SCRIPT = """
import sys, numpy as np
from shared.images.cv import cv2
print(cv2.imdecode(cv2.imencode(".png", np.zeros((4, 4, 3), np.uint8))[1], cv2.IMREAD_COLOR).shape)
writer = cv2.VideoWriter(sys.argv[1], cv2.CAP_OPENCV_MJPEG, cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 48))
writer.write(np.zeros((48, 64, 3), np.uint8))
writer.release()
print(cv2.VideoCapture(sys.argv[1], cv2.CAP_OPENCV_MJPEG).read()[1].shape)
paths = {line.split()[-1] for line in open("/proc/self/maps")}
print(sorted(path for path in paths if "libav" in path and "avif" not in path))
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    names = {
        name
        for name in needed_libraries(OPENCV)
        if name.startswith(("libavcodec", "libavformat", "libavutil"))
    }
    names |= {name for name in needed_libraries(OPENCV) if name.startswith("libswscale")}
    if not names:
        pytest.skip("this OpenCV is linked against no FFmpeg")
    return sorted(
        build_stubs(OPENCV, [LIBRARIES / name for name in names], tmp_path_factory.mktemp("made")).values()
    )


def run_with_stubs(libraries: list[Path], script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LD_PRELOAD": ":".join(map(str, libraries))}
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )


@pytest.mark.slow(5)
def test_opencv_loads_and_plays_with_stubs(libraries: list[Path], tmp_path: Path) -> None:
    ended = run_with_stubs(libraries, OPENCV_SCRIPT, str(tmp_path / "v.avi"))
    assert ended.returncode == 0, ended.stderr
    picture, frame, loaded = ended.stdout.splitlines()
    assert (picture, frame) == ("(4, 4, 3)", "(48, 64, 3)")
    assert loaded == str([str(path) for path in libraries if path.name.startswith("libav")])


def test_a_call_ends_the_process(libraries: list[Path]) -> None:
    library = next(path for path in libraries if path.name.startswith("libavutil"))
    ended = run_with_stubs([], f"import ctypes; ctypes.CDLL({str(library)!r}).av_malloc(1)")
    assert ended.returncode in (-signal.SIGILL, -signal.SIGTRAP)


def test_stubs_are_small_and_need_no_library(libraries: list[Path]) -> None:
    assert sum(path.stat().st_size for path in libraries) < 100_000
    assert needed_libraries(*libraries) == set()


def test_import_without_a_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="without a version"):
        build_stubs(OPENCV, [Path("libother.so.1")], tmp_path)


AVIF_SCRIPT = """
import sys, numpy as np
from shared.images.cv import cv2
picture = np.zeros((64, 64, 3), np.uint8)
print(cv2.imdecode(np.fromfile(sys.argv[1], np.uint8), cv2.IMREAD_COLOR) is None)
try:
    print(cv2.imencode(".avif", picture)[0])
except cv2.error:
    print(False)
print(cv2.imdecode(cv2.imencode(".png", picture)[1], cv2.IMREAD_COLOR).shape)
"""


def test_opencv_refuses_avif_without_libaom(tmp_path: Path) -> None:
    found = {kind: list(LIBRARIES.glob(f"{kind}-*")) for kind in ("libaom", "libavif")}
    if not all(found.values()):
        pytest.skip("this OpenCV has no AVIF")
    path = tmp_path / "picture.avif"
    path.write_bytes(cv2.imencode(".avif", np.zeros((64, 64, 3), np.uint8))[1].tobytes())
    assert cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_COLOR) is not None
    stub = build_refusal(found["libavif"][0], found["libaom"][0], tmp_path)
    assert stub.stat().st_size < 30_000
    ended = run_with_stubs([stub], AVIF_SCRIPT, str(path))
    assert ended.stdout.splitlines() == ["True", "False", "(64, 64, 3)"], ended.stderr
