"""Defines the people before the camera in these tests, and how a failed login looks."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from service.web.envelope import Refusal
from shared.samples import faces
from tests.service.face.conftest import Setup, as_face_info

PERSON = as_face_info(faces.enrolment_picture())
AGAIN = as_face_info(faces.login_picture())
STRANGER = as_face_info(faces.stranger_picture())
NOBODY = as_face_info(np.full((480, 640, 3), 90, np.uint8))
ADDRESS = "192.0.2.7"
FAILED = "无法校验人脸"


async def check_refusal(setup: Setup, face_info: str, address: str = ADDRESS) -> None:
    with pytest.raises(Refusal) as caught:
        await setup.service.logins.login(face_info, address)
    assert caught.value.msg == FAILED
    assert caught.value.data is None


async def identify(setup: Setup, face_info: str) -> str | None:
    """The user that a login with this picture logs in; None when it fails."""
    before = len(setup.logged_in)
    with contextlib.suppress(Refusal):
        await setup.service.logins.login(face_info, ADDRESS)
    return setup.logged_in[-1] if len(setup.logged_in) > before else None
