"""Draws challenges for face logins and accepts one answer to each. After an answer that is in doubt, one more
movement can be drawn.

Challenges are stored in the database, which all service processes share.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from sqlalchemy import func
from sqlmodel import Session, col, delete, select

from service.db.database import Database, now
from service.face.access.stations import busy
from service.face.liveness.movements import Evidence, Movement, Step
from service.face.tables import FaceChallenge
from service.web import addresses
from shared.wire.face import ChallengeStep, DrawnChallenge

# The time from the draw to the answer: a few seconds of film and a slow network.
LIFETIME = timedelta(seconds=30)
# How many challenges of one station may wait: a whole site may share one address.
MAX_WAITING = 20
BUSY_SECONDS = 30
# When the first movement is requested. It is random, so that a film that was made before cannot match it.
# With two movements, a challenge takes at most 4 s.
_FIRST_MS = (400, 800)
STEP_MS = 1600
# The times of the frames come from the client: they must fit into the time that has passed in the service.
_CLOCK_SLACK = timedelta(milliseconds=500)
# The movements that show the shape of the face.
_TURNS = (Movement.LEFT, Movement.RIGHT, Movement.UP)
_RANDOM = secrets.SystemRandom()


@dataclass(frozen=True, slots=True)
class Doubt:
    """What an answer showed that was in doubt, and the id of the user in it; None if it shows no user."""

    evidence: Evidence
    user_id: str | None


@dataclass(frozen=True, slots=True)
class TakenChallenge:
    """The steps of a challenge that is being answered, and the doubt that they have to clear."""

    steps: tuple[Step, ...]
    doubt: Doubt | None


class Challenges:
    """Draws challenges and accepts their answers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def draw(
        self,
        address: str,
        excluded_movements: Collection[Movement] = (),
        continued_id: str | None = None,
    ) -> DrawnChallenge:
        """Draw a challenge for the station at `address`, without `excluded_movements`: one more movement if
        the answer to the challenge `continued_id` is in doubt.

        Raises ValueError if these exclude every turn, Problem 429 if too many challenges of the station wait.
        """
        challenge_id, station = secrets.token_urlsafe(32), addresses.client_group(address)

        def write(session: Session) -> tuple[list[Step], datetime]:
            moment = now()
            session.exec(delete(FaceChallenge).where(col(FaceChallenge.expires_at) < moment))
            doubt = None if continued_id is None else _take_doubt(session, continued_id, station)
            steps = draw_steps(excluded_movements) if doubt is None else draw_one_more(excluded_movements)
            query = select(func.count()).where(FaceChallenge.station == station)
            if (session.exec(query).first() or 0) >= MAX_WAITING:
                raise busy(BUSY_SECONDS)
            session.add(
                FaceChallenge(
                    challenge_hash=_hash(challenge_id),
                    station=station,
                    steps=json.dumps([(step.movement, step.from_ms, step.to_ms) for step in steps]),
                    doubt=doubt,
                    drawn_at=moment,
                    expires_at=moment + LIFETIME,
                )
            )
            return steps, moment + LIFETIME

        steps, expires_at = await self._database.write(write)
        return DrawnChallenge(
            challenge_id=challenge_id,
            steps=[
                ChallengeStep(movement=step.movement.value, from_ms=step.from_ms, to_ms=step.to_ms)
                for step in steps
            ],
            expires_at=expires_at,
        )

    async def take(self, challenge_id: str, address: str, filmed_ms: float) -> TakenChallenge | None:
        """Delete a challenge and return it.

        Returns None if it is unknown, already answered, expired or drawn by another station, or if less time
        than `filmed_ms` has passed since it was drawn.
        """

        def write(session: Session) -> FaceChallenge | None:
            challenge = session.get(FaceChallenge, _hash(challenge_id), with_for_update=True)
            if challenge is not None:
                session.delete(challenge)
                session.flush()
            return challenge

        challenge = await self._database.write(write)
        moment = now()
        if (
            challenge is None
            or challenge.station != addresses.client_group(address)
            or moment > challenge.expires_at
        ):
            return None
        if moment - challenge.drawn_at + _CLOCK_SLACK < timedelta(milliseconds=filmed_ms):
            return None
        steps = tuple(
            Step(Movement(name), begins, ends) for name, begins, ends in json.loads(challenge.steps)
        )
        if not steps:
            return None
        return TakenChallenge(steps, None if challenge.doubt is None else _read_doubt(challenge.doubt))

    async def keep_doubt(self, challenge_id: str, address: str, doubt: Doubt) -> None:
        """Allow one more movement to be drawn after the answer to a challenge that was taken."""
        evidence = doubt.evidence
        fields = {"reliefs": evidence.reliefs, "ratio": evidence.ratio, "user_id": doubt.user_id}

        def write(session: Session) -> None:
            moment = now()
            session.add(
                FaceChallenge(
                    challenge_hash=_hash(challenge_id),
                    station=addresses.client_group(address),
                    steps="[]",
                    doubt=json.dumps(fields),
                    drawn_at=moment,
                    expires_at=moment + LIFETIME,
                )
            )

        await self._database.write(write)


def _take_doubt(session: Session, challenge_id: str, station: str) -> str | None:
    """Delete the challenge of `station` whose answer is in doubt, or the movement drawn after it, and return
    the doubt; None without one.
    """
    challenge = session.get(FaceChallenge, _hash(challenge_id), with_for_update=True)
    if challenge is None or challenge.station != station or challenge.doubt is None:
        return None
    session.delete(challenge)
    return challenge.doubt


def _read_doubt(text: str) -> Doubt:
    fields = json.loads(text)
    return Doubt(Evidence(tuple(fields["reliefs"]), fields["ratio"]), fields["user_id"])


def draw_steps(excluded_movements: Collection[Movement] = (), random: Random = _RANDOM) -> list[Step]:
    """Draw two different turns in a random order, with `random`.

    A morph or a print has to show both, and from one side to the other the points of a head move on an arc
    that is four times as deep as from the front. If only one turn is left, coming closer is the other
    movement. Raises ValueError when no turn is left.
    """
    turns = [turn for turn in _TURNS if turn not in excluded_movements]
    if not turns:
        raise ValueError("no turn is left")
    movements = random.sample(turns, min(2, len(turns)))
    if len(movements) == 1 and Movement.CLOSER not in excluded_movements:
        movements.insert(random.randrange(2), Movement.CLOSER)
    begins = random.randrange(*_FIRST_MS)
    return [
        Step(movement, begins + STEP_MS * index, begins + STEP_MS * (index + 1))
        for index, movement in enumerate(movements)
    ]


def draw_one_more(excluded_movements: Collection[Movement] = (), random: Random = _RANDOM) -> list[Step]:
    """Draw one turn with `random`, for a film after one that was in doubt.

    Raises ValueError when no turn is left.
    """
    turns = [turn for turn in _TURNS if turn not in excluded_movements]
    if not turns:
        raise ValueError("no turn is left")
    begins = random.randrange(*_FIRST_MS)
    return [Step(random.choice(turns), begins, begins + STEP_MS)]


def _hash(challenge_id: str) -> str:
    return hashlib.sha256(challenge_id.encode()).hexdigest()
