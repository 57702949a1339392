"""Calls the service for login, own profile, own face and user management."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from desktop.client.http.errors import ClientError
from desktop.client.http.transport import Calls, segment
from shared.record.codes import Role
from shared.wire.account import (
    FirstRun,
    LoginSession,
    Payload,
    Tokens,
    User,
    UserUpdate,
    UserWithRoles,
)
from shared.wire.common import Envelope, Page
from shared.wire.face import (
    DEVICE_HEADER,
    ChallengePractice,
    DrawnChallenge,
    FaceRequirements,
    FaceStatus,
    MovementName,
)

_ME = Envelope[Payload]
_TOKENS = Envelope[Tokens]
_SESSIONS = Envelope[Page[LoginSession]]
# The first face after a start waits for the engine to load.
_FACE_SECONDS = 60.0


def _as_base64(image: bytes) -> str:
    return base64.b64encode(image).decode("ascii")


def _answer_body(challenge_id: str, frames: Sequence[tuple[int, bytes]]) -> dict[str, Any]:
    pictures = [{"at_ms": at_ms, "picture": _as_base64(picture)} for at_ms, picture in frames]
    return {"challenge_id": challenge_id, "frames": pictures}


def _device(token: str) -> dict[str, str]:
    return {DEVICE_HEADER: token} if token else {}


class Account(Calls):
    """The calls of the logged-in user: login, logout, own profile, password and face."""

    def first_run_needed(self) -> bool:
        """Whether no user exists, so that the first administrator must be created."""
        return self._transport.call("GET", "/auth/first-run", login=False).data(FirstRun).needed

    def first_run(self, username: str, password: str, name: str | None = None) -> Payload:
        """Create the first administrator and log in as this user. Allowed only on the service's computer.

        Raises Refused or Conflict when the first user exists already, Invalid or Refused for a bad password.
        """
        body = {"username": username, "password": password, "name": name}
        return self._log_in("/auth/first-run", body)

    def login(self, username: str, password: str) -> Payload:
        """Log in by password. Raises Refused (wrong name or password) and TooMany."""
        return self._log_in("/auth/login", {"username": username, "password": password})

    def login_again(self, username: str, password: str) -> Payload:
        """Log in by password while logged in. The new login replaces the old one, which ends.

        Raises Refused (wrong password) and TooMany. The old login stays then.
        """
        old = self._transport.refresh_token
        payload = self.login(username, password)
        if old is not None:
            with contextlib.suppress(ClientError):
                self._transport.call("POST", "/auth/logout", body={"refresh_token": old}, login=False)
        return payload

    def face_requirements(self) -> FaceRequirements:
        """The requirements of a face login."""
        return self._transport.get("/auth/faceRequirements", FaceRequirements, login=False)

    def login_by_face(self, image: bytes, device_token: str = "") -> Payload:
        """Log in by a picture of the face (JPEG, PNG or WebP), on the device with this token.

        Raises Refused when it cannot be verified, or (`CHALLENGE_NEEDED`) when a challenge is required.
        """
        body = {"faceInfo": _as_base64(image)}
        return self._log_in("/auth/loginByFaceInfo", body, _FACE_SECONDS, _device(device_token))

    def draw_challenge(self, avoid: Sequence[MovementName] = (), device_token: str = "") -> DrawnChallenge:
        """Draw a challenge of head movements, without those that the user cannot make.

        Raises Invalid when none of left, right and up remains, TooMany, Forbidden.
        """
        return self._transport.call(
            "POST",
            "/auth/faceChallenge",
            body={"avoid": list(avoid)},
            headers=_device(device_token),
            login=False,
        ).data(DrawnChallenge)

    def login_by_challenge(
        self, challenge_id: str, frames: Sequence[tuple[int, bytes]], device_token: str = ""
    ) -> Payload:
        """Log in by the answer to a challenge.

        `frames` are pairs of the time in ms after the first frame and a picture (JPEG, PNG or WebP). Raises
        Refused when the movements were not recognized (`CHALLENGE_ADVICE`, `CHALLENGE_FAILED`) or the face
        cannot be verified.
        """
        body = _answer_body(challenge_id, frames)
        return self._log_in("/auth/loginByFaceChallenge", body, _FACE_SECONDS, _device(device_token))

    def practise_challenge(self, challenge_id: str, frames: Sequence[tuple[int, bytes]]) -> ChallengePractice:
        """Have the answer to a challenge judged, as by `login_by_challenge`, without a login by it.

        Raises Refused for a challenge that cannot be answered any more, TooMany.
        """
        body = _answer_body(challenge_id, frames)
        answer = self._transport.call("POST", "/auth/face/practice", body=body, seconds=_FACE_SECONDS)
        return answer.data(ChallengePractice)

    def _log_in(
        self,
        path: str,
        body: Mapping[str, Any],
        seconds: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Payload:
        answer = self._transport.call("POST", path, body=body, headers=headers, login=False, seconds=seconds)
        tokens = answer.read(_TOKENS).data
        self._transport.use_tokens(tokens)
        return tokens.payload

    def logout(self) -> None:
        """Drop the tokens, and end the login if the service can be reached."""
        refresh = self._transport.drop_tokens()
        if refresh is not None:
            with contextlib.suppress(ClientError):
                self._transport.call("POST", "/auth/logout", body={"refresh_token": refresh}, login=False)

    def me(self) -> Payload:
        """The logged-in user and their permissions at this moment."""
        return self._transport.call("GET", "/auth/me").read(_ME).data

    def update_info(self, fields: Mapping[str, Any]) -> User:
        """Change any of email, phone, name, gender, work_years, department; None clears a field.

        Raises Refused, whose `data` is a sentence that names the invalid field.
        """
        return self._transport.call("POST", "/auth/updateInfo", body=dict(fields)).data(User)

    def update_password(self, password: str, new_password: str) -> None:
        """Change the user's password; ends the other logins of the user. Raises Refused."""
        body = {"password": password, "newPassword": new_password}
        self._transport.call("POST", "/auth/updatePassword", body=body)

    def sessions(self) -> Page[LoginSession]:
        """The user's open sessions, last used first; up to 50."""
        return self._transport.call("GET", "/auth/sessions").read(_SESSIONS).data

    def end_session(self, session_id: str) -> None:
        """End another session of the user. Raises NotFound when it has ended, Conflict for the one in use."""
        self._transport.call("DELETE", f"/auth/sessions/{segment(session_id)}")

    def end_other_sessions(self) -> int:
        """End all sessions of the user except the one in use. Returns their number."""
        return self._transport.call("DELETE", "/auth/sessions").data(int)

    def face_status(self) -> FaceStatus:
        """Whether the user's face is enrolled, and the text of the consent."""
        return self._transport.get("/auth/face", FaceStatus)

    def enrol_face(self, images: Sequence[bytes]) -> FaceStatus:
        """Enrol the user's face with 1 to 5 pictures. The user must have consented.

        Raises Refused, whose message says what to change.
        """
        body = {"images": [_as_base64(image) for image in images], "consent": True}
        return self._transport.call("POST", "/auth/face", body=body, seconds=_FACE_SECONDS).data(FaceStatus)

    def delete_face(self) -> None:
        """Delete the user's face data."""
        self._transport.call("DELETE", "/auth/face")


