"""Implements the use cases of faces: enrol, log in, delete."""

from __future__ import annotations

import asyncio
import itertools
import logging
import math
from collections.abc import Awaitable, Callable, Collection, Sequence
from time import monotonic

from sqlalchemy import func
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, delete, select

from service.changes import ObjectChange, announce
from service.db.database import Database, now
from service.face import rules
from service.face.access.challenges import Challenges
from service.face.access.devices import Devices
from service.face.access.stations import RateLimiter, Stations, busy, policy
from service.face.access.waiting_limit import FaceClient, WaitingLimit, unavailable
from service.face.consent import CONSENT_BY_CALLER, CONSENT_TEXT, CONSENT_VERSION
from service.face.engines.dlib_engine import NAME as DEFAULT_MODEL
from service.face.engines.engine import EngineInfo, PictureAnalysis, score
from service.face.engines.face_process import EngineUnavailableError, FaceProcess
from service.face.engines.messages import FilmedFrame
from service.face.engines.picture import BadPicture, PictureFault
from service.face.liveness.movements import Movement
from service.face.oversight import FaceAdministration
from service.face.packs.pack_store import model_in_use
from service.face.tables import FaceEnrolment, FaceTemplate
from service.face.templates.gallery import Gallery
from service.face.templates.gallery_sync import GallerySync, next_revision
from service.face.templates.vault import Vault
from service.settings import Settings
from service.web.envelope import Problem, Refusal, invalid
from shared.codes import Permission
from shared.wire.account import Tokens
from shared.wire.face import DrawnChallenge, FaceStatus, Weakness

log = logging.getLogger("walkaround.face")

# Every failed login is answered at a multiple of this after it arrived, whatever its cause: several times
# what the slowest takes, a picture without a face that is looked at three times (0.25 s with dlib).
FAILURE_SECONDS = 1.0
LOGINS_PER_MINUTE = 60
# How soon a deletion by another service process reaches the memory of this one.
FOLLOW_SECONDS = 2.0

LogIn = Callable[[str, str, str], Awaitable[Tokens]]
MayLogIn = Callable[[str], Awaitable[bool]]
Permissions = Callable[[str], Awaitable[frozenset[Permission]]]


