"""Owns the open record: its loading, the selection, the edits with undo and redo, and changes at the
service."""
