"""Limits how many requests wait for the face process."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from service.face.access.stations import busy
from service.face.engines.engine import EngineInfo, PictureAnalysis
from service.face.engines.face_process import EngineUnavailableError
from service.face.engines.messages import FilmedFrame
from service.face.engines.sequence import SequenceAnalysis
from service.face.liveness.movements import Step
from service.web.envelope import Problem
from shared.record.codes import ErrorCode

log = logging.getLogger("walkaround.face")

# The most logins and enrolments that may wait for the face process; further ones are refused.
MAX_WAITING = 8
KEPT_FOR_KNOWN = 4
BUSY_SECONDS = 5


class FaceClient(Protocol):
    """Analyses pictures with one engine; `FaceProcess` is the implementation in use."""

    async def engine_info(self) -> EngineInfo:
        """Return the facts about the engine. Raises EngineUnavailableError."""
        ...

    async def analyse(self, face_info: str) -> PictureAnalysis:
        """Analyse a picture. Raises BadPicture, EngineUnavailableError."""
        ...

    async def judge(self, frames: Sequence[FilmedFrame], steps: Sequence[Step]) -> SequenceAnalysis:
        """Judge whether a sequence shows the steps. Raises BadPicture, EngineUnavailableError."""
        ...

    async def close(self) -> None:
        """Release the engine."""
        ...


class WaitingLimit:
    """Counts the requests that wait for the face process."""

    def __init__(self) -> None:
        self._waiting = 0

    @contextmanager
    def admit(self, is_known: bool = False) -> Iterator[None]:
        """Count a waiting request inside the block; some places are kept for stations that are known.

        Raises Problem 429 if too many wait.
        """
        if self._waiting >= MAX_WAITING + is_known * KEPT_FOR_KNOWN:
            raise busy(BUSY_SECONDS)
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1


def unavailable(problem: EngineUnavailableError) -> Problem:
    """Log the problem and return the Problem 503 for it."""
    log.error("the face engine does not work: %s", problem)
    return Problem(503, ErrorCode.UNAVAILABLE, "人脸识别暂时不可用，请稍后重试，或使用密码登录")
