"""Enrols users by pictures, and deletes their templates."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

from sqlalchemy import func
from sqlmodel import Session, col, delete, select

from service.changes import ObjectChange, announce
from service.db.database import now
from service.face import rules
from service.face.access.stations import policy
from service.face.engines.dlib_engine import NAME as DEFAULT_MODEL
from service.face.engines.engine import Embedding, EngineInfo, PictureAnalysis, score
from service.face.engines.picture import BadPicture, PictureFault
from service.face.recognition import Recognition, needing_engine
from service.face.tables import FaceEnrolment, FaceTemplate
from service.face.templates.gallery_sync import next_revision
from service.web.envelope import Problem, Refusal
from service.web.security import Caller, password_needed
from shared.record.codes import ErrorCode
from shared.wire.face import FaceStatus, Weakness
from shared.wire.text import fill

CONSENT_VERSION = "1"
CONSENT_TEXT = (
    "我同意本工作站从我的照片中提取人脸特征，仅用于登录时核对身份。照片不会保存；"
    "特征加密存放在本服务中，我可以随时删除，删除立即生效。"
)
# The contract's operations have no field for a consent: the calling client must have obtained it.
CONSENT_BY_CALLER = "caller"


class Enrolments:
    """The enrolments of all users."""

    def __init__(self, recognition: Recognition) -> None:
        self._recognition = recognition
        self._database = recognition.database

    async def enrol(
        self,
        user_id: str,
        images: Sequence[str],
        consent_version: str,
        address: str | None = None,
        *,
        must_match: bool = False,
    ) -> list[Weakness]:
        """Replace the user's templates by those of 1..5 pictures (Base64 or data URL).

        `must_match`: only by pictures with which the user could log in now. Without it, a person who
        once logged in with a picture of the user could enrol their own face.
        Returns weaknesses of the accepted pictures that may make logins fail. Raises Refusal with a sentence
        that says what to change, Problem 503 without a working engine, 429 if too many requests wait.
        """
        with needing_engine(), self._recognition.waiting.admit():
            return await self._enrol(user_id, images, consent_version, address, must_match)

    async def set_face(self, caller: Caller, face_info: str | None) -> str | None:
        """Enrol the caller by the contract's single picture; None deletes the enrolment.

        Returns the sentence of a refusal, None on success.
        """
        try:
            if face_info is None:
                await self.forget_own(caller)
            else:
                await self.enrol_caller(caller, [face_info], CONSENT_BY_CALLER)
        except Refusal as refusal:
            return refusal.msg
        except Problem as problem:
            if problem.error != ErrorCode.PASSWORD_LOGIN_NEEDED:
                raise
            return problem.msg
        return None

    async def enrol_caller(
        self, caller: Caller, images: Sequence[str], consent_version: str
    ) -> list[Weakness]:
        """`enrol` the caller; in a session by face alone only with pictures of the enrolled person."""
        return await self.enrol(
            caller.user_id, images, consent_version, caller.address, must_match=caller.is_by_face_only
        )

    async def forget_own(self, caller: Caller) -> bool:
        """`forget` the caller. Raises Problem 403 in a session by face alone."""
        if caller.is_by_face_only:
            raise password_needed()
        return await self.forget(caller.user_id, caller.user_id, caller.address)

    async def _enrol(
        self,
        user_id: str,
        images: Sequence[str],
        consent_version: str,
        address: str | None,
        must_match: bool,
    ) -> list[Weakness]:
        info = await self._recognition.client.engine_info()
        photos = [
            await self._analyse_photo(image, index, len(images), info) for index, image in enumerate(images)
        ]
        embeddings = [photo.embedding for photo in photos if photo.embedding is not None]
        pairs = [score(first, second, info.metric) for first, second in itertools.combinations(embeddings, 2)]
        if not rules.is_same_person(pairs, info.thresholds):
            raise refuse(rules.QualityFault.DIFFERENT_PEOPLE)
        async with self._recognition.lock:
            await self._check_person(user_id, embeddings, info, address, must_match)
            await self._store(user_id, embeddings, info, consent_version, address)
        return rules.weaknesses([photo.quality for photo in photos if photo.quality is not None])

    async def _check_person(
        self,
        user_id: str,
        embeddings: Sequence[Embedding],
        info: EngineInfo,
        address: str | None,
        must_match: bool,
    ) -> None:
        """Raise Refusal for the face of another user, and with `must_match` for any but the enrolled one."""
        gallery = await self._recognition.gallery()
        required_score = rules.threshold(info.thresholds, len(gallery))
        for embedding in embeddings:
            match = gallery.search(embedding, excluded_user=user_id)
            if match is not None and match.score >= required_score:
                await self._note_refused_enrolment(user_id, address)
                raise refuse(rules.QualityFault.OTHER_USER)
            enrolled = gallery.search(embedding) if must_match else None
            if must_match and (
                enrolled is None
                or enrolled.user_id != user_id
                or not rules.is_accepted(enrolled, required_score)
            ):
                raise refuse(rules.QualityFault.NOT_THE_ENROLLED)

    async def _store(
        self,
        user_id: str,
        embeddings: Sequence[Embedding],
        info: EngineInfo,
        consent_version: str,
        address: str | None,
    ) -> None:
        """Replace the user's templates in the database and in memory."""
        vault, moment = self._recognition.vault, now()
        sealed_templates = [vault.seal(user_id, info.model_id, embedding) for embedding in embeddings]
        enrolment = FaceEnrolment(
            user_id=user_id,
            model_id=info.model_id,
            enrolled_at=moment,
            consent_version=consent_version,
            consented_at=moment,
        )
        details = {"templates": len(embeddings), "model": info.model_id, "consent": consent_version}

        def write(session: Session) -> int:
            session.exec(delete(FaceTemplate).where(col(FaceTemplate.user_id) == user_id))
            session.merge(enrolment)
            session.flush()
            session.add_all(FaceTemplate(user_id=user_id, sealed=sealed) for sealed in sealed_templates)
            announce(session, ObjectChange("face_enrolled", "user", user_id, user_id, address, details))
            return next_revision(session)

        revision = await self._database.write(write)
        self._recognition.templates.put(user_id, embeddings, revision)

    async def _note_refused_enrolment(self, user_id: str, address: str | None) -> None:
        """Note for administrators that the face of another user was to be enrolled."""
        change = ObjectChange("face_enrolment_refused", "user", user_id, user_id, address, audit_only=True)
        await self._database.write(lambda session: announce(session, change))

    async def _analyse_photo(self, image: str, index: int, count: int, info: EngineInfo) -> PictureAnalysis:
        try:
            analysis = await self._recognition.client.analyse(image)
        except BadPicture as bad:
            raise refuse(bad.fault, index, count) from None
        fault = rules.find_enrolment_fault(analysis, info.liveness_limit)
        if fault is not None:
            raise refuse(fault, index, count)
        return analysis

    async def forget(self, user_id: str, actor: str | None = None, address: str | None = None) -> bool:
        """Delete the user's templates from database and memory; return False if there were none."""
        async with self._recognition.lock:

            def write(session: Session) -> int | None:
                session.exec(delete(FaceTemplate).where(col(FaceTemplate.user_id) == user_id))
                enrolment = session.get(FaceEnrolment, user_id)
                if enrolment is None:
                    return None
                session.delete(enrolment)
                announce(session, ObjectChange("face_deleted", "user", user_id, actor or user_id, address))
                return next_revision(session)

            revision = await self._database.write(write)
            self._recognition.templates.remove(user_id, revision)
            return revision is not None

    async def status(self, user_id: str) -> FaceStatus:
        """Return the status of the user's enrolment."""

        def read(session: Session) -> tuple[FaceEnrolment | None, int, bool]:
            templates = select(func.count()).where(FaceTemplate.user_id == user_id)
            return (
                session.get(FaceEnrolment, user_id),
                session.exec(templates).first() or 0,
                policy(session).login_enabled,
            )

        enrolment, templates, login_enabled = await self._database.read(read)
        with needing_engine():
            info = await self._recognition.client.engine_info()
        return FaceStatus(
            enrolled=enrolment is not None,
            usable=enrolment is not None and enrolment.model_id == info.model_id,
            templates=templates,
            model=info.name,
            enrolled_at=enrolment.enrolled_at if enrolment else None,
            consent_version=enrolment.consent_version if enrolment else None,
            consented_at=enrolment.consented_at if enrolment else None,
            login_enabled=login_enabled,
            recommend_pack=info.name == DEFAULT_MODEL,
            renewal_due=enrolment is not None and now() - enrolment.enrolled_at > rules.RENEW_AFTER,
            current_consent_version=CONSENT_VERSION,
            current_consent_text=CONSENT_TEXT,
        )

    def enrolled(self, session: Session, user_ids: Collection[str]) -> set[str]:
        """Port: return those of `user_ids` that are enrolled, inside the transaction of `session`."""
        statement = select(FaceEnrolment.user_id).where(col(FaceEnrolment.user_id).in_(user_ids))
        return set(session.exec(statement))


def refuse(fault: rules.QualityFault | PictureFault, index: int = 0, count: int = 1) -> Refusal:
    """The refusal of the picture with `index` among `count`."""
    text: str = rules.SENTENCES[fault]
    if count > 1:
        text = fill("第 {number} 张照片：{fault}", number=index + 1, fault=text)
    return Refusal(text, error=fault)
