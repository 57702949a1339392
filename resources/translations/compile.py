"""Makes the .qm files that the program reads of the .ts catalogues in this folder (`make setup` runs it)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(folder: Path = HERE) -> int:
    """Compile every catalogue into `folder`; the exit status of the first that fails, or 0."""
    tool = Path(sys.executable).with_name("pyside6-lrelease")
    for catalogue in sorted(HERE.glob("*.ts")):
        new_file = folder / f"{catalogue.stem}.new.qm"
        command = [str(tool), "-silent", str(catalogue), "-qm", str(new_file)]
        done = subprocess.run(command, check=False)  # noqa: S603 - our own command
        if done.returncode != 0:
            print(f"{catalogue.name} could not be compiled", file=sys.stderr)
            return done.returncode
        # A running program has the old file mapped into its memory: replaced, it stays whole there.
        new_file.replace(folder / f"{catalogue.stem}.qm")
    return 0


if __name__ == "__main__":
    sys.exit(main())
