"""Makes the installer for Debian and Ubuntu from the bundle: `python -m resources.packaging.deb`.

`dist/walkaround_VERSION_ARCH.deb` puts the bundle into /opt/walkaround, the command on the PATH and the
program into the menu with its icon, and brings a systemd unit for the service, disabled. What the bundle
needs of the system is read out of its libraries, not kept as a list by hand: a library that the machine
that builds does not have stops the build.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import sys
from pathlib import Path

from resources.packaging import sbom
from resources.packaging.slim import is_elf
from resources.packaging.system import (
    BuildError,
    build_time,
    named_after,
    needed_in,
    output,
    package_of,
    packaged,
)
from shared import __version__
from shared.paths import program_folder

PACKAGE = "walkaround"
TARGET = Path("opt") / PACKAGE
LEVEL = 6
"""Of xz: 9 would need 700 MB of memory to pack, for 2 % less."""
UNIT = Path(__file__).with_name("walkaround.service")

OPERATORS_DOCUMENTS = ("backup.md", "clients.md", "deploy.md", "monitoring.md", "security.md")
"""For the operator of a site's service, who has only the package and not the sources."""

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

# Nothing is linked against these: Qt's plugins open them when they start, or read their files.
_OPENED = ("fontconfig-config", "libegl1", "libgl1", "xkb-data")

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


def build(bundle: Path, out: Path) -> Path:
    """The installer made of `bundle`, written into the folder `out`. Raises BuildError."""
    program = bundle / PACKAGE
    if not program.is_file():
        raise BuildError(f"there is no program in {bundle}: run `make package` first")
    stage = program_folder() / "build" / "deb"
    shutil.rmtree(stage, ignore_errors=True)
    _fill(stage, bundle)
    architecture = output("dpkg", "--print-architecture").strip()
    control = stage / "DEBIAN" / "control"
    control.parent.mkdir()
    control.write_text(
        CONTROL.format(
            package=PACKAGE,
            version=__version__,
            architecture=architecture,
            size=sum(file.lstat().st_size for file in stage.rglob("*")) // 1024,
            depends=", ".join(depends(bundle)),
        ),
        "utf-8",
    )
    _rights(stage)
    installer = out / f"{PACKAGE}_{__version__}_{architecture}.deb"
    # By several threads; the time of the archive itself comes from a variable.
    times = {"SOURCE_DATE_EPOCH": str(build_time())}
    output("dpkg-deb", "--root-owner-group", "-Zxz", f"-z{LEVEL}", "--build", stage, installer, **times)
    return installer


def _fill(stage: Path, bundle: Path) -> None:
    # Hard links: the bundle is 400 MB.
    shutil.copytree(bundle, stage / TARGET, symlinks=True, copy_function=os.link)
    command = stage / "usr" / "bin" / PACKAGE
    command.parent.mkdir(parents=True)
    command.symlink_to(Path("/", TARGET, PACKAGE))
    share = stage / "usr" / "share"
    entry = share / "applications" / f"{PACKAGE}.desktop"
    entry.parent.mkdir(parents=True)
    entry.write_text(DESKTOP_ENTRY, "utf-8")
    icon = share / "icons" / "hicolor" / "scalable" / "apps" / f"{PACKAGE}.svg"
    icon.parent.mkdir(parents=True)
    shutil.copyfile(program_folder() / "resources" / "icons" / "walkaround.svg", icon)
    # Only the administrator enables it: the package has no script that runs when it is installed.
    unit = stage / "usr" / "lib" / "systemd" / "system" / UNIT.name
    unit.parent.mkdir(parents=True)
    shutil.copyfile(UNIT, unit)
    papers = share / "doc" / PACKAGE
    papers.mkdir(parents=True)
    for paper in OPERATORS_DOCUMENTS:
        shutil.copyfile(program_folder() / "docs" / paper, papers / paper)
    shutil.copyfile(bundle / "_internal" / "licences" / "NOTICE.txt", papers / "copyright")
    shutil.copyfile(bundle / "_internal" / "licences" / sbom.FILE_NAME, papers / sbom.FILE_NAME)
    # Without the time in its header the same changelog makes the same file.
    with gzip.GzipFile(papers / "changelog.gz", "wb", 9, mtime=0) as packed:
        packed.write((program_folder() / "CHANGELOG.md").read_bytes())


def _rights(stage: Path) -> None:
    """Make all files readable by everyone, writable by root only, whatever the umask, and of one time."""
    time = build_time()
    for path in stage.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        os.utime(path, (time, time), follow_symlinks=False)
    os.utime(stage, (time, time))


def depends(bundle: Path) -> list[str]:
    """The packages that the libraries of `bundle` need besides it, libc6 with its version.

    Raises BuildError.
    """
    libraries = [path for path in bundle.rglob("*") if path.is_file() and is_elf(path)]
    inside = {path.name for path in bundle.rglob("*")}
    headers = output("objdump", "-p", *libraries)
    paths = _by_soname()
    outside = needed_in(headers) - inside
    missing = sorted(outside - set(paths))
    if missing:
        wanted = " ".join(named_after(name) for name in missing)
        raise BuildError(
            f"the bundle needs libraries that this machine lacks: {', '.join(missing)}. "
            f"Install them and try again; on Debian and Ubuntu: apt install {wanted}"
        )
    packages = set(_OPENED) | {package_of(paths[name]) for name in outside}
    major, minor = max((int(a), int(b)) for a, b in _GLIBC.findall(headers))
    return [f"{each} (>= {major}.{minor})" if each == "libc6" else each for each in sorted(packages)]


def _by_soname() -> dict[str, Path]:
    """Where the system keeps each library that programs may be linked against."""
    paths: dict[str, Path] = {}
    for line in output("ldconfig", "-p").splitlines():
        name, arrow, path = line.partition(" => ")
        if arrow:
            paths.setdefault(name.split()[0], Path(path))
    return paths


if __name__ == "__main__":
    sys.exit(packaged(build, __spec__.name, __doc__))
