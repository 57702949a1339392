"""`walkaround demo`: a whole inspection, played through the real windows against the real service."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_WRITTEN = ("workbench.png", "report.pdf", "record.json", "failed.png")
_FOLDERS = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


def play(out: Path) -> int:
    """Play the inspection and write `workbench.png`, `report.pdf` and `record.json` into `out`.

    Prints a line per step. 0, or 1 when a step failed: then the last line says which and why, and
    `failed.png` in `out` shows the window at that moment. Nothing of the person who runs it is read or
    written: data, preferences and logs lie in a temporary folder that is gone afterwards.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in _WRITTEN:
            (out / name).unlink(missing_ok=True)
    except OSError as error:
        print(f"The demo cannot write into {out}: {error.strerror}. Name another folder with --out.")
        return 1
    began = time.perf_counter()
    with TemporaryDirectory(prefix="walkaround-demo-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with own_folders(folder):
            from desktop.demo.run import run

            failure = run(folder, out)
    seconds = time.perf_counter() - began
    if failure:
        print(f"FAILED after {seconds:.1f} s: {failure}", flush=True)
        return 1
    print(f"The whole inspection took {seconds:.1f} s.", flush=True)
    return 0


@contextmanager
def own_folders(folder: Path) -> Iterator[None]:
    """Let every folder of a person lie in `folder`, and every setting have its default."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith("WALKAROUND_")]:
        del os.environ[name]
    os.environ |= {name: str(folder / name.lower()) for name in _FOLDERS}
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
