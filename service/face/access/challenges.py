"""Draws challenges for face logins and takes each one back once, from the database that all processes
share.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from random import Random

from sqlalchemy import func
from sqlmodel import Session, col, delete, select

from service.db.database import Database, now
from service.face.access.stations import busy
from service.face.liveness.movements import Movement, Step
from service.face.tables import FaceChallenge
from service.web import addresses
from shared.wire.face import ChallengeStep, DrawnChallenge

# From the draw to the answer: a few seconds of film and a slow network.
LIFE = timedelta(seconds=30)
# How many of one station may wait: a whole site may share one address.
MOST_WAITING = 20
BUSY_SECONDS = 30
# When the first movement is asked for, and how long there is for one; together at most 4 s. The moment is
# drawn: a film that was made before cannot know it.
_FIRST_MS = (400, 800)
STEP_MS = 1600
# The times of the frames are the client's: they must fit into the time that passed here.
_CLOCK_SLACK = timedelta(milliseconds=500)
# The movements that show the shape of the face.
_TURNS = (Movement.LEFT, Movement.RIGHT, Movement.UP)
_RANDOM = secrets.SystemRandom()


class Challenges:
    """The challenges that wait for their answers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def draw(self, address: str, avoided: Collection[Movement] = ()) -> DrawnChallenge:
        """Draw a challenge for the station at `address`, without the movements that the person cannot make.

        Raises ValueError when no turn is left, Problem 429 when too many of the station wait.
        """
        steps, challenge_id, station = (
            draw_steps(avoided),
            secrets.token_urlsafe(32),
            addresses.group(address),
        )

        def write(session: Session) -> datetime:
            at = now()
            session.exec(delete(FaceChallenge).where(col(FaceChallenge.expires_at) < at))
            waiting = select(func.count()).where(FaceChallenge.station == station)
            if (session.exec(waiting).first() or 0) >= MOST_WAITING:
                raise busy(BUSY_SECONDS)
            session.add(
                FaceChallenge(
                    challenge_hash=_hash(challenge_id),
                    station=station,
                    steps=json.dumps([(step.movement, step.from_ms, step.to_ms) for step in steps]),
                    drawn_at=at,
                    expires_at=at + LIFE,
                )
            )
            return at + LIFE

        expires_at = await self._database.write(write)
        return DrawnChallenge(
            challenge_id=challenge_id,
            steps=[
                ChallengeStep(movement=step.movement.value, from_ms=step.from_ms, to_ms=step.to_ms)
                for step in steps
            ],
            expires_at=expires_at,
        )

    async def take(self, challenge_id: str, address: str, filmed_ms: float) -> tuple[Step, ...] | None:
        """The steps of a challenge, which is used up now; None for one that is unknown, used or expired,
        that another station drew, or since when less time has passed than `filmed_ms`.
        """

        def write(session: Session) -> FaceChallenge | None:
            challenge = session.get(FaceChallenge, _hash(challenge_id), with_for_update=True)
            if challenge is not None:
                session.delete(challenge)
                session.flush()
            return challenge

        challenge = await self._database.write(write)
        at = now()
        if challenge is None or challenge.station != addresses.group(address) or at > challenge.expires_at:
            return None
        if at - challenge.drawn_at + _CLOCK_SLACK < timedelta(milliseconds=filmed_ms):
            return None
        return tuple(Step(Movement(name), begins, ends) for name, begins, ends in json.loads(challenge.steps))


def draw_steps(avoided: Collection[Movement] = (), random: Random = _RANDOM) -> list[Step]:
    """Draw two different turns in a random order, with `random`.

    A morph or a print has to show both, and from one side to the other the points of a head move on an arc
    that is four times as deep as from the front. If only one turn is left, coming closer is the other
    movement. Raises ValueError when no turn is left.
    """
    turns = [each for each in _TURNS if each not in avoided]
    if not turns:
        raise ValueError("no turn is left")
    movements = random.sample(turns, min(2, len(turns)))
    if len(movements) == 1 and Movement.CLOSER not in avoided:
        movements.insert(random.randrange(2), Movement.CLOSER)
    begins = random.randrange(*_FIRST_MS)
    return [
        Step(movement, begins + STEP_MS * index, begins + STEP_MS * (index + 1))
        for index, movement in enumerate(movements)
    ]


def _hash(challenge_id: str) -> str:
    return hashlib.sha256(challenge_id.encode()).hexdigest()
