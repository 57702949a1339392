"""Names the libraries in other languages that come inside of Python packages, with their licences.

A wheel says what it is itself under, not always what its makers linked into it. Each library that the bundle
holds as a file of its own has to be known here, or the build stops. Licences are SPDX expressions. Versions
come from the bills of materials that wheels bring along (PEP 770), which list Rust crates too: the number at
the end of a file's name is that of its interface, not of its release.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from resources.packaging.system import BuildError


@dataclass(frozen=True, slots=True)
class Native:
    """A library inside of a part: its name, its version where that is known (or empty), and its licence."""

    name: str
    version: str
    licence: str


_QT = "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only"
_GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"

# The name of the file without its version and the digest that auditwheel adds -> the library and its licence.
_FILES = {
    "libaom": ("libaom", "BSD-2-Clause"),
    "libavif": ("libavif", "BSD-2-Clause"),
    "libcom_err": ("e2fsprogs libcom_err", "MIT"),
    "libcrypt": ("libxcrypt", "LGPL-2.1-or-later"),
    "libcrypto": ("OpenSSL", "Apache-2.0"),
    "libgfortran": ("GCC libgfortran", _GCC),
    "libgssapi_krb5": ("MIT Kerberos", "MIT"),
    "libicudata": ("ICU", "Unicode-3.0"),
    "libicui18n": ("ICU", "Unicode-3.0"),
    "libicuuc": ("ICU", "Unicode-3.0"),
    "libk5crypto": ("MIT Kerberos", "MIT"),
    "libkeyutils": ("keyutils", "LGPL-2.1-or-later"),
    "libkrb5": ("MIT Kerberos", "MIT"),
    "libkrb5support": ("MIT Kerberos", "MIT"),
    "liblber": ("OpenLDAP", "OLDAP-2.8"),
    "libldap": ("OpenLDAP", "OLDAP-2.8"),
    "libonnxruntime_providers_shared": ("ONNX Runtime", "MIT"),
    "libopenblasp-r0": ("OpenBLAS", "BSD-3-Clause"),
    "libpng16": ("libpng", "libpng-2.0"),
    "libpq": ("PostgreSQL libpq", "PostgreSQL"),
    "libpyside6": ("PySide", _QT),
    "libquadmath": ("GCC libquadmath", "LGPL-2.1-or-later"),
    "libsasl2": ("Cyrus SASL", "BSD-3-Clause-Attribution"),
    "libscipy_openblas64_": ("OpenBLAS", "BSD-3-Clause"),
    "libshiboken6": ("Shiboken", _QT),
    "libssl": ("OpenSSL", "Apache-2.0"),
    "libvips": ("libvips", "LGPL-2.1-or-later"),
}
# What libvips of pyvips-binary is linked with: a text in its file that shows it, the library and its licence.
_IN_LIBVIPS = (
    (rb"AOMedia Project AV1 Decoder v([\d.]+)", "libaom", "BSD-2-Clause"),
    (rb"libarchive ([\d.]+)", "libarchive", "BSD-2-Clause"),
    (rb"pango-cairo", "cairo", "LGPL-2.1-only OR MPL-1.1"),
    (rb"cgif: true", "cgif", "MIT"),
    (rb"exif data", "libexif", "LGPL-2.1-or-later"),
    (rb"fontconfig", "fontconfig", "HPND-sell-variant"),
    (rb"FreeType", "FreeType", "FTL OR GPL-2.0-only"),
    (rb"GLib ", "GLib", "LGPL-2.1-or-later"),
    (rb"pango-font", "FriBidi", "LGPL-2.1-or-later"),
    (rb"pango-shape", "HarfBuzz", "MIT-Modern-Variant"),
    (rb"libheif: true", "libheif", "LGPL-3.0-or-later"),
    (rb"hwy/targets", "Highway", "Apache-2.0 OR BSD-3-Clause"),
    (rb"lcms2?", "Little CMS", "MIT"),
    (rb"mozjpeg version ([\d.]+)", "MozJPEG", "IJG AND BSD-3-Clause AND Zlib"),
    (rb"pango-font", "Pango", "LGPL-2.1-or-later"),
    (rb"pixman/pixman-image", "pixman", "MIT"),
    (rb"librsvg", "librsvg", "LGPL-2.1-or-later"),
    (rb"spng", "libspng", "BSD-2-Clause"),
    (rb"TIFFOpen", "libtiff", "libtiff"),
    (rb"uhdr", "libultrahdr", "Apache-2.0"),
    (rb"WebP", "libwebp", "BSD-3-Clause"),
    (rb"libxml2", "libxml2", "MIT"),
    (rb"([\d.]+)\.zlib-ng", "zlib-ng", "Zlib"),
)
# Files whose number is that of the release.
_NUMBERED = ("libaom", "libicudata", "libicui18n", "libicuuc")
# The package of Red Hat that the makers of a wheel took a library from, as auditwheel writes.
_RED_HAT = {
    "GCC libgfortran": "libgfortran",
    "GCC libquadmath": "libquadmath",
    "OpenBLAS": "openblas-threads",
    "Cyrus SASL": "cyrus-sasl-lib",
    "e2fsprogs libcom_err": "libcom_err",
    "keyutils": "keyutils-libs",
}
_WITHOUT_LICENCE = {"openssl": "Apache-2.0"}
"""What a wheel's own list names without a licence."""
_VERSION = re.compile(r"\.so\.?([\w.]*)$")
_DIGEST = re.compile(r"(-[0-9a-f]{8})+(?=\.so)|(?<=_)-[0-9a-f]{8}(?=\.so)")
# Extension modules and plugins of Qt are the part itself.
_OF_THE_PART = re.compile(r"\.cpython-|\.abi3\.so$|\.pyd$|/plugins/|^libQt6")


