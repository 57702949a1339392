"""Makes the portable archive for Linux from the bundle: `python -m resources.packaging.portable`.

`dist/walkaround-VERSION-linux-MACHINE.tar.xz` holds one folder that runs where it is unpacked, also where
nobody may write: nothing is installed, and data lies in each user's own folders. The same bundle gives the
same bytes.
"""

from __future__ import annotations

import io
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from resources.packaging import sbom
from resources.packaging.system import BuildError, build_time, packaged
from shared import __version__, atomic
from shared.paths import program_folder

PACKAGE = "walkaround"
LEVEL = 6
"""Of xz: 9 would need 700 MB of memory to pack, for 2 % less."""

README = """\
Walkaround {version}, inspection workstation 绕机检查工作站

Start:     ./walkaround
Check:     ./walkaround doctor
Service:   ./walkaround serve --help
Update:    unpack the new archive beside this folder and start it; data is kept in your own folders and
           brought up to date at the first start. Remove this folder when you like.

The folder can be moved, put on a stick or a network share, and made read-only. It needs the libraries of a
desktop: on Debian and Ubuntu
    apt install {packages}

NOTICE.txt lists the parts of others and their licences, sbom.cdx.json the same for programs (CycloneDX).
"""
_PACKAGES = "libegl1 libgl1 libxcb-cursor0 libxkbcommon-x11-0 libfontconfig1 libdbus-1-3 fonts-noto-cjk"


def name() -> str:
    """The name of the folder in the archive, and of the archive without its ending."""
    return f"{PACKAGE}-{__version__}-linux-{platform.machine()}"


def build(bundle: Path, out: Path) -> Path:
    """The archive made of `bundle`, written into the folder `out`. Raises BuildError."""
    if not (bundle / PACKAGE).is_file():
        raise BuildError(f"there is no program in {bundle}: run `make package` first")
    xz = shutil.which("xz")
    if xz is None:
        raise BuildError("xz is missing: on Debian and Ubuntu it is in the package xz-utils")
    archive = out / f"{name()}.tar.xz"
    with atomic.open_for_writing(archive, durable=False) as file:
        # By several threads; how many there are changes nothing in what comes out.
        command = [xz, "--compress", "--stdout", f"-{LEVEL}", "--threads=0", "--block-size=24MiB"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=file) as packing:  # noqa: S603
            assert packing.stdin is not None
            write(bundle, packing.stdin)
        if packing.returncode:
            raise BuildError("xz failed: is the disk full?")
    return archive


def write(bundle: Path, file: IO[bytes]) -> None:
    """Write the archive, not yet compressed."""
    time = build_time()

    def same_for_all(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        """The entry with the owner, rights and time that do not depend on who builds."""
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mode = 0o755 if entry.isdir() or entry.issym() or entry.mode & 0o100 else 0o644
        entry.mtime = time
        return entry

    with tarfile.open(fileobj=file, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for path, data in _texts(bundle):
            entry = tarfile.TarInfo(f"{name()}/{path}")
            entry.size = len(data)
            archive.addfile(same_for_all(entry), io.BytesIO(data))
        for each in sorted(bundle.rglob("*")):
            archive.add(each, f"{name()}/{each.relative_to(bundle)}", recursive=False, filter=same_for_all)


def _texts(bundle: Path) -> Iterator[tuple[str, bytes]]:
    licences = bundle / "_internal" / "licences"
    yield "CHANGELOG.md", (program_folder() / "CHANGELOG.md").read_bytes()
    yield "NOTICE.txt", (licences / "NOTICE.txt").read_bytes()
    yield "README.txt", README.format(version=__version__, packages=_PACKAGES).encode("utf-8")
    yield sbom.FILE_NAME, (licences / sbom.FILE_NAME).read_bytes()


if __name__ == "__main__":
    sys.exit(packaged(build, __spec__.name, __doc__))
