"""Tests the licences of parts and their libraries; unknown ones stop the build."""

from __future__ import annotations

import json
import re
from email.message import Message
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from license_expression import get_spdx_licensing

from resources.packaging import native_libraries, notices, sbom
from resources.packaging.native_libraries import NativeLibrary, find_libraries
from resources.packaging.notices import Part, find_licence
from resources.packaging.system import BuildError

LIBRARIES = [
    *native_libraries._LIBRARIES_BY_FILE.values(),
    *((name, licence) for _, name, licence in native_libraries._LIBVIPS_LIBRARIES),
]


class FakeDistribution(metadata.Distribution):
    """An installed package with this metadata."""

    def __init__(self, **fields: str) -> None:
        self._message = Message()
        for key, value in {"Name": "part", "Version": "1", **fields}.items():
            self._message[key.replace("_", "-")] = value

    @property
    def metadata(self) -> Any:
        return metadata._adapters.Message(self._message)  # type: ignore[attr-defined]

    def read_text(self, filename: str) -> str | None:
        return None

    def locate_file(self, path: Any) -> Any:
        return Path(path)


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ({"License_Expression": "MIT OR Apache-2.0"}, "MIT OR Apache-2.0"),
        ({"License": "Apache 2.0"}, "Apache-2.0"),
        ({"License": "The whole text\nof it", "Classifier": "License :: OSI Approved :: MIT License"}, "MIT"),
        ({"Name": "segno", "License": "BSD License"}, "BSD-3-Clause"),
    ],
)
def test_licence_is_an_spdx_expression(fields: dict[str, str], licence: str) -> None:
    assert find_licence(FakeDistribution(**fields)) == licence


@pytest.mark.parametrize(
    "fields", [{}, {"License": "UNKNOWN"}, {"License": "Some Words"}, {"License": "BSD License"}]
)
def test_unknown_licence_stops_the_build(fields: dict[str, str]) -> None:
    with pytest.raises(BuildError, match="part 1"):
        find_licence(FakeDistribution(**fields))


@pytest.mark.parametrize(("name", "licence"), sorted(set(LIBRARIES)))
def test_licences_of_libraries_are_spdx_expressions(name: str, licence: str) -> None:
    assert get_spdx_licensing().validate(licence).errors == [], name


def test_libraries_are_known_by_their_files(tmp_path: Path) -> None:
    files = [
        "libaom-a0d22147.so.3.14.1",
        "libscipy_openblas64_-32a4b2a6.so",
        "libopenblasp-r0-59ffcd50.3.15.so",
        "libgfortran-040039e1-0352e75f.so.5.0.0",
        "libpng16-529cb57a.so.16.58.0",
        "libshiboken6.abi3.so.6.11",
        "_cffi.cpython-311-x86_64-linux-gnu.so",
        "_rust.abi3.so",
        "libQt6Core.so.6",
        "PySide6/Qt/plugins/imageformats/libqjpeg.so",
        "module.py",
        # Windows
        "libcrypto-3-x64-603336241ac4aead8eb72978e6c2590a.dll",
        "libpq-16d00050fdffffeae97527f26415b111.dll",
        "msvcp140_1.dll",
        "pyside6.abi3.dll",
        "Qt6Core.dll",
        "_rust.pyd",
        # macOS
        "libgif.7.2.0.dylib",
        "libonnxruntime.1.31.1.dylib",
        "onnxruntime_pybind11_state.so",
        "QtCore",
    ]
    libraries = find_libraries([tmp_path / name for name in files], [])
    assert {(library.name, library.version) for library in libraries} == {
        ("libaom", "3.14.1"),
        ("OpenBLAS", ""),
        ("GCC libgfortran", ""),
        ("libpng", ""),
        ("Shiboken", ""),
        ("OpenSSL", ""),
        ("PostgreSQL libpq", ""),
        ("Microsoft Visual C++ runtime", ""),
        ("PySide", ""),
        ("giflib", ""),
        ("ONNX Runtime", ""),
    }
    for name in ("libnew-0a1b2c3d.so.1", "new.dll", "libnew.1.dylib"):
        with pytest.raises(BuildError, match=re.escape(name)):
            find_libraries([tmp_path / name], [])


