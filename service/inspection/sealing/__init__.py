"""Finishes, seals, releases, reopens and verifies records."""
