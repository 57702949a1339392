"""Finishing, releasing and reopening a record, and its seal: dialogs and texts for several pages."""
