"""Writes and reads backups: one file, or a place whose backups share their contents."""
