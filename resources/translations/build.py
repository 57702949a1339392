"""Adds the compiled translations to a wheel, for `pip install .` on a fresh clone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from setuptools.command.build_py import build_py


class BuildWithTranslations(build_py):  # type: ignore[misc]  # setuptools has no types
    """Copies the modules, and compiles the translations beside them; an editable installation has its own."""

    def run(self) -> None:
        """Build the folder that becomes the wheel. Raises CalledProcessError if a catalogue is invalid."""
        super().run()
        if self.editable_mode:
            return
        # In a process of its own: pip does not put the project on the path of a build.
        compiler = Path(__file__).with_name("compile.py")
        folder = Path(self.build_lib).absolute() / "resources" / "translations"
        subprocess.run([sys.executable, str(compiler), str(folder)], check=True)  # noqa: S603 - our own command
