"""Defines the tables of faces.

No picture is ever stored; templates are encrypted (`service.face.templates.vault`).
"""

from datetime import datetime

from sqlmodel import Field

from service.db.database import Base, UtcTime


class FaceEnrolment(Base, table=True):
    """An enrolled user, the model of the templates, and the version of the consent."""

    __tablename__ = "face_enrolment"

    user_id: str = Field(max_length=255, primary_key=True)
    model_id: str = Field(max_length=255)
    enrolled_at: datetime = Field(sa_type=UtcTime)
    consent_version: str = Field(max_length=64)
    consented_at: datetime = Field(sa_type=UtcTime)


class FaceTemplate(Base, table=True):
    """An encrypted embedding of an enrolled user."""

    __tablename__ = "face_template"

    template_id: int | None = Field(default=None, primary_key=True)
    user_id: str = Field(max_length=255, index=True, foreign_key="face_enrolment.user_id", ondelete="CASCADE")
    sealed: bytes


class FaceStation(Base, table=True):
    """Failures in a row of one client address, stored so that a restart does not reset them."""

    __tablename__ = "face_station"

    address: str = Field(max_length=255, primary_key=True)
    failures: int
    last_at: datetime = Field(sa_type=UtcTime, index=True)
    paused_until: datetime | None = Field(default=None, sa_type=UtcTime)


class FacePolicy(Base, table=True):
    """The single row (policy_id 1) that every process reads before a face login.

    `challenge_admins` states when a login of users who can change users, models or settings requires a
    challenge, `challenge_others` when a login of other users does (`shared.wire.face.ChallengeRule`).
    `allowed_devices_only` requires the token of a `FaceDevice`; `refuse_virtual_cameras` is for clients.
    `photo_risk_accepted` is an administrator's yes to face logins that a photo passes.
    `revision` increases with each enrolment and deletion, so that other processes reload their templates.
    """

    __tablename__ = "face_policy"

    policy_id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    login_enabled: bool
    challenge_admins: str = Field(max_length=16)
    challenge_others: str = Field(max_length=16)
    allowed_devices_only: bool
    refuse_virtual_cameras: bool
    photo_risk_accepted: bool
    revision: int


class FaceChallenge(Base, table=True):
    """A challenge that waits for its answer. The answer deletes it, so it can be answered only once.

    `challenge_hash` is the SHA-256 of its id in hex, so a copy of the database cannot answer it. `steps` is
    JSON.
    """

    __tablename__ = "face_challenge"

    challenge_hash: str = Field(max_length=64, primary_key=True)
    station: str = Field(max_length=255, index=True)
    steps: str = Field(max_length=1000)
    drawn_at: datetime = Field(sa_type=UtcTime)
    expires_at: datetime = Field(sa_type=UtcTime, index=True)


class FaceDevice(Base, table=True):
    """A device that an administrator has allowed for face logins; removing it deletes the row.

    `token_hash` is the SHA-256 of its random token in hex, so a copy of the database contains no token.
    """

    __tablename__ = "face_device"

    device_id: str = Field(max_length=36, primary_key=True)
    name: str = Field(max_length=255)
    token_hash: str = Field(max_length=64, unique=True)
    allowed_at: datetime = Field(sa_type=UtcTime)
    last_used_at: datetime | None = Field(default=None, sa_type=UtcTime)
