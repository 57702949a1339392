"""Finishing a record, what its seal says, releasing and reopening it: dialogs and words for several pages."""
