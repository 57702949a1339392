"""Cuts large pictures into tiles on demand, in a child process; caches one file for each picture."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import threading
import time
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from filelock import FileLock, Timeout

from service.files.tile_process import ARCHIVE_NAME, CutRequest, Outcome, to_outcome
from service.stores.port import StoreUnavailableError
from service.web.envelope import Problem
from service.workers.child import Child, ProcessDied
from shared.images.tiles import TILE, level_sizes, tile_counts, tile_name
from shared.record.codes import ErrorCode
from shared.system import atomic
from shared.system.cache_limit import trim_cache
from shared.system.paths import program_command
from shared.wire.files import StoredFile, TileLevel, Tiles, TilesState
from shared.wire.text import fill

CACHE_LIMIT = 8 * 2**30
"""The bytes that all tiles may use; the tiles that were unused for longest are deleted first."""

MAX_WAITING = 32
"""How many pictures may wait for their tiles."""

RETRY_SECONDS = 1
"""When a client should ask again for a tile that is not ready."""

_LOG = logging.getLogger("walkaround.files")
_CUT_SECONDS = 900.0
_RETRY_FAILED_SECONDS = 30.0
_LOCK_POLL_SECONDS = 0.5
_MAX_OPEN_ARCHIVES = 8
_MAX_FAILURES = 256
_SCRATCH_PREFIX = "making-"

Source = Callable[[], Path]
"""Returns the path of the picture. Raises FileNotFoundError and StoreUnavailableError."""

_CutProblem = tuple[int, ErrorCode, str]
"""Status, code and sentence of a problem."""

_BROKEN_PROBLEM: _CutProblem = (415, ErrorCode.UNSUPPORTED_MEDIA, "图片已损坏，无法显示，请重新上传")
_DISK_FULL_PROBLEM: _CutProblem = (
    503,
    ErrorCode.UNAVAILABLE,
    "服务器磁盘空间不足，无法处理图片，请联系管理员",
)
_FAILED_PROBLEM: _CutProblem = (503, ErrorCode.UNAVAILABLE, "图片处理失败，请稍后重试")
_PROBLEM_BY_OUTCOME = {Outcome.BROKEN: _BROKEN_PROBLEM, Outcome.FULL: _DISK_FULL_PROBLEM}
_LOST_PROBLEM: _CutProblem = (404, ErrorCode.NOT_FOUND, "文件内容已丢失，请联系管理员从备份恢复")
_STORE_PROBLEM: _CutProblem = (
    503,
    ErrorCode.UNAVAILABLE,
    "文件存储无响应，请稍后重试；如反复出现，请联系管理员",
)
_BUSY_PROBLEM: _CutProblem = (503, ErrorCode.UNAVAILABLE, "待处理的图片过多，请稍后重试")


class _StoreClosedError(Exception):
    """Raised on the builder's thread if the store was closed."""


