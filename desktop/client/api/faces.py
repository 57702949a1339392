"""Calls the service for face login as the administrator sees it (needs SETTINGS_MANAGE)."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from desktop.client.http.transport import Transport, segment
from shared.wire.common import Envelope
from shared.wire.face import FaceCalibration, FacePolicy, StrangerScores

# The engine may have to be loaded first.
_SECONDS = 60.0


class Faces:
    """The switch of face login, and what the enrolled faces say about the threshold."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def login_enabled(self) -> bool:
        """Whether face login is switched on."""
        return self._transport.call("GET", "/face/policy").read(Envelope[FacePolicy]).data.login_enabled

    def switch_login(self, on: bool) -> bool:
        """Switch face login on or off for everyone. Raises Forbidden without a recent password login."""
        answer = self._transport.call("PUT", "/face/policy", body={"login_enabled": on})
        return answer.read(Envelope[FacePolicy]).data.login_enabled

    def calibration(self) -> FaceCalibration:
        """The scores of the enrolled faces against each other, and the threshold in force."""
        answer = self._transport.call("GET", "/face/calibration", seconds=_SECONDS)
        return answer.read(Envelope[FaceCalibration]).data

    def compare_strangers(self, images: Sequence[bytes]) -> StrangerScores:
        """Compare 1 to 10 pictures (JPEG, PNG or WebP) of people who are not enrolled with those who are.

        Raises Forbidden without a recent password login.
        """
        body = {"images": [base64.b64encode(image).decode("ascii") for image in images]}
        answer = self._transport.call("POST", "/face/calibration/strangers", body=body, seconds=_SECONDS)
        return answer.read(Envelope[StrangerScores]).data

    def forget(self, user_id: str) -> bool:
        """Delete the enrolled face of a user (needs USER.MANAGE); False when there was none.

        Raises Forbidden without a recent password login.
        """
        answer = self._transport.call("DELETE", f"/face/enrolments/{segment(user_id)}")
        return answer.read(Envelope[bool]).data
