"""Bodies of face enrolment and face login. Pictures are SecretStr, so that no log or error contains them."""

from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, ConfigDict, Field, SecretStr, StrictBool, WithJsonSchema

from shared.limits import (
    MAX_FRAME_LENGTH,
    MAX_FRAMES,
)
from shared.wire.account import FACE_PICTURE_SCHEMA
from shared.wire.common import ItemTime, RequiredName, StrictNumber, WireModel

FacePicture = Annotated[SecretStr, Field(json_schema_extra=FACE_PICTURE_SCHEMA)]
"""A picture of a face. The service answers with a sentence if it exceeds a limit."""


class FaceInfo(WireModel):
    """Body of update face info; absent, null and empty all count as missing."""

    faceInfo: FacePicture | None = None  # noqa: N815 - the contract's name


_UNREADABLE_PICTURE = "?"
"""A text that is not Base64, so that no picture can be read from it."""


def _replace_non_text(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else _UNREADABLE_PICTURE


class FaceLogin(WireModel):
    """Body of face login; absent, null and empty all count as missing.

    Anything but text is a picture that cannot be read: it fails like every other, so the schema has no type.
    """

    faceInfo: Annotated[  # noqa: N815 - the contract's name
        SecretStr | None,
        BeforeValidator(_replace_non_text),
        WithJsonSchema({"title": "Faceinfo", **FACE_PICTURE_SCHEMA}),
    ] = None


class FaceEnrolment(WireModel):
    """Body of an enrolment with several pictures of the same person (front, left, right, with glasses)."""

    images: Annotated[list[FacePicture], Field(min_length=1, max_length=5)]
    consent: Literal[True]


Weakness = Literal["one_photo", "front_only", "small", "dark", "bright", "blurred"]
"""Why logins can fail after an accepted enrolment: only one photo, photos that are too alike (not one
each from the front and from both sides), or all photos near a limit.
"""


class FaceStatus(WireModel):
    """Whether the caller is enrolled, and the consent text that an enrolment agrees to.

    `usable` is false when the enrolment was made with another model and has to be repeated; `login_enabled`
    is the admin's switch; `recommend_pack` is true while the default engine is in use; `renewal_due` is true
    for an enrolment that is so old that a face may have changed since. `weaknesses` are those of the photos
    of an enrolment, in its answer alone.
    """

    enrolled: bool
    usable: bool
    templates: int
    model: str
    enrolled_at: ItemTime | None
    consent_version: str | None
    consented_at: ItemTime | None
    login_enabled: bool
    recommend_pack: bool
    renewal_due: bool = False
    weaknesses: list[Weakness] = Field(default_factory=list)
    current_consent_version: str
    current_consent_text: str


ChallengeRule = Literal["off", "in_doubt", "always"]
"""When a face login needs a challenge. off: never. in_doubt: if no liveness model checks the picture, the
station has just failed, or the face is barely recognised. always: at every login.
"""


class FacePolicy(WireModel):
    """Whether face login is enabled, and when it requires more than one picture.

    `challenge_admins` holds for users who can change users, models or settings, `challenge_others` for all
    others. `allowed_devices_only`: a face login needs the token of a device that an administrator has
    allowed. `refuse_virtual_cameras`: the desktop does not film with a virtual camera that it recognises.
    `photo_risk_accepted`: an administrator's yes to face logins without a liveness model and without a
    challenge, which a photo of the user passes.
    What is absent in a change stays as it is.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "login_enabled": True,
                    "challenge_admins": "always",
                    "challenge_others": "in_doubt",
                    "allowed_devices_only": True,
                    "refuse_virtual_cameras": True,
                    "photo_risk_accepted": False,
                }
            ]
        }
    )

    login_enabled: StrictBool
    challenge_admins: ChallengeRule | None = None
    challenge_others: ChallengeRule | None = None
    allowed_devices_only: StrictBool | None = None
    refuse_virtual_cameras: StrictBool | None = None
    photo_risk_accepted: StrictBool | None = None


class FaceRequirements(WireModel):
    """What a client has to know before a face login: the policies in force, without information about users.

    `challenge` is "always" where every login has to answer one, so that a picture alone need not be tried,
    and "sometimes" where some have to. `offered` is whether a client should offer face login: it is enabled,
    and a liveness model or a challenge at every login protects it, or an administrator accepts the risk.
    `needs_colour` is whether a grey or infrared camera is refused, as by a liveness model.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "login_enabled": True,
                    "offered": True,
                    "needs_colour": True,
                    "challenge": "sometimes",
                    "allowed_devices_only": False,
                    "refuse_virtual_cameras": True,
                }
            ]
        }
    )

    login_enabled: bool
    offered: bool = True
    needs_colour: bool = False
    challenge: Literal["off", "sometimes", "always"]
    allowed_devices_only: bool
    refuse_virtual_cameras: bool


