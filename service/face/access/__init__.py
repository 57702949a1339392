"""Limits face logins: by station, by minute and by the number of waiting requests."""
