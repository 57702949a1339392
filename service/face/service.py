"""Wires the parts of this domain, and loads engine and templates before a login needs them."""

from __future__ import annotations

import asyncio
import logging

from sqlalchemy import func
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import select

from service.db.database import Database
from service.face.access.devices import Devices
from service.face.engines.face_process import EngineUnavailableError
from service.face.enrolment import Enrolments
from service.face.logins import FaceLogins, LogIn, MayLogIn, Permissions
from service.face.oversight import FaceAdministration
from service.face.packs.pack_store import model_in_use
from service.face.recognition import FaceClient, Recognition
from service.face.tables import FaceEnrolment
from service.settings import Settings
from service.tasks import end_tasks
from service.web.envelope import Problem
from shared.wire.face import FaceRequirements

log = logging.getLogger("walkaround.face")

# How often the templates in memory are compared with the database, which other processes change.
FOLLOW_SECONDS = 2.0


class FaceService:
    """Face enrolment and face login.

    `log_in(user_id, address, user_agent)` begins a session with `amr` face and returns its tokens;
    `may_log_in(user_id)` returns whether the user exists and is enabled, `permissions(user_id)` their
    permissions. `face_client` analyses pictures, by default in a child process with the configured engine.
    """

    def __init__(
        self,
        database: Database,
        settings: Settings,
        *,
        log_in: LogIn,
        may_log_in: MayLogIn,
        permissions: Permissions,
        face_client: FaceClient | None = None,
    ) -> None:
        self._database = database
        model = model_in_use(settings)
        self._recognition = Recognition(database, settings, model, face_client)
        self.enrolments = Enrolments(self._recognition)
        self.devices = Devices(database)
        """The devices that face logins may be limited to."""
        self.logins = FaceLogins(
            self._recognition,
            self.devices,
            log_in=log_in,
            may_log_in=may_log_in,
            permissions=permissions,
        )
        self.oversight = FaceAdministration(self._recognition, model, settings.face_models_dir)
        """The use cases of administrators."""
        self._following: asyncio.Task[None] | None = None
        self._warming: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start loading engine and templates in the background. Needs a running event loop."""
        self._warm_soon()
        # With SQLite there is one process, so no other one enrols or deletes.
        if not self._database.is_sqlite:
            self._following = asyncio.create_task(self.follow())

    def _warm_soon(self) -> None:
        if self._warming is None or self._warming.done():
            self._warming = asyncio.create_task(self.warm())

    async def requirements(self) -> FaceRequirements:
        """Return what a client must know before a face login, and begin to load what the login needs."""
        requirements = await self.oversight.requirements()
        if requirements.offered:
            self._warm_soon()
        return requirements

    async def close(self) -> None:
        """End the face process and the threads that search the templates."""
        await end_tasks(self._following, self._warming)
        await self._recognition.close()

    async def warm(self) -> None:
        """Load engine and templates if any user is enrolled, so that no login waits for them."""
        enrolment_count = await self._database.read(
            lambda session: session.exec(select(func.count()).select_from(FaceEnrolment)).first()
        )
        if enrolment_count:
            try:
                async with self._recognition.lock:
                    await self._recognition.gallery()
            except EngineUnavailableError as problem:
                log.error("face login does not work: %s", problem)

    async def follow(self) -> None:
        """Update the templates in memory from the database until cancelled.

        Every login does this too. The task removes templates that another process deleted from the memory of
        this process, even if nobody logs in here.
        """
        while True:
            await asyncio.sleep(FOLLOW_SECONDS)
            if not self._recognition.templates.is_loaded:
                continue
            try:
                async with self._recognition.lock:
                    await self._recognition.gallery()
            except (EngineUnavailableError, Problem, SQLAlchemyError) as problem:
                log.warning("cannot update the face templates (%s); trying again", type(problem).__name__)
