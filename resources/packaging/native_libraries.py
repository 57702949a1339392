"""Lists the native libraries inside of Python packages, with their licences.

A wheel names its own licence, but not always the licences of the libraries in it. This module must know every
library that is a separate file in the bundle, otherwise the build stops. Licences are SPDX expressions.
Versions come from the bills of materials in wheels (PEP 770), which also list Rust crates. The number at the
end of a file name is the version of the interface, not of the release.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from resources.packaging.system import BuildError


@dataclass(frozen=True, slots=True)
class NativeLibrary:
    """A library inside of a part: its name, its version (empty if unknown) and its licence."""

    name: str
    version: str
    licence: str


_QT = "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only"
_GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"

_VISUAL_C = ("Microsoft Visual C++ runtime", "LicenseRef-scancode-ms-visual-cpp-2015-runtime")

# File name without version and without the digest that auditwheel and delvewheel add -> library and licence.
_LIBRARIES_BY_FILE = {
    "libaom": ("libaom", "BSD-2-Clause"),
    "libavif": ("libavif", "BSD-2-Clause"),
    "concrt140": _VISUAL_C,
    "libcom_err": ("e2fsprogs libcom_err", "MIT"),
    "libcrypt": ("libxcrypt", "LGPL-2.1-or-later"),
    "libcrypto": ("OpenSSL", "Apache-2.0"),
    "libgcc_s": ("GCC libgcc", _GCC),
    "libgfortran": ("GCC libgfortran", _GCC),
    "libgif": ("giflib", "MIT"),
    "libgssapi_krb5": ("MIT Kerberos", "MIT"),
    "libicudata": ("ICU", "Unicode-3.0"),
    "libicui18n": ("ICU", "Unicode-3.0"),
    "libicuuc": ("ICU", "Unicode-3.0"),
    "libjpeg": ("libjpeg-turbo", "IJG AND BSD-3-Clause AND Zlib"),
    "libk5crypto": ("MIT Kerberos", "MIT"),
    "libkeyutils": ("keyutils", "LGPL-2.1-or-later"),
    "libkrb5": ("MIT Kerberos", "MIT"),
    "libkrb5support": ("MIT Kerberos", "MIT"),
    "liblber": ("OpenLDAP", "OLDAP-2.8"),
    "libldap": ("OpenLDAP", "OLDAP-2.8"),
    "libonnxruntime": ("ONNX Runtime", "MIT"),
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
    "msvcp140": _VISUAL_C,
    "msvcp140_1": _VISUAL_C,
    "msvcp140_2": _VISUAL_C,
    "msvcp140_codecvt_ids": _VISUAL_C,
    "onnxruntime": ("ONNX Runtime", "MIT"),
    "onnxruntime_providers_shared": ("ONNX Runtime", "MIT"),
    "pyside6": ("PySide", _QT),
    "shiboken6": ("Shiboken", _QT),
    "vcomp140": _VISUAL_C,
    "vcruntime140": _VISUAL_C,
    "vcruntime140_1": _VISUAL_C,
}
# The libraries that are linked into libvips of pyvips-binary: a pattern in its file, the library, its
# licence.
_LIBVIPS_LIBRARIES = (
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
# Files whose number is the version of the release.
_VERSIONED_FILES = ("libaom", "libicudata", "libicui18n", "libicuuc")
# The Red Hat package that a library of a wheel comes from, as auditwheel writes it.
_RED_HAT_PACKAGES = {
    "GCC libgfortran": "libgfortran",
    "GCC libquadmath": "libquadmath",
    "OpenBLAS": "openblas-threads",
    "Cyrus SASL": "cyrus-sasl-lib",
    "e2fsprogs libcom_err": "libcom_err",
    "keyutils": "keyutils-libs",
}
_MISSING_LICENCES = {"openssl": "Apache-2.0"}
"""Licences that are missing in the bills of materials of wheels."""
_VERSION = re.compile(r"\.so\.?([\w.]*)$")
_DIGEST = re.compile(r"(?:-[0-9a-f]{8}|-[0-9a-f]{32})+(?=\.)")
_LIBRARY = re.compile(r"\.so(?:\.[\w.]+)?$|\.dll$|\.dylib$")
# Extension modules and Qt with its plugins belong to the part itself.
_OWN_FILE = re.compile(
    r"\.cpython-|\.abi3\.so$|\.pyd$|_pybind11_state\.so$|/plugins/|/(?:lib)?Qt6?[A-Z]\w*\.(?:so|dll|dylib)"
)


def find_libraries(files: Iterable[Path], bills: Iterable[Path]) -> list[NativeLibrary]:
    """Return the libraries in a part, from its bundled files and its bills of materials.

    Raises BuildError.
    """
    rpm_versions, libraries = _read_bills(bills)
    for file in files:
        if not _LIBRARY.search(file.name) or _OWN_FILE.search(file.as_posix()):
            continue
        plain_name = _DIGEST.sub("", file.name)
        stem = _plain_stem(plain_name)
        if stem not in _LIBRARIES_BY_FILE:
            raise BuildError(
                f"{file.name} in {file.parent.name} is unknown: add it and its licence to native_libraries.py"
            )
        name, licence = _LIBRARIES_BY_FILE[stem]
        version = _VERSION.search(plain_name)
        file_version = version[1] if version and stem in _VERSIONED_FILES else ""
        libraries.add(
            NativeLibrary(name, rpm_versions.get(_RED_HAT_PACKAGES.get(name, ""), file_version), licence)
        )
        if stem == "libvips":
            libraries |= set(_find_linked_into_libvips(file))
    return sorted(libraries, key=lambda library: (library.name.lower(), library.version))


def _plain_stem(name: str) -> str:
    """Return the name of a library without what follows it: .abi3, version, processor, suffix."""
    stem = _LIBRARY.sub("", name).partition(".abi3")[0]
    return stem if stem in _LIBRARIES_BY_FILE else re.sub(r"[.-]\d.*$", "", stem)


def _read_bills(bills: Iterable[Path]) -> tuple[dict[str, str], set[NativeLibrary]]:
    """Return the versions of the Red Hat packages by name, and the libraries that were compiled in."""
    rpm_versions, libraries = dict[str, str](), set[NativeLibrary]()
    for bill in bills:
        for component in json.loads(bill.read_text("utf-8")).get("components", ()):
            name, version, purl = component["name"], component.get("version", ""), component.get("purl", "")
            if purl.startswith("pkg:rpm/"):
                rpm_versions[name] = version.partition("-")[0]
            elif purl.startswith(("pkg:cargo/", "pkg:generic/")):
                licences = [
                    entry.get("expression") or entry["license"].get("id")
                    for entry in component.get("licenses", ())
                ]
                licence = " AND ".join(filter(None, licences)) or _MISSING_LICENCES.get(name)
                if licence is None:
                    raise BuildError(
                        f"{bill.name} names {name} without a licence: add the licence to native_libraries.py"
                    )
                libraries.add(NativeLibrary(name, version, licence))
    return rpm_versions, libraries


def _find_linked_into_libvips(libvips: Path) -> list[NativeLibrary]:
    content = libvips.read_bytes()
    libraries = []
    for pattern, name, licence in _LIBVIPS_LIBRARIES:
        match = re.search(pattern, content)
        if match is not None:
            libraries.append(
                NativeLibrary(name, match[1].decode("ascii") if match.re.groups else "", licence)
            )
    return libraries
