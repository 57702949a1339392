"""Shows users, audit log, face login, backups and webhooks, one section in front."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from PySide6.QtCore import QCoreApplication

from desktop.context import Context
from desktop.pages.common.lists.list_section import PageSection, SectionsPage
from desktop.pages.people.audit_section import AuditSection
from desktop.pages.people.backup_section import BackupSection
from desktop.pages.people.face_section import FaceSection
from desktop.pages.people.user_section import UserSection
from desktop.pages.people.webhooks.section import WebhookSection
from desktop.widgets import PageHeader
from shared.record.codes import Permission

_PERMISSIONS = {
    "users": Permission.USER_MANAGE,
    "audit": Permission.AUDIT_READ,
    "faces": Permission.SETTINGS_MANAGE,
    "backups": Permission.SETTINGS_MANAGE,
    "webhooks": Permission.SETTINGS_MANAGE,
}


class PeoplePage(SectionsPage[PageSection]):
    """Shows users, audit log, face login, backups and webhooks."""

    page_id: ClassVar[str] = "people"
    icon: ClassVar[str] = "people"
    permission: ClassVar[Permission | None] = Permission.USER_MANAGE

    def __init__(self, context: Context) -> None:
        header = PageHeader(
            QCoreApplication.translate("PeoplePage", "Administration"),
            QCoreApplication.translate("PeoplePage", "Users, audit log, face login, backups and webhooks"),
        )
        self.users = UserSection(context)
        self.audit = AuditSection(context)
        self.faces = FaceSection(context)
        self.backups = BackupSection(context)
        self.webhooks = WebhookSection(context)
        super().__init__(
            header,
            QCoreApplication.translate("PeoplePage", "Administration sections"),
            {
                "users": self.users,
                "audit": self.audit,
                "faces": self.faces,
                "backups": self.backups,
                "webhooks": self.webhooks,
            },
        )
        self._context = context

    @classmethod
    def title(cls) -> str:
        """The page's name."""
        return QCoreApplication.translate("PeoplePage", "Administration")

    def visible_sections(self) -> Mapping[str, str]:
        """The sections for which the user has the permission."""
        titles = {
            "users": self.tr("Users"),
            "audit": self.tr("Audit log"),
            "faces": self.tr("Face login"),
            "backups": self.tr("Backups"),
            "webhooks": self.tr("Webhooks"),
        }
        return {
            name: titles[name] for name, permission in _PERMISSIONS.items() if self._context.may(permission)
        }
