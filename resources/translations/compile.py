"""Compiles the .ts catalogues in this folder to the .qm files of the program .

`make setup` runs it for the sources, `resources/translations/build.py` for a wheel.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import PySide6

FOLDER = Path(__file__).resolve().parent


def main(folder: Path = FOLDER) -> int:
    """Compile every catalogue into `folder`. Returns the exit status of the first failure, or 0."""
    tool = Path(PySide6.__file__).with_name("lrelease.exe" if sys.platform == "win32" else "lrelease")
    for catalogue in sorted(FOLDER.glob("*.ts")):
        new_file = folder / f"{catalogue.stem}.new.qm"
        command = [str(tool), "-silent", str(catalogue), "-qm", str(new_file)]
        process = subprocess.run(command, check=False)  # noqa: S603 - our own command
        if process.returncode != 0:
            print(f"cannot compile {catalogue.name}", file=sys.stderr)
            return process.returncode
        # A running program has mapped the old file into its memory. A replaced file stays intact there.
        new_file.replace(folder / f"{catalogue.stem}.qm")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
