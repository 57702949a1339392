"""The users page: users, audit log and face recognition."""

from desktop.pages.people.page import PeoplePage

__all__ = ["PeoplePage"]
