"""Lets an admin switch face login and see how well enrolled faces are distinguished."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.db.database import Database
from service.face.access.stations import policy
from service.face.access.waiting_limit import FaceClient, WaitingLimit, unavailable
from service.face.calibrate import calibration, strangers_against
from service.face.engines.engine import Embedding
from service.face.engines.face_process import EngineUnavailableError
from service.face.engines.picture import BadPicture
from service.face.templates.gallery_sync import GallerySync
from shared.wire.face import FaceCalibration, FacePolicy, FaceRequirements, StrangerScores


class FaceAdministration:
    """Looks at the templates that logins use: `held`, one at a time by `lock`."""

    def __init__(
        self,
        database: Database,
        face_client: FaceClient,
        held: GallerySync,
        line: WaitingLimit,
        lock: asyncio.Lock,
    ) -> None:
        self._database = database
        self._face_client = face_client
        self._held = held
        self._waiting_limit = line
        self._lock = lock

    async def policy(self) -> FacePolicy:
        """Whether face login is switched on, and when it asks for a challenge."""
        return await self._database.read(_policy)

    async def requirements(self) -> FaceRequirements:
        """What a client has to know before a face login."""
        return await self._database.read(_requirements)

    async def change_policy(self, change: FacePolicy, actor: str, address: str) -> FacePolicy:
        """Change the fields that `change` sets, for everyone, and give the policy afterwards."""
        changes = change.model_dump(exclude_none=True)

        def write(session: Session) -> FacePolicy:
            row = policy(session, to_change=True)
            for name, value in changes.items():
                setattr(row, name, value)
            announce(session, ObjectChange("update", "face_policy", "1", actor, address, changes))
            return _policy(session)

        return await self._database.write(write)

    async def calibration(self) -> FaceCalibration:
        """The scores of the enrolled users against each other, and the threshold in force.

        Raises Problem 503 without a working engine.
        """
        try:
            about = await self._face_client.about()
            async with self._lock:
                return await asyncio.to_thread(calibration, about, await self._held.current(about))
        except EngineUnavailableError as problem:
            raise unavailable(problem) from None

    async def compare_strangers(self, images: Sequence[str]) -> StrangerScores:
        """How similar the unenrolled people in `images` (Base64) are to the enrolled ones.

        Raises Problem 503 without a working engine, 429 when too many wait.
        """
        embeddings: list[Embedding] = []
        try:
            about = await self._face_client.about()
            for image in images:
                # Each in line by itself: logins come between.
                with self._waiting_limit.admit():
                    try:
                        analysis = await self._face_client.analyse(image)
                    except BadPicture:
                        continue
                if analysis.embedding is not None:
                    embeddings.append(analysis.embedding)
            async with self._lock:
                gallery = await self._held.current(about)
                return await asyncio.to_thread(strangers_against, about, gallery, len(images), embeddings)
        except EngineUnavailableError as problem:
            raise unavailable(problem) from None


def _policy(session: Session) -> FacePolicy:
    row = policy(session)
    return FacePolicy.model_validate(
        {
            "login_enabled": row.login_enabled,
            "challenge_admins": row.challenge_admins,
            "challenge_others": row.challenge_others,
            "allowed_devices_only": row.allowed_devices_only,
            "refuse_virtual_cameras": row.refuse_virtual_cameras,
        }
    )


def _requirements(session: Session) -> FaceRequirements:
    row = policy(session)
    rules = {row.challenge_admins, row.challenge_others}
    return FaceRequirements(
        login_enabled=row.login_enabled,
        challenge="off" if rules == {"off"} else "always" if rules == {"always"} else "sometimes",
        allowed_devices_only=row.allowed_devices_only,
        refuse_virtual_cameras=row.refuse_virtual_cameras,
    )
