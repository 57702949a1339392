"""Getting in: the first run, password login, face login, and which server."""

from desktop.pages.login.page import LoginPage

__all__ = ["LoginPage"]
