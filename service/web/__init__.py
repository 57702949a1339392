"""Handles every request: middleware, envelopes, errors, body checks, ETags, permissions, client addresses,
API document."""
