"""Collects the licences of everything in the bundle while it is built.

Whoever hands the program on hands these parts on as well, and most licences want their text to go along. What
counts as bundled is what PyInstaller really took, file by file; a file whose owner or licence is not known
stops the build, so that nothing slips in without its notice.
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

from resources.packaging.system import BuildError, output, package_of

_OWN = "walkaround"
_TEXTS = ("LICEN", "COPYING", "NOTICE", "AUTHORS")
_DOCS = Path("/usr/share/doc")
_COMMON = Path("/usr/share/common-licenses")
# A few parts say in their metadata what they are under and leave the text out: it is among the common ones.
_WITHOUT_TEXT = {"PySide6_Essentials": ("LGPL-3", "GPL-3"), "shiboken6": ("LGPL-3", "GPL-3")}
_BY_NAME = {"Apache 2.0": ("Apache-2.0",)}


@dataclass(frozen=True, slots=True)
class Part:
    """Something of others in the bundle: its name, version, licence in a few words, and the texts."""

    name: str
    version: str
    licence: str
    texts: tuple[Path, ...]


def gather(sources: Iterable[str], own: Path, into: Path) -> list[Part]:
    """Write a folder of texts per part, and README.txt that lists them, below `into`; gives the parts.

    `sources` are the files that were bundled, as paths on the machine that builds; those below `own`, the
    project itself, are not parts. Raises BuildError.
    """
    owners = _owners()
    python, systems, found = False, set[Path](), dict[str, metadata.Distribution]()
    stdlib = Path(sysconfig.get_path("stdlib")).resolve()
    base = Path(sys.base_prefix).resolve()
    for source in sorted({Path(each).resolve() for each in sources}):
        owner = owners.get(source)
        if owner is None and "site-packages" in source.parts:
            owner = _beside(source, owners)
        if owner is not None:
            found[owner.metadata["Name"]] = owner
        elif source.is_relative_to(own) or "PyInstaller" in source.parts:
            continue
        elif source.is_relative_to(stdlib) or (source.is_relative_to(base) and base != Path("/usr")):
            python = True
        else:
            systems.add(source)
    parts = [_of_distribution(each) for each in found.values()]
    parts += _of_system(systems)
    if python:
        parts.append(Part("Python", sys.version.split()[0], "PSF-2.0", (stdlib / "LICENSE.txt",)))
    parts.sort(key=lambda part: part.name.lower())
    _write(parts, into)
    return parts


def _owners() -> dict[Path, metadata.Distribution]:
    """Every installed file and the distribution that it came with."""
    found: dict[Path, metadata.Distribution] = {}
    for distribution in metadata.distributions():
        if distribution.metadata["Name"] == _OWN:
            continue
        for file in distribution.files or ():
            found[Path(str(distribution.locate_file(file))).resolve()] = distribution
    return found


def _beside(source: Path, owners: dict[Path, metadata.Distribution]) -> metadata.Distribution | None:
    """The owner of a file that was made after the installation, as compiled modules are."""
    return next((owners[each] for each in sorted(source.parent.iterdir()) if each in owners), None)


def _of_distribution(distribution: metadata.Distribution) -> Part:
    said: Mapping[str, Any] = distribution.metadata.json
    name = said["name"]
    licence = said.get("license_expression") or said.get("license", "").strip()
    # Some put the whole text into that field.
    if not licence or "\n" in licence:
        kinds = [each for each in said.get("classifier", ()) if each.startswith("License ::")]
        licence = ", ".join(each.split(" :: ")[-1] for each in kinds) or "see its text"
    texts = [
        Path(str(distribution.locate_file(file)))
        for file in distribution.files or ()
        if file.suffix != ".py" and any(word in file.name.upper() for word in _TEXTS)
    ]
    if not texts:
        texts = [_COMMON / each for each in _WITHOUT_TEXT.get(name, ()) or _BY_NAME.get(licence, ())]
    if not texts or not all(text.is_file() for text in texts):
        raise BuildError(f"{name} {distribution.version} ({licence}): no text of its licence is to be found")
    return Part(name, distribution.version, licence, tuple(texts))


def _of_system(files: set[Path]) -> list[Part]:
    """The packages of the system that libraries were taken from."""
    found = []
    for package in sorted({package_of(file) for file in files}):
        text = _DOCS / package / "copyright"
        if not text.is_file():
            raise BuildError(f"{package}: its copyright file is not installed")
        version = output("dpkg-query", "-W", "-f=${Version}", package)
        found.append(Part(package, version, "see its text", (text,)))
    return found


def _write(parts: Sequence[Part], into: Path) -> None:
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    lines = [
        "Walkaround holds these parts of others. The text of each licence lies in the folder of its name.",
        "",
        "Qt (PySide6, shiboken6), libvips (pyvips-binary) and psycopg are under the LGPL: they are files of",
        "their own beside this folder, and may be replaced by builds of yours.",
        "",
    ]
    width = max(len(part.name) for part in parts)
    for part in parts:
        lines.append(f"{part.name:<{width}}  {part.version:<24}  {part.licence}")
        folder = into / part.name
        folder.mkdir()
        for number, text in enumerate(part.texts):
            name = text.name if number == 0 or not (folder / text.name).exists() else f"{number}-{text.name}"
            shutil.copyfile(text, folder / name)
    (into / "README.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
