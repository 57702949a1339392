"""Command-line tools of an installation: backup, restore, doctor, audit verification."""
