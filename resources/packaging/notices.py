"""Collects the licences of everything in the bundle while it is built.

Whoever distributes the program distributes these parts as well, and most licences require their text. What
counts as bundled is what PyInstaller really took, file by file; a file whose owner or licence is not known
stops the build, so that nothing slips in without its notice. NOTICE.txt lists the parts for people, a
CycloneDX document (`resources.packaging.sbom`) for programs.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from license_expression import get_spdx_licensing

from resources.packaging import native
from resources.packaging.system import BuildError, output, package_of
from shared import __version__

_OWN = "walkaround"
_TEXTS = ("LICEN", "COPYING", "NOTICE", "AUTHORS")
_DOCS = Path("/usr/share/doc")
# Packages of Debian and Ubuntu that belong to one release of Python (`OF_ONE_RELEASE` in build.spec).
_OF_SYSTEM = {
    "libmpdec3": "BSD-2-Clause",
    "libpython3.11": "PSF-2.0",
    "libpython3.11-minimal": "PSF-2.0",
    "libpython3.11-stdlib": "PSF-2.0",
    "libpython3.12-minimal": "PSF-2.0",
    "libpython3.12-stdlib": "PSF-2.0",
    "libpython3.12t64": "PSF-2.0",
}
_COMMON = Path("/usr/share/common-licenses")
# A few parts say in their metadata what they are under and leave the text out: it is among the common ones.
_WITHOUT_TEXT = {"PySide6_Essentials": ("LGPL-3", "GPL-3"), "shiboken6": ("LGPL-3", "GPL-3")}
_BY_NAME = {"Apache-2.0": ("Apache-2.0",)}
# What packages say that name no SPDX expression, and what it means.
_SPDX = {
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "Boost Software License": "BSL-1.0",
    "MIT License": "MIT",
    "MIT license": "MIT",
}
_SPDX_OF = {
    "pyinstaller": "GPL-2.0-or-later WITH Bootloader-exception",
    "scikit-image": "BSD-3-Clause",
    "segno": "BSD-3-Clause",
}
_LICENSING = get_spdx_licensing()


@dataclass(frozen=True, slots=True)
class Part:
    """Something of others in the bundle: its name, version, licence (an SPDX expression), and the texts.

    `kind`: "pypi", "deb" or "generic". `inside` are the libraries that it brings along.
    """

    name: str
    version: str
    licence: str
    texts: tuple[Path, ...]
    kind: str
    inside: tuple[native.Native, ...] = ()


def gather(sources: Iterable[str], project: Path, into: Path) -> list[Part]:
    """Write a folder of texts per part, and NOTICE.txt that lists them, below `into`; gives the parts.

    `sources` are the files that were bundled, as paths on the machine that builds; those below `project`, the
    project itself, are not parts. Raises BuildError.
    """
    owners = _owners()
    python, systems, distributions = False, set[Path](), dict[str, tuple[metadata.Distribution, list[Path]]]()
    stdlib = Path(sysconfig.get_path("stdlib")).resolve()
    base = Path(sys.base_prefix).resolve()
    for source in sorted({Path(each).resolve() for each in sources}):
        owner = owners.get(source)
        if owner is None and "site-packages" in source.parts:
            owner = _beside(source, owners)
        if owner is not None:
            distributions.setdefault(owner.metadata["Name"], (owner, []))[1].append(source)
        elif source.is_relative_to(project) or "PyInstaller" in source.parts:
            continue
        elif source.is_relative_to(stdlib) or (source.is_relative_to(base) and base != Path("/usr")):
            python = True
        else:
            systems.add(source)
    parts = [_of_distribution(each, files) for each, files in distributions.values()]
    parts += _of_system(systems)
    if python:
        parts.append(Part("Python", sys.version.split()[0], "PSF-2.0", (stdlib / "LICENSE.txt",), "generic"))
    parts.sort(key=lambda part: part.name.lower())
    _write(parts, into)
    return parts


def _owners() -> dict[Path, metadata.Distribution]:
    """Every installed file and the distribution that it came with."""
    owners: dict[Path, metadata.Distribution] = {}
    for distribution in metadata.distributions():
        if distribution.metadata["Name"] == _OWN:
            continue
        for file in distribution.files or ():
            owners[Path(str(distribution.locate_file(file))).resolve()] = distribution
    return owners


def _beside(source: Path, owners: dict[Path, metadata.Distribution]) -> metadata.Distribution | None:
    """The owner of a file that was made after the installation, as compiled modules are."""
    return next((owners[each] for each in sorted(source.parent.iterdir()) if each in owners), None)


def _of_distribution(distribution: metadata.Distribution, files: list[Path]) -> Part:
    name, licence = distribution.metadata["Name"], licence_of(distribution)
    texts = [
        Path(str(distribution.locate_file(file)))
        for file in distribution.files or ()
        if file.suffix != ".py" and any(word in file.name.upper() for word in _TEXTS)
    ]
    if not texts:
        texts = [_COMMON / each for each in _WITHOUT_TEXT.get(name, ()) or _BY_NAME.get(licence, ())]
    if not texts or not all(text.is_file() for text in texts):
        raise BuildError(f"{name} {distribution.version} ({licence}): no text of its licence is to be found")
    bills = [
        Path(str(distribution.locate_file(file)))
        for file in distribution.files or ()
        if "sboms" in file.parts and file.suffix == ".json"
    ]
    inside = tuple(native.inside(files, bills))
    return Part(name, distribution.version, licence, tuple(texts), "pypi", inside)


def licence_of(distribution: metadata.Distribution) -> str:
    """What an installed package is under, as an SPDX expression. Raises BuildError."""
    fields: Mapping[str, Any] = distribution.metadata.json
    name = fields["name"]
    kinds = [each.split(" :: ")[-1] for each in fields.get("classifier", ()) if each.startswith("License ::")]
    claims: list[str | None] = [
        _SPDX_OF.get(name),
        fields.get("license_expression"),
        fields.get("license", "").strip(),
        *kinds,
    ]
    for claim in claims:
        expression = _SPDX.get(claim or "", claim)
        # Some put the whole text into the field of the licence.
        if expression and "\n" not in expression and _is_spdx(expression):
            return expression
    raise BuildError(f"{name} {distribution.version} is under {claims}: say in notices.py what that means")


def _is_spdx(expression: str) -> bool:
    return not _LICENSING.validate(expression).errors


def _of_system(files: set[Path]) -> list[Part]:
    """The packages of the system that libraries were taken from."""
    parts = []
    for package in sorted({package_of(file) for file in files}):
        text = _DOCS / package / "copyright"
        if not text.is_file():
            raise BuildError(f"{package}: its copyright file is not installed")
        version = output("dpkg-query", "-W", "-f=${Version}", package)
        licence = _OF_SYSTEM.get(package)
        if licence is None:
            raise BuildError(f"{package}: say in notices.py what it is under; its text is {text}")
        parts.append(Part(package, version, licence, (text,), "deb"))
    return parts


def _write(parts: Sequence[Part], into: Path) -> None:
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    lines = [
        f"Walkaround {__version__} holds these parts of others. The text of each licence lies in the folder",
        "of its name; what stands indented came inside of the part above it.",
        "",
        "Qt (PySide6, shiboken6), libvips (pyvips-binary) and psycopg are under the LGPL: they are files of",
        "their own beside this folder, and may be replaced by builds of yours.",
        "",
    ]
    names = [part.name for part in parts] + [f"  {library.name}" for part in parts for library in part.inside]
    width = max(map(len, names))
    for part in parts:
        lines.append(f"{part.name:<{width}}  {part.version:<18}  {part.licence}")
        for library in part.inside:
            lines.append(f"  {library.name:<{width - 2}}  {library.version or '-':<18}  {library.licence}")
        folder = into / part.name
        folder.mkdir()
        for number, text in enumerate(part.texts):
            name = text.name if number == 0 or not (folder / text.name).exists() else f"{number}-{text.name}"
            shutil.copyfile(text, folder / name)
    (into / "NOTICE.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
