"""Builds the portable archive for Linux from the bundle: `python -m resources.packaging.portable`.

`dist/walkaround-VERSION-linux-MACHINE.tar.xz` contains one folder with the program, which needs no
installation and runs from any place, also a read-only one. Data is stored in each user's folders. The same
bundle gives the same bytes.
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
from resources.packaging.deb import find_dependencies
from resources.packaging.system import BuildError, build_time, run_build
from shared import __version__
from shared.system import atomic
from shared.system.paths import program_folder

PACKAGE = "walkaround"
LEVEL = 6
"""Compression level of xz. Level 9 would need 700 MB of memory and save 2 %."""

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

LICENSE is the licence of Walkaround. NOTICE.txt lists the parts of others and their licences, sbom.cdx.json
the same for programs (CycloneDX).
"""


def archive_name() -> str:
    """Return the name of the folder in the archive, which is also that of the archive without its ending."""
    return f"{PACKAGE}-{__version__}-linux-{platform.machine()}"


def build_archive(bundle: Path, out: Path) -> Path:
    """Build the archive from `bundle` in the folder `out` and return its path. Raises BuildError."""
    if not (bundle / PACKAGE).is_file():
        raise BuildError(f"there is no program in {bundle}: run `make package` first")
    xz = shutil.which("xz")
    if xz is None:
        raise BuildError("xz is missing: on Debian and Ubuntu it is in the package xz-utils")
    archive = out / f"{archive_name()}.tar.xz"
    with atomic.open_for_writing(archive, durable=False) as file:
        # With several threads. Their number does not change the result.
        command = [xz, "--compress", "--stdout", f"-{LEVEL}", "--threads=0", "--block-size=24MiB"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=file) as process:  # noqa: S603
            assert process.stdin is not None
            write_archive(bundle, process.stdin)
        if process.returncode:
            raise BuildError("xz failed: is the disk full?")
    return archive


def write_archive(bundle: Path, file: IO[bytes]) -> None:
    """Write the uncompressed archive of `bundle` to `file`."""
    time = build_time()

    def normalize(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        """Set owner, permissions and time, so that they do not depend on the build machine."""
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mode = 0o755 if entry.isdir() or entry.issym() or entry.mode & 0o100 else 0o644
        entry.mtime = time
        return entry

    with tarfile.open(fileobj=file, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for text_name, data in _read_texts(bundle):
            entry = tarfile.TarInfo(f"{archive_name()}/{text_name}")
            entry.size = len(data)
            archive.addfile(normalize(entry), io.BytesIO(data))
        for path in sorted(bundle.rglob("*")):
            archive.add(
                path, f"{archive_name()}/{path.relative_to(bundle)}", recursive=False, filter=normalize
            )


def _read_texts(bundle: Path) -> Iterator[tuple[str, bytes]]:
    licences = bundle / "_internal" / "licences"
    yield "CHANGELOG.md", (program_folder() / "CHANGELOG.md").read_bytes()
    yield "LICENSE", (program_folder() / "LICENSE").read_bytes()
    yield "NOTICE.txt", (licences / "NOTICE.txt").read_bytes()
    packages = " ".join(dependency.split()[0] for dependency in find_dependencies(bundle))
    yield "README.txt", README.format(version=__version__, packages=f"{packages} fonts-noto-cjk").encode()
    yield sbom.FILE_NAME, (licences / sbom.FILE_NAME).read_bytes()


if __name__ == "__main__":
    sys.exit(run_build(build_archive, __spec__.name, __doc__))
