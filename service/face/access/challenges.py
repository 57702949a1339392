"""Draws challenges for face logins and accepts one answer to each.

Challenges are stored in the database, which all service processes share.
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

# The time from the draw to the answer: a few seconds of film and a slow network.
LIFETIME = timedelta(seconds=30)
# How many challenges of one station may wait: a whole site may share one address.
MAX_WAITING = 20
BUSY_SECONDS = 30
# When the first movement is requested: late enough to see the face change by itself (`measure_life`), and at
# random, so that a film that was made before cannot match it. With two movements, a challenge takes at most
# 4 s.
_FIRST_MS = (600, 800)
STEP_MS = 1600
# The times of the frames come from the client: they must fit into the time that has passed in the service.
_CLOCK_SLACK = timedelta(milliseconds=500)
# The movements that show the shape of the face.
_TURNS = (Movement.LEFT, Movement.RIGHT, Movement.UP)
_RANDOM = secrets.SystemRandom()


class Challenges:
    """Draws challenges and accepts their answers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def draw(self, address: str, excluded_movements: Collection[Movement] = ()) -> DrawnChallenge:
        """Draw a challenge for the station at `address`, without `excluded_movements`.

        Raises ValueError if these exclude every turn, Problem 429 if too many challenges of the station wait.
        """
        challenge_id, station = secrets.token_urlsafe(32), addresses.client_group(address)

        def write(session: Session) -> tuple[list[Step], datetime]:
            moment = now()
            session.exec(delete(FaceChallenge).where(col(FaceChallenge.expires_at) < moment))
            steps = draw_steps(excluded_movements)
            query = select(func.count()).where(FaceChallenge.station == station)
            if (session.exec(query).first() or 0) >= MAX_WAITING:
                raise busy(BUSY_SECONDS)
            session.add(
                FaceChallenge(
                    challenge_hash=_hash(challenge_id),
                    station=station,
                    steps=json.dumps([(step.movement, step.from_ms, step.to_ms) for step in steps]),
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

    async def take(self, challenge_id: str, address: str, filmed_ms: float) -> tuple[Step, ...]:
        """Delete a challenge and return its steps.

        Returns no steps if it is unknown, already answered, expired or drawn by another station, or if less
        time than `filmed_ms` has passed since it was drawn.
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
            return ()
        if moment - challenge.drawn_at + _CLOCK_SLACK < timedelta(milliseconds=filmed_ms):
            return ()
        return tuple(Step(Movement(name), begins, ends) for name, begins, ends in json.loads(challenge.steps))


def draw_steps(excluded_movements: Collection[Movement] = (), random: Random = _RANDOM) -> list[Step]:
    """Draw two different turns in a random order, with `random`.

    If only one turn is left, coming closer is the other movement. Raises ValueError when no turn is left.
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


def _hash(challenge_id: str) -> str:
    return hashlib.sha256(challenge_id.encode()).hexdigest()
