"""Tests the bridge by which OpenCV uses NumPy's OpenBLAS: every function gives what NumPy computes."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from resources.packaging import blas
from resources.packaging.blas import build_blas_bridge, exported_symbols, imported_symbols
from resources.packaging.system import BuildError
from shared.images.cv import cv2

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not all(map(shutil.which, ("objdump", "cc"))),
    reason="the bridge is built on Linux, with binutils and a C compiler",
)

OPENCV = next(Path(cv2.__file__).parent.glob("cv2*.so"))
PACKAGES = OPENCV.parent.parent

# Large enough for OpenCV to call LAPACK and BLAS instead of its own loops.
SCRIPT = """
from functools import partial
import numpy as np
from shared.images.cv import cv2

draw = np.random.default_rng(5)
for kind, tolerance in ((np.float32, 1e-2), (np.float64, 1e-9)):
    a, b = (draw.normal(size=(160, 160)).astype(kind) + 20 * np.eye(160, dtype=kind) for _ in range(2))
    tall = draw.normal(size=(200, 130)).astype(kind)
    rows = draw.normal(size=(200, 3)).astype(kind)
    close = partial(np.testing.assert_allclose, rtol=tolerance, atol=tolerance)
    close(cv2.gemm(a, b, 1.5, None, 0), 1.5 * a @ b)
    close(cv2.solve(a, b, flags=cv2.DECOMP_LU)[1], np.linalg.solve(a, b))
    close(cv2.determinant(a / 20), np.linalg.det(a / 20))
    positive = a @ a.T
    close(cv2.solve(positive, b, flags=cv2.DECOMP_CHOLESKY)[1], np.linalg.solve(positive, b))
    close(cv2.invert(positive, flags=cv2.DECOMP_CHOLESKY)[1], np.linalg.inv(positive))
    close(cv2.solve(tall, rows, flags=cv2.DECOMP_QR)[1], np.linalg.lstsq(tall, rows, rcond=None)[0])
    close(cv2.solve(tall, rows, flags=cv2.DECOMP_SVD)[1], np.linalg.lstsq(tall, rows, rcond=None)[0])
    values, u, vt = cv2.SVDecomp(tall)
    close(values.ravel(), np.linalg.svd(tall, compute_uv=False))
    close(u @ np.diag(values.ravel()) @ vt, tall)
    pairs = draw.normal(size=(2, 140, 140, 2)).astype(kind)
    product = cv2.gemm(pairs[0], pairs[1], 1, None, 0)
    left, right = pairs[..., 0] + 1j * pairs[..., 1]
    close(product[..., 0] + 1j * product[..., 1], left @ right)
singular = np.ones((160, 160))
assert cv2.solve(singular, singular, flags=cv2.DECOMP_LU)[0] is False
"""


def build(folder: Path) -> Path:
    (opencv,) = (PACKAGES / "opencv_python_headless.libs").glob("libopenblas*")
    (numpy,) = (PACKAGES / "numpy.libs").glob("libscipy_openblas64_*")
    return build_blas_bridge(OPENCV, opencv, numpy, folder)


@pytest.fixture(scope="module")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("bridge"))


@pytest.mark.slow(20)
def test_opencv_computes_the_same_as_numpy(bridge: Path, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "LD_PRELOAD": str(bridge),
        "LD_LIBRARY_PATH": str(PACKAGES / "numpy.libs"),
        "LD_DEBUG": "bindings",
        "LD_DEBUG_OUTPUT": str(tmp_path / "bindings"),
        "LD_BIND_NOW": "",
    }
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    bound = "".join(path.read_text("utf-8") for path in tmp_path.glob("bindings*"))
    used = set(re.findall(rf"{re.escape(str(bridge))} .*symbol `scipy_(?:cblas_)?(\w+?)_?64_'", bound))
    assert used >= {"sgemm", "dgemm", "cgemm", "zgemm"}
    assert used >= {f"{kind}{name}" for kind in "sd" for name in ("gels", "gesdd", "gesv", "getrf", "posv")}


def test_functions_that_opencv_calls_rarely_compute_the_same(bridge: Path) -> None:
    """By themselves: the Cholesky and QR decompositions, and eigenvalues."""
    library = ctypes.CDLL(str(bridge))
    draw = np.random.default_rng(6)
    size = 40
    tall = np.asfortranarray(draw.normal(size=(size, size)))
    n, info, room = ctypes.c_int(size), ctypes.c_int(-9), ctypes.c_int(100 * size)
    work, first, second, tau = np.zeros(100 * size), *np.zeros((3, size))

    def at(array: np.ndarray) -> ctypes.c_void_p:
        # Unlike the plain address, this keeps the array.
        return array.ctypes.data_as(ctypes.c_void_p)

    def by(*values: ctypes.c_int) -> list[object]:
        return [ctypes.byref(value) for value in values]

    positive = np.asfortranarray(tall @ tall.T)
    library.dpotrf_(b"L", *by(n), at(factor := positive.copy("F")), *by(n, info))
    assert info.value == 0
    np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(positive), atol=1e-9)
    library.dpotrf_(b"L", *by(n), at((-positive).copy("F")), *by(n, info))
    assert info.value == 1

    library.dgeqrf_(*by(n, n), at(found := tall.copy("F")), *by(n), at(tau), at(work), *by(room, info))
    assert info.value == 0
    np.testing.assert_allclose(np.abs(np.triu(found)), np.abs(np.linalg.qr(tall)[1]), atol=1e-9)

    parts = at(tall.copy("F")), *by(n), at(first), at(second)
    library.dgeev_(b"N", b"N", *by(n), *parts, None, *by(n), None, *by(n), at(work), *by(room, info))
    assert info.value == 0
    expected = np.sort_complex(np.linalg.eigvals(tall))
    np.testing.assert_allclose(np.sort_complex(first + 1j * second), expected, atol=1e-9)


def test_bridge_has_every_function_that_opencv_calls(bridge: Path) -> None:
    (replaced,) = (PACKAGES / "opencv_python_headless.libs").glob("libopenblas*")
    called = imported_symbols(OPENCV) & exported_symbols(replaced)
    assert "dgesdd_" in called
    assert called <= exported_symbols(bridge)
    assert bridge.stat().st_size < 60_000


def test_function_that_the_bridge_lacks_stops_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorter = tmp_path / "blas.c"
    shorter.write_text(blas.SOURCE.read_text("utf-8").partition("void scipy_dgeev")[0], "utf-8")
    monkeypatch.setattr(blas, "SOURCE", shorter)
    with pytest.raises(BuildError, match="dgeev_"):
        build(tmp_path)
