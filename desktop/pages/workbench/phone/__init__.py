"""Connects a phone as the camera of the open record."""

from desktop.pages.workbench.phone.controller import PhoneController

__all__ = ["PhoneController"]