class FaceService:
    """Face enrolment and face login.

    `log_in(user_id, address, user_agent)` opens a session with `amr` face and gives its tokens;
    `may_log_in(user_id)` says whether the user exists and is enabled, `permissions(user_id)` what they may
    do. `face_client` look at the pictures: by default a process of their own with the engine that the
    settings name.
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
        self._log_in = log_in
        self._may_log_in = may_log_in
        self._permissions = permissions
        self._vault = Vault(settings.data_dir, settings.face_key_file)
        self._face_client = face_client or FaceProcess(model_in_use(settings), settings.face_models_dir)
        self._stations = Stations(database)
        self._challenges = Challenges(database)
        self.devices = Devices(database)
        """The devices that face logins may be limited to."""
        self._draw_limiter = RateLimiter(LOGINS_PER_MINUTE, 60)
        self._held = GallerySync(database, self._vault)
        # One at a time from the first check to the last write: no parallel request passes a limit, and the
        # gallery never falls behind its own database.
        self._lock = asyncio.Lock()
        self._waiting_limit = WaitingLimit()
        self.oversight = FaceAdministration(
            database, self._face_client, self._held, self._waiting_limit, self._lock
        )
        """What an admin sees and switches."""
        self._tasks: list[asyncio.Task[None]] = []
        self._rate_limiter = RateLimiter(LOGINS_PER_MINUTE, 60)

    def start(self) -> None:
        """Begin to warm up, beside the requests. Needs a running event loop."""
        self._tasks = [asyncio.create_task(self.warm())]
        # SQLite belongs to one process: nobody else enrols or deletes.
        if not self._database.is_sqlite:
            self._tasks.append(asyncio.create_task(self.follow()))

    async def close(self) -> None:
        """End the face process and the threads that search the templates."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._face_client.close()
        await asyncio.to_thread(self._held.close)

    async def warm(self) -> None:
        """Load engine and templates when a user is enrolled, so that no login waits for them."""
        enrolled = await self._database.read(
            lambda session: session.exec(select(func.count()).select_from(FaceEnrolment)).first()
        )
        if enrolled:
            try:
                async with self._lock:
                    await self._current_gallery()
            except EngineUnavailableError as problem:
                log.error("face login does not work: %s", problem)

    async def follow(self) -> None:
        """Keep the templates in memory as the database has them, until cancelled.

        Every login looks for itself; this is so that a template which another process deleted does not stay
        in this one's memory until someone logs in here.
        """
        while True:
            await asyncio.sleep(FOLLOW_SECONDS)
            if not self._held.loaded:
                continue
            try:
                async with self._lock:
                    await self._current_gallery()
            except (EngineUnavailableError, Problem, SQLAlchemyError) as problem:
                log.warning("the face templates could not be looked at again (%s)", type(problem).__name__)

    # --- enrolment ----------------------------------------------------------------------------------------

    async def enrol(
        self, user_id: str, images: Sequence[str], consent_version: str, address: str | None = None
    ) -> list[Weakness]:
        """Replace the user's templates by those of 1..5 pictures (Base64 or data URL) of them; gives what
        will make logins fail although the pictures were good enough.

        Raises Refusal with the sentence that says what to change, Problem 503 without a working engine, 429
        when too many wait.
        """
        try:
            with self._waiting_limit.admit():
                return await self._enrol(user_id, images, consent_version, address)
        except EngineUnavailableError as problem:
            raise unavailable(problem) from None

    async def enrol_one(self, user_id: str, face_info: str) -> str | None:
        """Enrol by the contract's single picture; gives the sentence of a refusal, None when enrolled."""
        try:
            await self.enrol(user_id, [face_info], CONSENT_BY_CALLER)
        except Refusal as refusal:
            return refusal.msg
        return None

    async def _enrol(
        self, user_id: str, images: Sequence[str], consent_version: str, address: str | None
    ) -> list[Weakness]:
        about = await self._face_client.about()
        photos = [
            await self._good_photo(image, index, len(images), about) for index, image in enumerate(images)
        ]
        embeddings = [photo.embedding for photo in photos if photo.embedding is not None]
        pairs = [
            score(first, second, about.metric) for first, second in itertools.combinations(embeddings, 2)
        ]
        if not rules.same_person(pairs, about.thresholds):
            raise _refusal(rules.QualityFault.DIFFERENT_PEOPLE)
        async with self._lock:
            gallery = await self._current_gallery()
            needed = rules.threshold(about.thresholds, len(gallery))
            for embedding in embeddings:
                match = gallery.search(embedding, without=user_id)
                if match is not None and match.score >= needed:
                    raise _refusal(rules.QualityFault.SOMEBODY_ELSE)
            sealed = [self._vault.seal(user_id, about.model_id, embedding) for embedding in embeddings]
            at = now()

            def write(session: Session) -> int:
                session.exec(delete(FaceTemplate).where(col(FaceTemplate.user_id) == user_id))
                session.merge(
                    FaceEnrolment(
                        user_id=user_id,
                        model_id=about.model_id,
                        enrolled_at=at,
                        consent_version=consent_version,
                        consented_at=at,
                    )
                )
                session.flush()
                session.add_all(FaceTemplate(user_id=user_id, sealed=each) for each in sealed)
                details = {"templates": len(sealed), "model": about.model_id, "consent": consent_version}
                announce(session, ObjectChange("face_enrolled", "user", user_id, user_id, address, details))
                return next_revision(session)

            revision = await self._database.write(write)
            self._held.put(user_id, embeddings, revision)
        return rules.weaknesses([photo.quality for photo in photos if photo.quality is not None])

    async def _good_photo(self, image: str, index: int, count: int, about: EngineInfo) -> PictureAnalysis:
        try:
            analysis = await self._face_client.analyse(image)
        except BadPicture as bad:
            raise _refusal(bad.fault, index, count) from None
        trouble = rules.enrolment_trouble(analysis, about.liveness_limit)
        if trouble is not None:
            raise _refusal(trouble, index, count)
        return analysis

    async def forget(self, user_id: str, actor: str | None = None, address: str | None = None) -> bool:
        """Delete the user's templates, from the database and from memory; False when there were none."""
        async with self._lock:

            def write(session: Session) -> int | None:
                session.exec(delete(FaceTemplate).where(col(FaceTemplate.user_id) == user_id))
                enrolment = session.get(FaceEnrolment, user_id)
                if enrolment is None:
                    return None
                session.delete(enrolment)
                announce(session, ObjectChange("face_deleted", "user", user_id, actor or user_id, address))
                return next_revision(session)

            revision = await self._database.write(write)
            self._held.remove(user_id, revision)
            return revision is not None

    async def status(self, user_id: str) -> FaceStatus:
        """What the user sees of their own enrolment."""

        def read(session: Session) -> tuple[FaceEnrolment | None, int, bool]:
            templates = select(func.count()).where(FaceTemplate.user_id == user_id)
            return (
                session.get(FaceEnrolment, user_id),
                session.exec(templates).first() or 0,
                policy(session).login_enabled,
            )

        enrolment, templates, enabled = await self._database.read(read)
        try:
            about = await self._face_client.about()
        except EngineUnavailableError as problem:
            raise unavailable(problem) from None
        return FaceStatus(
            enrolled=enrolment is not None,
            usable=enrolment is not None and enrolment.model_id == about.model_id,
            templates=templates,
            model=about.name,
            enrolled_at=enrolment.enrolled_at if enrolment else None,
            consent_version=enrolment.consent_version if enrolment else None,
            consented_at=enrolment.consented_at if enrolment else None,
            login_enabled=enabled,
            recommend_pack=about.name == DEFAULT_MODEL,
            renewal_due=enrolment is not None and now() - enrolment.enrolled_at > rules.RENEW_AFTER,
            current_consent_version=CONSENT_VERSION,
            current_consent_text=CONSENT_TEXT,
        )

    def enrolled(self, session: Session, user_ids: Collection[str]) -> set[str]:
        """Those of `user_ids` that are enrolled; a port for the lists of users, inside their transaction."""
        statement = select(FaceEnrolment.user_id).where(col(FaceEnrolment.user_id).in_(user_ids))
        return set(session.exec(statement))

    # --- login --------------------------------------------------------------------------------------------

    async def login(
        self, face_info: str, address: str, user_agent: str = "", device_token: str = ""
    ) -> Tokens:
        """Log in the user in the picture, from the client at `address`, on the device with `device_token`.

        Raises Refusal 无法校验人脸 whatever the cause, or that the policy wants a challenge from this user,
        always at a multiple of `FAILURE_SECONDS`; Problem 429 and 403, before anything is looked at, when the
        station has to wait, face login is off or the device is not allowed.
        """

        async def look() -> rules.Identified:
            try:
                analysis = await self._face_client.analyse(face_info)
            except BadPicture:
                return rules.Identified(None)
            return await self._identified(analysis)

        return await self._attempt(look, address, user_agent, device_token, answered=False)

    async def draw_challenge(
        self, avoided: Collection[Movement], address: str, device_token: str = ""
    ) -> DrawnChallenge:
        """Draw the movements that a login at `address` has to show, without those that the person cannot
        make.

        Raises Problem 422 when no turn is left, 429 and 403 as `login` does.
        """
        await self._check(address, device_token)
        if not self._draw_limiter.take():
            raise busy(60)
        try:
            return await self._challenges.draw(address, avoided)
        except ValueError:
            raise invalid("avoid", "no_turn", "请至少保留左转、右转、抬头中的一个动作") from None

    async def login_by_challenge(
        self,
        challenge_id: str,
        frames: Sequence[FilmedFrame],
        address: str,
        user_agent: str = "",
        device_token: str = "",
    ) -> Tokens:
        """Log in the user that the first frame shows, when the frames show a head that answers the challenge.

        Raises Refusal that the movements were not seen, or 无法校验人脸 whatever else is the cause; Problem
        as `login`.
        """

        async def look() -> rules.Identified:
            steps = await self._challenges.take(challenge_id, address, frames[-1].at_ms)
            if steps is None:
                return rules.Identified(None, "not_valid")
            try:
                sequence = await self._face_client.judge(frames, steps)
            except BadPicture:
                return rules.Identified(None)
            if not sequence.verdict.live:
                return rules.Identified(None, sequence.verdict.reason.value)
            return await self._identified(sequence.first)

        return await self._attempt(look, address, user_agent, device_token, answered=True)

    async def _attempt(
        self,
        look: Callable[[], Awaitable[rules.Identified]],
        address: str,
        user_agent: str,
        device_token: str,
        *,
        answered: bool,
    ) -> Tokens:
        """One login, as every limit allows it; `answered` when a challenge is."""
        started = monotonic()
        # Before the line and the pace: a station that waits takes no place from the others.
        await self._check(address, device_token)
        with self._waiting_limit.admit():
            async with self._lock:
                await self._check(address, device_token)
                if not self._rate_limiter.take():
                    raise busy(60)
                identified = await self._looked(look)
                if (
                    not answered
                    and identified.user_id is not None
                    and await self._needs_challenge(identified, address)
                ):
                    identified = rules.Identified(None, rules.ASKED_FOR)
                tokens = await self._tokens_for(identified.user_id, address, user_agent)
                if tokens is not None:
                    await self._stations.forgive(address)
                    await self.devices.used(device_token)
                    return tokens
                if identified.challenge == rules.ASKED_FOR:
                    await self._stations.challenged(address)
                else:
                    await self._stations.failed(address, identified.challenge)
        passed = monotonic() - started
        await asyncio.sleep(math.ceil(passed / FAILURE_SECONDS) * FAILURE_SECONDS - passed)
        raise Refusal(identified.refusal)

    async def _check(self, address: str, device_token: str) -> None:
        await self._stations.check(address)
        await self.devices.check(device_token)

    async def _looked(self, look: Callable[[], Awaitable[rules.Identified]]) -> rules.Identified:
        try:
            return await look()
        except EngineUnavailableError as problem:
            log.error("face login does not work: %s", problem)
            return rules.Identified(None)

    async def _needs_challenge(self, identified: rules.Identified, address: str) -> bool:
        """Whether the policy is not content with one picture of this user."""
        assert identified.user_id is not None
        current = await self.oversight.policy()
        strong = bool(rules.STRONG & await self._permissions(identified.user_id))
        rule = current.challenge_admins if strong else current.challenge_others
        if rule == "in_doubt":
            return identified.doubtful or await self._stations.has_failed(address)
        return rule == "always"

    async def _tokens_for(self, user_id: str | None, address: str, user_agent: str) -> Tokens | None:
        if user_id is None or not await self._may_log_in(user_id):
            return None
        try:
            return await self._log_in(user_id, address, user_agent)
        except Problem:
            # Disabled between the two questions: no answer may tell that from an unknown face.
            return None

    async def _identified(self, analysis: PictureAnalysis) -> rules.Identified:
        """The user of the enrolled face in a picture; nobody for every failure, with no reason."""
        about = await self._face_client.about()
        # After the look, which takes a while: what another process deleted meanwhile never matches.
        gallery = await self._current_gallery()
        if rules.login_trouble(analysis, about.liveness_limit) is not None:
            return rules.Identified(None)
        match = await asyncio.to_thread(_best, gallery, analysis)
        needed = rules.threshold(about.thresholds, len(gallery))
        if match is None or not rules.accepted(match, needed):
            return rules.Identified(None)
        doubtful = about.liveness_limit is None or match.score < needed + rules.DOUBT
        return rules.Identified(match.user_id, doubtful=doubtful)

    async def password_login(self, address: str) -> None:
        """Unblock face login at `address` after a login by password there."""
        await self._stations.forgive(address)

    # --- what all of them need ----------------------------------------------------------------------------

    async def _current_gallery(self) -> Gallery:
        return await self._held.current(await self._face_client.about())


def _best(gallery: Gallery, analysis: PictureAnalysis) -> rules.Match | None:
    assert analysis.embedding is not None
    return gallery.search(analysis.embedding)


def _refusal(trouble: rules.QualityFault | PictureFault, index: int = 0, count: int = 1) -> Refusal:
    which = f"第 {index + 1} 张照片：" if count > 1 else ""
    return Refusal(which + rules.SENTENCES[trouble])
