"""People: the users, what they did, and how their faces are recognized."""

from desktop.pages.people.page import PeoplePage

__all__ = ["PeoplePage"]
