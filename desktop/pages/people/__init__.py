"""The administration page: users, audit log, face login, backups and webhooks."""

from desktop.pages.people.page import PeoplePage

__all__ = ["PeoplePage"]
