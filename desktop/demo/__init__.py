"""`walkaround demo`: plays a whole inspection in the real windows against the real service."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_OUTPUT_FILES = ("workbench.png", "report.pdf", "record.json", "failed.png")
# What platformdirs reads: the names of XDG on Linux and macOS, its own on Windows.
_FOLDER_VARIABLES = (
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"),
    *("WIN_PD_OVERRIDE_APPDATA", "WIN_PD_OVERRIDE_LOCAL_APPDATA"),
)


def play_demo(out: Path) -> int:
    """Play the inspection and write `workbench.png`, `report.pdf` and `record.json` into `out`.

    Prints a line per step. Returns 0, or 1 if a step failed: then the last line names the step and the
    reason, and `failed.png` in `out` shows the window at that moment. Data, preferences and logs are in a
    temporary folder, which is deleted at the end, so the demo reads and writes nothing of the user who starts
    it.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in _OUTPUT_FILES:
            (out / name).unlink(missing_ok=True)
    except OSError as error:
        print(f"The demo cannot write into {out}: {error.strerror}. Name another folder with --out.")
        return 1
    start = time.perf_counter()
    with TemporaryDirectory(prefix="walkaround-demo-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with isolate_user_folders(folder):
            from desktop.demo.run import run_demo

            failure = run_demo(folder, out)
    seconds = time.perf_counter() - start
    if failure:
        print(f"FAILED after {seconds:.1f} s: {failure}", flush=True)
        return 1
    print(f"The whole inspection took {seconds:.1f} s.", flush=True)
    return 0


@contextmanager
def isolate_user_folders(folder: Path) -> Iterator[None]:
    """In the block, put the folders of the user into `folder` and reset the settings of the program.

    Changes environment variables and restores them at the end.
    """
    original = dict(os.environ)
    for name in [name for name in os.environ if name.startswith("WALKAROUND_")]:
        del os.environ[name]
    os.environ |= {name: str(folder / name.lower()) for name in _FOLDER_VARIABLES}
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(original)
