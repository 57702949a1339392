"""A head that follows a challenge logs in; its photo does not.

Service and face process are real.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import pytest

from desktop.client import Session
from desktop.client.http.errors import Refused
from shared.samples import faces
from shared.wire.account import Payload
from shared.wire.face import (
    CHALLENGE_ADVICE,
    CHALLENGE_FAILED,
    CHALLENGE_NEEDED,
    ChallengeStep,
    DrawnChallenge,
    FacePolicy,
    MovementName,
)
from tests.material import heads
from tests.material.heads import Pose, Scene, Shape
from tests.service_process import ADMIN, service_process

pytestmark = pytest.mark.slow

POSES: dict[MovementName, Pose] = {"left": Pose(yaw=28), "right": Pose(yaw=-28), "up": Pose(pitch=20)}
SCENE = Scene(eye_distance=64, size=(400, 340))
FRAME_MS = 80
REACTION_MS, MOVEMENT_MS = 300, 800

Frames = list[tuple[int, bytes]]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A client of a service in which a face is enrolled, and whose policy always requires a challenge."""
    with service_process(tmp_path_factory.mktemp("data")) as url:
        session = Session(url)
        session.account.first_run(*ADMIN)
        policy = FacePolicy(login_enabled=True, challenge_admins="always", challenge_others="always")
        session.faces.change_policy(policy)
        texture = heads.portrait_texture()
        frames = [
            heads.render_head_frame(texture, Shape(), pose, SCENE)
            for pose in (Pose(), Pose(yaw=12), Pose(yaw=-12))
        ]
        session.account.enrol_face([faces.encode_picture(frame, ".jpg") for frame in frames])
        session.account.logout()
        yield session
        session.close()


def _follow(steps: Sequence[ChallengeStep]) -> list[tuple[int, Pose]]:
    """Each time in ms of a film, and the pose of someone who makes each movement when it is requested."""
    path = [(0.0, Pose())]
    for step in steps:
        begins = step.from_ms + REACTION_MS
        path += [(begins, path[-1][1]), (begins + MOVEMENT_MS, POSES[step.movement])]
    times = range(0, steps[-1].to_ms, FRAME_MS)
    return list(zip(times, heads.interpolate_poses(path, list(times)), strict=True))


def film_head(steps: Sequence[ChallengeStep]) -> Frames:
    texture, frames = heads.portrait_texture(), []
    for number, (at, pose) in enumerate(_follow(steps)):
        frame = heads.render_head_frame(texture, Shape(), pose, SCENE, number)
        frames.append((at, faces.encode_picture(frame, ".jpg")))
    return frames


def film_photo(steps: Sequence[ChallengeStep]) -> Frames:
    """A photo that is tilted as the head would turn."""
    texture, frames = heads.portrait_texture(), []
    for number, (at, pose) in enumerate(_follow(steps)):
        frame = heads.render_picture_frame(texture, pose, SCENE, number)
        frames.append((at, faces.encode_picture(frame, ".jpg")))
    return frames


def answer(session: Session, challenge: DrawnChallenge, frames: Frames) -> Payload:
    # The service refuses a film that ends before it can have been made.
    time.sleep(frames[-1][0] / 1000)
    return session.account.login_by_challenge(challenge.challenge_id, frames)


def test_head_that_follows_logs_in(session: Session) -> None:
    challenge = session.account.draw_challenge()
    assert answer(session, challenge, film_head(challenge.steps)).user.username == ADMIN[0]
    session.account.logout()


def test_photo_does_not_log_in(session: Session) -> None:
    frames = film_head([ChallengeStep(movement="left", from_ms=400, to_ms=800)])
    with pytest.raises(Refused, match=CHALLENGE_NEEDED):
        session.account.login_by_face(frames[0][1])
    challenge = session.account.draw_challenge()
    with pytest.raises(Refused) as caught:
        answer(session, challenge, film_photo(challenge.steps))
    assert caught.value.server_message in {CHALLENGE_FAILED, *CHALLENGE_ADVICE.values()}


def test_movements_can_be_tried_by_a_logged_in_user(session: Session) -> None:
    session.account.login(*ADMIN)
    challenge = session.account.draw_challenge()
    frames = film_head(challenge.steps)
    time.sleep(frames[-1][0] / 1000)
    practice = session.account.practise_challenge(challenge.challenge_id, frames)
    assert (practice.passed, practice.advice) == (True, None)
    session.account.logout()
