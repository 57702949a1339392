"""Lists the users, who may log in and with which roles, and defines their forms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QDialog, QFrame, QLineEdit, QScrollArea, QWidget

from desktop.background.workers import run
from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.localization.language import join_words
from desktop.messages.error_messages import sentence
from desktop.pages.common.forms.form import CheckBoxesField, Form
from desktop.pages.common.forms.passwords import follows_rules, rules_label, run_guarded
from desktop.pages.common.lists.list_section import NOTHING, TableSection
from desktop.pages.common.session_list import SessionList
from desktop.pages.people.audit_terms import role_meaning, role_word
from desktop.widgets import (
    Button,
    Card,
    Column,
    Field,
    PasswordField,
    column_of,
    confirm,
    label,
    move_toggles_after,
)
from shared.names import user_label
from shared.record.codes import Permission, Role
from shared.wire.account import Payload, UserUpdate, UserWithRoles
from shared.wire.common import Page as Listing

_SESSIONS_HEIGHT_PX = 190
"""The height of the list of sessions: two sessions and the beginning of the next."""


class _UserForm(Form):
    """The base of the forms of users, with fields for roles and for a new password."""

    def add_roles(self, roles: list[Role]) -> None:
        """Add the roles below the fields."""
        self.roles = CheckBoxesField(
            QCoreApplication.translate("RolesField", "Roles"), Role, roles, role_word, role_meaning
        )
        self.roles.changed.connect(self.mark_changed)
        self.body.addWidget(self.roles)

    def add_password(self) -> None:
        """Add the fields of a new password below the others."""
        self.password = PasswordField(self.tr("Password"))
        self.confirmation = PasswordField(self.tr("Confirm password"))
        self.add("password", self.password)
        self.body.addWidget(rules_label())
        self.add("confirmation", self.confirmation)
        move_toggles_after(self.save, self.password, self.confirmation)

    def has_valid_roles(self) -> bool:
        """Whether a role is selected. Shows an error otherwise."""
        if self.roles.value():
            return True
        self.roles.set_error(self.tr("Select at least one role."))
        return False

    def has_valid_password(self, user_name: str) -> bool:
        """Whether the password follows the rules and was typed twice. Shows an error otherwise."""
        if not follows_rules(self.password.text(), user_name):
            self.show_field_error("password", self.tr("Enter a password that meets the rules below."))
            return False
        if self.confirmation.text() != self.password.text():
            self.show_field_error("confirmation", self.tr("The passwords do not match. Enter them again."))
            return False
        return True


class NewUserForm(_UserForm):
    """Creates a user."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        translate = QCoreApplication.translate
        super().__init__(context, translate("People", "New user"), translate("People", "Create user"), parent)
        self.add("username", Field(self.tr("Username")), Field(self.tr("Full name (optional)")), "name")
        self.add_roles([Role.INSPECTOR])
        self.add_password()

    def work(self) -> Callable[[], Any] | None:
        user_name = self.text("username")
        if user_name is None:
            self.show_field_error("username", self.tr("Enter a username."))
            return None
        if not self.has_valid_roles() or not self.has_valid_password(user_name):
            return None
        create_user = self._context.session.users.create
        return partial(create_user, user_name, self.password.text(), self.roles.value(), self.text("name"))


class EditUserForm(_UserForm):
    """Edits the name and roles of a user, and shows the user's sessions."""

    def __init__(self, context: Context, user: UserWithRoles, parent: QWidget | None = None) -> None:
        translate = QCoreApplication.translate
        super().__init__(context, translate("People", "User"), translate("Form", "Save"), parent)
        self._user = user
        user_name = QLineEdit(user.username)
        user_name.setEnabled(False)
        self.add("name", Field(self.tr("Full name")), Field(self.tr("Username"), user_name), "username")
        self.fields["name"].set_text(user.name or "")
        self.add_roles(user.roles)
        self.sessions = SessionList(context, user.user_id)
        self.sessions.setProperty("clear", True)
        self.body.addWidget(self._sessions_card(self.sessions))
        self.sessions.load()

    @staticmethod
    def _sessions_card(sessions: SessionList) -> Card:
        card = Card()
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFixedHeight(_SESSIONS_HEIGHT_PX)
        inner = QWidget()
        inner.setProperty("clear", True)
        column_of(sessions, 1, parent=inner, margins=(0, 0, 8, 0))
        area.setWidget(inner)
        column_of(area, parent=card, margins=(16, 12, 8, 12))
        return card

    def work(self) -> Callable[[], Any] | None:
        if not self.has_valid_roles():
            return None
        changes: dict[str, Any] = {}
        if self.text("name") != self._user.name:
            changes["name"] = self.text("name")
        if set(self.roles.value()) != set(self._user.roles):
            changes["roles"] = self.roles.value()
        return partial(self._context.session.users.update, self._user.user_id, UserUpdate(**changes))


class SetPasswordForm(_UserForm):
    """Sets a new password for a user, which ends the user's sessions."""

    def __init__(self, context: Context, user: UserWithRoles, parent: QWidget | None = None) -> None:
        translate = QCoreApplication.translate
        title = translate("People", "New password for {name}").format(
            name=user_label(user.name, user.username)
        )
        super().__init__(context, title, translate("People", "Set password"), parent)
        self._user = user
        text = self.tr("The user is logged out immediately. Pass on the new password securely.")
        self.body.addWidget(label(text, "dim", wrap=True))
        self.add_password()

    def work(self) -> Callable[[], Any] | None:
        if not self.has_valid_password(self._user.username):
            return None
        update = self._context.session.users.update
        return partial(update, self._user.user_id, UserUpdate(), self.password.text())


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
