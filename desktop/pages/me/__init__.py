"""The user's account page: profile, password, face, sessions."""

from desktop.pages.me.page import MePage

__all__ = ["MePage"]
