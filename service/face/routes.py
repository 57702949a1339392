"""Routes of face login, enrolment, and the policy and figures for administrators."""

from typing import Annotated

from fastapi import APIRouter, Header, Request

from service.face.engines.messages import FilmedFrame as Filmed
from service.face.enrolment import CONSENT_BY_CALLER, CONSENT_VERSION
from service.face.liveness.movements import Movement
from service.face.service import FaceService
from service.web.envelope import Refusal, failures
from service.web.routing import api_router
from service.web.security import Caller, client_address, client_program, require, require_login
from shared.record.codes import ErrorCode, Permission
from shared.wire.account import Tokens
from shared.wire.common import Envelope, Id
from shared.wire.face import (
    DEVICE_HEADER,
    ChallengeAnswer,
    ChallengePractice,
    ChallengeRequest,
    Device,
    DeviceName,
    DrawnChallenge,
    FaceCalibration,
    FaceEnrolment,
    FaceInfo,
    FaceLogin,
    FaceModel,
    FacePolicy,
    FaceRequirements,
    FaceStatus,
    NewDevice,
    Strangers,
    StrangerScores,
)

_MISSING_MESSAGE = "人脸信息缺失"
_EMPTY_FACE_INFO = FaceInfo()
_EMPTY_FACE_LOGIN = FaceLogin()
_DeviceToken = Annotated[
    str,
    Header(
        alias=DEVICE_HEADER,
        max_length=100,
        description="Token of an allowed device, if the policy requires one",
    ),
]


def _require_face_info(body: FaceInfo | FaceLogin) -> str:
    face_info = body.faceInfo.get_secret_value() if body.faceInfo is not None else ""
    if not face_info:
        raise Refusal(_MISSING_MESSAGE, error=ErrorCode.FACE_MISSING)
    return face_info


def _read_frames(body: ChallengeAnswer) -> list[Filmed]:
    return [Filmed(float(frame.at_ms), frame.picture.get_secret_value()) for frame in body.frames]


