"""Runs the frozen program as a user who has never run it, in a place where that user may not write."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shared.system.paths import SERVICE_ADDRESS_FILE
from tests.narrowing import not_none

NOBODY = 65534
"""The account without rights of every Linux; root may write everywhere, so a test by root takes this one."""

_START_SECONDS = 90
_HOME = "用户 é"


def output(*command: str | Path, **options: Any) -> str:
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, **options)
    assert run.returncode == 0, run.stdout + run.stderr
    return str(run.stdout)


class FreshUser:
    """A user without any file, whose home is a new folder of a name that is not ASCII."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / _HOME
        self.home.mkdir()
        self.is_other = hasattr(os, "geteuid") and os.geteuid() == 0
        if self.is_other:
            os.chown(self.home, NOBODY, NOBODY)

    @property
    def options(self) -> dict[str, Any]:
        """For subprocess: run as this user, in the environment of someone who never heard of Python."""
        environment = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        environment |= {"TMPDIR": str(self.home), "QT_QPA_PLATFORM": "offscreen"}
        other = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if self.is_other else {}
        return {"env": environment, "cwd": self.home, **other}

    @property
    def data(self) -> Path:
        """Where the program keeps this user's data."""
        return self.home / ".local" / "share" / "Walkaround"

    def take_ownership(self) -> None:
        """Make every file in the home this user's."""
        for path in [self.home, *self.home.rglob("*")] if self.is_other else ():
            os.chown(path, NOBODY, NOBODY)


@contextmanager
def public_folder() -> Iterator[Path]:
    """A new folder that every user may read, of a name that is not ASCII."""
    folder = Path(tempfile.mkdtemp(prefix="机库 "))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        for path in [folder, *folder.rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
        shutil.rmtree(folder)


def make_read_only(folder: Path) -> None:
    """Take everyone's right to write to `folder` and to all that is in it."""
    for path in [*folder.rglob("*"), folder]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222)


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    """The size and time of every file in a folder."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in folder.rglob("*")
    }


@contextmanager
def running(
    command: Sequence[str | Path], data: Path, options: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Run the program until its service answers, and end it: gives what it wrote of its address."""
    address = data / SERVICE_ADDRESS_FILE
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen(command, stdout=output, stderr=output, **options) as process,
    ):
        try:
            deadline = time.monotonic() + _START_SECONDS
            while not address.exists():
                output.seek(0)
                assert process.poll() is None, output.read().decode("utf-8")
                assert time.monotonic() < deadline, output.read().decode("utf-8")
                time.sleep(0.1)
            yield json.loads(address.read_text("utf-8"))
        finally:
            process.terminate()
            process.wait(30)
        output.seek(0)
        text = output.read().decode("utf-8")
    assert process.returncode == 0, text
    assert "Traceback" not in text


def wait_for_file(folder: Path, name: str) -> Path:
    """Wait for a file of this name anywhere below `folder`."""
    deadline = time.monotonic() + _START_SECONDS
    while (found := next(folder.rglob(name), None)) is None:
        assert time.monotonic() < deadline, f"no {name} below {folder}"
        time.sleep(0.1)
    return found


def check_fresh_user(program: Path) -> None:
    """A fresh user opens the desktop: the data is in the user's folders, the program's is unchanged."""
    before = listing(program.parent)
    with tempfile.TemporaryDirectory(prefix="home ") as home:
        Path(home).chmod(0o755)
        user = FreshUser(Path(home))
        assert output(program, "--version", **user.options).startswith("walkaround ")
        with running([program], user.data, user.options) as address:
            assert not_none(address["url"]).startswith("http")
            # The service may answer before the desktop has opened its log.
            log = wait_for_file(user.home, "desktop.log")
        assert (user.data / "walkaround.db").is_file()
        assert "Traceback" not in log.read_text("utf-8")
        if user.is_other:
            assert {path.stat().st_uid for path in user.home.rglob("*") if path.exists()} == {NOBODY}
    assert listing(program.parent) == before