DEVICE_HEADER: Final = "X-Device-Token"
"""The header of a face login that carries the token of an allowed device."""

MAX_DEVICES: Final = 500
"""Devices of an installation."""


class DeviceName(WireModel):
    """The name of a device that may be used for face logins."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Hangar 2, gate A"}]})

    name: RequiredName


class Device(DeviceName):
    """A device that an administrator has allowed for face logins."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "device_id": "0198c0de-7f00-7000-8000-0000000000d1",
                    "name": "Hangar 2, gate A",
                    "allowed_at": "2026-03-01T08:20:30.000000Z",
                    "last_used_at": None,
                }
            ]
        }
    )

    device_id: str
    allowed_at: ItemTime
    last_used_at: ItemTime | None
    """The last face login on the device, to the hour; None before the first."""


class NewDevice(Device):
    """A device that has just been allowed, with its token, which the service never gives again."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "device_id": "0198c0de-7f00-7000-8000-0000000000d1",
                    "name": "Hangar 2, gate A",
                    "allowed_at": "2026-03-01T08:20:30.000000Z",
                    "last_used_at": None,
                    "token": "4jG0uU7d8cGmZ1bYpN2rX5sQwE9tKvLhA3fMiOoRyTc",
                }
            ]
        }
    )

    token: str = Field(repr=False)


CHALLENGE_FAILED: Final = "未能确认是真人按提示做的动作，请按提示重试，或使用密码登录"
"""The message for an answer to a challenge that does not show the movements."""

ChallengeAdvice = Literal[
    "no_face",
    "face_too_small",
    "too_dark",
    "too_few_frames",
    "not_steady",
    "not_made",
    "face_lost",
    "wrong_movement",
    "still",
]
"""What a person can do better who followed a challenge: show the whole face, come nearer, use more light (two
of them), look ahead until the arrow appears, turn further, turn less far and slower, follow the arrow, or
blink or smile before it appears.
"""

CHALLENGE_ADVICE: Final[dict[str, str]] = {
    "no_face": "未看到整张脸，请正对摄像头并靠近一些，再按提示重试，或使用密码登录",
    "face_too_small": "人脸过小，请靠近摄像头，再按提示重试，或使用密码登录",
    "too_dark": "人脸过暗，请增加光线，再按提示重试，或使用密码登录",
    "too_few_frames": "画面过少，请增加光线，再按提示重试，或使用密码登录",
    "not_steady": "动作开始过早，请先正视前方保持不动，出现提示后再转头，或使用密码登录",
    "not_made": "动作幅度不够，请按提示转得更多一些，或使用密码登录",
    "face_lost": "转头过快或过大，人脸离开了画面，请转得慢一些、小一些，或使用密码登录",
    "wrong_movement": "动作与提示不符，请按箭头方向转头，或使用密码登录",
    "still": "面部没有任何变化，请自然地看着摄像头，眨眨眼，出现提示后再转头，或使用密码登录",
}
"""The message for each `ChallengeAdvice`, in place of `CHALLENGE_FAILED`."""

CHALLENGE_NEEDED: Final = "此账号的人脸登录需按提示转动头部，请重试，或使用密码登录"
"""The message for a login by one picture if the policy requires a challenge; the client then films one."""


MovementName = Literal["left", "right", "up", "closer"]


class ChallengeRequest(WireModel):
    """Which movements the person cannot make; at least one of left, right and up has to remain."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"avoid": ["up"]}]})

    avoid: Annotated[list[MovementName], Field(max_length=3)]


class ChallengeStep(WireModel):
    """One movement, as the person sees it (left is their own left), asked for from `from_ms` to `to_ms`
    after the first frame.
    """

    movement: MovementName
    from_ms: int
    to_ms: int


