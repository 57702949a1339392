"""Lists the users: who may log in, and with which roles."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QDialog

from desktop.background.workers import run
from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.localization.language import join_words
from desktop.messages.error_messages import sentence
from desktop.pages.common.forms.password_prompt import run_guarded
from desktop.pages.common.lists.list_section import NOTHING, TableSection
from desktop.pages.people.audit_terms import role_word
from desktop.pages.people.forms import EditUserForm, NewUserForm, SetPasswordForm
from desktop.widgets import Button, Column, confirm
from shared.names import user_label
from shared.record.codes import Permission
from shared.wire.account import Payload, UserUpdate, UserWithRoles
from shared.wire.common import Page as Listing


class UserSection(TableSection[UserWithRoles]):
    """The users. A user is disabled, never deleted, because records and the audit log refer to them."""

    manage_permission: ClassVar[Permission] = Permission.USER_MANAGE
    empty_icon: ClassVar[str] = "people"
    new_command: ClassVar[str] = "user.new"
    delete_command: ClassVar[str] = ""

    def __init__(self, context: Context) -> None:
        translate = QCoreApplication.translate
        super().__init__(
            context, translate("People", "New user…"), translate("People", "Full name, username")
        )

    def make_remove_button(self) -> Button:
        return Button(self.tr("Disable"))

    def make_extra_buttons(self) -> list[Button]:
        self.password = Button(self.tr("Set password…"), icon="lock")
        self.face = Button(self.tr("Delete face data"))
        self.password.clicked.connect(self.set_password)
        self.face.clicked.connect(self.delete_face)
        return [self.face, self.password]

    def columns(self) -> list[Column[UserWithRoles]]:
        return [
            Column(
                self.tr("Full name"),
                lambda u: u.name or u.username,
                stretch=True,
                kind="strong",
                second_line=lambda u: u.department or "",
            ),
            Column(self.tr("Username"), lambda u: u.username, 180),
            Column(self.tr("Roles"), lambda u: join_words(map(role_word, u.roles)) or NOTHING, 220),
            Column(
                self.tr("Face"),
                lambda u: self.tr("Enrolled") if u.has_face else NOTHING,
                120,
                kind="dim",
            ),
            Column(
                self.tr("Status"),
                lambda u: self.tr("Enabled") if u.enabled else self.tr("Disabled"),
                120,
                tone=lambda u: "" if u.enabled else "dim",
            ),
            Column(self.tr("Created"), lambda u: format_minute(u.created_at), 160, kind="dim"),
        ]

    def empty_text(self) -> str:
        return self.tr("No users yet.")

    def fetch(self, number: int, size: int, text: str) -> Listing[UserWithRoles]:
        return self._context.session.users.list(number, size, text)

    def key(self, entry: UserWithRoles) -> str:
        return entry.user_id

    def name(self, entry: UserWithRoles) -> str:
        return user_label(entry.name, entry.username)

    def form(self, entry: UserWithRoles | None) -> QDialog:
        return NewUserForm(self._context, self) if entry is None else EditUserForm(self._context, entry, self)

    def update_buttons(self) -> None:
        super().update_buttons()
        user = self.selected_entry()
        is_enabled = user is None or user.enabled
        self.remove.setText(self.tr("Disable") if is_enabled else self.tr("Enable"))
        has_face = user is not None and user.has_face
        self.face.setEnabled(has_face)
        self.face.setToolTip("" if has_face or user is None else self.tr("No face enrolled for this user."))

    def set_password(self) -> None:
        """Open the form that sets a new password for the selected user."""
        user = self.selected_entry()
        if user is not None:
            self._open_form(SetPasswordForm(self._context, user, self))

    def delete_selected(self) -> None:
        """Disable the selected user after a confirmation, or enable the user again."""
        user = self.selected_entry()
        if user is None:
            return
        if user.enabled and not confirm(
            self,
            self.tr("Disable {name}?").format(name=self.name(user)),
            self.tr(
                "The user is logged out immediately and cannot log in again. The user and their log "
                "entries are kept."
            ),
            self.tr("Disable"),
        ):
            return
        change = UserUpdate(enabled=not user.enabled)
        run_guarded(
            self._context,
            partial(self._context.session.users.update, user.user_id, change),
            owner=self,
            done=self._on_saved,
            failed=lambda error: self.toast.emit(sentence(error)),
        )

    def delete_face(self) -> None:
        """Delete the face data of the selected user after a confirmation."""
        user = self.selected_entry()
        if user is None or not confirm(
            self,
            self.tr("Delete face data of {name}?").format(name=self.name(user)),
            self.tr(
                "All enrolled face data is deleted. The user then logs in with a password and "
                "can enrol again."
            ),
            self.tr("Delete face data"),
        ):
            return
        run_guarded(
            self._context,
            partial(self._context.session.faces.delete, user.user_id),
            owner=self,
            done=lambda _: self.reload(user.user_id),
            failed=lambda error: self.toast.emit(sentence(error)),
        )

    def _on_saved(self, entry: UserWithRoles) -> None:
        super()._on_saved(entry)
        payload = self._context.payload
        if payload is not None and payload.user.user_id == entry.user_id:
            # The current user's roles or name changed: update rail and pages.
            run(self._context.session.account.me, owner=self, done=self._update_login, failed=lambda _: None)

    def _update_login(self, payload: Payload) -> None:
        if self._context.payload is not None:
            self._context.enter(payload)
