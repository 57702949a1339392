"""Dialogs and fields that create or change one object: forms, search, password rules and prompt."""
