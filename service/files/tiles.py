"""Cuts large pictures into tiles on demand, in a process; one cached file for each picture."""

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

from service.files.tile_process import MADE, CutRequest, Outcome, to_outcome
from service.stores.port import StoreUnavailableError
from service.web.envelope import Problem
from service.workers.child import Child, ProcessDied
from shared import atomic
from shared.codes import ErrorCode
from shared.images.tiles import TILE, level_sizes, tile_counts, tile_name
from shared.paths import own_command
from shared.unused import drop_unused
from shared.wire.files import StoredFile, TileLevel, Tiles, TilesState

CACHE_LIMIT = 8 * 2**30
"""Bytes that all tiles may take; those of the longest unused pictures go first."""

MOST_WAITING = 32
"""Pictures that may wait for their tiles at a time."""

RETRY_SECONDS = 1
"""When to ask again for a tile that is not there yet."""

_LOG = logging.getLogger("walkaround.files")
_CUT_SECONDS = 900.0
_AGAIN_SECONDS = 30.0
_STEP_SECONDS = 0.5
_OPEN = 8
_REMEMBERED = 256
_MAKING = "making-"

Source = Callable[[], Path]
"""What gives the picture as a file, when it is needed. Raises FileNotFoundError and StoreUnavailableError."""

_CutProblem = tuple[int, ErrorCode, str]
"""Status, code and sentence of a failure."""

_BROKEN: _CutProblem = (415, ErrorCode.UNSUPPORTED_MEDIA, "图片已损坏，无法显示，请重新上传")
_FULL: _CutProblem = (503, ErrorCode.UNAVAILABLE, "服务器磁盘空间不足，无法处理图片，请联系管理员")
_FAILED: _CutProblem = (503, ErrorCode.UNAVAILABLE, "图片处理失败，请稍后重试")
_FAILURES = {Outcome.BROKEN: _BROKEN, Outcome.FULL: _FULL}
_LOST: _CutProblem = (404, ErrorCode.NOT_FOUND, "文件内容已丢失，请联系管理员从备份恢复")
_AWAY: _CutProblem = (503, ErrorCode.UNAVAILABLE, "文件存储无响应，请稍后重试；如反复出现，请联系管理员")
_BUSY: _CutProblem = (503, ErrorCode.UNAVAILABLE, "待处理的图片过多，请稍后重试")


class _ClosedError(Exception):
    """The service ends."""


