"""Builds the installer for Debian and Ubuntu from the bundle: `python -m resources.packaging.deb`.

`dist/walkaround_VERSION_ARCH.deb` installs the bundle in /opt/walkaround, the command on the PATH, an entry
in the menu, and a systemd unit for the service, which is disabled. The build reads the dependencies from the
libraries of the bundle. It stops if the build machine lacks one of the libraries that they need.

The package's files are in /opt/walkaround/files. Its script `postinst` links them into a folder of the
version (/opt/walkaround/VERSION), which /opt/walkaround/current names and the program runs from. An update
leaves the folders of open programs in place.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from resources.packaging import sbom
from resources.packaging.slim import is_elf
from resources.packaging.system import (
    BuildError,
    build_time,
    debian_package_name,
    find_package,
    parse_needed,
    run_build,
    run_tool,
)
from shared import __version__
from shared.system.paths import program_folder

PACKAGE = "walkaround"
TARGET = Path("opt") / PACKAGE
SCRIPTS = Path(__file__).with_name("debian")
"""The scripts that dpkg runs, `postinst` and `prerm`."""
LEVEL = 6
"""Compression level of xz. Level 9 would need 700 MB of memory and save 2 %."""
UNIT = Path(__file__).with_name("walkaround.service")

OPERATOR_DOCUMENTS = (
    *("api.md", "backup.md", "clients.md", "contract.md", "deploy.md", "faq.md", "monitoring.md"),
    *("security.md", "settings.md"),
)
"""Documents for operators of a service, who have only the package and not the sources."""

DESKTOP_ENTRY = """\
[Desktop Entry]
Type=Application
Name=Walkaround
Name[zh_CN]=绕机检查工作站
GenericName=Inspection workstation
GenericName[zh_CN]=检查工作站
Comment=Compare today's photo with the reference image, decide and sign
Comment[zh_CN]=将今日照片与参考图像比对，判定并签署
Exec=walkaround
Icon=walkaround
Terminal=false
Categories=Graphics;
Keywords=inspection;aircraft;defect;检查;飞机;缺陷;
StartupWMClass=Walkaround
"""

# No library is linked against these. Qt's plugins load them at run time or read their files.
_RUNTIME_PACKAGES = ("fontconfig-config", "libegl1", "libgl1", "xkb-data")

# The font is for Chinese texts and reports; the library opens HEIC photos.
CONTROL = """\
Package: {package}
Version: {version}
Architecture: {architecture}
Maintainer: Walkaround
Installed-Size: {size}
Depends: {depends}
Recommends: fonts-noto-cjk, libheif1
Section: graphics
Priority: optional
Description: inspection workstation for surfaces 绕机检查工作站
 Compares today's photo with the marked regions of a reference image, keeps
 findings, verdicts and signatures in records that stand up later, and serves
 other clients by a documented API. Works on one machine without a network.
 .
 Data lies in each user's own folders and stays there when this is removed.
