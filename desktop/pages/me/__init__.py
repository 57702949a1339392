"""The page of the own account: profile, password, face, sessions."""

from desktop.pages.me.page import MePage

__all__ = ["MePage"]
