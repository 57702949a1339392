"""The login page: first run, password login, face login and choice of service."""

from desktop.pages.login.page import LoginPage

__all__ = ["LoginPage"]
