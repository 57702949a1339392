"""Dialogs and fields for creating or editing one object: forms, search, password rules and prompt."""
