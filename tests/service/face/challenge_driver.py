"""Plays a station that answers challenges, with verdicts that a test chooses."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from service.face.engines.dlib_engine import DlibEngine
from service.face.engines.engine import SequenceAnalysis
from service.face.engines.messages import FilmedFrame
from service.face.engines.picture import BadPicture, PictureFault
from service.face.enrolment import CONSENT_VERSION
from service.face.liveness.movements import Reason, Step
from service.face.tables import FaceStation
from service.web.envelope import Refusal
from shared.samples import faces
from tests.service.face.conftest import SameProcess, Setup, as_face_info

ADDRESS = "192.0.2.7"
PERSON = as_face_info(faces.enrolment_picture())
FRAMES = [FilmedFrame(0, PERSON), FilmedFrame(80, PERSON)]


@dataclass
class Judge(SameProcess):
    """Analyses pictures with the engine, and judges sequences as a test says."""

    engine: DlibEngine
    reason: Reason = Reason.LIVE
    damaged: bool = False
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(self.engine)

    async def judge(self, frames: Sequence[FilmedFrame], steps: Sequence[Step]) -> SequenceAnalysis:
        self.steps = list(steps)
        if self.damaged:
            raise BadPicture(PictureFault.DAMAGED)
        return SequenceAnalysis(self.reason, await self.analyse(frames[0].face_info))


def use_judge(setup: Setup, engine: DlibEngine, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """A judge in place of the face process of `setup`, in which a user is enrolled."""
    client = Judge(engine)
    monkeypatch.setattr(setup.service._recognition, "client", client)
    asyncio.run(setup.service.enrolments.enrol("mei", [PERSON], CONSENT_VERSION))
    return client


async def draw_challenge_id(setup: Setup, address: str = ADDRESS) -> str:
    return (await setup.service.logins.draw_challenge([], address)).challenge_id


async def answer_refusal(setup: Setup, challenge_id: str, frames: Sequence[FilmedFrame] = FRAMES) -> str:
    with pytest.raises(Refusal) as caught:
        await setup.service.logins.login_by_challenge(challenge_id, frames, ADDRESS)
    return caught.value.msg


def count_failures(setup: Setup) -> int:
    state = setup.database.read_now(lambda session: session.get(FaceStation, ADDRESS))
    return state.failures if state else 0
