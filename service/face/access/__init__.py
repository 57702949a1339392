"""Limits face logins: per station, per minute and per waiting queue."""
