"""Defines the tables of faces.

No picture is ever stored; templates are encrypted (`service.face.templates.vault`).
"""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from service.db.database import Base, UtcTime


class FaceEnrolment(Base, table=True):
    """Who is enrolled, for which model, and what they agreed to."""

    __tablename__ = "face_enrolment"

    user_id: str = Field(max_length=255, primary_key=True)
    model_id: str = Field(max_length=255)
    enrolled_at: datetime = Field(sa_type=UtcTime)
    consent_version: str = Field(max_length=64)
    consented_at: datetime = Field(sa_type=UtcTime)


class FaceTemplate(Base, table=True):
    """One sealed embedding of an enrolled user."""

    __tablename__ = "face_template"

    template_id: int | None = Field(default=None, primary_key=True)
    user_id: str = Field(max_length=255, index=True, foreign_key="face_enrolment.user_id", ondelete="CASCADE")
    sealed: bytes


class FaceStation(Base, table=True):
    """Failures in a row of one client address; they outlive a restart, or a restart would be a way around."""

    __tablename__ = "face_station"

    address: str = Field(max_length=255, primary_key=True)
    failures: int
    last_at: datetime = Field(sa_type=UtcTime, index=True)
    paused_until: datetime | None = Field(default=None, sa_type=UtcTime)


class FacePolicy(Base, table=True):
    """The one row (policy_id 1) that every process reads before a face login.

    `revision` grows with each enrolment and deletion, so that another process reloads its templates.
    """

    __tablename__ = "face_policy"

    policy_id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    login_enabled: bool
    revision: int
