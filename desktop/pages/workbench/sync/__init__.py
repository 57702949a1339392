"""Keeps edits in the journal and sends them; gives undo, redo, conflicts and the saving state."""
