"""Sends requests to the service: tokens, retries, errors and the event stream. It is independent of the
domains."""