def router(service: FaceService) -> APIRouter:
    """The routes of this domain."""
    routes = api_router(tags=["face"])

    @routes.post("/auth/updateFaceInfo", responses=failures(401, 422, 429, 503))
    async def update_face_info(
        body: FaceInfo = _EMPTY_FACE_INFO, caller: Caller = require_login()
    ) -> Envelope[str | None]:
        """Register or replace the current user's face by one picture.

        In a face session without a password login of the last ten minutes, the picture must show the enrolled
        user.
        """
        face_info = _require_face_info(body)
        await service.enrolments.enrol_caller(caller, [face_info], CONSENT_BY_CALLER)
        return Envelope(data=face_info)

    @routes.post("/auth/loginByFaceInfo", responses=failures(403, 422, 429))
    async def login_by_face_info(
        request: Request, body: FaceLogin = _EMPTY_FACE_LOGIN, device_token: _DeviceToken = ""
    ) -> Envelope[Tokens | None]:
        """Log in by a picture of a face."""
        client = client_address(request), client_program(request), device_token
        tokens = await service.logins.login(_require_face_info(body), *client)
        return Envelope(data=tokens, msg="登录成功")

    @routes.post("/auth/faceChallenge", responses=failures(403, 422, 429, 503))
    async def draw_challenge(
        request: Request, body: ChallengeRequest, device_token: _DeviceToken = ""
    ) -> Envelope[DrawnChallenge]:
        """Draw the movements that a face login must show, without those that the user cannot make."""
        excluded_movements = [Movement(name) for name in body.avoid]
        return Envelope(
            data=await service.logins.draw_challenge(
                excluded_movements, client_address(request), device_token
            )
        )

    @routes.post("/auth/loginByFaceChallenge", responses=failures(403, 422, 429))
    async def login_by_challenge(
        request: Request, body: ChallengeAnswer, device_token: _DeviceToken = ""
    ) -> Envelope[Tokens | None]:
        """Log in by the frames that were filmed during the movements of a challenge."""
        client = client_address(request), client_program(request), device_token
        return Envelope(
            data=await service.logins.login_by_challenge(body.challenge_id, _read_frames(body), *client),
            msg="登录成功",
        )

    @routes.post("/auth/face/practice", responses=failures(401, 422, 429, 503))
    async def practise_challenge(
        body: ChallengeAnswer, caller: Caller = require_login()
    ) -> Envelope[ChallengePractice | None]:
        """Try the movements of a challenge without logging in by them. Nothing is stored."""
        frames = _read_frames(body)
        return Envelope(
            data=await service.logins.practise_challenge(body.challenge_id, frames, caller.address)
        )

    @routes.get("/auth/faceRequirements")
    async def face_requirements() -> Envelope[FaceRequirements]:
        """Return the policies that a client must know before a face login."""
        return Envelope(data=await service.requirements())

    @routes.get("/auth/face", responses=failures(401, 503))
    async def face_status(caller: Caller = require_login()) -> Envelope[FaceStatus]:
        """Return the current user's enrolment and the consent text."""
        return Envelope(data=await service.enrolments.status(caller.user_id))

    @routes.post("/auth/face", responses=failures(401, 422, 429, 503))
    async def enrol_face(
        body: FaceEnrolment, caller: Caller = require_login()
    ) -> Envelope[FaceStatus | None]:
        """Replace the current user's enrolment by one of several pictures. `consent` agrees to the consent
        text.

        In a face session without a password login of the last ten minutes, the pictures must show the
        enrolled user.
        """
        images = [image.get_secret_value() for image in body.images]
        weak = await service.enrolments.enrol_caller(caller, images, CONSENT_VERSION)
        status = await service.enrolments.status(caller.user_id)
        return Envelope(data=status.model_copy(update={"weaknesses": weak}), msg="人脸登记成功")

    @routes.delete("/auth/face", responses=failures(401, 403))
    async def forget_face(caller: Caller = require_login()) -> Envelope[bool]:
        """Delete the current user's enrolment; false if there was none.

        A face session requires a password login of the last ten minutes.
        """
        was_enrolled = await service.enrolments.forget_own(caller)
        return Envelope(data=was_enrolled, msg="人脸数据已删除" if was_enrolled else "该用户未登记人脸")

    @routes.delete("/face/enrolments/{user_id}", responses=failures(401, 403, 422))
    async def forget_face_of(
        user_id: Id, caller: Caller = require(Permission.USER_MANAGE, recent_password=True)
    ) -> Envelope[bool]:
        """Delete the enrolment of a user, for example one who has left; false if there was none."""
        was_enrolled = await service.enrolments.forget(user_id, caller.user_id, caller.address)
        return Envelope(data=was_enrolled, msg="人脸数据已删除" if was_enrolled else "该用户未登记人脸")

    admin = require(Permission.SETTINGS_MANAGE, recent_password=True)

    @routes.get("/face/policy", responses=failures(401, 403))
    async def face_policy(
        _caller: Caller = require(Permission.SETTINGS_MANAGE),
    ) -> Envelope[FacePolicy]:
        """Return whether face login is on, and when it requires movements of the head."""
        return Envelope(data=await service.oversight.policy())

    @routes.put("/face/policy", responses=failures(401, 403, 422))
    async def switch_face_login(body: FacePolicy, caller: Caller = admin) -> Envelope[FacePolicy]:
        """Turn face login on or off, and set when it requires movements. Requires a recent password login."""
        policy = await service.oversight.change_policy(body, caller.user_id, caller.address)
        return Envelope(data=policy, msg="人脸登录已开启" if body.login_enabled else "人脸登录已关闭")

    @routes.get("/face/devices", responses=failures(401, 403))
    async def face_devices(
        _caller: Caller = require(Permission.SETTINGS_MANAGE),
    ) -> Envelope[list[Device]]:
        """Return the devices that an administrator has allowed for face logins."""
        return Envelope(data=await service.devices.list_all())

    @routes.post("/face/devices", responses=failures(401, 403, 409, 422))
    async def allow_device(body: DeviceName, caller: Caller = admin) -> Envelope[NewDevice]:
        """Allow a device. Only this answer contains its token, which face logins on the device must send."""
        device = await service.devices.allow(body.name, caller.user_id, caller.address)
        return Envelope(data=device, msg="设备已允许")

    @routes.put("/face/devices/{device_id}", responses=failures(401, 403, 404, 422))
    async def rename_device(device_id: Id, body: DeviceName, caller: Caller = admin) -> Envelope[Device]:
        """Rename a device."""
        device = await service.devices.rename(device_id, body.name, caller.user_id, caller.address)
        return Envelope(data=device, msg="设备已重命名")

    @routes.delete("/face/devices/{device_id}", responses=failures(401, 403, 404, 422))
    async def end_device(device_id: Id, caller: Caller = admin) -> Envelope[bool]:
        """Remove a device from the allowed ones immediately."""
        await service.devices.end(device_id, caller.user_id, caller.address)
        return Envelope(data=True, msg="设备已移除")

    @routes.get("/face/models", responses=failures(401, 403))
    async def face_models(
        _caller: Caller = require(Permission.SETTINGS_MANAGE),
    ) -> Envelope[list[FaceModel]]:
        """Return the face models that exist, with their licences and how to get them."""
        return Envelope(data=await service.oversight.models())

    @routes.get("/face/calibration", responses=failures(401, 403, 503))
    async def face_calibration(
        _caller: Caller = require(Permission.SETTINGS_MANAGE),
    ) -> Envelope[FaceCalibration]:
        """Return the scores between enrolled users and the current threshold."""
        return Envelope(data=await service.oversight.calibration())

    @routes.post("/face/calibration/strangers", responses=failures(401, 403, 422, 429, 503))
    async def compare_strangers(body: Strangers, _caller: Caller = admin) -> Envelope[StrangerScores]:
        """Compare pictures of people who are not enrolled with the enrolled users. Nothing is stored."""
        images = [image.get_secret_value() for image in body.images]
        return Envelope(data=await service.oversight.compare_strangers(images))

    return routes