class Users(Calls):
    """The users of the service (needs USER.MANAGE)."""

    def list(self, page: int = 1, page_size: int = 50, q: str | None = None) -> Page[UserWithRoles]:
        """One page of the users; `q` filters by name."""
        query = {"current_page": page, "page_size": page_size, "q": q or None}
        return self._transport.get("/users", Page[UserWithRoles], query=query)

    def create(
        self, username: str, password: str, roles: Sequence[Role], name: str | None = None
    ) -> UserWithRoles:
        """Create a user. Raises Conflict when the user name is taken."""
        body = {"username": username, "password": password, "roles": list(roles), "name": name}
        return self._transport.call("POST", "/users", body=body).data(UserWithRoles)

    def update(self, user_id: str, change: UserUpdate, password: str | None = None) -> UserWithRoles:
        """Change the fields that are set in `change`, and the password if it is given."""
        body = change.model_dump(mode="json", exclude_unset=True, exclude={"password"})
        if password is not None:
            body["password"] = password
        return self._transport.call("PUT", f"/users/{segment(user_id)}", body=body).data(UserWithRoles)

    def sessions(self, user_id: str) -> Page[LoginSession]:
        """The open sessions of a user, last used first; up to 50."""
        return self._transport.call("GET", f"/users/{segment(user_id)}/sessions").read(_SESSIONS).data

    def end_session(self, user_id: str, session_id: str) -> None:
        """End one session of a user. Raises NotFound when it has ended, Conflict for the one in use."""
        path = f"/users/{segment(user_id)}/sessions/{segment(session_id)}"
        self._transport.call("DELETE", path)

    def end_sessions(self, user_id: str) -> int:
        """End all sessions of a user except the one in use. Returns their number."""
        path = f"/users/{segment(user_id)}/sessions"
        return self._transport.call("DELETE", path).data(int)