def test_bills_of_wheels_give_versions_and_crates(tmp_path: Path) -> None:
    bill = tmp_path / "a.cdx.json"
    parts: list[dict[str, Any]] = [
        {
            "name": "openblas-threads",
            "version": "0.3.15-6.el8",
            "purl": "pkg:rpm/almalinux/openblas-threads@0.3.15",
        },
        {"name": "libc", "version": "0.2", "purl": "pkg:cargo/libc@0.2", "licenses": [{"expression": "MIT"}]},
        {"name": "itself", "version": "1", "purl": "pkg:pypi/itself@1"},
    ]
    bill.write_text(json.dumps({"components": parts}), "utf-8")
    libraries = find_libraries([tmp_path / "libopenblasp-r0-59ffcd50.3.15.so"], [bill])
    assert libraries == [
        NativeLibrary("libc", "0.2", "MIT"),
        NativeLibrary("OpenBLAS", "0.3.15", "BSD-3-Clause"),
    ]
    bill.write_text(json.dumps({"components": [{**parts[1], "licenses": []}]}), "utf-8")
    with pytest.raises(BuildError, match="without a licence"):
        find_libraries([], [bill])


def test_both_lists_name_every_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    text = tmp_path / "LICENSE"
    text.write_text("text", "utf-8")
    parts = [
        Part("vips", "8", "MIT", (text,), "pypi", (NativeLibrary("libvips", "", "LGPL-2.1-or-later"),)),
        Part("Python", "3.11.7", "PSF-2.0", (text,), "generic"),
        Part("libmpdec3", "2.5", "BSD-2-Clause", (text,), "deb"),
    ]
    notices._write_texts(parts, tmp_path / "licences")
    lines = (tmp_path / "licences" / "NOTICE.txt").read_text("utf-8").splitlines()
    assert [line.split() for line in lines[6:]] == [
        ["vips", "8", "MIT"],
        ["libvips", "-", "LGPL-2.1-or-later"],
        ["Python", "3.11.7", "PSF-2.0"],
        ["libmpdec3", "2.5", "BSD-2-Clause"],
    ]
    for name in ("one.json", "two.json"):
        sbom.write_sbom(parts, tmp_path / name)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    document = json.loads((tmp_path / "one.json").read_text("utf-8"))
    assert document["metadata"]["timestamp"].startswith("2023-11-14T")
    assert {component["purl"] for component in document["components"]} == {
        "pkg:deb/debian/libmpdec3@2.5",
        "pkg:generic/Python@3.11.7",
        "pkg:pypi/vips@8",
    }


class FakeQt(FakeDistribution):
    """The wheel of Qt with the notice of the licence that is bought."""

    def __init__(self, folder: Path) -> None:
        super().__init__(Name="PySide6_Essentials", License="LGPL-3.0-only")
        self._folder = folder

    @property
    def files(self) -> list[metadata.PackagePath]:
        return [metadata.PackagePath("LicenseRef-Qt-Commercial.txt")]

    def locate_file(self, path: Any) -> Any:
        return self._folder / str(path)


def test_qt_has_the_text_of_the_lgpl_and_not_of_the_bought_licence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "LicenseRef-Qt-Commercial.txt").write_text("bought")
    texts = tmp_path / "texts"
    monkeypatch.setattr(notices, "_COMMON_LICENCES", texts)
    with pytest.raises(BuildError, match=rf"LGPL-3 is missing, {notices.TEXTS_VARIABLE} names another"):
        notices._distribution_part(FakeQt(tmp_path), [])
    texts.mkdir()
    for name in ("LGPL-3", "GPL-3"):
        (texts / name).touch()
    part = notices._distribution_part(FakeQt(tmp_path), [])
    assert part.texts == (texts / "LGPL-3", texts / "GPL-3")
