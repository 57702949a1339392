"""Tests the process settings that importing `shared` sets."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PRODUCT_SCRIPT = """
import os, shared, numpy
one = numpy.ones(1_000_000, numpy.float32)
assert one @ one == 1_000_000
print(len(os.listdir("/proc/self/task")))
"""


def run_script(script: str, **settings: str) -> str:
    environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**environment, **settings},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_products_of_numpy_start_no_threads() -> None:
    assert run_script(PRODUCT_SCRIPT) == "1\n"


def test_number_of_blas_threads_set_by_the_operator_stays() -> None:
    script = "import os, shared; print(os.environ['OPENBLAS_NUM_THREADS'])"
    assert run_script(script, OPENBLAS_NUM_THREADS="3") == "3\n"


def test_command_line_of_httpx_is_not_imported() -> None:
    script = (
        "import sys, shared, httpx; print('rich' in sys.modules, 'click' in sys.modules, httpx.get.__name__)"
    )
    assert run_script(script) == "False False get\n"


def test_old_pydantic_is_not_imported() -> None:
    script = """
import sys, shared, fastapi
fastapi.APIRouter().get("/")(lambda number=1: number)
print([name for name in sys.modules if name.startswith("pydantic.v1.")])
"""
    assert run_script(script) == "[]\n"
