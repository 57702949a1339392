"""Sends requests to the service: tokens, retries, errors and the event stream. Knows no domain."""
