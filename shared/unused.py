"""Keeps a cache below a limit by dropping the least recently used files."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path


def drop_unused(
    paths: Iterable[Path],
    limit: int,
    keep: Path | None = None,
    let_go: Callable[[Path], object] = lambda _: None,
) -> None:
    """Drop files, or folders of files, until the rest takes at most `limit` bytes; `keep` stays in any case.

    The time of the last change says when a file was used: reading it touches it. `let_go` is called with each
    before it is deleted. On Windows a file that another program reads stays until the next time.
    """
    candidates = []
    for path in paths:
        with contextlib.suppress(OSError):
            state = path.stat()
            size = sum(file.stat().st_size for file in path.iterdir()) if path.is_dir() else state.st_size
            candidates.append((state.st_mtime_ns, size, path))
    total = sum(size for _, size, _ in candidates)
    for _, size, path in sorted(candidates):
        if total <= limit:
            return
        if path != keep:
            let_go(path)
            with contextlib.suppress(OSError):
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()
                total -= size
