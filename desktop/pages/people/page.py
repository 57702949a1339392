"""The page of the people: users, audit log, face login; one section in front."""

from __future__ import annotations

from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout

from desktop.context import Context
from desktop.pages.people.audit import AuditSection
from desktop.pages.people.faces import FaceSection
from desktop.pages.people.users import UserSection
from desktop.widgets import FilterChips, Page, PageHeader
from shared.codes import Permission

_RIGHTS = {
    "users": Permission.USER_MANAGE,
    "audit": Permission.AUDIT_READ,
    "faces": Permission.SETTINGS_MANAGE,
}


class PeoplePage(Page):
    """Who works here, what they did, and how they are recognized."""

    page_id: ClassVar[str] = "people"
    icon: ClassVar[str] = "people"
    permission: ClassVar[Permission | None] = Permission.USER_MANAGE

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.header = PageHeader(self.tr("People"), self.tr("Who may log in, what was done, and by whom"))
        self.users = UserSection(context)
        self.audit = AuditSection(context)
        self.faces = FaceSection(context)
        self._sections: dict[str, UserSection | AuditSection | FaceSection] = {
            "users": self.users,
            "audit": self.audit,
            "faces": self.faces,
        }
        self.chips = FilterChips(self.tr("Sections of the page"))
        self.chips.chosen.connect(self.show_section)
        self._stack = QStackedWidget()
        for section in self._sections.values():
            self._stack.addWidget(section)
            section.toast.connect(self.toast)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 20)
        column.setSpacing(14)
        column.addWidget(self.header)
        column.addWidget(self.chips)
        column.addWidget(self._stack, 1)

    @classmethod
    def title(cls) -> str:
        """The page's name."""
        return QCoreApplication.translate("PeoplePage", "People")

    @property
    def in_front(self) -> str:
        """The name of the section in front: users, audit, faces."""
        return self.chips.value()

    def opened(self, params: dict[str, Any]) -> None:
        """Show the section `section`, or the one that was in front."""
        titles = {
            "users": self.tr("Users"),
            "audit": self.tr("Audit log"),
            "faces": self.tr("Face login"),
        }
        offered = [(name, titles[name]) for name, right in _RIGHTS.items() if self._context.may(right)]
        self.chips.set_choices(offered)
        wanted = str(params.get("section") or self.in_front)
        self.show_section(wanted if wanted in dict(offered) else "users")

    def place(self) -> dict[str, Any]:
        """The section in front."""
        return {"section": self.in_front}

    def show_section(self, name: str) -> None:
        """Bring a section to the front."""
        self.chips.set_value(name)
        section = self._sections[name]
        self._stack.setCurrentWidget(section)
        section.opened()