class TileStore:
    """The folder of tiles. Methods block for as long as the disk does, and may be called from any thread.

    One picture is cut at a time, also when several service processes share the folder.
    """

    def __init__(self, folder: Path, limit: int = CACHE_LIMIT) -> None:
        self._folder = folder
        self._limit = limit
        self._guard = threading.Lock()
        self._open: OrderedDict[str, zipfile.ZipFile] = OrderedDict()
        self._waiting: set[str] = set()
        self._failed: OrderedDict[str, tuple[float, _CutProblem]] = OrderedDict()
        self._builder = ThreadPoolExecutor(1, thread_name_prefix="tiles")
        self._child = Child(own_command("worker", "--tiles"))
        self._closed = False

    def close(self) -> None:
        """Stop the running cut and close the files."""
        self._closed = True
        self._child.close()
        self._builder.shutdown(wait=True, cancel_futures=True)
        with self._guard:
            self._open.clear()

    def describe(self, stored: StoredFile, source: Source) -> Tiles:
        """How the picture that `source` gives is cut; has its tiles made when there are none.

        Raises Problem 415 when it cannot be read, 503 when its tiles cannot be made now.
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
        """The JPEG of a tile of the picture that `source` gives, one that `has_tile`.

        Raises Problem 409 while the tiles are made, and those of `describe`.
        """
        tiles_file = self._tiles_file(stored)
        if tiles_file is None:
            percent = self._request_tiles(stored, source)
            raise Problem(
                409,
                ErrorCode.CONFLICT,
                f"图片分块正在生成（{percent}%），请稍后重试",
                headers={"Retry-After": str(RETRY_SECONDS)},
                state=str(TilesState.BUILDING),
                percent=percent,
            )
        levels = len(level_sizes(stored.width or 1, stored.height or 1))
        try:
            return self._open_archive(tiles_file).read(tile_name(level, levels, column, row))
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            # Damaged on the disk: it is rebuilt at the next request.
            with self._guard:
                self._open.pop(tiles_file.name, None)
            tiles_file.unlink(missing_ok=True)
            raise _to_problem(_FAILED) from error

    def _path(self, sha256: str) -> Path:
        return self._folder / f"{sha256}-{TILE}.zip"

    def _tiles_file(self, stored: StoredFile) -> Path | None:
        """The file with the tiles, marked as used now; None when there is none."""
        path = self._path(stored.sha256)
        try:
            os.utime(path)
        except OSError:
            return None
        return path

    def _open_archive(self, path: Path) -> zipfile.ZipFile:
        with self._guard:
            archive = self._open.pop(path.name, None) or zipfile.ZipFile(path)
            self._open[path.name] = archive
            if len(self._open) > _OPEN:
                # Closes itself when the last thread that reads it is through.
                self._open.popitem(last=False)
            return archive

    # Making

    def _request_tiles(self, stored: StoredFile, source: Source) -> int:
        """Have the tiles made unless they are already; how many percent are done (0..99)."""
        sha256 = stored.sha256
        with self._guard:
            when, why = self._failed.get(sha256, (0.0, _FAILED))
            if when and (why is _BROKEN or time.monotonic() - when < _AGAIN_SECONDS):
                raise _to_problem(why)
            if sha256 not in self._waiting:
                if len(self._waiting) >= MOST_WAITING:
                    raise _to_problem(_BUSY)
                self._waiting.add(sha256)
                self._builder.submit(self._build, stored, source)
        try:
            return min(int((self._scratch(sha256) / "percent").read_text("ascii")), 99)
        except (OSError, ValueError):
            return 0

    def _scratch(self, sha256: str) -> Path:
        return self._folder / f"{_MAKING}{sha256}"

    def _build(self, stored: StoredFile, source: Source) -> None:
        """On the builder's thread: make the tiles of one picture and drop those unused for longest."""
        failed = None
        try:
            with self._lock():
                if self._tiles_file(stored) is None:
                    failed = self._cut(stored, source())
                    tiles_file = self._path(stored.sha256)
                    drop_unused(self._folder.glob("*.zip"), self._limit, tiles_file, self._close_archive)
        except _ClosedError:
            return
        except FileNotFoundError:
            failed = _LOST
        except StoreUnavailableError:
            failed = _AWAY
        except OSError as error:
            _LOG.error("tiles cannot be written: %s", error.strerror)
            failed = _FULL
        finally:
            with self._guard:
                self._waiting.discard(stored.sha256)
                self._failed.pop(stored.sha256, None)
                if failed is not None:
                    self._failed[stored.sha256] = (time.monotonic(), failed)
                    if len(self._failed) > _REMEMBERED:
                        self._failed.popitem(last=False)

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        """While this process is the one that makes tiles. Raises _ClosedError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._folder / "making.lock")
        while True:
            try:
                lock.acquire(timeout=_STEP_SECONDS)
                break
            except Timeout:
                if self._closed:
                    raise _ClosedError from None
        try:
            # What is there now belongs to a process that died.
            for scratch in self._folder.glob(f"{_MAKING}*/"):
                shutil.rmtree(scratch, ignore_errors=True)
            yield
        finally:
            lock.release()

    def _cut(self, stored: StoredFile, source: Path) -> _CutProblem | None:
        """Make the tiles in a process of their own; why there are none, or None. May raise _ClosedError."""
        scratch = self._scratch(stored.sha256).absolute()
        scratch.mkdir()
        request = CutRequest(
            str(source.absolute()), stored.mime_type, stored.width or 0, stored.height or 0, str(scratch)
        )

        def progress(percent: int) -> None:
            # In a file, so that every service process can read it.
            (scratch / "percent").write_text(str(percent), "ascii")

        outcome = None
        try:
            answer = self._child.ask(request._asdict(), _CUT_SECONDS, progress=progress)
            outcome = to_outcome(answer)
            if outcome == Outcome.DONE:
                atomic.put_in_place(scratch / MADE, self._path(stored.sha256), durable=False)
                return None
        except ProcessDied as died:
            if self._closed:
                raise _ClosedError from died
        finally:
            # The next picture gets a process that has seen none.
            self._child.kill()
            shutil.rmtree(scratch, ignore_errors=True)
        _LOG.warning("no tiles for the content %s: %s", stored.sha256, outcome or "the process died")
        return _FAILED if outcome is None else _FAILURES.get(outcome, _FAILED)

    def _close_archive(self, path: Path) -> None:
        with self._guard:
            self._open.pop(path.name, None)


def has_tile(stored: StoredFile, level: int, column: int, row: int) -> bool:
    """Whether the picture has such a tile."""
    sizes = level_sizes(stored.width or 1, stored.height or 1)
    if level >= len(sizes):
        return False
    columns, rows = tile_counts(*sizes[level])
    return column < columns and row < rows


def _to_problem(why: _CutProblem) -> Problem:
    status, error, msg = why
    headers = {"Retry-After": str(round(_AGAIN_SECONDS))} if status == 503 else None
    return Problem(status, error, msg, headers=headers)
