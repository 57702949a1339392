"""Tests that clients generated for TypeScript compile strictly and work with a real service."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from shared.system.paths import program_folder
from tests.service_process import ADMIN, create_first_admin, service_process

pytestmark = [pytest.mark.npm, pytest.mark.slow(400)]

SOURCES = program_folder() / "tests" / "e2e" / "typescript"
GENERATORS = (
    ("openapi-typescript", "openapi.json", "-o", "generated/schema.d.ts"),
    ("openapi-ts",),
    ("orval", "--config", "orval.config.mjs"),
)


def npx(folder: Path, *arguments: str) -> str:
    """The output of a program of the folder's packages; a failure shows all of it."""
    run = subprocess.run(
        ["npx", "--no-install", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    return run.stdout


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with service_process(tmp_path_factory.mktemp("typescript") / "data") as url:
        create_first_admin(url)
        yield url


@pytest.fixture(scope="module")
def clients(service: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs with the clients that they use."""
    folder = tmp_path_factory.mktemp("clients") / "typescript"
    shutil.copytree(SOURCES, folder, ignore=shutil.ignore_patterns("node_modules", "generated"))
    (folder / "openapi.json").write_text(httpx.get(f"{service}/api/openapi.json", timeout=60).text, "utf-8")
    install = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
    subprocess.run(install, cwd=folder, check=True, capture_output=True, timeout=300)
    for generator in GENERATORS:
        npx(folder, *generator)
    return folder


def test_generated_clients_compile_strictly(clients: Path) -> None:
    assert npx(clients, "tsc") == ""


@pytest.mark.parametrize("program", ["openapi_fetch", "hey_api", "orval"])
def test_a_generated_client_logs_in_creates_lists_and_uploads(
    clients: Path, service: str, program: str
) -> None:
    bundle = f"out/{program}.mjs"
    npx(
        clients,
        "esbuild",
        f"{program}.ts",
        "--bundle",
        "--platform=node",
        "--format=esm",
        f"--outfile={bundle}",
    )
    run = subprocess.run(
        ["node", bundle, service, *ADMIN],
        cwd=clients,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    name, is_listed, size = json.loads(run.stdout)
    assert (name, is_listed, size) == (program, True, len("text"))
