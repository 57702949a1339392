"""Runs the face engine in a process of its own.

dlib holds the interpreter for the 100 ms of an embedding, and a picture comes from anyone: so decoding and
engines run in a process of their own (docs/adr/0010-faces-in-their-own-process.md). It is started at the
first need, ends with its pipe, and is replaced when it dies or hangs.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Any, TypeVar

from service.face.engines.engine import FaceEngine, Metric, PictureAnalysis, Thresholds, analyse, warm_up
from service.face.engines.picture import BadPicture, PictureFault, decode, picture_bytes

T = TypeVar("T")

log = logging.getLogger("walkaround.face")

LOOK_SECONDS = 20.0
START_SECONDS = 60.0
# How often a wait for the process looks whether the service ends.
_LISTEN_SECONDS = 0.2


class EngineUnavailableError(RuntimeError):
    """The engine could not be loaded or gave no answer; the text tells nothing of a picture."""


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What the rest of the service needs to know about the loaded engine."""

    name: str
    model_id: str
    dimension: int
    metric: Metric
    thresholds: Thresholds
    liveness_limit: float | None


def engine_info(engine: FaceEngine) -> EngineInfo:
    """The description of `engine`, without the engine itself."""
    return EngineInfo(
        engine.name,
        engine.model_id,
        engine.dimension,
        engine.metric,
        engine.thresholds,
        engine.liveness_limit,
    )


def _serve(pipe: Connection, load: Callable[[], FaceEngine]) -> None:
    # Ctrl+C reaches the whole group; the service then closes the pipe, and that ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        engine = load()
        warm_up(engine)
    except Exception as problem:
        pipe.send(f"{type(problem).__name__}: {problem}")
        return
    pipe.send(engine_info(engine))
    # Decoders write about broken pictures to stderr, which is the service's log: no sender may fill it.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    while True:
        try:
            face_info = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(analyse(engine, decode(picture_bytes(face_info))))
        except BadPicture as bad:
            pipe.send(bad.fault)
        except Exception as problem:
            # Its text may hold content of the picture.
            pipe.send(f"unexpected {type(problem).__name__}")


class FaceProcess:
    """Asks the process, one picture after the other. `load` makes the engine there and must be picklable."""

    def __init__(self, load: Callable[[], FaceEngine]) -> None:
        self._load = load
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="face")
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._about: EngineInfo | None = None
        self._closing = threading.Event()

    @property
    def process_id(self) -> int | None:
        """The id of the process; None while there is none."""
        return self._process.pid if self._process is not None else None

    async def about(self) -> EngineInfo:
        """The engine that is loaded; loads it. Raises EngineUnavailableError."""
        return await self._run(self._started)

    async def analyse(self, face_info: str) -> PictureAnalysis:
        """Analyse a picture (Base64 or data URL). Raises BadPicture, EngineUnavailableError."""
        return await self._run(lambda: self._looked(face_info))

    async def close(self) -> None:
        """End the process, also in the middle of a start or a picture."""
        self._closing.set()
        await self._run(self._stop)
        self._thread.shutdown(wait=True)

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _started(self) -> EngineInfo:
        if self._closing.is_set():
            raise EngineUnavailableError("the service ends")
        if self._about is not None and self._process is not None and self._process.is_alive():
            return self._about
        self._stop()
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, self._load), name="walkaround-face", daemon=True
        )
        self._process.start()
        theirs.close()
        answer = self._answer(START_SECONDS)
        if not isinstance(answer, EngineInfo):
            self._stop()
            raise EngineUnavailableError(str(answer))
        self._about = answer
        return answer

    def _looked(self, face_info: str) -> PictureAnalysis:
        self._started()
        assert self._pipe is not None
        try:
            self._pipe.send(face_info)
        except OSError:
            self._stop()
            raise EngineUnavailableError("the face process has ended") from None
        answer = self._answer(LOOK_SECONDS)
        if isinstance(answer, PictureFault):
            raise BadPicture(answer)
        if not isinstance(answer, PictureAnalysis):
            raise EngineUnavailableError(str(answer))
        return answer

    def _answer(self, seconds: float) -> Any:
        assert self._pipe is not None
        ends = monotonic() + seconds
        try:
            while not self._closing.is_set() and (left := ends - monotonic()) > 0:
                if self._pipe.poll(min(left, _LISTEN_SECONDS)):
                    return self._pipe.recv()
            problem = f"the face process gave no answer within {seconds:.0f} s"
        except (EOFError, OSError):
            problem = "the face process has ended"
        self._stop(patience=0)
        if self._closing.is_set():
            return "the service ends"
        log.error("%s; it is started again at the next picture", problem)
        return problem

    def _stop(self, patience: float = 2) -> None:
        # Its pipe closed, the process ends by itself unless it hangs.
        self._about = None
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if self._process is not None:
            self._process.join(timeout=patience)
            if self._process.is_alive():
                self._process.kill()
                self._process.join()
            self._process.close()
            self._process = None
