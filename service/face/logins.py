"""Logs users in by a picture or by a film that answers a challenge, within the limits of their station."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Collection, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from sqlmodel import Session

from service.face import rules
from service.face.access.challenges import Challenges
from service.face.access.devices import Devices
from service.face.access.stations import RateLimiter, Stations, busy, policy
from service.face.engines.engine import PictureAnalysis, SequenceAnalysis
from service.face.engines.face_process import EngineUnavailableError
from service.face.engines.messages import FilmedFrame
from service.face.engines.picture import BadPicture
from service.face.enrolment import refuse
from service.face.liveness.movements import Movement, Reason
from service.face.recognition import Recognition, needing_engine
from service.web.envelope import Problem, Refusal, invalid
from shared.images.face_models import find_model
from shared.record.codes import ErrorCode, Permission
from shared.wire.account import Tokens
from shared.wire.face import CHALLENGE_FAILED, ChallengePractice, DrawnChallenge

if TYPE_CHECKING:
    from service.face.templates.gallery import Gallery

log = logging.getLogger("walkaround.face")

# Every failed login is answered at a multiple of this time, whatever its cause. This is several times what
# the slowest case takes, a picture without a face that is searched three times (0.25 s with dlib).
FAILURE_SECONDS = 1.0
LOGINS_PER_MINUTE = 60

LogIn = Callable[[str, str, str], Awaitable[Tokens]]
MayLogIn = Callable[[str], Awaitable[bool]]
Permissions = Callable[[str], Awaitable[frozenset[Permission]]]


class FaceLogins:
    """Face logins, with `log_in`, `may_log_in` and `permissions` as `FaceService` has them."""

    def __init__(
        self,
        recognition: Recognition,
        devices: Devices,
        *,
        log_in: LogIn,
        may_log_in: MayLogIn,
        permissions: Permissions,
    ) -> None:
        self._recognition = recognition
        self._devices = devices
        self._log_in = log_in
        self._may_log_in = may_log_in
        self._permissions = permissions
        self._stations = Stations(recognition.database)
        self._challenges = Challenges(recognition.database)
        self._draw_limiter = RateLimiter(LOGINS_PER_MINUTE, 60)
        self._login_limiter = RateLimiter(LOGINS_PER_MINUTE, 60)

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
                analysis = await self._recognition.client.analyse(face_info)
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

        Raises Problem 422 if these exclude every turn, 503 without the model that judges them, 429 and 403
        like `login`.
        """
        await self._check(address, device_token)
        self._take_turn(self._draw_limiter, address)
        with needing_engine():
            find_model()
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
            if sequence.reason is not Reason.LIVE:
                return rules.Identification(None, sequence.reason.value, advice)
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
            with needing_engine(), self._recognition.waiting.admit():
                sequence = await self._judge(challenge_id, frames, address)
                limit = (await self._recognition.client.engine_info()).liveness_limit
        except BadPicture as bad:
            raise refuse(bad.fault) from None
        if sequence is None:
            raise Refusal(CHALLENGE_FAILED, error=ErrorCode.CHALLENGE_FAILED)
        advice = rules.find_advice(sequence)
        # Whether a grey picture passes depends on the policy, and not on the movements.
        is_fit = rules.find_login_fault(sequence.first, limit) in (None, rules.QualityFault.GREY)
        passed = sequence.reason is Reason.LIVE and advice is None and is_fit
        return ChallengePractice(passed=passed, advice=advice)

    async def _judge(
        self, challenge_id: str, frames: Sequence[FilmedFrame], address: str
    ) -> SequenceAnalysis | None:
        """Judge the answer to a challenge, which it uses up; None if that is not valid. Raises BadPicture."""
        steps = await self._challenges.take(challenge_id, address, frames[-1].at_ms)
        return await self._recognition.client.judge(frames, steps) if steps else None

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
        with self._recognition.waiting.admit(self._stations.is_known(address)):
            async with self._recognition.lock:
                await self._check(address, device_token)
                self._take_turn(self._login_limiter, address)
                identification = await self._identify_or_refuse(look)
                if identification.user_id is not None:
                    identification = await self._apply_policy(identification, address, is_challenge_answer)
                tokens = await self._begin_session(identification.user_id, address, user_agent)
                if tokens is not None:
                    await self._stations.forgive(address)
                    await self._devices.mark_used(device_token)
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
        await self._devices.check(device_token)

    async def _identify_or_refuse(
        self, look: Callable[[], Awaitable[rules.Identification]]
    ) -> rules.Identification:
        try:
            return await look()
        except EngineUnavailableError as problem:
            log.error("face login does not work: %s", problem)
            return rules.Identification(None)

    async def _apply_policy(
        self, found: rules.Identification, address: str, is_challenge_answer: bool
    ) -> rules.Identification:
        """Return `found`, or why the policy does not let its user in.

        A challenge replaces the liveness model, which checks no grey picture, only where the policy requires
        it in doubt. Elsewhere nobody may avoid the model by a grey film.
        """
        rule = await self._find_rule(found.user_id or "")
        if found.grey and rule != "in_doubt":
            return rules.Identification(None)
        is_doubtful = found.doubtful or await self._stations.has_failed(address)
        if is_challenge_answer or not (rule == "always" or (rule == "in_doubt" and is_doubtful)):
            return found
        return rules.Identification(None, rules.CHALLENGE_REQUIRED)

    async def _find_rule(self, user_id: str) -> str:
        """Return when the policy requires a challenge of the user: off, in_doubt or always."""
        is_strong = bool(rules.STRONG & await self._permissions(user_id))

        def read(session: Session) -> str:
            row = policy(session)
            return row.challenge_admins if is_strong else row.challenge_others

        return await self._recognition.database.read(read)

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
        info = await self._recognition.client.engine_info()
        # After the analysis, which takes a while: templates deleted by another process must not match.
        gallery = await self._recognition.gallery()
        fault = rules.find_login_fault(analysis, info.liveness_limit)
        is_grey = fault is rules.QualityFault.GREY
        if fault is not None and not is_grey:
            return rules.Identification(None)
        match = await asyncio.to_thread(_best, gallery, analysis)
        required_score = rules.threshold(info.thresholds, len(gallery))
        if match is None or not rules.is_accepted(match, required_score):
            return rules.Identification(None)
        is_unchecked = info.liveness_limit is None or is_grey
        doubtful = is_unchecked or match.score < required_score + rules.DOUBT
        return rules.Identification(match.user_id, doubtful=doubtful, grey=is_grey)

    async def password_login(self, address: str) -> None:
        """Unblock face login at `address` after a login by password there."""
        await self._stations.forgive(address)


def _best(gallery: Gallery, analysis: PictureAnalysis) -> rules.Match | None:
    assert analysis.embedding is not None
    return gallery.search(analysis.embedding)
