"""Holds what enrolments, logins and administrators share: the engine, the templates, the limit of waiting."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from service.db.database import Database
from service.face.access.stations import busy
from service.face.engines.engine import EngineInfo, PictureAnalysis, SequenceAnalysis
from service.face.engines.face_process import EngineUnavailableError, FaceProcess
from service.face.engines.messages import FilmedFrame
from service.face.liveness.movements import Step
from service.face.templates.gallery_sync import GallerySync
from service.face.templates.vault import Vault
from service.settings import Settings
from service.web.envelope import Problem
from shared.images.face_models import MeshMissingError
from shared.record.codes import ErrorCode

log = logging.getLogger("walkaround.face")

if TYPE_CHECKING:
    from service.face.templates.gallery import Gallery

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


class Recognition:
    """The engine, which analyses pictures, and the templates of all users.

    `lock` lets one request at a time go from its first check to its last write, so that no parallel request
    passes a limit and the templates in memory never differ from the database.
    """

    def __init__(
        self, database: Database, settings: Settings, model: str, client: FaceClient | None = None
    ) -> None:
        self.database = database
        self.vault = Vault(settings.data_dir, settings.face_key_file)
        self.client = client or FaceProcess(model, settings.face_models_dir)
        self.templates = GallerySync(database, self.vault)
        self.waiting = WaitingLimit()
        self.lock = asyncio.Lock()

    async def gallery(self) -> Gallery:
        """Return the templates in the current state of the database. Raises EngineUnavailableError."""
        return await self.templates.current(await self.client.engine_info())

    async def close(self) -> None:
        """End the face process and the threads that search the templates."""
        await self.client.close()
        await asyncio.to_thread(self.templates.close)


@contextmanager
def needing_engine() -> Iterator[None]:
    """Log an EngineUnavailableError or MeshMissingError of the block and raise the Problem 503 for it."""
    try:
        yield
    except (EngineUnavailableError, MeshMissingError) as problem:
        log.error("the face engine does not work: %s", problem)
        raise Problem(503, ErrorCode.UNAVAILABLE, "人脸识别暂时不可用，请稍后重试，或使用密码登录") from None
