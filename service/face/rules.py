"""Decides whether a picture is good enough and whether a face matches a user. Pure.

Every refusal of an enrolment has a sentence that says what to change; a failed login never gives the reason.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from service.face.engines.engine import PictureAnalysis, Quality, SequenceAnalysis, Thresholds
from service.face.engines.picture import PictureFault
from service.face.liveness.movements import Reason
from shared.record.codes import ErrorCode, Permission
from shared.wire.face import (
    CHALLENGE_ADVICE,
    CHALLENGE_FAILED,
    CHALLENGE_NEEDED,
    ChallengeAdvice,
    Weakness,
)

# The rate of false matches that one login may have, over all enrolled templates together.
FALSE_MATCH_RATE = 1e-3
# How much better than the best other user a match must be, in cosine or distance.
MARGIN = 0.05

# From this distance of the eyes on (in that of the largest face) another face counts as a second person at an
# enrolment, and at a login. The boxes of faces differ between engines, and the eyes do not.
COMPANION, LOGIN_COMPANION = 0.4, 1 / 1.5


# The age of templates after which users are asked to renew them, because faces change.
RENEW_AFTER = timedelta(days=365)


class QualityFault(StrEnum):
    """Why a picture is refused for an enrolment or a login."""

    NO_FACE = "no_face"
    SEVERAL_FACES = "several_faces"
    FACE_TOO_SMALL = "face_too_small"
    TOO_BRIGHT = "too_bright"
    TOO_DARK = "too_dark"
    BLURRED = "blurred"
    TURNED_AWAY = "turned_away"
    COVERED = "covered"
    GREY = "grey"
    NOT_LIVE = "not_live"
    DIFFERENT_PEOPLE = "different_people"
    OTHER_USER = "somebody_else"
    NOT_THE_ENROLLED = "not_the_enrolled"


# The same for a photo that looks like a screen and for the face of another user, so that nobody learns whose
# face is enrolled. The audit log has the second.
_NOT_ACCEPTED = "照片未通过检查，请本人正对摄像头，不要使用照片或屏幕；如仍不通过，请联系管理员"

SENTENCES: dict[PictureFault | QualityFault, str] = {
    PictureFault.NOT_BASE64: "人脸照片不是有效的 Base64 内容，请重新选择照片",
    PictureFault.TOO_LARGE: "照片超过 10 MB，请选择较小的照片",
    PictureFault.FORMAT: "不支持此文件类型，请选择 JPEG、PNG 或 WebP 照片",
    PictureFault.TOO_MANY_PIXELS: "照片超过 5000 万像素，请缩小后重试",
    PictureFault.TOO_SMALL: "照片尺寸过小，请选择更清晰的照片",
    PictureFault.DAMAGED: "照片已损坏，请重新拍摄或选择其他照片",
    QualityFault.NO_FACE: "未检测到人脸，请摘下口罩、正对摄像头，使整张脸进入画面",
    QualityFault.SEVERAL_FACES: "画面中有多人，请确保只有本人入镜",
    QualityFault.FACE_TOO_SMALL: "人脸过小，请靠近摄像头后重拍",
    QualityFault.TOO_BRIGHT: "人脸过亮，请避开强光后重拍",
    QualityFault.TOO_DARK: "人脸过暗，请增加光线后重拍",
    QualityFault.BLURRED: "人脸模糊，请保持不动、擦净镜头后重拍",
    QualityFault.TURNED_AWAY: "人脸偏转过大，请正对摄像头后重拍",
    QualityFault.COVERED: "口鼻被遮挡，请摘下口罩后重拍",
    QualityFault.GREY: "画面为黑白，活体检测需要彩色画面，请更换摄像头，或使用密码登录",
    QualityFault.NOT_LIVE: _NOT_ACCEPTED,
    QualityFault.DIFFERENT_PEOPLE: "照片不是同一人，请全部重拍",
    QualityFault.OTHER_USER: _NOT_ACCEPTED,
    QualityFault.NOT_THE_ENROLLED: "照片与已登记的人脸不符，请使用密码登录后再更换人脸",
}


@dataclass(frozen=True, slots=True)
class QualityLimits:
    """The limits of a picture for the measures in `quality.Quality`."""

    inter_ocular: float
    darkest: float
    brightest: float
    burnt: float
    black: float
    sharpness: float
    yaw: float
    roll: float
    cover: float


# An enrolment needs good pictures, since it lasts. A login may happen in bad light, and its score decides.
ENROLMENT = QualityLimits(
    inter_ocular=40,
    darkest=45,
    brightest=225,
    burnt=0.2,
    black=0.4,
    sharpness=0.012,
    yaw=0.35,
    roll=30,
    cover=14,
)
LOGIN = QualityLimits(
    inter_ocular=28,
    darkest=30,
    brightest=240,
    burnt=0.5,
    black=0.6,
    sharpness=0.006,
    yaw=0.45,
    roll=40,
    cover=22,
)


def find_enrolment_fault(analysis: PictureAnalysis, liveness_limit: float | None) -> QualityFault | None:
    """Return the fault of a picture for an enrolment; None if it is good enough."""
    return _find_fault(analysis, ENROLMENT, COMPANION, liveness_limit)


# A photo this close to a limit of `ENROLMENT` is accepted, but later logins fail more often.
_SMALL, _DARK, _BRIGHT, _BLURRED = 60, 70, 205, 0.02
# Difference of the nose's position between two views, in inter-ocular distances, and the views of a whole
# enrolment: front, left and right.
_MIN_YAW_DIFFERENCE = 0.1
_VIEWS = 3


def weaknesses(photos: Sequence[Quality]) -> list[Weakness]:
    """Return what may make logins fail after an enrolment by `photos`; a weakness must be in all of them."""
    candidates: list[tuple[Weakness, bool]] = [
        ("one_photo", len(photos) == 1),
        ("front_only", len(photos) > 1 and _count_views(photos) < _VIEWS),
        ("small", all(photo.inter_ocular < _SMALL for photo in photos)),
        ("dark", all(photo.brightness < _DARK for photo in photos)),
        ("bright", all(photo.brightness > _BRIGHT for photo in photos)),
        ("blurred", all(photo.sharpness < _BLURRED for photo in photos)),
    ]
    return [name for name, holds in candidates if holds]


def _count_views(photos: Sequence[Quality]) -> int:
    """From how many sides `photos` show the face: alike ones count once."""
    count, last = 0, -math.inf
    for yaw in sorted(photo.yaw for photo in photos):
        if yaw - last >= _MIN_YAW_DIFFERENCE:
            count, last = count + 1, yaw
    return count


def find_login_fault(analysis: PictureAnalysis, liveness_limit: float | None) -> QualityFault | None:
    """Return the fault of a picture for a login; None if it may be compared."""
    return _find_fault(analysis, LOGIN, LOGIN_COMPANION, liveness_limit)


_ADVISED: dict[Reason | QualityFault, ChallengeAdvice] = {
    QualityFault.TOO_DARK: "too_dark",
    QualityFault.FACE_TOO_SMALL: "face_too_small",
    Reason.NO_FACE: "no_face",
    Reason.TOO_FEW_FRAMES: "too_few_frames",
    Reason.NOT_STEADY: "not_steady",
    Reason.NOT_MADE: "not_made",
    Reason.FACE_LOST: "face_lost",
    Reason.WRONG_MOVEMENT: "wrong_movement",
    Reason.STILL: "still",
}


def find_advice(sequence: SequenceAnalysis) -> ChallengeAdvice | None:
    """Return what the person in a refused film can do better; light and distance come first.

    None where a cut or another person was seen: these reasons would help only an attacker.
    """
    if sequence.reason not in _ADVISED and sequence.reason is not Reason.LIVE:
        return None
    fault = find_login_fault(sequence.first, None) if sequence.first.faces else None
    return _ADVISED.get(fault) if fault in _ADVISED else _ADVISED.get(sequence.reason)


# A face with less colour is grey: a liveness model refuses 96 to 100 % of grey pictures of people. Faces of
# three people at cameras have 26 to 66.
GREY = 6.0


def _find_fault(
    analysis: PictureAnalysis, limits: QualityLimits, companion: float, liveness_limit: float | None
) -> QualityFault | None:
    first, *others = [face.inter_ocular for face in analysis.faces] or [0.0]
    if any(other > companion * first for other in others):
        return QualityFault.SEVERAL_FACES
    quality = analysis.quality
    if quality is None or analysis.embedding is None:
        return QualityFault.NO_FACE
    checks = (
        (quality.inter_ocular < limits.inter_ocular, QualityFault.FACE_TOO_SMALL),
        (quality.burnt > limits.burnt or quality.brightness > limits.brightest, QualityFault.TOO_BRIGHT),
        (quality.black > limits.black or quality.brightness < limits.darkest, QualityFault.TOO_DARK),
        (abs(quality.yaw) > limits.yaw or abs(quality.roll) > limits.roll, QualityFault.TURNED_AWAY),
        (quality.sharpness < limits.sharpness, QualityFault.BLURRED),
        (quality.cover > limits.cover, QualityFault.COVERED),
        (liveness_limit is not None and quality.colour < GREY, QualityFault.GREY),
        (
            liveness_limit is not None and (analysis.liveness is None or analysis.liveness < liveness_limit),
            QualityFault.NOT_LIVE,
        ),
    )
    return next((fault for is_violated, fault in checks if is_violated), None)


@dataclass(frozen=True, slots=True)
class Match:
    """The best enrolled user for a face, the score, and that of the best other user, None without one."""

    user_id: str
    score: float
    runner_up: float | None


CHALLENGE_REQUIRED = "asked_for"
"""The reason why a picture of a user did not lead to a login: the policy requires a challenge."""
# A score less than this above the threshold is doubtful.
DOUBT = 0.05
STRONG = frozenset((Permission.USER_MANAGE, Permission.MODEL_MANAGE, Permission.SETTINGS_MANAGE))
"""Users with one of these permissions can change users, models or settings."""


@dataclass(frozen=True, slots=True)
class Identification:
    """The result of a face login: the user's id or None, the fault of the answer to a challenge and what the
    person can do better, whether the picture alone is doubtful, and whether it is grey, so that the liveness
    model could not check it.
    """

    user_id: str | None
    challenge: str | None = None
    advice: ChallengeAdvice | None = None
    doubtful: bool = False
    grey: bool = False

    @property
    def error(self) -> str:
        """The stable code of the failure."""
        if self.challenge == CHALLENGE_REQUIRED:
            return ErrorCode.CHALLENGE_NEEDED
        if self.challenge is None:
            return ErrorCode.FACE_UNKNOWN
        return ErrorCode.CHALLENGE_FAILED if self.advice is None else f"challenge_{self.advice}"

    @property
    def refusal(self) -> str:
        """The sentence of the failure, which is about the movement and never about the person."""
        if self.challenge == CHALLENGE_REQUIRED:
            return CHALLENGE_NEEDED
        if self.advice is not None:
            return CHALLENGE_ADVICE[self.advice]
        return "无法校验人脸" if self.challenge is None else CHALLENGE_FAILED


def threshold(thresholds: Thresholds, templates: int) -> float:
    """Return the score that a match needs among `templates` templates."""
    return thresholds.at(FALSE_MATCH_RATE / max(templates, 1))


def is_accepted(match: Match | None, required_score: float) -> bool:
    """Return whether `match` is over the threshold and clearly better than for all other users."""
    if match is None or match.score < required_score:
        return False
    return match.runner_up is None or match.score - match.runner_up >= MARGIN


def is_same_person(scores: Sequence[float], thresholds: Thresholds) -> bool:
    """Return whether the scores of all pairs of an enrolment's pictures allow that they show one person."""
    return all(score >= threshold(thresholds, 1) for score in scores)


# --- failures of a station --------------------------------------------------------------------------------

FAILURES_PER_PAUSE = 5
FIRST_PAUSE = timedelta(seconds=30)
FAILURES_UNTIL_OFF = 50
# How long the failures of a station without attempts are kept.
STATION_MEMORY = timedelta(days=90)


def pause_duration(failures: int) -> timedelta | None:
    """Return the pause after the n-th failure in a row: 30 s after the 5th, doubled after every 5 more."""
    if failures == 0 or failures % FAILURES_PER_PAUSE:
        return None
    doublings = min(failures, FAILURES_UNTIL_OFF) // FAILURES_PER_PAUSE - 1
    return FIRST_PAUSE * (1 << doublings)


def is_off(failures: int) -> bool:
    """Return whether a station is blocked for face logins until someone logs in there by password."""
    return failures >= FAILURES_UNTIL_OFF