"""

_GLIBC = re.compile(r"\bGLIBC_(\d+)\.(\d+)")


def build_installer(bundle: Path, out: Path) -> Path:
    """Build the installer from `bundle`, write it into the folder `out` and return its path. Raises
    BuildError.
    """
    program = bundle / PACKAGE
    if not program.is_file():
        raise BuildError(f"there is no program in {bundle}: run `make package` first")
    architecture = run_tool("dpkg", "--print-architecture").strip()
    installer = out / f"{PACKAGE}_{__version__}_{architecture}.deb"
    # Beside the bundle, because hard links need the same file system.
    with tempfile.TemporaryDirectory(dir=out) as folder:
        staging = Path(folder) / "root"
        _copy_files(staging, bundle)
        _write_control(staging / "DEBIAN", bundle, architecture)
        _normalize_permissions(staging)
        # dpkg-deb takes the time of the archive from this variable.
        variables = {"SOURCE_DATE_EPOCH": str(build_time())}
        run_tool(
            "dpkg-deb", "--root-owner-group", "-Zxz", f"-z{LEVEL}", "--build", staging, installer, **variables
        )
    return installer


def _write_control(folder: Path, bundle: Path, architecture: str) -> None:
    size = sum(file.lstat().st_size for file in folder.parent.rglob("*")) // 1024
    folder.mkdir()
    for script in SCRIPTS.iterdir():
        path = folder / script.name
        path.write_text(script.read_text("utf-8").replace("@VERSION@", __version__), "utf-8")
        path.chmod(0o755)
    fields = CONTROL.format(
        package=PACKAGE,
        version=__version__,
        architecture=architecture,
        size=size,
        depends=", ".join(find_dependencies(bundle)),
    )
    (folder / "control").write_text(fields, "utf-8")


def _copy_files(staging: Path, bundle: Path) -> None:
    # Hard links, because the bundle has 400 MB.
    shutil.copytree(bundle, staging / TARGET / "files", symlinks=True, copy_function=os.link)
    command = staging / "usr" / "bin" / PACKAGE
    command.parent.mkdir(parents=True)
    command.symlink_to(Path("/", TARGET, "current", PACKAGE))
    share = staging / "usr" / "share"
    entry = share / "applications" / f"{PACKAGE}.desktop"
    entry.parent.mkdir(parents=True)
    entry.write_text(DESKTOP_ENTRY, "utf-8")
    icon = share / "icons" / "hicolor" / "scalable" / "apps" / f"{PACKAGE}.svg"
    icon.parent.mkdir(parents=True)
    shutil.copyfile(program_folder() / "resources" / "icons" / "walkaround.svg", icon)
    # The administrator enables it.
    unit = staging / "usr" / "lib" / "systemd" / "system" / UNIT.name
    unit.parent.mkdir(parents=True)
    shutil.copyfile(UNIT, unit)
    documents = share / "doc" / PACKAGE
    documents.mkdir(parents=True)
    for name in OPERATOR_DOCUMENTS:
        shutil.copyfile(program_folder() / "docs" / name, documents / name)
    shutil.copyfile(program_folder() / "LICENSE", documents / "LICENSE")
    shutil.copyfile(bundle / "_internal" / "licences" / "NOTICE.txt", documents / "copyright")
    shutil.copyfile(bundle / "_internal" / "licences" / sbom.FILE_NAME, documents / sbom.FILE_NAME)
    # Without a time in its header, the file depends only on the changelog.
    with gzip.GzipFile(documents / "changelog.gz", "wb", 9, mtime=0) as compressed:
        compressed.write((program_folder() / "CHANGELOG.md").read_bytes())


def _normalize_permissions(staging: Path) -> None:
    """Make all files readable for everyone, writable for root only, with the same time, for every umask."""
    time = build_time()
    for path in (staging, *staging.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        os.utime(path, (time, time), follow_symlinks=False)


def find_dependencies(bundle: Path) -> list[str]:
    """Return the packages that the libraries of `bundle` need from the system, libc6 with its version.

    Raises BuildError.
    """
    libraries = [path for path in bundle.rglob("*") if path.is_file() and is_elf(path)]
    bundled_names = {path.name for path in bundle.rglob("*")}
    headers = run_tool("objdump", "-p", *libraries)
    paths = _read_library_paths()
    system_names = parse_needed(headers) - bundled_names
    missing = sorted(system_names - set(paths))
    if missing:
        missing_packages = " ".join(debian_package_name(name) for name in missing)
        raise BuildError(
            f"the bundle needs libraries that this machine lacks: {', '.join(missing)}. "
            f"Install them and try again; on Debian and Ubuntu: apt install {missing_packages}"
        )
    packages = set(_RUNTIME_PACKAGES) | {find_package(paths[name]) for name in system_names}
    major, minor = max((int(a), int(b)) for a, b in _GLIBC.findall(headers))
    return [f"{name} (>= {major}.{minor})" if name == "libc6" else name for name in sorted(packages)]


def _read_library_paths() -> dict[str, Path]:
    """Return the paths of the system's libraries by their sonames."""
    paths: dict[str, Path] = {}
    for line in run_tool("ldconfig", "-p").splitlines():
        name, arrow, path = line.partition(" => ")
        if arrow:
            paths.setdefault(name.split()[0], Path(path))
    return paths


if __name__ == "__main__":
    sys.exit(run_build(build_installer, __spec__.name, __doc__))
