"""Dialogs for finishing, releasing and reopening a record and for its seal, for several pages."""
