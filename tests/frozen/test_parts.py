"""NOTICE and SBOM list what the frozen program really holds: each part with its version and licence."""

from __future__ import annotations

import json
import re
from importlib import metadata
from pathlib import Path
from typing import Any

import cyclonedx.schema
import jsonschema_rs
import pytest
from license_expression import get_spdx_licensing
from PyInstaller.archive.readers import CArchiveReader

from resources.packaging import sbom
from shared import __version__
from shared.system.paths import program_folder

pytestmark = [pytest.mark.frozen, pytest.mark.slow]

BUNDLE = program_folder() / "dist" / "walkaround"
INSIDE = BUNDLE / "_internal"
LICENCES = INSIDE / "licences"
OWN = {"walkaround"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((LICENCES / sbom.FILE_NAME).read_text("utf-8"))
    return read


@pytest.fixture(scope="module")
def parts(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The parts by their names, written as package indexes write them."""
    return {same(part["name"]): part for part in document["components"]}


def same(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def modules() -> set[str]:
    """The top-level names of all Python modules in the program, packed ones and files."""
    packed = CArchiveReader(str(BUNDLE / "walkaround")).open_embedded_archive("PYZ.pyz")
    files = {path.relative_to(INSIDE).parts[0].split(".")[0] for path in INSIDE.rglob("*.so")}
    return {name.split(".")[0] for name in packed.toc} | files


def test_every_package_with_code_in_the_program_is_listed(parts: dict[str, dict[str, Any]]) -> None:
    owners = metadata.packages_distributions()
    packages = {same(owner) for name in modules() for owner in owners.get(name, ())} - OWN
    # Where several packages share a name, at least one that is bundled has it.
    shared = {same(each) for each in owners.get("opentelemetry", ())}
    assert len(packages) > 40
    assert packages - set(parts) - shared == set()


def test_every_package_is_listed_with_the_version_that_is_bundled(parts: dict[str, dict[str, Any]]) -> None:
    for name, part in parts.items():
        if part["purl"].startswith("pkg:pypi/"):
            assert part["version"] == metadata.version(name), name
    assert {"python", "pyside6-essentials", "opencv-python-headless", "pyvips-binary"} <= set(parts)


def test_every_licence_is_known(document: dict[str, Any]) -> None:
    licensing = get_spdx_licensing()
    nested = [component for part in document["components"] for component in part.get("components", ())]
    assert len(nested) > 20
    for component in [*document["components"], *nested]:
        (licence,) = component["licenses"]
        expression = licence.get("expression") or licence["license"]["id"]
        assert not licensing.validate(expression).errors, component["name"]


def test_libraries_inside_of_parts_are_those_of_the_program(parts: dict[str, dict[str, Any]]) -> None:
    def component_names(part: str) -> set[str]:
        return {component["name"] for component in parts[part].get("components", ())}

    assert {"libvips", "libheif", "libwebp", "GLib"} <= component_names("pyvips-binary")
    assert "libavif" in component_names("opencv-python-headless")
    assert "libaom" not in component_names("opencv-python-headless")
    # OpenCV uses NumPy's.
    assert [name for name in parts if "OpenBLAS" in component_names(name)] == ["numpy"]
    # Its stand-in holds nothing of FFmpeg.
    assert not [
        name for part in parts for name in component_names(part) if "FFmpeg" in name or "avcodec" in name
    ]
    assert {"OpenSSL", "PostgreSQL libpq"} <= component_names("psycopg-binary")
    assert {"ICU"} <= component_names("pyside6-essentials")


def test_notice_lists_the_same(document: dict[str, Any]) -> None:
    lines = [
        re.split(r"\s{2,}", line.strip())
        for line in (LICENCES / "NOTICE.txt").read_text("utf-8").splitlines()
    ]
    listed = {(line[0], line[1].strip(), line[2]) for line in lines if len(line) == 3}
    nested = [component for part in document["components"] for component in part.get("components", ())]
    for component in [*document["components"], *nested]:
        (licence,) = component["licenses"]
        expression = licence.get("expression") or licence["license"]["id"]
        assert (component["name"], component.get("version", "-"), expression) in listed


def test_document_follows_the_schema_of_cyclonedx(document: dict[str, Any]) -> None:
    folder = Path(cyclonedx.schema.__file__).parent / "_res"
    schemas = {path.name: json.loads(path.read_text("utf-8")) for path in folder.glob("*.schema.json")}
    registry = jsonschema_rs.Registry(
        [(f"http://cyclonedx.org/schema/{name}", schema) for name, schema in schemas.items()],
        draft=jsonschema_rs.Draft7,
    )
    validator = jsonschema_rs.validator_for(schemas["bom-1.6.SNAPSHOT.schema.json"], registry=registry)
    assert [error.message for error in validator.iter_errors(document)] == []
    program = document["metadata"]["component"]
    assert (program["name"], program["version"]) == ("walkaround", __version__)
    (of_program,) = [
        dependency for dependency in document["dependencies"] if dependency["ref"] == program["bom-ref"]
    ]
    assert len(of_program["dependsOn"]) == len(document["components"])