def inside(files: Iterable[Path], bills: Iterable[Path]) -> list[Native]:
    """The libraries that a part brings along: of those of its files that are bundled, and of its own bills.

    Raises BuildError.
    """
    taken, libraries = _of_bills(bills)
    for file in files:
        if ".so" not in file.name or _OF_THE_PART.search(file.as_posix()) or _OF_THE_PART.search(file.name):
            continue
        bare = _DIGEST.sub("", file.name)
        stem, _, _ = bare.partition(".abi3" if ".abi3" in bare else ".so")
        stem = stem if stem in _FILES else re.sub(r"-\d.*$", "", stem)
        if stem not in _FILES:
            raise BuildError(
                f"{file.name} in {file.parent.name} is not known: say in native.py what it is and its licence"
            )
        name, licence = _FILES[stem]
        version = _VERSION.search(bare)
        numbered = version[1] if version and stem in _NUMBERED else ""
        libraries.add(Native(name, taken.get(_RED_HAT.get(name, ""), numbered), licence))
        if stem == "libvips":
            libraries |= set(_linked_into(file))
    return sorted(libraries, key=lambda library: (library.name.lower(), library.version))


def _of_bills(bills: Iterable[Path]) -> tuple[dict[str, str], set[Native]]:
    """The versions of Red Hat's packages by name, and the libraries that were compiled in."""
    taken, libraries = dict[str, str](), set[Native]()
    for bill in bills:
        for component in json.loads(bill.read_text("utf-8")).get("components", ()):
            name, version, purl = component["name"], component.get("version", ""), component.get("purl", "")
            if purl.startswith("pkg:rpm/"):
                taken[name] = version.partition("-")[0]
            elif purl.startswith(("pkg:cargo/", "pkg:generic/")):
                licences = [
                    each.get("expression") or each["license"].get("id")
                    for each in component.get("licenses", ())
                ]
                licence = " AND ".join(filter(None, licences)) or _WITHOUT_LICENCE.get(name)
                if licence is None:
                    raise BuildError(
                        f"{bill.name} names {name} without a licence: say in native.py what it is under"
                    )
                libraries.add(Native(name, version, licence))
    return taken, libraries


def _linked_into(libvips: Path) -> list[Native]:
    content = libvips.read_bytes()
    libraries = []
    for mark, name, licence in _IN_LIBVIPS:
        match = re.search(mark, content)
        if match is not None:
            libraries.append(Native(name, match[1].decode("ascii") if match.re.groups else "", licence))
    return libraries
