"""Defines the forms for users: create, edit, reset password."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFrame, QLineEdit, QScrollArea, QWidget

from desktop.context import Context
from desktop.pages.common.forms.check_boxes import CheckBoxesField
from desktop.pages.common.forms.form import Form
from desktop.pages.common.forms.password_strength import StrengthLine, follows_rules
from desktop.pages.common.session_list import SessionList
from desktop.pages.people.audit_terms import role_meaning, role_word
from desktop.widgets import Card, Field, PasswordField, column_of, label, move_toggles_after
from shared.names import user_label
from shared.record.codes import Role
from shared.wire.account import UserUpdate, UserWithRoles

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
        self.strength = StrengthLine()
        self.password = PasswordField(self.tr("Password"))
        self.confirmation = PasswordField(self.tr("Confirm password"))
        self.add("password", self.password)
        self.body.addWidget(self.strength)
        self.add("confirmation", self.confirmation)
        move_toggles_after(self.save, self.password, self.confirmation)
        self.password.changed.connect(lambda: self.strength.show_password(self.password.text()))

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
