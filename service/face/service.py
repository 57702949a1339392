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
from service.face.engines.sequence import SequenceAnalysis
from service.face.liveness.movements import Movement
from service.face.oversight import FaceAdministration
from service.face.packs.pack_store import model_in_use
from service.face.tables import FaceEnrolment, FaceTemplate
from service.face.templates.gallery import Gallery
from service.face.templates.gallery_sync import GallerySync, next_revision
from service.face.templates.vault import Vault
from service.settings import Settings
from service.web.envelope import Problem, Refusal, invalid
from service.web.security import Caller, password_needed
from shared.record.codes import ErrorCode, Permission
from shared.wire.account import Tokens
from shared.wire.face import CHALLENGE_FAILED, ChallengePractice, DrawnChallenge, FaceStatus, Weakness
from shared.wire.text import fill

log = logging.getLogger("walkaround.face")

# Every failed login is answered at a multiple of this time, whatever its cause. This is several times what
# the slowest case takes, a picture without a face that is searched three times (0.25 s with dlib).
FAILURE_SECONDS = 1.0
LOGINS_PER_MINUTE = 60
# How often the templates in memory are compared with the database, which other processes change.
FOLLOW_SECONDS = 2.0

LogIn = Callable[[str, str, str], Awaitable[Tokens]]
MayLogIn = Callable[[str], Awaitable[bool]]
Permissions = Callable[[str], Awaitable[frozenset[Permission]]]


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
        self._log_in = log_in
        self._may_log_in = may_log_in
        self._permissions = permissions
        self._vault = Vault(settings.data_dir, settings.face_key_file)
        model = model_in_use(settings)
        self._face_client = face_client or FaceProcess(model, settings.face_models_dir)
        self._stations = Stations(database)
        self._challenges = Challenges(database)
        self.devices = Devices(database)
        """The devices that face logins may be limited to."""
        self._draw_limiter = RateLimiter(LOGINS_PER_MINUTE, 60)
        self._gallery_sync = GallerySync(database, self._vault)
        # One request at a time from the first check to the last write, so that no parallel request passes a
        # limit and the gallery never differs from the database.
        self._lock = asyncio.Lock()
        self._waiting_limit = WaitingLimit()
        self.oversight = FaceAdministration(
            database,
            self._face_client,
            self._gallery_sync,
            self._waiting_limit,
            self._lock,
            model,
            settings.face_models_dir,
        )
        """The use cases of administrators."""
        self._tasks: list[asyncio.Task[None]] = []
        self._rate_limiter = RateLimiter(LOGINS_PER_MINUTE, 60)

    def start(self) -> None:
        """Start loading engine and templates in the background. Needs a running event loop."""
        self._tasks = [asyncio.create_task(self.warm())]
        # With SQLite there is one process, so no other one enrols or deletes.
        if not self._database.is_sqlite:
            self._tasks.append(asyncio.create_task(self.follow()))

    async def close(self) -> None:
        """End the face process and the threads that search the templates."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._face_client.close()
        await asyncio.to_thread(self._gallery_sync.close)

    async def warm(self) -> None:
        """Load engine and templates if any user is enrolled, so that no login waits for them."""
        enrolment_count = await self._database.read(
            lambda session: session.exec(select(func.count()).select_from(FaceEnrolment)).first()
        )
        if enrolment_count:
            try:
                async with self._lock:
                    await self._current_gallery()
            except EngineUnavailableError as problem:
                log.error("face login does not work: %s", problem)

    async def follow(self) -> None:
        """Update the templates in memory from the database until cancelled.

        Every login does this too. The task removes templates that another process deleted from the memory of
        this process, even if nobody logs in here.
        """
        while True:
            await asyncio.sleep(FOLLOW_SECONDS)
            if not self._gallery_sync.is_loaded:
                continue
            try:
                async with self._lock:
                    await self._current_gallery()
            except (EngineUnavailableError, Problem, SQLAlchemyError) as problem:
                log.warning("cannot update the face templates (%s); trying again", type(problem).__name__)

    # --- enrolment ----------------------------------------------------------------------------------------

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

        `must_match`: only by pictures with which the user could log in now. Without it, whoever once logged
        in with a picture of the user could enrol their own face.
        Returns weaknesses of the accepted pictures that may make logins fail. Raises Refusal with a sentence
        that says what to change, Problem 503 without a working engine, 429 if too many requests wait.
        """
        try:
            with self._waiting_limit.admit():
                return await self._enrol(user_id, images, consent_version, address, must_match)
        except EngineUnavailableError as problem:
            raise unavailable(problem) from None

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
        info = await self._face_client.engine_info()
        photos = [
            await self._analyse_photo(image, index, len(images), info) for index, image in enumerate(images)
        ]
        embeddings = [photo.embedding for photo in photos if photo.embedding is not None]
        pairs = [score(first, second, info.metric) for first, second in itertools.combinations(embeddings, 2)]
        if not rules.is_same_person(pairs, info.thresholds):
            raise _refusal(rules.QualityFault.DIFFERENT_PEOPLE)
        async with self._lock:
            gallery = await self._current_gallery()
            required_score = rules.threshold(info.thresholds, len(gallery))
            for embedding in embeddings:
                match = gallery.search(embedding, excluded_user=user_id)
                if match is not None and match.score >= required_score:
                    await self._note_refused_enrolment(user_id, address)
                    raise _refusal(rules.QualityFault.OTHER_USER)
                enrolled = gallery.search(embedding) if must_match else None
                if must_match and (
                    enrolled is None
                    or enrolled.user_id != user_id
                    or not rules.is_accepted(enrolled, required_score)
                ):
                    raise _refusal(rules.QualityFault.NOT_THE_ENROLLED)
            sealed_templates = [
                self._vault.seal(user_id, info.model_id, embedding) for embedding in embeddings
            ]
            moment = now()

            def write(session: Session) -> int:
                session.exec(delete(FaceTemplate).where(col(FaceTemplate.user_id) == user_id))
                session.merge(
                    FaceEnrolment(
                        user_id=user_id,
                        model_id=info.model_id,
                        enrolled_at=moment,
                        consent_version=consent_version,
                        consented_at=moment,
                    )
                )
                session.flush()
                session.add_all(
                    FaceTemplate(user_id=user_id, sealed=sealed_template)
                    for sealed_template in sealed_templates
                )
                details = {
                    "templates": len(sealed_templates),
                    "model": info.model_id,
                    "consent": consent_version,
                }
                announce(session, ObjectChange("face_enrolled", "user", user_id, user_id, address, details))
                return next_revision(session)

            revision = await self._database.write(write)
            self._gallery_sync.put(user_id, embeddings, revision)
        return rules.weaknesses([photo.quality for photo in photos if photo.quality is not None])

    async def _note_refused_enrolment(self, user_id: str, address: str | None) -> None:
        """Note for administrators that the face of another user was to be enrolled."""
        change = ObjectChange("face_enrolment_refused", "user", user_id, user_id, address, audit_only=True)
        await self._database.write(lambda session: announce(session, change))

    async def _analyse_photo(self, image: str, index: int, count: int, info: EngineInfo) -> PictureAnalysis:
        try:
            analysis = await self._face_client.analyse(image)
        except BadPicture as bad:
            raise _refusal(bad.fault, index, count) from None
        fault = rules.find_enrolment_fault(analysis, info.liveness_limit)
        if fault is not None:
            raise _refusal(fault, index, count)
        return analysis

    async def forget(self, user_id: str, actor: str | None = None, address: str | None = None) -> bool:
        """Delete the user's templates from database and memory; return False if there were none."""
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
            self._gallery_sync.remove(user_id, revision)
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
        try:
            info = await self._face_client.engine_info()
        except EngineUnavailableError as problem:
            raise unavailable(problem) from None
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

    # --- login --------------------------------------------------------------------------------------------

    async def login(
        self, face_info: str, address: str, user_agent: str = "", device_token: str = ""
    ) -> Tokens:
        """Log in the user in the picture, from the client at `address`, on the device with `device_token`.

        Raises Refusal 无法校验人脸 for any failure, or that the policy requires a challenge for this user,
        always at a multiple of `FAILURE_SECONDS`. Raises Problem 429 or 403, before the picture is analysed,
        if the station must wait, face login is off or the device is not allowed.
        """

        async def look() -> rules.Identification:
            try:
                analysis = await self._face_client.analyse(face_info)
            except BadPicture:
                return rules.Identification(None)
            return await self._identify(analysis)

        return await self._attempt(look, address, user_agent, device_token, is_challenge_answer=False)

    async def draw_challenge(
        self,
        excluded_movements: Collection[Movement],
        address: str,
        device_token: str = "",
    ) -> DrawnChallenge:
        """Draw the movements for a login at `address`, without `excluded_movements`.

        Raises Problem 422 if these exclude every turn, 429 and 403 like `login`.
        """
        await self._check(address, device_token)
        self._take_turn(self._draw_limiter, address)
        try:
            return await self._challenges.draw(address, excluded_movements)
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
        """Log in the user in the first frame, if the frames show the movements of the challenge.

        Raises Refusal that the movements were not seen, with an advice if that helps no attacker, or
        无法校验人脸 for any other failure, and Problem like `login`.
        """

        async def look() -> rules.Identification:
            try:
                sequence = await self._judge(challenge_id, frames, address)
            except BadPicture:
                return rules.Identification(None)
            if sequence is None:
                return rules.Identification(None, "not_valid")
            advice = rules.find_advice(sequence)
            if not sequence.verdict.live:
                return rules.Identification(None, sequence.verdict.reason.value, advice)
            # A film that is too dark may show anyone, so its advice says nothing about who is enrolled.
            return (
                rules.Identification(None, advice, advice) if advice else await self._identify(sequence.first)
            )

        return await self._attempt(look, address, user_agent, device_token, is_challenge_answer=True)

    async def practise_challenge(
        self, challenge_id: str, frames: Sequence[FilmedFrame], address: str
    ) -> ChallengePractice:
        """Judge the movements of a logged-in user without a login; nothing is counted, logged or stored.

        Raises Refusal for a picture that cannot be read and for a challenge that cannot be answered, Problem
        503 without a working engine, 429 if too many requests wait.
        """
        try:
            with self._waiting_limit.admit():
                sequence = await self._judge(challenge_id, frames, address)
        except BadPicture as bad:
            raise _refusal(bad.fault) from None
        except EngineUnavailableError as problem:
            raise unavailable(problem) from None
        if sequence is None:
            raise Refusal(CHALLENGE_FAILED, error=ErrorCode.CHALLENGE_FAILED)
        advice = rules.find_advice(sequence)
        return ChallengePractice(passed=sequence.verdict.live and advice is None, advice=advice)

    async def _judge(
        self, challenge_id: str, frames: Sequence[FilmedFrame], address: str
    ) -> SequenceAnalysis | None:
        """Judge the answer to a challenge, which it uses up; None if that is not valid. Raises BadPicture."""
        steps = await self._challenges.take(challenge_id, address, frames[-1].at_ms)
        return await self._face_client.judge(frames, steps) if steps else None

    async def _attempt(
        self,
        look: Callable[[], Awaitable[rules.Identification]],
        address: str,
        user_agent: str,
        device_token: str,
        *,
        is_challenge_answer: bool,
    ) -> Tokens:
        """Try one login within all limits; `is_challenge_answer`: it answers a challenge."""
        start_time = monotonic()
        # Before the other limits, so that a station that must wait takes no place from other stations.
        await self._check(address, device_token)
        with self._waiting_limit.admit(self._stations.is_known(address)):
            async with self._lock:
                await self._check(address, device_token)
                self._take_turn(self._rate_limiter, address)
                identification = await self._identify_or_refuse(look)
                if (
                    not is_challenge_answer
                    and identification.user_id is not None
                    and await self._needs_challenge(identification, address)
                ):
                    identification = rules.Identification(None, rules.CHALLENGE_REQUIRED)
                tokens = await self._begin_session(identification.user_id, address, user_agent)
                if tokens is not None:
                    await self._stations.forgive(address)
                    await self.devices.mark_used(device_token)
                    return tokens
                reason = identification.challenge
                if reason == rules.CHALLENGE_REQUIRED:
                    await self._stations.count_challenge_request(address, reason)
                else:
                    await self._stations.count_failure(address, reason)
        elapsed = monotonic() - start_time
        await asyncio.sleep(math.ceil(elapsed / FAILURE_SECONDS) * FAILURE_SECONDS - elapsed)
        raise Refusal(identification.refusal, error=identification.error)

    def _take_turn(self, limiter: RateLimiter, address: str) -> None:
        """Count an attempt among those of all unknown stations, so that these shut out no known one."""
        if not self._stations.is_known(address) and not limiter.take():
            raise busy(60)

    async def _check(self, address: str, device_token: str) -> None:
        await self._stations.check(address)
        await self.devices.check(device_token)

    async def _identify_or_refuse(
        self, look: Callable[[], Awaitable[rules.Identification]]
    ) -> rules.Identification:
        try:
            return await look()
        except EngineUnavailableError as problem:
            log.error("face login does not work: %s", problem)
            return rules.Identification(None)

    async def _needs_challenge(self, identification: rules.Identification, address: str) -> bool:
        """Return whether the policy requires a challenge for this user."""
        assert identification.user_id is not None
        current = await self.oversight.policy()
        strong = bool(rules.STRONG & await self._permissions(identification.user_id))
        rule = current.challenge_admins if strong else current.challenge_others
        if rule == "in_doubt":
            return identification.doubtful or await self._stations.has_failed(address)
        return rule == "always"

    async def _begin_session(self, user_id: str | None, address: str, user_agent: str) -> Tokens | None:
        if user_id is None or not await self._may_log_in(user_id):
            return None
        try:
            return await self._log_in(user_id, address, user_agent)
        except Problem:
            # The user was disabled in between. The answer must not differ from that to an unknown face.
            return None

    async def _identify(self, analysis: PictureAnalysis) -> rules.Identification:
        """Identify the enrolled user in a picture; without a user, and without a reason, for any failure."""
        info = await self._face_client.engine_info()
        # After the analysis, which takes a while: templates deleted by another process must not match.
        gallery = await self._current_gallery()
        if rules.find_login_fault(analysis, info.liveness_limit) is not None:
            return rules.Identification(None)
        match = await asyncio.to_thread(_best, gallery, analysis)
        required_score = rules.threshold(info.thresholds, len(gallery))
        if match is None or not rules.is_accepted(match, required_score):
            return rules.Identification(None)
        doubtful = info.liveness_limit is None or match.score < required_score + rules.DOUBT
        return rules.Identification(match.user_id, doubtful=doubtful)

    async def password_login(self, address: str) -> None:
        """Unblock face login at `address` after a login by password there."""
        await self._stations.forgive(address)

    # --- shared -------------------------------------------------------------------------------------------

    async def _current_gallery(self) -> Gallery:
        return await self._gallery_sync.current(await self._face_client.engine_info())


def _best(gallery: Gallery, analysis: PictureAnalysis) -> rules.Match | None:
    assert analysis.embedding is not None
    return gallery.search(analysis.embedding)


def _refusal(fault: rules.QualityFault | PictureFault, index: int = 0, count: int = 1) -> Refusal:
    text: str = rules.SENTENCES[fault]
    if count > 1:
        text = fill("第 {number} 张照片：{fault}", number=index + 1, fault=text)
    return Refusal(text, error=fault)
