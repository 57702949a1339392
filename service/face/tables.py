"""Tables of faces. No picture is ever stored; templates are encrypted (`service.face.vault`)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base


class FaceEnrolment(Base):
    """Who is enrolled, for which model, and what they agreed to."""

    __tablename__ = "face_enrolment"

    user_id: Mapped[str] = mapped_column(String(255), primary_key=True)
    model_id: Mapped[str] = mapped_column(String(255))
    enrolled_at: Mapped[datetime]
    consent_version: Mapped[str] = mapped_column(String(64))
    consented_at: Mapped[datetime]


class FaceTemplate(Base):
    """One sealed embedding of an enrolled user."""

    __tablename__ = "face_template"

    template_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    user_id: Mapped[str] = mapped_column(
        String(255), ForeignKey("face_enrolment.user_id", ondelete="CASCADE"), index=True
    )
    sealed: Mapped[bytes] = mapped_column(LargeBinary)


class FaceStation(Base):
    """Failures in a row of one client address; they outlive a restart, or a restart would be a way around."""

    __tablename__ = "face_station"

    address: Mapped[str] = mapped_column(String(255), primary_key=True)
    failures: Mapped[int]
    last_at: Mapped[datetime] = mapped_column(index=True)
    paused_until: Mapped[datetime | None]


class FacePolicy(Base):
    """The one row (policy_id 1) that every process reads before a face login.

    `revision` grows with each enrolment and deletion, so that another process reloads its templates.
    """

    __tablename__ = "face_policy"

    policy_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    login_enabled: Mapped[bool]
    revision: Mapped[int]
