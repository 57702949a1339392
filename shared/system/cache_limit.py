"""Limits the size of a cache by deleting its least recently used files."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path


def trim_cache(
    paths: Iterable[Path],
    limit: int,
    keep: Path | None = None,
    before_delete: Callable[[Path], object] = lambda _: None,
) -> None:
    """Delete files, or folders of files, until the rest has at most `limit` bytes. `keep` is never deleted.

    The modification time is the time of the last use, because readers of the cache touch their files.
    `before_delete` is called with each path before its deletion. On Windows a file that another program reads
    stays until the next call.
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
            before_delete(path)
            with contextlib.suppress(OSError):
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()
                total -= size
