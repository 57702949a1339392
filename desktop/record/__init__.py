"""The open record: its document, edits, journal, sending and live changes. Without widgets."""
