"""Bodies of accounts: login, tokens, profile, users.

Passwords and face images are SecretStr, so that no log line or error text contains them.
"""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, SecretStr, StrictBool

from shared.limits import (
    MAX_FACE_PICTURE_BYTES,
    MAX_FACE_PICTURE_PIXELS,
    MAX_NEW_PASSWORD,
    MAX_USERNAME,
    MIN_NEW_PASSWORD,
)
from shared.record.codes import Permission, Role
from shared.wire.common import FilledText, ItemTime, OptionalName, WireModel

MAX_PASSWORD = 1024
"""Characters of the longest password that is checked. A new one has at most `MAX_NEW_PASSWORD`."""

Password = Annotated[SecretStr, Field(max_length=MAX_PASSWORD)]

# These are the rules that OpenAPI can express. `service.account` checks all rules and answers with a
# sentence.
NewPassword = Annotated[
    Password,
    Field(
        json_schema_extra={
            "format": "new-password",
            "minLength": MIN_NEW_PASSWORD,
            "maxLength": MAX_NEW_PASSWORD,
        }
    ),
]
NewUsername = Annotated[
    FilledText, Field(json_schema_extra={"format": "username", "maxLength": MAX_USERNAME})
]


FACE_PICTURE_SCHEMA: dict[str, Any] = {
    "description": "Base64 of a JPEG, PNG or WebP picture, also as a data: URL",
    "x-max-picture-bytes": MAX_FACE_PICTURE_BYTES,
    "x-max-picture-pixels": MAX_FACE_PICTURE_PIXELS,
}


class Login(WireModel):
    """Body of password login."""

    username: FilledText
    password: Password


class Refresh(WireModel):
    """Body of refresh and of logout."""

    refresh_token: Annotated[SecretStr, Field(max_length=4096)]


class UserStatus(StrEnum):
    """Whether a user can log in."""

    ENABLED = "enabled"
    DISABLED = "disabled"


class User(WireModel):
    """A user, as `user` of the login payload and in the list of users.

    `status` says the same as `enabled`. `last_login`: when the user last logged in, null before the first
    time.
    """

    user_id: str
    username: str
    name: str | None
    email: str | None
    phone: str | None
    gender: str | None
    work_years: int | None
    department: str | None
    has_face: bool
    enabled: bool
    status: UserStatus = UserStatus.ENABLED
    last_login: ItemTime | None = None
    created_at: ItemTime
    updated_at: ItemTime


class Payload(WireModel):
    """The current user and their permissions."""

    user: User
    role: list[Role]
    permissions: list[Permission]


class Tokens(WireModel):
    """`data` of a login and of a refresh. `expires_in`: seconds until the access token expires."""

    access_token: str
    refresh_token: str
    token_type: str = "Bearer"  # noqa: S105 - the scheme's name
    expires_in: int
    payload: Payload


class UserCreate(WireModel):
    """Body of create user (needs USER.MANAGE)."""

    username: NewUsername
    password: NewPassword
    name: OptionalName = None
    roles: Annotated[list[Role], Field(min_length=1, max_length=4)]


class UserUpdate(WireModel):
    """Body of update user (needs USER.MANAGE); only the fields sent change."""

    name: OptionalName = None
    roles: Annotated[list[Role], Field(min_length=1, max_length=4)] | None = None
    enabled: StrictBool | None = None
    password: NewPassword | None = None


class UserWithRoles(User):
    """A user in the list that an admin sees."""

    roles: list[Role]


class LoginSession(WireModel):
    """A session that has not ended.

    `methods`: how the user logged in ("pwd", "face"). `program`: what logged in, with its system, as it named
    itself; null when it did not. `used_at` is behind by some minutes. `current`: it is the caller's own.
    """

    session_id: str
    methods: list[str]
    address: str
    program: str | None
    created_at: ItemTime
    used_at: ItemTime
    current: bool


class ProfileUpdate(WireModel):
    """Body of update profile: only the fields sent change; null or an empty text clears a field.

    The service answers an invalid value with code 1 and a sentence.
    """

    email: Annotated[str | None, Field(max_length=254, description="Email address")] = None
    phone: Annotated[str | None, Field(max_length=32, description="Digits, spaces, brackets, + and -")] = None
    name: Annotated[str | None, Field(max_length=255, description="Full name")] = None
    gender: Annotated[str | None, Field(max_length=32)] = None
    work_years: Annotated[int | None, Field(ge=0, le=80)] = None
    department: Annotated[str | None, Field(max_length=255)] = None
    faceInfo: Annotated[str, Field(json_schema_extra=FACE_PICTURE_SCHEMA)] | None = None  # noqa: N815


class UpdatePassword(WireModel):
    """Body of change password: the current one and the new one."""

    password: Password
    newPassword: Password  # noqa: N815 - the contract's name


class FirstAdmin(WireModel):
    """Body of `POST /auth/first-run`: the first admin, while there is no user."""

    username: NewUsername
    password: NewPassword
    name: OptionalName = None


class FirstRun(WireModel):
    """`data` of `GET /auth/first-run`: whether the first admin must still be created."""

    needed: bool
