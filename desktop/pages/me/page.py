"""Shows the user's account: profile and sessions on the left, password and face on the right."""

from __future__ import annotations

from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QWidget

from desktop.background.workers import run
from desktop.camera import sources
from desktop.context import Context
from desktop.pages.common.session_list import SessionList
from desktop.pages.login.face_login import FindSources
from desktop.pages.me.face import FaceCard
from desktop.pages.me.profile import PasswordCard, ProfileCard
from desktop.widgets import Button, Card, Page, PageHeader, column_of, confirm
from shared.record.codes import Permission
from shared.wire.account import Payload

_MAX_WIDTH = 1040


class MePage(Page):
    """The user's profile, password, face and sessions.

    `find_sources` finds the cameras; it runs in a worker thread.
    """

    page_id: ClassVar[str] = "me"
    icon: ClassVar[str] = "user"

    def __init__(self, context: Context, find_sources: FindSources = sources) -> None:
        super().__init__()
        self._context = context
        session = context.session
        self.header = PageHeader(self.tr("My account"))
        self.profile = ProfileCard(session)
        self.password = PasswordCard(session)
        self.face = FaceCard(
            session,
            context.device_token,
            find_sources=find_sources,
            preferred_camera=context.preferences.values.camera,
        )
        self.sessions = SessionList(context)
        self.log_out = Button(self.tr("Log out"), icon="logout")
        self.log_out.clicked.connect(lambda _checked=False: context.commands.run("logout"))
        self.header.add_action(self.log_out)
        self._build()
        self.profile.saved.connect(self._on_saved)
        self.password.changed.connect(lambda: self.toast.emit(self.tr("Password changed.")))
        self.face.changed.connect(self._on_face_changed)
        self.sessions.ended.connect(self.toast)

    @classmethod
    def title(cls) -> str:
        """The page's name."""
        return QCoreApplication.translate("MePage", "My account")

    def _build(self) -> None:
        inner = QWidget()
        inner.setProperty("clear", True)
        inner.setMaximumWidth(_MAX_WIDTH)
        column = column_of(self.header, parent=inner, margins=(28, 22, 28, 20), spacing=24)
        row = QHBoxLayout()
        row.setSpacing(20)
        left = column_of(self.profile, spacing=20)
        sessions = Card()
        column_of(self.sessions, parent=sessions, margins=(24, 20, 24, 20))
        left.addWidget(sessions)
        left.addStretch(1)
        right = column_of(self.face, self.password, 1, spacing=20)
        row.addLayout(left, 1)
        row.addLayout(right, 1)
        column.addLayout(row)
        column.addStretch(1)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setAlignment(Qt.AlignmentFlag.AlignLeft)
        area.setWidget(inner)
        column_of(area, parent=self, margins=0)

    def enter(self, params: dict[str, Any]) -> None:
        """Show the last known profile immediately, then read it from the service."""
        payload = self._context.payload
        if payload is None:
            return
        self._show(payload)
        if isinstance(params.get("profile"), dict):
            self.profile.restore(params["profile"])
        self.face.load()
        self.sessions.load()
        run(self._context.session.account.me, owner=self, done=self._on_refreshed, failed=lambda _: None)

    def leave(self) -> bool:
        """Ask before typed text is discarded."""
        if not (self.profile.has_changes or self.password.has_changes):
            return True
        return confirm(
            self,
            self.tr("Discard changes?"),
            self.tr("The changes on this page are not saved."),
            self.tr("Discard"),
        )

    def return_params(self) -> dict[str, Any]:
        """The typed values of the profile, without passwords."""
        return {"profile": self.profile.typed_values()} if self.profile.has_changes else {}

    def _show(self, payload: Payload) -> None:
        user = payload.user
        self.header.set_subtitle(f"{user.username} · {', '.join(self._roles(payload))}")
        self.password.user_name = user.username
        self.profile.show_user(user)
        may_update = self._context.may(Permission.USER_UPDATE)
        self.profile.setEnabled(may_update)
        self.profile.setToolTip(
            ""
            if may_update
            else self.tr("You do not have permission to change your profile. Contact an administrator.")
        )

    def _roles(self, payload: Payload) -> list[str]:
        labels = {
            "admin": self.tr("Administrator"),
            "planner": self.tr("Planner"),
            "inspector": self.tr("Inspector"),
            "viewer": self.tr("Viewer"),
        }
        return [labels[role] for role in payload.role]

    def _on_refreshed(self, payload: Payload) -> None:
        if not self.profile.has_changes:
            self._show(payload)
        self._update_login(payload)

    def _update_login(self, payload: Payload) -> None:
        # A response that arrives after a logout must not log the user in again.
        if self._context.payload is not None and self._context.payload.user.user_id == payload.user.user_id:
            self._context.enter(payload)

    def _on_saved(self, payload: Payload) -> None:
        self._update_login(payload)
        self.toast.emit(self.tr("Profile saved."))

    def _on_face_changed(self, text: str) -> None:
        self.toast.emit(text)
        run(self._context.session.account.me, owner=self, done=self._update_login, failed=lambda _: None)
