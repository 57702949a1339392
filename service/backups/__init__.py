"""Backs up and restores an installation: by command, and on a schedule with retention and verification."""