class DrawnChallenge(WireModel):
    """A challenge of a face login: the movements to ask for, and when.

    It can be answered once, before `expires_at`.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "challenge_id": "ubzosOI8WJ6Q24dkcYIo95uklhVIxzUi0IS7LFTPOtk",
                    "steps": [{"movement": "left", "from_ms": 640, "to_ms": 2240}],
                    "expires_at": "2026-03-01T08:20:30.000000Z",
                }
            ]
        }
    )

    challenge_id: str
    steps: list[ChallengeStep]
    expires_at: ItemTime


class FilmedFrame(WireModel):
    """A frame of the camera as it is, not mirrored, `at_ms` after the first one."""

    at_ms: Annotated[int, Field(ge=0, le=20_000), StrictNumber]
    picture: Annotated[
        SecretStr,
        Field(
            max_length=MAX_FRAME_LENGTH,
            json_schema_extra={"description": "Base64 of a JPEG, PNG or WebP picture, at most 1280 x 960 px"},
        ),
    ]


class ChallengeAnswer(WireModel):
    """The frames filmed while the movements of a challenge were asked for, some 12 a second, all of one
    size.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "challenge_id": "ubzosOI8WJ6Q24dkcYIo95uklhVIxzUi0IS7LFTPOtk",
                    "frames": [
                        {"at_ms": 0, "picture": "/9j/4AAQSkZJRgABAQ..."},
                        {"at_ms": 80, "picture": "/9j/4AAQSkZJRgABAQ..."},
                    ],
                }
            ]
        }
    )

    challenge_id: Annotated[str, Field(min_length=1, max_length=100)]
    frames: Annotated[list[FilmedFrame], Field(min_length=2, max_length=MAX_FRAMES)]


class ChallengePractice(WireModel):
    """Whether an answer to a challenge would do, and what to do better; `advice` is null if it would, and if
    the film looks like anything but a person who moves.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"passed": False, "advice": "not_made"}]})

    passed: bool
    advice: ChallengeAdvice | None


class FaceModel(WireModel):
    """A face model. `state`: `in_use`; `installed`; `offered`, to be installed as `how` says (a command in
    English); `missing`, chosen but not there, so that face login does not work.

    `licence` and `allows` are names and sentences in English. `checks_liveness` is whether a liveness model
    checks logins with it: its own, or that of any installed model. A model of the engine `liveness` does
    nothing else, with every other engine.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "name": "sface",
                    "engine": "open",
                    "state": "offered",
                    "licence": "YuNet MIT, SFace Apache-2.0, MiniFASNet Apache-2.0",
                    "allows": "commercial use",
                    "research_only": False,
                    "checks_liveness": True,
                    "how": "walkaround face download sface",
                }
            ]
        }
    )

    name: str
    engine: Literal["dlib", "open", "insightface", "liveness"]
    state: Literal["in_use", "installed", "offered", "missing"]
    licence: str
    allows: str
    research_only: bool
    checks_liveness: bool
    how: str = ""


class FaceScores(WireModel):
    """Scores of one kind of pairs: their number and distribution."""

    pairs: int
    largest: float | None = None
    percentile_99: float | None = None
    median: float | None = None
    smallest: float | None = None


class FaceCalibration(WireModel):
    """How the threshold in force performs on the enrolled templates.

    Scores are larger when alike: the cosine, or minus the distance. `false_match_bound` is the upper 95 %
    bound on the rate of false matches that `strangers` many pairs allow at the threshold.
    """

    model: str
    metric: str
    templates: int
    users: int
    threshold: float
    strangers: FaceScores
    same_user: FaceScores
    false_matches: int
    false_match_bound: float | None


class Strangers(WireModel):
    """Some of the pictures of people who are not enrolled, to compare with those who are."""

    images: Annotated[list[FacePicture], Field(min_length=1, max_length=10)]


class StrangerScores(WireModel):
    """How similar the faces in some pictures of strangers are to the enrolled templates.

    `faces`: the pictures with a face; `comparisons` of each with every template, of which `false_matches`
    reach the `threshold`; `largest`: the score of the most alike. Nothing of the pictures is kept.
    """

    pictures: int
    faces: int
    comparisons: int
    false_matches: int
    largest: float | None
    threshold: float