class TileStore:
    """The tiles in a folder. Methods block on the disk and may be called from any thread.

    One picture is cut at a time, also if several service processes share the folder.
    """

    def __init__(self, folder: Path, limit: int = CACHE_LIMIT) -> None:
        self._folder = folder
        self._limit = limit
        self._guard = threading.Lock()
        self._archives: OrderedDict[str, zipfile.ZipFile] = OrderedDict()
        self._requested: set[str] = set()
        self._failures: OrderedDict[str, tuple[float, _CutProblem]] = OrderedDict()
        self._builder = ThreadPoolExecutor(1, thread_name_prefix="tiles")
        self._child = Child(program_command("worker", "--tiles"))
        self._is_closed = False

    def close(self) -> None:
        """Stop the running cut and close the files."""
        self._is_closed = True
        self._child.close()
        self._builder.shutdown(wait=True, cancel_futures=True)
        with self._guard:
            self._archives.clear()

    def describe(self, stored: StoredFile, source: Source) -> Tiles:
        """Return how a picture is cut, and request its tiles if there are none; `source` returns its path.

        Raises Problem 415 if the picture cannot be read, 503 if its tiles cannot be cut now.
        """
        assert stored.width is not None
        assert stored.height is not None
        percent = 100 if self._tiles_file(stored) is not None else self._request_tiles(stored, source)
        return Tiles(
            width=stored.width,
            height=stored.height,
            tile_px=TILE,
            levels=[TileLevel(width=w, height=h) for w, h in level_sizes(stored.width, stored.height)],
            state=TilesState.READY if percent == 100 else TilesState.BUILDING,
            percent=percent,
        )

    def tile(self, stored: StoredFile, source: Source, level: int, column: int, row: int) -> bytes:
        """Return the JPEG of a tile for which `has_tile` is true; `source` returns the path of the picture.

        Raises Problem 409 while the tiles are being cut, and the Problems of `describe`.
        """
        tiles_file = self._tiles_file(stored)
        if tiles_file is None:
            percent = self._request_tiles(stored, source)
            raise Problem(
                409,
                ErrorCode.CONFLICT,
                fill("图片分块正在生成（{percent}%），请稍后重试", percent=percent),
                headers={"Retry-After": str(RETRY_SECONDS)},
                state=str(TilesState.BUILDING),
                percent=percent,
            )
        levels = len(level_sizes(stored.width or 1, stored.height or 1))
        try:
            return self._open_archive(tiles_file).read(tile_name(level, levels, column, row))
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            # The file is damaged on the disk: the next request builds it again.
            with self._guard:
                self._archives.pop(tiles_file.name, None)
            tiles_file.unlink(missing_ok=True)
            raise _to_problem(_FAILED_PROBLEM) from error

    def _path(self, sha256: str) -> Path:
        return self._folder / f"{sha256}-{TILE}.zip"

    def _tiles_file(self, stored: StoredFile) -> Path | None:
        """Return the file with the tiles and mark it as used; None if there is none."""
        path = self._path(stored.sha256)
        try:
            os.utime(path)
        except OSError:
            return None
        return path

    def _open_archive(self, path: Path) -> zipfile.ZipFile:
        with self._guard:
            archive = self._archives.pop(path.name, None) or zipfile.ZipFile(path)
            self._archives[path.name] = archive
            if len(self._archives) > _MAX_OPEN_ARCHIVES:
                # It closes itself when the last thread that reads it has finished.
                self._archives.popitem(last=False)
            return archive

    # Cutting

    def _request_tiles(self, stored: StoredFile, source: Source) -> int:
        """Request the tiles unless they are requested already; return the progress in percent (0..99)."""
        sha256 = stored.sha256
        with self._guard:
            failed_at, problem = self._failures.get(sha256, (0.0, _FAILED_PROBLEM))
            if failed_at and (
                problem is _BROKEN_PROBLEM or time.monotonic() - failed_at < _RETRY_FAILED_SECONDS
            ):
                raise _to_problem(problem)
            if sha256 not in self._requested:
                if len(self._requested) >= MAX_WAITING:
                    raise _to_problem(_BUSY_PROBLEM)
                self._requested.add(sha256)
                self._builder.submit(self._build, stored, source)
        try:
            return min(int((self._scratch(sha256) / "percent").read_text("ascii")), 99)
        except (OSError, ValueError):
            return 0

    def _scratch(self, sha256: str) -> Path:
        return self._folder / f"{_SCRATCH_PREFIX}{sha256}"

    def _build(self, stored: StoredFile, source: Source) -> None:
        """Build tiles and delete those unused for longest; runs on the builder's thread."""
        problem = None
        try:
            with self._hold_lock():
                if self._tiles_file(stored) is None:
                    problem = self._cut(stored, source())
                    tiles_file = self._path(stored.sha256)
                    trim_cache(self._folder.glob("*.zip"), self._limit, tiles_file, self._close_archive)
        except _StoreClosedError:
            return
        except FileNotFoundError:
            problem = _LOST_PROBLEM
        except StoreUnavailableError:
            problem = _STORE_PROBLEM
        except OSError as error:
            _LOG.error("tiles cannot be written: %s", error.strerror)
            problem = _DISK_FULL_PROBLEM
        finally:
            with self._guard:
                self._requested.discard(stored.sha256)
                self._failures.pop(stored.sha256, None)
                if problem is not None:
                    self._failures[stored.sha256] = (time.monotonic(), problem)
                    if len(self._failures) > _MAX_FAILURES:
                        self._failures.popitem(last=False)

    @contextlib.contextmanager
    def _hold_lock(self) -> Iterator[None]:
        """Hold the lock that lets only one process cut tiles. Raises _StoreClosedError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._folder / "making.lock")
        while True:
            try:
                lock.acquire(timeout=_LOCK_POLL_SECONDS)
                break
            except Timeout:
                if self._is_closed:
                    raise _StoreClosedError from None
        try:
            # Scratch folders that exist now belong to a process that died.
            for scratch in self._folder.glob(f"{_SCRATCH_PREFIX}*/"):
                shutil.rmtree(scratch, ignore_errors=True)
            yield
        finally:
            lock.release()

    def _cut(self, stored: StoredFile, source: Path) -> _CutProblem | None:
        """Cut the tiles in a child process; return the problem, None on success. Raises _StoreClosedError."""
        scratch = self._scratch(stored.sha256).absolute()
        scratch.mkdir()
        request = CutRequest(str(source.absolute()), stored.width or 0, stored.height or 0, str(scratch))

        def progress(percent: int) -> None:
            # The file lets every service process read the progress.
            (scratch / "percent").write_text(str(percent), "ascii")

        outcome = None
        try:
            answer = self._child.ask(request._asdict(), _CUT_SECONDS, progress=progress)
            outcome = to_outcome(answer)
            if outcome == Outcome.DONE:
                atomic.replace_file(scratch / ARCHIVE_NAME, self._path(stored.sha256), durable=False)
                return None
        except ProcessDied as died:
            if self._is_closed:
                raise _StoreClosedError from died
        finally:
            # Each picture gets a new process, so that none can affect another one.
            self._child.kill()
            shutil.rmtree(scratch, ignore_errors=True)
        _LOG.warning("no tiles for the content %s: %s", stored.sha256, outcome or "the process died")
        return _FAILED_PROBLEM if outcome is None else _PROBLEM_BY_OUTCOME.get(outcome, _FAILED_PROBLEM)

    def _close_archive(self, path: Path) -> None:
        with self._guard:
            self._archives.pop(path.name, None)


def has_tile(stored: StoredFile, level: int, column: int, row: int) -> bool:
    """Return whether the picture has such a tile."""
    sizes = level_sizes(stored.width or 1, stored.height or 1)
    if level >= len(sizes):
        return False
    columns, rows = tile_counts(*sizes[level])
    return column < columns and row < rows


def _to_problem(cut_problem: _CutProblem) -> Problem:
    status, error, msg = cut_problem
    headers = {"Retry-After": str(round(_RETRY_FAILED_SECONDS))} if status == 503 else None
    return Problem(status, error, msg, headers=headers)
